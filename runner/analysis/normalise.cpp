#include "runner/analysis/normalise.h"

#include <array>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include <cxxabi.h>

namespace perfgate::analysis {
namespace {

// Stands for "(anonymous namespace)" while parentheses are matched.
constexpr std::string_view kAnonymous = "{anonymous}";
constexpr std::string_view kAnonymousText = "(anonymous namespace)";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string demangled(std::string_view printed) {
  std::string text(printed);
  if (!text.starts_with("_Z")) return text;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && plain ? std::string(plain.get()) : text;
}

void strip_suffixes(std::string& text) {
  if (const auto clone = text.find(" [clone "); clone != std::string::npos) text.resize(clone);
  if (text.ends_with(".kd")) text.resize(text.size() - 3);
  while (!text.empty() && text.back() == ' ') text.pop_back();
}

/// Length of a cast to a built-in type at `at` ("(unsigned int)"), 0 if there is none.
std::size_t cast_length(std::string_view text, std::size_t at) {
  constexpr std::array<std::string_view, 12> kCasts{
      "(int)",           "(unsigned int)",       "(bool)",  "(long)",           "(unsigned long)",
      "(long long)",     "(unsigned long long)", "(short)", "(unsigned short)", "(char)",
      "(unsigned char)", "(signed char)"};
  for (const std::string_view cast : kCasts) {
    if (text.substr(at).starts_with(cast)) {
      const std::size_t next = at + cast.size();
      const bool number = next < text.size() && (is_digit(text[next]) || text[next] == '-');
      return number ? cast.size() : 0;
    }
  }
  return 0;
}

/// Copies the integer literal at `at` without its suffix; returns the position behind it.
std::size_t copy_number(std::string_view text, std::size_t at, std::string& out) {
  if (text[at] == '-') out.push_back(text[at++]);
  while (at < text.size() && is_digit(text[at])) out.push_back(text[at++]);
  std::size_t suffix = at;
  while (suffix < text.size() && (text[suffix] == 'u' || text[suffix] == 'l')) ++suffix;
  return suffix == text.size() || !is_word(text[suffix]) ? suffix : at;
}

/// `[lambda(float) (instance 1)]` -> `{lambda(float)#1}`; returns the position behind it, or `at`
/// if there is none.
std::size_t copy_lambda(std::string_view text, std::size_t at, std::string& out) {
  constexpr std::string_view kInstanceWord = " (instance ";
  if (!text.substr(at).starts_with("[lambda")) return at;
  const std::size_t instance = text.find(kInstanceWord, at);
  const std::size_t end = instance == text.npos ? text.npos : text.find(")]", instance);
  if (end == text.npos) return at;
  const std::size_t number = instance + kInstanceWord.size();
  out += "{";
  out += text.substr(at + 1, instance - at - 1);
  out += "#";
  out += text.substr(number, end - number);
  out += "}";
  return end + 2;
}

std::string unified_spelling(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const bool starts_word = out.empty() || !is_word(out.back());
    if (rest.starts_with("<unnamed>")) {
      out += kAnonymous;
      i += 9;
    } else if (rest.starts_with(kAnonymousText)) {
      out += kAnonymous;
      i += kAnonymousText.size();
    } else if (const std::size_t cast = cast_length(text, i); cast > 0) {
      const bool boolean = rest.starts_with("(bool)");
      const char digit = text[i + cast];
      if (boolean && (digit == '0' || digit == '1')) {
        out += digit == '0' ? "false" : "true";
        i += cast + 1;
      } else {
        i = copy_number(text, i + cast, out);
      }
    } else if (const std::size_t behind = copy_lambda(text, i, out); behind != i) {
      i = behind;
    } else if (is_digit(text[i]) && starts_word) {
      i = copy_number(text, i, out);
    } else if (rest.starts_with(" >") && out.ends_with('>')) {
      ++i;
    } else {
      out.push_back(text[i++]);
    }
  }
  return out;
}

/// Where a demangled name's parts begin, found at nesting depth 0.
struct Parts {
  std::size_t name = 0;         ///< behind the return type
  std::size_t template_at = 0;  ///< first `<` of the name
  std::size_t end = 0;          ///< the parameter list's `(`
};

Parts find_parts(std::string_view text) {
  Parts parts{.name = 0, .template_at = text.npos, .end = text.size()};
  std::vector<char> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (open.empty() && text.substr(i).starts_with("operator()")) {
      i += std::string_view("operator()").size() - 1;
    } else if (c == '(' && open.empty()) {
      parts.end = i;
      break;
    } else if (c == '<' || c == '(' || c == '{' || c == '[') {
      if (c == '<' && open.empty() && parts.template_at == text.npos) parts.template_at = i;
      open.push_back(c);
    } else if (!open.empty() &&
               ((c == '>' && open.back() == '<') || (c == ')' && open.back() == '(') ||
                (c == '}' && open.back() == '{') || (c == ']' && open.back() == '['))) {
      open.pop_back();
    } else if (c == ' ' && open.empty() && i + 1 < text.size() && text[i + 1] != '(') {
      parts.name = i + 1;
      parts.template_at = text.npos;
    }
  }
  return parts;
}

void restore_anonymous(std::string& text) {
  for (std::size_t at = text.find(kAnonymous); at != std::string::npos;
       at = text.find(kAnonymous, at + kAnonymousText.size())) {
    text.replace(at, kAnonymous.size(), kAnonymousText);
  }
}

void strip_triton_number(std::string& symbol) {
  if (!symbol.starts_with("triton_")) return;
  std::size_t end = symbol.size();
  while (end > 0 && is_digit(symbol[end - 1])) --end;
  if (end < symbol.size() && end > 1 && symbol[end - 1] == '_') symbol.resize(end - 1);
}

}  // namespace

NormalisedName normalise(std::string_view printed) {
  std::string text = demangled(printed);
  strip_suffixes(text);
  if (text.starts_with("Memcpy ") || text.starts_with("Memset ") || text.starts_with("[CUDA mem")) {
    return {.symbol = std::move(text), .arguments = {}};
  }
  text = unified_spelling(text);
  // nsys prints unbalanced brackets inside enable_if; the name follows its "::type ".
  if (text.starts_with("std::enable_if<")) {
    if (const auto type = text.find("::type "); type != std::string::npos) text.erase(0, type + 7);
  }
  const Parts parts = find_parts(text);
  const std::size_t split = std::min(parts.template_at, parts.end);
  NormalisedName name{.symbol = text.substr(parts.name, split - parts.name),
                      .arguments = text.substr(split, parts.end - split)};
  while (!name.symbol.empty() && name.symbol.back() == ' ') name.symbol.pop_back();
  restore_anonymous(name.symbol);
  restore_anonymous(name.arguments);
  strip_triton_number(name.symbol);
  if (name.symbol.empty()) return {.symbol = std::string(printed), .arguments = {}};
  return name;
}

}  // namespace perfgate::analysis
