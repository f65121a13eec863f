// Policy of the public description of the four files: the plain tables do not list matrix
// operators; high_performance keeps high_precision where the fast algorithm is known to hurt (Gelu,
// Sigmoid, Tanh, gathers); the *_for_all tables add convolutions. The table is ours, the files are
// not copied.
#include "src/precision/builtin_impl_modes.h"

namespace halftone {
namespace {

constexpr ImplMode kNone = ImplMode::kDefault;  // not listed
constexpr ImplMode kFast = ImplMode::kHighPerformance;
constexpr ImplMode kExact = ImplMode::kHighPrecision;
constexpr ImplMode kFloat32 = ImplMode::kEnableFloat32Execution;
constexpr ImplMode kHiFloat32 = ImplMode::kEnableHiFloat32Execution;

struct BuiltinRow {
  std::string_view ir_type;
  ImplMode high_performance;
  ImplMode high_precision;
  ImplMode high_performance_for_all;
  ImplMode high_precision_for_all;
};

constexpr BuiltinRow kRows[] = {
    {"AvgPoolV2", kFast, kExact, kFast, kExact},
    {"Conv2D", kNone, kNone, kHiFloat32, kFloat32},
    {"DepthwiseConv2D", kNone, kNone, kHiFloat32, kFloat32},
    {"Exp", kFast, kExact, kFast, kExact},
    {"GatherV2", kExact, kExact, kExact, kExact},
    {"Gelu", kExact, kExact, kFast, kExact},
    {"LRN", kFast, kExact, kFast, kExact},
    {"LayerNorm", kFast, kExact, kFast, kExact},
    {"LogSoftmaxV2", kFast, kExact, kFast, kExact},
    {"Mish", kFast, kExact, kFast, kExact},
    {"RealDiv", kFast, kExact, kFast, kExact},
    {"ReduceMean", kFast, kExact, kFast, kExact},
    {"Sigmoid", kExact, kExact, kFast, kExact},
    {"SoftmaxV2", kFast, kExact, kFast, kExact},
    {"Sqrt", kFast, kExact, kFast, kExact},
    {"Tanh", kExact, kExact, kFast, kExact},
};

constexpr ImplMode CellOf(const BuiltinRow& row, BuiltinImplModes table) {
  switch (table) {
    case BuiltinImplModes::kHighPerformance:
      return row.high_performance;
    case BuiltinImplModes::kHighPrecision:
      return row.high_precision;
    case BuiltinImplModes::kHighPerformanceForAll:
      return row.high_performance_for_all;
    case BuiltinImplModes::kHighPrecisionForAll:
      return row.high_precision_for_all;
  }
  return kNone;
}

}  // namespace

std::optional<ImplMode> BuiltinImplModeOf(BuiltinImplModes table, std::string_view ir_type) {
  for (const BuiltinRow& row : kRows) {
    if (row.ir_type == ir_type && CellOf(row, table) != kNone) {
      return CellOf(row, table);
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> BuiltinTypesOf(BuiltinImplModes table) {
  std::vector<std::string_view> types;
  for (const BuiltinRow& row : kRows) {
    if (CellOf(row, table) != kNone) {
      types.push_back(row.ir_type);
    }
  }
  return types;
}

}  // namespace halftone
