#include "workloads/builtin/model_shape.h"

#include <cmath>
#include <string>

namespace perfgate::builtin {
namespace {

constexpr double kBytesPerElement = 2.0;  // BF16
constexpr float kSqrt3 = 1.7320508F;      // a uniform of amplitude a has deviation a / sqrt(3)

double layer_parameters(const ModelShape& shape) {
  return static_cast<double>(shape.qkv_width() * shape.hidden + shape.hidden * shape.query_width() +
                             2 * shape.ffn * shape.hidden + shape.hidden * shape.ffn);
}

}  // namespace

Result<ModelShape> preset_shape(std::string_view name) {
  if (name == "llama3_8b") {
    return ModelShape{.layers = 32,
                      .hidden = 4096,
                      .heads = 32,
                      .kv_heads = 8,
                      .head_dim = 128,
                      .ffn = 14336,
                      .vocab = 128256};
  }
  if (name == "tiny") {
    return ModelShape{.layers = 2,
                      .hidden = 256,
                      .heads = 4,
                      .kv_heads = 2,
                      .head_dim = 64,
                      .ffn = 512,
                      .vocab = 1000};
  }
  return Error{ErrorCode::usage, "there is no model preset '" + std::string(name) + "'",
               "use preset=llama3_8b or preset=tiny", ""};
}

WeightAmplitudes weight_amplitudes(const ModelShape& shape) {
  const auto fan_in = [](std::int64_t features) {
    return kSqrt3 / std::sqrt(static_cast<float>(features));
  };
  const float residual = 1.0F / std::sqrt(2.0F * static_cast<float>(shape.layers));
  return WeightAmplitudes{.embedding = kSqrt3,
                          .qkv = fan_in(shape.hidden),
                          .output = fan_in(shape.query_width()) * residual,
                          .gate_up = fan_in(shape.hidden),
                          .down = fan_in(shape.ffn) * residual,
                          .lm_head = fan_in(shape.hidden)};
}

double weight_bytes(const ModelShape& shape, std::int64_t gathered_rows) {
  const auto layers = static_cast<double>(shape.layers);
  const auto hidden = static_cast<double>(shape.hidden);
  const double matrices = layers * layer_parameters(shape);
  const double norms = (2.0 * layers + 1.0) * hidden;
  const double head = static_cast<double>(shape.vocab) * hidden;
  const double gathered = static_cast<double>(gathered_rows) * hidden;
  return kBytesPerElement * (matrices + norms + head + gathered);
}

double kv_cache_bytes(const ModelShape& shape, std::int64_t batch, std::int64_t context) {
  return 2.0 * kBytesPerElement *
         static_cast<double>(shape.layers * shape.kv_width() * context * batch);
}

double decode_flops(const ModelShape& shape, std::int64_t batch, std::int64_t context) {
  const auto layers = static_cast<double>(shape.layers);
  const double products =
      layers * layer_parameters(shape) + static_cast<double>(shape.vocab * shape.hidden);
  const double attention = layers * 2.0 * static_cast<double>(shape.query_width() * context);
  return 2.0 * static_cast<double>(batch) * (products + attention);
}

double prefill_flops(const ModelShape& shape, std::int64_t batch, std::int64_t tokens) {
  const auto layers = static_cast<double>(shape.layers);
  const auto length = static_cast<double>(tokens);
  const double products = layers * layer_parameters(shape) * length;
  const double head = static_cast<double>(shape.vocab * shape.hidden);
  const double pairs = length * (length + 1.0) / 2.0;
  const double attention = layers * 2.0 * static_cast<double>(shape.query_width()) * pairs;
  return 2.0 * static_cast<double>(batch) * (products + head + attention);
}

std::vector<ProductShape> model_products(const ModelShape& shape, std::int64_t rows,
                                         std::int64_t head_rows) {
  return {{shape.qkv_width(), rows, shape.hidden, false},
          {shape.hidden, rows, shape.query_width(), false},
          {2 * shape.ffn, rows, shape.hidden, false},
          {shape.hidden, rows, shape.ffn, false},
          {shape.vocab, head_rows, shape.hidden, true}};
}

}  // namespace perfgate::builtin
