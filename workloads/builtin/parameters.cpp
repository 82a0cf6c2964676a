#include "workloads/builtin/parameters.h"

#include <algorithm>
#include <cassert>
#include <charconv>

namespace perfgate::builtin {
namespace {

using workloads::KindInfo;
using workloads::ParameterInfo;
using workloads::ParameterType;

Error usage(std::string message, std::string hint) {
  return Error{ErrorCode::usage, std::move(message), std::move(hint), ""};
}

std::string known_names(const KindInfo& kind) {
  if (kind.parameters.empty()) return std::string(kind.name) + " takes no parameters";
  std::string text = "known: ";
  for (const ParameterInfo& parameter : kind.parameters) {
    if (text.size() > 7) text += ", ";
    text += parameter.name;
  }
  return text;
}

Status check_integer(const ParameterInfo& info, const std::string& value) {
  PG_ASSIGN_OR_RETURN(const std::int64_t number, parse_integer(value, info.name));
  if (number < info.min || number > info.max) {
    return usage(std::string(info.name) + "=" + value + " is out of range",
                 "use " + std::to_string(info.min) + " to " + std::to_string(info.max));
  }
  return {};
}

Status check_word(const ParameterInfo& info, const std::string& value) {
  if (std::ranges::find(info.choices, value) != info.choices.end()) return {};
  std::string hint = "use one of:";
  for (const std::string_view choice : info.choices) hint += " " + std::string(choice);
  return usage(std::string(info.name) + " has no choice '" + value + "'", hint);
}

Status check_value(const ParameterInfo& info, const std::string& value) {
  switch (info.type) {
    case ParameterType::integer: return check_integer(info, value);
    case ParameterType::word: return check_word(info, value);
    case ParameterType::boolean: break;
  }
  if (value == "true" || value == "false") return {};
  return usage(std::string(info.name) + "=" + value + " is neither true nor false",
               "use " + std::string(info.name) + "=true or " + std::string(info.name) + "=false");
}

}  // namespace

Result<std::int64_t> parse_integer(std::string_view text, std::string_view what) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || problem != std::errc{} || end != text.data() + text.size()) {
    return usage(std::string(what) + "='" + std::string(text) + "' is not a whole number",
                 "write it with decimal digits only");
  }
  return number;
}

Result<Parameters> Parameters::parse(const KindInfo& kind, std::span<const std::string> words) {
  Parameters parsed;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      return usage("'" + word + "' is not of the form name=value", known_names(kind));
    }
    const std::string name = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    const ParameterInfo* info = workloads::find_parameter(kind, name);
    if (info == nullptr) {
      return usage(std::string(kind.name) + " has no parameter '" + name + "'", known_names(kind));
    }
    PG_TRY(check_value(*info, value));
    if (!parsed.values_.emplace(name, value).second) {
      return usage(name + " is given twice", "give each parameter once");
    }
  }
  for (const ParameterInfo& info : kind.parameters) {
    parsed.values_.emplace(info.name, info.default_text);
  }
  return parsed;
}

std::int64_t Parameters::integer(std::string_view name) const {
  const auto number = parse_integer(word(name), name);
  assert(number.ok());
  return number.value();
}

bool Parameters::boolean(std::string_view name) const { return word(name) == "true"; }

const std::string& Parameters::word(std::string_view name) const {
  const auto found = values_.find(name);
  assert(found != values_.end());
  return found->second;
}

}  // namespace perfgate::builtin
