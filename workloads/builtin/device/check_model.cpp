#include <algorithm>

#include "workloads/builtin/device/check.h"
#include "workloads/builtin/device/runtime_steps.h"
#include "workloads/builtin/device/transformer.h"
#include "workloads/builtin/reference_model.h"

namespace perfgate::builtin {
namespace {

constexpr int kDecodeSteps = 6;
/// Two tokens whose reference logits (deviation 1) are closer than this may be taken for one
/// another: 1 % of the logits' size, as kModelTolerance allows, with a factor for the extreme
/// element.
constexpr double kTokenGap = 0.05;
constexpr std::int64_t kReferenceParametersMax = 50'000'000;

std::span<const double> row_of(std::span<const double> matrix, std::size_t row, std::size_t rows) {
  const std::size_t width = matrix.size() / rows;
  return matrix.subspan(row * width, width);
}

Result<ModelShape> small_shape(const Parameters& with) {
  PG_ASSIGN_OR_RETURN(const ModelShape shape, preset_shape(with.word("preset")));
  if (shape.vocab * shape.hidden > kReferenceParametersMax) {
    return Error{ErrorCode::usage,
                 "the CPU reference is too slow for preset=" + with.word("preset"),
                 "check with preset=tiny", ""};
  }
  return shape;
}

TransformerOptions options_of(const RunRequest& request, const Gpu& gpu, const ModelShape& shape) {
  const Parameters& with = request.parameters;
  return {.shape = shape,
          .batch = with.integer("batch"),
          .faults = request.faults,
          .dependent_launch = with.boolean("dependent_launch") && gpu.has_dependent_launch(),
          .seed = static_cast<std::uint32_t>(with.integer("seed"))};
}

/// Hidden state, logits and token of one sequence against the reference's.
Status compare_outputs(const Transformer& model, const std::string& where,
                       const std::vector<ReferenceOutput>& expected, Comparison& comparison) {
  PG_ASSIGN_OR_RETURN(const auto hidden_bits, model.read_hidden());
  PG_ASSIGN_OR_RETURN(const auto logit_floats, model.read_logits());
  PG_ASSIGN_OR_RETURN(const auto tokens, model.read_tokens());
  const auto hidden = to_doubles(std::span(hidden_bits));
  const auto logits = to_doubles(std::span(logit_floats));
  for (std::size_t b = 0; b < expected.size(); ++b) {
    const std::string what = where + ", sequence " + std::to_string(b);
    const auto own_logits = row_of(logits, b, expected.size());
    comparison.expect(what + ": hidden", row_of(hidden, b, expected.size()), expected[b].hidden,
                      kModelTolerance);
    comparison.expect(what + ": logits", own_logits, expected[b].logits, kModelTolerance);
    const auto token = static_cast<std::size_t>(tokens[b]);
    comparison.expect_true(what + ": token " + std::to_string(token) + " is the GPU logits' argmax",
                           token == argmax(own_logits));
    const double top = *std::ranges::max_element(expected[b].logits);
    comparison.expect_true(
        what + ": token is the reference's, or within " + std::to_string(kTokenGap) + " of it",
        token < expected[b].logits.size() && expected[b].logits[token] >= top - kTokenGap);
  }
  return {};
}

}  // namespace

Status check_decode_model(const RunRequest& request, const Gpu& gpu, const GemmContext& gemm,
                          Comparison& comparison) {
  PG_ASSIGN_OR_RETURN(const ModelShape shape, small_shape(request.parameters));
  TransformerOptions options = options_of(request, gpu, shape);
  options.context = request.parameters.integer("context");
  options.capacity = options.context + kDecodeSteps + 1;
  options.advance = true;
  options.prefetch_mib = request.parameters.integer("prefetch_mib");
  options.streamed_products = request.parameters.word("own_gemm") == "streamed";
  PG_ASSIGN_OR_RETURN(const auto model, Transformer::create(gpu, gemm, options));
  const ReferenceWeights weights = reference_weights(shape, options.seed);
  std::vector<ReferenceCache> caches;
  for (std::int64_t b = 0; b < options.batch; ++b) {
    caches.push_back(seeded_cache(weights, b, options.context, options.capacity));
  }
  std::vector<std::vector<std::int32_t>> eager_tokens;
  PG_ASSIGN_OR_RETURN(auto tokens, model->read_tokens());
  for (int step = 0; step < kDecodeSteps; ++step) {
    std::vector<ReferenceOutput> expected;
    for (std::size_t b = 0; b < caches.size(); ++b) {
      expected.push_back(reference_decode(weights, caches[b], tokens[b]));
    }
    PG_TRY(model->launch_step());
    PG_TRY(compare_outputs(*model, "decode step " + std::to_string(step), expected, comparison));
    PG_ASSIGN_OR_RETURN(tokens, model->read_tokens());  // the reference follows the GPU's tokens
    eager_tokens.push_back(tokens);
  }
  PG_TRY(model->reset());
  PG_ASSIGN_OR_RETURN(const StepGraph graph,
                      StepGraph::capture(gpu, [&] { return model->launch_step(); }));
  for (int step = 0; step < kDecodeSteps; ++step) {
    PG_TRY(graph.launch(gpu));
    PG_ASSIGN_OR_RETURN(tokens, model->read_tokens());
    comparison.expect_true("step " + std::to_string(step) + " as a graph gives the same tokens",
                           tokens == eager_tokens[static_cast<std::size_t>(step)]);
  }
  return {};
}

Status check_prefill_model(const RunRequest& request, const Gpu& gpu, const GemmContext& gemm,
                           Comparison& comparison) {
  PG_ASSIGN_OR_RETURN(const ModelShape shape, small_shape(request.parameters));
  TransformerOptions options = options_of(request, gpu, shape);
  options.mode = StepMode::prefill;
  options.tokens = request.parameters.integer("tokens");
  options.capacity = options.tokens;
  PG_ASSIGN_OR_RETURN(const auto model, Transformer::create(gpu, gemm, options));
  const ReferenceWeights weights = reference_weights(shape, options.seed);
  PG_TRY(model->launch_step());
  std::vector<ReferenceOutput> expected;
  std::vector<double> expected_keys;
  for (std::int64_t b = 0; b < options.batch; ++b) {
    std::vector<std::int32_t> prompt;
    for (std::int64_t t = 0; t < options.tokens; ++t) {
      prompt.push_back(
          seeded_token(shape, options.seed, static_cast<std::uint64_t>(b * options.tokens + t)));
    }
    ReferenceCache cache = empty_cache(shape);
    expected.push_back(reference_prefill(weights, cache, prompt));
    for (const Doubles& head : cache.keys.back()) {
      expected_keys.insert(expected_keys.end(), head.begin(), head.end());
    }
  }
  PG_TRY(compare_outputs(*model, "prefill", expected, comparison));
  PG_ASSIGN_OR_RETURN(const auto key_bits, model->read_keys(static_cast<int>(shape.layers) - 1));
  comparison.expect("prefill: keys of the last layer, all positions",
                    to_doubles(std::span(key_bits)), expected_keys, kModelTolerance);
  return {};
}

}  // namespace perfgate::builtin
