// The truth tables of precision modes for homogeneous operators: all tensors share a set of dtypes.
// truth_table_test.cc checks every cell; modes_document_test.cc writes docs/reference/modes.md from
// them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "src/ir/dtype.h"
#include "src/ir/op_table.h"

namespace halftone::truth_table {

inline constexpr DType kF16 = DType::kFloat16;
inline constexpr DType kBF16 = DType::kBFloat16;
inline constexpr DType kF32 = DType::kFloat32;

// The sets a .. g, in the order of the cells.
inline const std::array<std::vector<DType>, 7> kSets = {{
    {kF16},
    {kF32},
    {kF16, kF32},
    {kBF16},
    {kBF16, kF32},
    {kF16, kBF16},
    {kF16, kBF16, kF32},
}};

enum class Kind { kVector, kCube, kBoth };
enum class Upstream { kGraphInput, kFloat16, kBFloat16, kFloat32, kNone };

struct Row {
  const char* name;
  std::vector<std::string> modes;  // --precision_mode values
  std::vector<MixPolicy> policies;
  Kind kind;
  const char* original;
  const char* cells;  // for a b c d e f g; "+w": a warning belongs to the cell
  bool kept = false;
  Upstream upstream = Upstream::kGraphInput;
};

inline const std::vector<MixPolicy> kAnyPolicy = {MixPolicy::kWhite, MixPolicy::kBlack,
                                                  MixPolicy::kGray};
inline const std::vector<MixPolicy> kWhite = {MixPolicy::kWhite};
inline const std::vector<MixPolicy> kBlack = {MixPolicy::kBlack};
inline const std::vector<MixPolicy> kGray = {MixPolicy::kGray};
inline const std::vector<MixPolicy> kNotBlack = {MixPolicy::kWhite, MixPolicy::kGray};
inline const std::vector<std::string> kMixFp16 = {"allow_mix_precision",
                                                  "allow_mix_precision_fp16"};
inline const std::vector<std::string> kMixBf16 = {"allow_mix_precision_bf16"};
inline const std::vector<std::string> kMix = {"allow_mix_precision", "allow_mix_precision_bf16"};
inline const std::vector<std::string> kFp32 = {"force_fp32", "cube_fp16in_fp32out"};
inline const std::vector<std::string> kOrigin = {"must_keep_origin_dtype"};
inline const std::vector<std::string> kAllow = {"allow_fp32_to_fp16"};
inline const std::vector<std::string> kAllowBf16 = {"allow_fp32_to_bf16"};
inline const std::vector<std::string> kAllButOrigin = {
    "force_fp16",          "force_fp32",         "allow_fp32_to_fp16",
    "allow_mix_precision", "allow_fp32_to_bf16", "allow_mix_precision_bf16"};

// clang-format off: the rows stand as in the tables.
inline const std::vector<Row> kRows = {
    {"ForceFp16_F32",
     {"force_fp16"},
     kAnyPolicy,
     Kind::kBoth,
     "F32",
     "F16 F32 F16 BF16 F32 F16 F16"},
    {"ForceFp16_F16",
     {"force_fp16"},
     kAnyPolicy,
     Kind::kBoth,
     "F16",
     "F16 F32 F16 CPU F32 F16 F16"},
    {"ForceFp16_BF16",
     {"force_fp16"},
     kAnyPolicy,
     Kind::kBoth,
     "BF16",
     "F16 F32 F16 BF16 F32 F16 F16"},

    {"ForceFp32_F32", kFp32, kNotBlack, Kind::kVector, "F32", "F16 F32 F32 BF16 F32 F16 F32"},
    {"ForceFp32_F32Black", kFp32, kBlack, Kind::kVector, "F32", "CPU F32 F32 CPU F32 CPU F32"},
    {"ForceFp32_F16", kFp32, kNotBlack, Kind::kVector, "F16", "F16 F32 F32 CPU F32 F16 F32"},
    {"ForceFp32_F16Black", kFp32, kBlack, Kind::kVector, "F16", "F16 F32 F32 CPU F32 F16 F32"},
    {"ForceFp32_BF16", kFp32, kNotBlack, Kind::kVector, "BF16", "F16 F32 F32 BF16 F32 F16 F32"},
    {"ForceFp32_BF16Black", kFp32, kBlack, Kind::kVector, "BF16", "CPU F32 F32 BF16 F32 F16 F32"},

    {"AllowFp16_F32Vector", kAllow, kAnyPolicy, Kind::kVector, "F32",
     "F16 F32 F32 CPU F32 F16 F32"},
    {"AllowFp16_F32Cube", kAllow, kAnyPolicy, Kind::kCube, "F32", "F16 F32 F16 CPU F32 F16 F16"},
    {"AllowFp16_F16", kAllow, kAnyPolicy, Kind::kBoth, "F16", "F16 F32 F16 CPU F32 F16 F16"},
    {"AllowFp16_BF16", kAllow, kAnyPolicy, Kind::kBoth, "BF16", "F16 F32 F32 BF16 BF16 BF16 BF16"},

    {"Origin_F32", kOrigin, kAnyPolicy, Kind::kBoth, "F32", "CPU F32 F32 CPU F32 CPU F32"},
    {"Origin_F16", kOrigin, kAnyPolicy, Kind::kBoth, "F16", "F16 F32 F16 CPU F32 F16 F16"},
    {"Origin_BF16", kOrigin, kAnyPolicy, Kind::kBoth, "BF16", "CPU F32 F32 BF16 BF16 BF16 BF16"},
    {"MixBlack_F32", kMix, kBlack, Kind::kBoth, "F32", "CPU F32 F32 CPU F32 CPU F32"},
    {"MixBlack_F16", kMix, kBlack, Kind::kBoth, "F16", "F16 F32 F16 CPU F32 F16 F16"},
    {"MixBlack_BF16", kMix, kBlack, Kind::kBoth, "BF16", "CPU F32 F32 BF16 BF16 BF16 BF16"},

    {"MixFp16White_F32", kMixFp16, kWhite, Kind::kBoth, "F32", "F16 F32+w F16 CPU F32 F16 F16"},
    {"MixFp16White_F16", kMixFp16, kWhite, Kind::kBoth, "F16", "F16 F32 F16 CPU F32 F16 F16"},
    {"MixFp16White_BF16", kMixFp16, kWhite, Kind::kBoth, "BF16", "F16 F32 F16 BF16 BF16 F16 F16"},

    {"MixBf16White_F32", kMixBf16, kWhite, Kind::kBoth, "F32", "CPU F32+w F32 BF16 BF16 BF16 BF16"},
    {"MixBf16White_BF16", kMixBf16, kWhite, Kind::kBoth, "BF16", "CPU F32 F32 BF16 BF16 BF16 BF16"},
    {"MixBf16White_F16", kMixBf16, kWhite, Kind::kBoth, "F16", "F16 F32 F16 CPU BF16 F16 F16"},

    {"MixFp16Gray_FollowsF16", kMixFp16, kGray, Kind::kBoth, "F32", "F16 F32 F16 CPU F32 F16 F16",
     false, Upstream::kFloat16},
    {"MixFp16Gray_FollowsF32", kMixFp16, kGray, Kind::kBoth, "F32", "F16 F32 F32 CPU F32 F16 F32",
     false, Upstream::kFloat32},
    {"MixFp16Gray_NoProducerVector", kMixFp16, kGray, Kind::kVector, "F32",
     "F16 F32 F32 CPU F32 F16 F32", false, Upstream::kNone},
    {"MixFp16Gray_NoProducerCube", kMixFp16, kGray, Kind::kCube, "F32",
     "F16 F32 F16 CPU F32 F16 F16", false, Upstream::kNone},
    {"MixBf16Gray_FollowsBF16", kMixBf16, kGray, Kind::kBoth, "F32",
     "CPU F32 F32 BF16 BF16 BF16 BF16", false, Upstream::kBFloat16},
    {"MixBf16Gray_FollowsF32", kMixBf16, kGray, Kind::kBoth, "F32", "CPU F32 F32 BF16 F32 BF16 F32",
     false, Upstream::kFloat32},
    {"MixBf16Gray_NoProducer", kMixBf16, kGray, Kind::kBoth, "F32", "CPU F32 F32 BF16 F32 BF16 F32",
     false, Upstream::kNone},

    {"AllowBf16_F32", kAllowBf16, kAnyPolicy, Kind::kBoth, "F32", "CPU F32 F32 BF16 F32 BF16 F32"},
    {"AllowBf16_F16", kAllowBf16, kAnyPolicy, Kind::kBoth, "F16", "F16 F32 F16 CPU F32 F16 F16"},
    {"AllowBf16_BF16", kAllowBf16, kAnyPolicy, Kind::kBoth, "BF16",
     "CPU F32 F32 BF16 BF16 BF16 BF16"},

    {"Kept_F32", kAllButOrigin, kAnyPolicy, Kind::kBoth, "F32", "CPU F32 F32 CPU F32 CPU F32",
     true},
    {"Kept_F16", kAllButOrigin, kAnyPolicy, Kind::kBoth, "F16", "F16 F32 F16 CPU F32 F16 F16",
     true},
    {"Kept_BF16", kAllButOrigin, kAnyPolicy, Kind::kBoth, "BF16", "CPU F32 F32 BF16 BF16 BF16 BF16",
     true},
};

// clang-format on

}  // namespace halftone::truth_table
