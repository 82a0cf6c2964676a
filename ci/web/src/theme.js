// Light, dark, or as the system has it. Not kept: a report is read once.
const NEXT = { "": "dark", dark: "light", light: "" };
const LABEL = { "": "Theme: system", dark: "Theme: dark", light: "Theme: light" };

/** Shows the button, which the page keeps hidden without a script. */
export function addThemeButton(button) {
  if (!button) return;
  const root = document.documentElement;
  button.hidden = false;
  button.textContent = LABEL[""];
  button.addEventListener("click", () => {
    const theme = NEXT[root.dataset.theme ?? ""];
    root.dataset.theme = theme;
    button.textContent = LABEL[theme];
  });
}
