#include "src/target/impl_mode_ini.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kEnding = ".ini";
constexpr std::string_view kFiles[] = {
    kAllImplModes,
    "high_performance",
    "high_precision",
    "high_performance_for_all",
    "high_precision_for_all",
    "allow_hf32_matmul_f_conv_f",
    "allow_hf32_matmul_f_conv_t",
    "allow_hf32_matmul_t_conv_f",
    "allow_hf32_matmul_t_conv_t",
};

// Modes that one dtype alone has.
struct ModeOfDType {
  ImplMode mode;
  DType dtype;
};

constexpr ModeOfDType kModesOfDTypes[] = {
    {ImplMode::kEnableFloat32Execution, DType::kFloat32},
    {ImplMode::kEnableHiFloat32Execution, DType::kFloat32},
    {ImplMode::kKeepFp16, DType::kFloat16},
};

bool IsOf(ImplMode mode, DType dtype) {
  return std::all_of(
      std::begin(kModesOfDTypes), std::end(kModesOfDTypes),
      [&](const ModeOfDType& row) { return row.mode != mode || row.dtype == dtype; });
}

std::optional<ImplMode> ModeNamed(std::string_view name) {
  const std::optional<ImplMode> mode = ValueIn(kImplModes, name);
  return mode == ImplMode::kDefault ? std::nullopt : mode;
}

// Modes of one dtype, the default first.
std::vector<ImplMode> InOrder(const std::vector<ImplMode>& offered, DType dtype,
                              const std::vector<ImplMode>& built_in) {
  std::vector<ImplMode> modes;
  for (const auto* source : {&built_in, &offered}) {
    for (const ImplMode mode : *source) {
      const bool is_offered = std::find(offered.begin(), offered.end(), mode) != offered.end();
      const bool is_new = std::find(modes.begin(), modes.end(), mode) == modes.end();
      if (is_offered && is_new && IsOf(mode, dtype)) {
        modes.push_back(mode);
      }
    }
  }
  return modes;
}

bool HasDType(const LibraryOp& op, DType dtype) {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const std::vector<DType>& dtypes) {
    return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
  });
}

}  // namespace

std::string_view ImplModeFileName(std::string_view file) {
  for (const std::string_view name : kFiles) {
    if (file.size() == name.size() + kEnding.size() && file.starts_with(name) &&
        file.ends_with(kEnding)) {
      return name;
    }
  }
  return {};
}

OfferedModes ParseImplModeIni(std::string_view text, std::string_view where,
                              std::vector<std::string>& notes) {
  OfferedModes types;
  std::size_t number = 0;
  std::size_t unknown = 0;
  std::string first_unknown;
  for (const std::string_view raw : Split(text, '\n')) {
    ++number;
    const std::string_view line = Trim(raw);
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == line.npos) {
      continue;
    }
    std::vector<ImplMode> modes;
    for (const std::string_view item : Split(line.substr(equals + 1), ',')) {
      if (const auto mode = ModeNamed(Trim(item))) {
        modes.push_back(*mode);
      } else if (!Trim(item).empty() && unknown++ == 0) {
        first_unknown = fmt::format("'{}' in line {}", Shown(Trim(item)), number);
      }
    }
    if (!modes.empty()) {
      types.emplace(Trim(line.substr(0, equals)), std::move(modes));
    }
  }
  if (unknown > 0) {
    notes.push_back(
        fmt::format("{}: {} skipped that {} no implementation mode known here, first {}", where,
                    Counted(static_cast<std::int64_t>(unknown), "word"),
                    unknown == 1 ? "is" : "are", first_unknown));
  }
  return types;
}

void OfferOnly(const OfferedModes& offered, AiCoreLibrary& library) {
  static const std::vector<ImplMode> kNone;
  for (auto& [type, op] : library) {
    const auto found = offered.find(type);
    const std::vector<ImplMode>& modes = found == offered.end() ? kNone : found->second;
    std::map<DType, std::vector<ImplMode>> by_dtype;
    for (const DType dtype : {DType::kFloat16, DType::kFloat32, DType::kBFloat16}) {
      const auto built_in = op.impl_modes.find(dtype);
      auto ordered =
          InOrder(modes, dtype, built_in == op.impl_modes.end() ? kNone : built_in->second);
      if (HasDType(op, dtype) && ordered.size() > 1) {
        by_dtype.emplace(dtype, std::move(ordered));
      }
    }
    op.impl_modes = std::move(by_dtype);
  }
}

}  // namespace halftone
