#include "src/runtimes/onnxruntime/low_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "src/base/text.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

// Kernels of products, as the runtime names them.
constexpr std::array<std::string_view, 13> kProductKernels = {
    "Conv",          "FusedConv",   "NhwcFusedConv", "QLinearConv", "ConvInteger",
    "MatMul",        "FusedMatMul", "QLinearMatMul", "QGemm",       "Gemm",
    "MatMulInteger", "FusedGemm",   "ConvTranspose"};
constexpr std::array<std::string_view, 4> kMoreIntegerProducts = {
    "MatMulIntegerToFloat", "DynamicQuantizeMatMul", "QAttention", "QLinearConvTranspose"};
constexpr std::array<std::string_view, 4> kLowTypes = {"float16", "bfloat16", "int8", "uint8"};

bool IsProductKernel(const std::string& op) {
  return std::ranges::count(kProductKernels, op) + std::ranges::count(kMoreIntegerProducts, op) > 0;
}

bool IsLow(const OrtKernel& kernel) {
  return std::ranges::count(kMoreIntegerProducts, kernel.op) > 0 ||
         (!kernel.input_types.empty() &&
          std::ranges::count(kLowTypes, kernel.input_types.front()) > 0);
}

}  // namespace

LowKernels CompareKernels(const Graph& network, const PrecisionPlan& plan,
                          const std::vector<OrtKernel>& kernels) {
  LowKernels low;
  for (NodeId id = 0; id < std::ssize(network.nodes); ++id) {
    const bool is_product = (InfoOf(network.node(id).op).traits & kCube) != 0;
    const NumericFormat format = plan.node(id).compute_format();
    const bool is_low = format != DType::kFloat32 || plan.node(id).reads_dynamic();
    low.asked += is_product && is_low ? 1 : 0;
  }
  std::map<std::string, std::int64_t> providers;
  for (const OrtKernel& kernel : kernels) {
    low.ran += IsProductKernel(kernel.op) && IsLow(kernel) ? 1 : 0;
    ++providers[kernel.provider];
  }
  if (providers.size() > 1) {
    for (const auto& [provider, count] : providers) {
      low.others.push_back(fmt::format("{} on {}", Counted(count, "kernel"), provider));
    }
  }
  return low;
}

}  // namespace halftone
