#include "workloads/builtin/reference_run.h"

#include "workloads/builtin/reference_model.h"

namespace perfgate::builtin {
namespace {

std::string line_of(const std::string& head, const std::vector<std::int32_t>& tokens) {
  std::string line = head;
  for (const std::int32_t token : tokens) line += " " + std::to_string(token);
  return line + "\n";
}

std::int32_t next_token(const ReferenceOutput& output) {
  return static_cast<std::int32_t>(argmax(output.logits));
}

std::string decode_tokens(const ReferenceWeights& weights, std::int64_t batch, std::int64_t context,
                          int steps) {
  const std::int64_t capacity = context + steps + 1;
  std::vector<ReferenceCache> caches;
  std::vector<std::int32_t> tokens;
  for (std::int64_t b = 0; b < batch; ++b) {
    caches.push_back(seeded_cache(weights, b, context, capacity));
    tokens.push_back(seeded_token(weights.shape, weights.seed, static_cast<std::uint64_t>(b)));
  }
  std::string text;
  for (int step = 0; step < steps; ++step) {
    for (std::size_t b = 0; b < tokens.size(); ++b) {
      tokens[b] = next_token(reference_decode(weights, caches[b], tokens[b]));
    }
    text += line_of("step " + std::to_string(step) + ":", tokens);
  }
  return text;
}

std::string prefill_tokens(const ReferenceWeights& weights, std::int64_t batch,
                           std::int64_t length) {
  std::vector<std::int32_t> tokens;
  for (std::int64_t b = 0; b < batch; ++b) {
    std::vector<std::int32_t> prompt;
    for (std::int64_t t = 0; t < length; ++t) {
      prompt.push_back(
          seeded_token(weights.shape, weights.seed, static_cast<std::uint64_t>(b * length + t)));
    }
    ReferenceCache cache = empty_cache(weights.shape);
    tokens.push_back(next_token(reference_prefill(weights, cache, prompt)));
  }
  return line_of("prefill:", tokens);
}

}  // namespace

Result<std::string> reference_tokens(const RunRequest& request) {
  const std::string_view kind = request.kind->name;
  if (kind != "transformer_decode" && kind != "transformer_prefill") {
    return Error{ErrorCode::usage, std::string(kind) + " makes no tokens",
                 "use transformer_decode or transformer_prefill", ""};
  }
  const Parameters& with = request.parameters;
  PG_ASSIGN_OR_RETURN(const ModelShape shape, preset_shape(with.word("preset")));
  if (shape.vocab * shape.hidden > kReferenceHeadMax) {
    return Error{ErrorCode::usage,
                 "the CPU reference is too slow for preset=" + with.word("preset"),
                 "use preset=tiny", ""};
  }
  const auto weights = reference_weights(shape, static_cast<std::uint32_t>(with.integer("seed")));
  const std::int64_t batch = with.integer("batch");
  if (kind == "transformer_prefill") return prefill_tokens(weights, batch, with.integer("tokens"));
  return decode_tokens(weights, batch, with.integer("context"), request.steps);
}

}  // namespace perfgate::builtin
