#include "src/api/machine_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::MatchesRegex;

std::string FeatureOfCpu(std::string_view cpu) {
  const std::vector<std::string> features = FeaturesOf({}, cpu);
  EXPECT_EQ(features.size(), 1U);
  return features.empty() ? "" : features.front();
}

TEST(MachineFeaturesTest, InstructionSetsComeFirstThenTheCpu) {
  constexpr std::array<std::string_view, 3> kSets = {"avx2", "avx512_bf16", "amx_int8"};
  EXPECT_THAT(FeaturesOf(kSets, "AMD EPYC (AuthenticAMD 26.2)"),
              ElementsAre("avx2", "avx512_bf16", "amx_int8", "amd_epyc_family_26_model_2"));
}

struct CpuRow {
  std::string_view cpu;
  std::string_view feature;
};

constexpr CpuRow kCpus[] = {
    {"AMD EPYC 9B14 (AuthenticAMD 25.17)", "amd_epyc_9b14_family_25_model_17"},
    {"Intel(R) Xeon(R) Platinum 8480+ (GenuineIntel 6.143)",
     "intel_xeon_platinum_8480plus_family_6_model_143"},
    {"Intel(R) Xeon(R) CPU @ 2.20GHz (GenuineIntel 6.85)",
     "intel_xeon_cpu_2_20ghz_family_6_model_85"},
    {"12th Gen Intel(R) Core(TM) i7-12700 (GenuineIntel 6.151)",
     "cpu_12th_gen_intel_core_i7_12700_family_6_model_151"},
    // The name leaves the vendor out.
    {"QEMU Virtual CPU version 2.5+ (GenuineIntel 6.6)",
     "intel_qemu_virtual_cpu_version_2_5plus_family_6_model_6"},
    {"Common KVM processor (AuthenticAMD 15.6)", "amd_common_kvm_processor_family_15_model_6"},
    {"Hygon C86 7285 (HygonGenuine 24.1)", "hygon_c86_7285_family_24_model_1"},
    {"KaiXian KX-6640MA (  Shanghai   7.59)", "shanghai_kaixian_kx_6640ma_family_7_model_59"},
    {" (GenuineIntel 6.6)", "intel_family_6_model_6"},
    {"AMD EPYC ()", "amd_epyc"},
    {"AMD EPYC (AuthenticAMD )", "amd_epyc_authenticamd"},
    {"AMD EPYC (AuthenticAMD 26.x)", "amd_epyc_authenticamd_26_x"},
    {"AMD EPYC (26.2)", "amd_epyc_26_2"},
    {"unknown CPU", "unknown_cpu"},
    {"", "unknown_cpu"},
    {"&|[]()*, \t\n", "unknown_cpu"},
    {"a&b|c[1]*(2),d", "a_b_c_1_2_d"},
    {"\xc3\xa9puc\xff 3", "puc_3"},
    {" ( 6.6)", "cpu_family_6_model_6"},
};

TEST(MachineFeaturesTest, ACpuIsASlugOfItsNameFamilyAndModel) {
  for (const CpuRow& row : kCpus) {
    EXPECT_EQ(FeatureOfCpu(row.cpu), row.feature) << row.cpu;
    EXPECT_THAT(FeatureOfCpu(row.cpu), MatchesRegex("[a-z][a-z0-9_]*")) << row.cpu;
  }
}

TEST(MachineFeaturesTest, NoFeatureStandsTwice) {
  constexpr std::array<std::string_view, 3> kSets = {"avx2", "AVX2", ""};
  EXPECT_THAT(FeaturesOf(kSets, "avx2"), ElementsAre("avx2"));
}

TEST(MachineFeaturesTest, ThisMachineHasFeaturesOfTheForm) {
  const std::vector<std::string> features = MachineFeatures();
  ASSERT_FALSE(features.empty());
  EXPECT_THAT(features, ::testing::Each(MatchesRegex("[a-z][a-z0-9_]*")));
}

}  // namespace
}  // namespace halftone
