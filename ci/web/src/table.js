// A table that sorts by its column heads and filters by a text field. Cells carry their number in
// data-value where their text is not one to sort by.

function keyOf(row, column) {
  const cell = row.cells[column];
  const value = cell?.dataset.value;
  return value === undefined ? (cell?.textContent.trim() ?? "") : Number(value);
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

function sortBy(table, column, ascending) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, key: keyOf(row, column) }));
  rows.sort((a, b) => (ascending ? compare(a.key, b.key) : compare(b.key, a.key)));
  body.append(...rows.map(({ row }) => row));
}

function addSorting(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const numeric = head.classList.contains("number");
      const was = head.getAttribute("aria-sort");
      // Large numbers first: those are looked for.
      const ascending = was ? was !== "ascending" : !numeric;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      sortBy(table, column, ascending);
    });
  });
}

function addFilter(table) {
  const rows = [...table.tBodies[0].rows];
  const label = document.createElement("label");
  const input = document.createElement("input");
  const status = document.createElement("output");
  label.className = "filter";
  input.type = "search";
  input.autocomplete = "off";
  label.append("Filter ", input);
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) ++shown;
    }
    status.textContent = words.length > 0 ? `${shown} of ${rows.length} rows` : "";
  };
  input.addEventListener("input", show);
  const bar = document.createElement("div");
  bar.className = "filter-bar";
  bar.append(label, status);
  table.closest(".scroll").before(bar);
}

export function makeSortable(table) {
  if (!table.tHead || table.tBodies.length === 0) return;
  addSorting(table);
  if (table.tBodies[0].rows.length > 3) addFilter(table);
}
