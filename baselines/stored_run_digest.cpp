// The digests of a stored run: SHA-256 over its exchange form (stored_run_json.cpp), byte by byte
// what `to_json_line` gives of it without outcome and captures, its metrics by name. Written
// without a tree of JSON values, as every run that a verdict looks at is hashed anew.
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "baselines/stored_run.h"
#include "runner/platform/sha256.h"

namespace perfgate::baselines {
namespace {

using Fields = std::map<std::string, std::string>;

/// Appends JSON values. Keys come in the order of the alphabet, as nlohmann::json keeps them.
class Writer {
 public:
  Writer& raw(std::string_view json) {
    text_ += json;
    return *this;
  }
  Writer& value(std::string_view text) {
    const bool plain = std::ranges::all_of(text, [](char letter) {
      const auto byte = static_cast<unsigned char>(letter);
      return byte >= 0x20 && byte < 0x80 && letter != '"' && letter != '\\';
    });
    if (plain) return raw("\"").raw(text).raw("\"");
    return raw(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  /// The digits must be those of the exchange form, and another printer's may be others.
  Writer& value(double number) {
    if (!std::isfinite(number)) return raw("null");
    std::array<char, 64> digits{};
    const char* end =
        nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), number);
    return raw({digits.data(), static_cast<std::size_t>(end - digits.data())});
  }
  Writer& value(std::integral auto number) { return raw(std::to_string(number)); }
  Writer& value(std::span<const double> numbers) {
    raw("[");
    for (std::size_t i = 0; i < numbers.size(); ++i) raw(i == 0 ? "" : ",").value(numbers[i]);
    return raw("]");
  }
  Writer& value(const Fields& fields) {
    raw("{");
    bool first = true;
    for (const auto& [key, field] : fields) {
      raw(first ? "" : ",").value(std::string_view(key)).raw(":").value(std::string_view(field));
      first = false;
    }
    return raw("}");
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void write_identity(const RunIdentity& identity, Writer& out) {
  const std::string& series = series_of(identity);
  const auto text = [&](std::string_view key, const std::string& value) {
    out.raw(key).value(std::string_view(value));
  };
  out.raw(R"({"attempt":)").value(identity.attempt);
  text(R"(,"branch":)", series);
  text(R"(,"commit":)", identity.commit);
  if (identity.dirty) out.raw(R"(,"dirty":true)");
  if (!identity.branch.empty() && identity.branch != series)
    text(R"(,"git_branch":)", identity.branch);
  out.raw(R"(,"measure_version":)").value(identity.measure_version);
  text(R"(,"repo":)", identity.repo);
  text(R"(,"run_id":)", identity.run_id);
  text(R"(,"started_utc":)", identity.started_utc);
  text(R"(,"tool_version":)", identity.tool_version);
  out.raw("}");
}

void write_metrics(const std::vector<MetricValue>& metrics, Writer& out) {
  std::vector<const MetricValue*> by_name;
  by_name.reserve(metrics.size());
  for (const MetricValue& metric : metrics) by_name.push_back(&metric);
  std::ranges::sort(by_name, {},
                    [](const MetricValue* metric) -> const std::string& { return metric->id; });
  out.raw("[");
  for (const MetricValue* metric : by_name) {
    out.raw(metric == by_name.front() ? R"({"better":)" : R"(,{"better":)")
        .raw(metric->better == Better::lower ? R"("lower")" : R"("higher")")
        .raw(R"(,"id":)")
        .value(std::string_view(metric->id))
        .raw(R"(,"kind":)")
        .value(to_string(metric->kind))
        .raw(R"(,"samples":)")
        .value(std::span(metric->samples))
        .raw(R"(,"unit":)")
        .value(std::string_view(metric->unit))
        .raw(R"(,"value":)")
        .value(metric->value)
        .raw("}");
  }
  out.raw("]");
}

void write_work(const WorkDone& work, Writer& out) {
  bool first = true;
  const auto key = [&](std::string_view name) -> Writer& {
    out.raw(first ? "" : ",").value(name).raw(":");
    first = false;
    return out;
  };
  out.raw("{");
  if (work.flops) key("flops").value(*work.flops);
  if (work.kv_bytes) key("kv_bytes").value(*work.kv_bytes);
  if (!work.output_hash.empty()) key("output_hash").value(std::string_view(work.output_hash));
  if (work.tokens) key("tokens").value(*work.tokens);
  if (work.weights_bytes) key("weights_bytes").value(*work.weights_bytes);
  out.raw("}");
}

enum class Part { without_work, with_work };

/// The outcome is no property of the measurement, nor is whether the capture files were kept.
std::string digest_of(const StoredRun& run, Part part) {
  Writer out;
  out.raw(R"({"capture_validity":)").value(std::string_view(run.capture_validity));
  out.raw(R"(,"captures":[],"fingerprint":{"environment":)").value(run.fingerprint.environment);
  out.raw(R"(,"instance":)").value(run.fingerprint.instance);
  out.raw(R"(,"subject":)").value(run.fingerprint.subject);
  out.raw(R"(},"identity":)");
  write_identity(run.identity, out);
  out.raw(R"(,"metrics":)");
  write_metrics(run.metrics, out);
  out.raw(R"(,"outcome":"","process_steps":[)");
  bool first = true;
  for (const auto& [process, step_ms] : run.process_step_ms) {
    out.raw(first ? R"({"process":)" : R"(,{"process":)").value(process);
    out.raw(R"(,"step_ms":)").value(std::span(step_ms)).raw("}");
    first = false;
  }
  out.raw(R"(],"source":)").value(to_string(run.source)).raw(R"(,"traced_over_untraced":)");
  if (run.traced_over_untraced) {
    out.value(*run.traced_over_untraced);
  } else {
    out.raw("null");
  }
  if (part == Part::with_work && !says_nothing(run.work)) {
    out.raw(R"(,"work":)");
    write_work(run.work, out);
  }
  out.raw(R"(,"workload":{"digest":)").value(std::string_view(run.workload_digest));
  out.raw(R"(,"name":)").value(std::string_view(run.workload_name)).raw("}}");
  return platform::sha256_hex(out.text());
}

}  // namespace

std::string run_digest(const StoredRun& run) { return digest_of(run, Part::without_work); }

std::string work_digest(const StoredRun& run) {
  return says_nothing(run.work) ? std::string() : digest_of(run, Part::with_work);
}

}  // namespace perfgate::baselines
