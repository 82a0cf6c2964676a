#include "workloads/spec/schema.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "runner/model/work.h"
#include "workloads/kinds/kind_catalog.h"
#include "workloads/spec/key_table.h"
#include "workloads/spec/quantity.h"

namespace perfgate::workloads {
namespace {

using Json = nlohmann::ordered_json;

using Table = std::span<const KeyInfo>;

Json object_schema(const std::string& path, Table table);

Json text_schema() { return {{"type", "string"}, {"minLength", 1}}; }

/// A number as JSON shows it: 5, not 5.0.
Json limit(double value) {
  if (std::floor(value) == value && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  return value;
}

void add_limits(const KeyInfo& info, Json& schema) {
  if (info.min == info.max && info.min == 0.0) return;
  schema["minimum"] = limit(info.min);
  schema["maximum"] = limit(info.max);
}

Json words_schema(std::span<const std::string_view> words) {
  Json schema;
  schema["enum"] = Json::array();
  for (const std::string_view word : words) schema["enum"].push_back(word);
  return schema;
}

/// A number and one of the units, with one space or none between.
Json amount_text_schema(std::span<const UnitFactor> units, bool may_be_auto) {
  std::string pattern = "^(";
  if (may_be_auto) pattern += "auto|";
  pattern += "\\+?[0-9.]+([eE][-+]?[0-9]+)? ?(";
  for (const UnitFactor& unit : units) {
    if (pattern.back() != '(') pattern += '|';
    pattern += unit.unit;
  }
  return {{"type", "string"}, {"pattern", pattern + "))$"}};
}

Json number_or(Json text) {
  Json schema;
  schema["oneOf"] = Json::array({{{"type", "number"}, {"exclusiveMinimum", 0}}, std::move(text)});
  return schema;
}

Json looks_schema(const KeyInfo& info) {
  Json one{{"type", "integer"}};
  add_limits(info, one);
  Json list{
      {"type", "array"}, {"items", one}, {"minItems", 1}, {"maxItems", 10}, {"uniqueItems", true}};
  Json schema;
  schema["oneOf"] = Json::array({one, list});
  return schema;
}

Json results_schema(const KeyInfo& info, Table table) {
  Json mapping = object_schema(std::string{info.path}, table);
  mapping["minProperties"] = 1;
  mapping["maxProperties"] = 1;
  Json schema;
  schema["oneOf"] = Json::array({words_schema(info.choices), mapping});
  return schema;
}

Json named_schema(Json value) {
  return {{"type", "object"}, {"additionalProperties", std::move(value)}};
}

Json scalar_list_schema() {
  Json item{{"type", Json::array({"string", "number", "boolean"})}};
  return {{"type", "array"}, {"items", item}, {"minItems", 1}};
}

Json type_schema(const KeyInfo& info, Table table) {
  const std::string path{info.path};
  switch (info.type) {
    case KeyType::mapping: return object_schema(path, table);
    case KeyType::mapping_list:
      return {{"type", "array"}, {"items", object_schema(path + "[]", table)}};
    case KeyType::text_map:
      return named_schema({{"type", Json::array({"string", "number", "boolean"})}});
    case KeyType::parameters: return {{"type", "object"}};
    case KeyType::results: return results_schema(info, table);
    case KeyType::text: return text_schema();
    case KeyType::text_list: return scalar_list_schema();
    case KeyType::boolean: return {{"type", "boolean"}};
    case KeyType::integer: return {{"type", "integer"}};
    case KeyType::number: return {{"type", "number"}};
    case KeyType::looks: return looks_schema(info);
    case KeyType::choice: return words_schema(info.choices);
    case KeyType::duration: return number_or(amount_text_schema(second_units(), false));
    case KeyType::bytes: return number_or(amount_text_schema(byte_units(), false));
    case KeyType::bytes_or_auto: return number_or(amount_text_schema(byte_units(), true));
    case KeyType::flops: return number_or(amount_text_schema(flop_units(), false));
    case KeyType::bandwidth: return amount_text_schema(bandwidth_units(), false);
    case KeyType::rate: return amount_text_schema(rate_units(), false);
    case KeyType::percent:
      return {{"type", "string"}, {"pattern", "^(auto|\\+?[0-9.]+([eE][-+]?[0-9]+)? ?%)$"}};
    case KeyType::date: return {{"type", "string"}, {"pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}};
    case KeyType::quantity: {
      Json schema;
      schema["oneOf"] = Json::array(
          {{{"type", "number"}, {"minimum", 0}},
           {{"type", "string"}, {"pattern", "^\\+?[0-9.]+([eE][-+]?[0-9]+)? ?[A-Za-z%/]+$"}}});
      return schema;
    }
  }
  return Json::object();
}

/// The default as a JSON value: numbers, booleans and lists as such, everything else as text.
Json default_of(const KeyInfo& info) {
  const std::string text{info.default_text};
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

Json key_schema(const KeyInfo& info, Table table) {
  Json schema = type_schema(info, table);
  if (info.type == KeyType::integer || info.type == KeyType::number) add_limits(info, schema);
  schema["description"] = info.doc;
  if (!info.default_text.empty()) schema["default"] = default_of(info);
  return schema;
}

Json object_schema(const std::string& path, Table table) {
  Json schema{{"type", "object"}};
  Json properties = Json::object();
  Json required = Json::array();
  for (const KeyInfo* info : keys_below(path, table)) {
    const std::string name{info->name()};
    properties[name] = key_schema(*info, table);
    if (info->required) required.push_back(name);
  }
  schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

Json parameter_schema(const ParameterInfo& parameter) {
  Json schema;
  switch (parameter.type) {
    case ParameterType::boolean: schema = {{"type", "boolean"}}; break;
    case ParameterType::word: schema = words_schema(parameter.choices); break;
    case ParameterType::integer:
      schema = {{"type", "integer"}, {"minimum", parameter.min}, {"maximum", parameter.max}};
      break;
  }
  schema["description"] = parameter.doc;
  Json value = Json::parse(parameter.default_text, nullptr, false);
  schema["default"] = value.is_discarded() ? Json(parameter.default_text) : std::move(value);
  return schema;
}

/// If `builtin` is this kind, `with` has these parameters.
Json kind_rule(const KindInfo& kind) {
  Json parameters = Json::object();
  for (const ParameterInfo& parameter : kind.parameters) {
    parameters[std::string{parameter.name}] = parameter_schema(parameter);
  }
  Json rule;
  rule["if"] = {{"properties", {{"builtin", {{"const", kind.name}}}}},
                {"required", Json::array({"builtin"})}};
  rule["then"]["properties"]["with"] = {{"properties", parameters},
                                        {"additionalProperties", false}};
  return rule;
}

void add_run_rules(Json& run) {
  std::vector<std::string_view> names;
  run["allOf"] = Json::array();
  for (const KindInfo& kind : kinds()) {
    names.push_back(kind.name);
    run["allOf"].push_back(kind_rule(kind));
  }
  run["properties"]["builtin"]["enum"] = words_schema(names)["enum"];
  run["oneOf"] = Json::array(
      {{{"required", Json::array({"builtin"})}}, {{"required", Json::array({"command"})}}});
}

}  // namespace

std::string json_schema() {
  Json schema;
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "perfgate workload file";
  schema.update(object_schema("", key_table()));
  add_run_rules(schema["properties"]["run"]);
  return schema.dump(2) + "\n";
}

std::string accepts_json_schema() {
  Json schema;
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "perfgate-accepts.yaml";
  schema.update(object_schema("", accepts_key_table()));
  Json& line = schema["properties"]["accepts"]["items"];
  line["if"]["properties"]["metric"]["const"] = kAcceptOutput;
  line["then"]["not"]["required"] = {"ceiling"};
  line["else"]["required"] = {"ceiling"};
  return schema.dump(2) + "\n";
}

}  // namespace perfgate::workloads
