#include "reporters/render/html/markup.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "reporters/render/display_text.h"
#include "reporters/render/kernel_name.h"

namespace perfgate::render::html {
namespace {

constexpr std::size_t kNameColumns = 72;
// Beyond this a name is cut for good: nobody reads it, and a page has thousands of them.
constexpr std::size_t kLongestName = 4000;

unsigned digit_of(char hex) {
  if (hex >= '0' && hex <= '9') return static_cast<unsigned>(hex - '0');
  return static_cast<unsigned>(hex - 'a') + 10U;
}

std::string class_attribute(std::string_view first, std::string_view second = {}) {
  if (first.empty() && second.empty()) return {};
  const std::string_view between = first.empty() || second.empty() ? "" : " ";
  return fmt::format(" class=\"{}{}{}\"", first, between, second);
}

std::string_view class_of(Column::Kind kind) {
  switch (kind) {
    case Column::Kind::number: return "number";
    case Column::Kind::name: return "name";
    case Column::Kind::tag: return "tag";
    default: return "";
  }
}

std::string content_markup(const Column& column, const Cell& cell) {
  switch (column.kind) {
    case Column::Kind::name: return name_markup(cell.content);
    case Column::Kind::tag:
    case Column::Kind::markup: return cell.content;
    default: return escaped(cell.content);
  }
}

std::string cell_markup(const Column& column, const Cell& cell, bool heads_row) {
  const std::string_view tag = heads_row ? "th" : "td";
  const std::string value = cell.value && std::isfinite(*cell.value)
                                ? fmt::format(" data-value=\"{}\"", *cell.value)
                                : std::string();
  return fmt::format("<{}{}{}{}>{}</{}>", tag, heads_row ? " scope=\"row\"" : "",
                     class_attribute(class_of(column.kind), cell.tone), value,
                     content_markup(column, cell), tag);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text, true)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string prose(std::string_view text) {
  static constexpr std::string_view kParted = " %";
  std::string out = escaped(text);
  for (std::size_t at = out.find(kParted); at != std::string::npos; at = out.find(kParted, at)) {
    out.replace(at, kParted.size(), "\xC2\xA0%");
  }
  return out;
}

std::string policy_hash(std::string_view hex) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 6) {
    unsigned bits = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      bits = bits << 4U | (at + i < hex.size() ? digit_of(hex[at + i]) : 0U);
    }
    const std::size_t bytes = std::min<std::size_t>(3, (hex.size() - at) / 2);
    for (std::size_t i = 0; i < 4; ++i) {
      out += i <= bytes ? kDigits[bits >> (18U - 6U * i) & 63U] : '=';
    }
  }
  return out.empty() ? out : "sha256-" + out;
}

std::string name_markup(std::string_view name) {
  const std::string whole = cut_middle(printable(name, true), kLongestName, true);
  const std::string brief = short_kernel_name(whole, kNameColumns, true);
  if (whole.empty()) return {};
  if (brief == whole) return fmt::format("<code>{}</code>", escaped(whole));
  return fmt::format(
      "<details class=\"full\"><summary><code>{}</code></summary><code>{}</code></details>",
      escaped(brief), escaped(whole));
}

std::string swatch(std::string_view ink) {
  return fmt::format(
      "<svg class=\"swatch\" viewBox=\"0 0 1 1\" aria-hidden=\"true\">"
      "<rect class=\"{}\" width=\"1\" height=\"1\"/></svg>",
      ink);
}

std::string share_bar(double share, std::string_view ink) {
  if (!std::isfinite(share)) return {};
  return fmt::format(
      "<svg class=\"share\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" "
      "aria-hidden=\"true\">"
      "<rect width=\"100\" height=\"8\"/><rect class=\"{}\" width=\"{:.1f}\" height=\"8\"/></svg>",
      ink, std::clamp(share, 0.0, 1.0) * 100.0);
}

std::string table_markup(const Table& table) {
  if (table.rows.empty()) return {};
  std::string out = fmt::format(
      "<div class=\"scroll\" role=\"group\" aria-label=\"{}\" tabindex=\"0\">\n<table{}>\n<thead>"
      "<tr>",
      table.label, table.sortable ? " data-sortable" : "");
  for (const Column& column : table.columns) {
    const std::string kind = class_attribute(class_of(column.kind));
    out += column.header.empty() ? "<td></td>"
                                 : fmt::format("<th scope=\"col\"{}>{}</th>", kind, column.header);
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const TableRow& row : table.rows) {
    out += fmt::format("<tr{}>", class_attribute(row.tone));
    for (std::size_t i = 0; i < table.columns.size() && i < row.cells.size(); ++i) {
      out += cell_markup(table.columns[i], row.cells[i], i == 0);
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n</div>\n";
}

TableRow plain_row(std::span<const std::string> cells) {
  TableRow row;
  for (const std::string& cell : cells) row.cells.push_back({.content = cell});
  return row;
}

std::string section(std::string_view id, std::string_view title, const std::string& body) {
  if (body.empty()) return {};
  return fmt::format(
      "<section id=\"{}\" aria-labelledby=\"{}-title\">\n<h2 "
      "id=\"{}-title\">{}</h2>\n{}</section>\n",
      id, id, id, title, body);
}

std::string figure(std::string_view chart, std::string_view caption) {
  return fmt::format(
      "<figure data-chart=\"{}\" hidden><div class=\"frame\"></div>"
      "<figcaption>{}</figcaption></figure>\n",
      chart, escaped(caption));
}

std::string paragraph(std::string_view text, std::string_view tone) {
  if (text.empty()) return {};
  return fmt::format("<p{}>{}</p>\n", class_attribute(tone), prose(text));
}

}  // namespace perfgate::render::html
