#include <gtest/gtest.h>

#include <filesystem>

#include "src/api/halftone.h"

namespace halftone {
namespace {

struct OrderCase {
  BankUse use;
  BankPlaces places;
  const char* path;
  const char* source;
};

// Specification "AOE tuning", section 4: writing, and the two opposite orders of reading.
const OrderCase kCases[] = {
    {BankUse::kReadOperators, {"opt", "env", "cache", "/h"}, "env", "TUNE_BANK_PATH"},
    {BankUse::kReadOperators, {"opt", "", "cache", "/h"}, "opt", "option"},
    {BankUse::kReadOperators, {"", "env", "cache", "/h"}, "env", "TUNE_BANK_PATH"},
    {BankUse::kReadOperators,
     {"", "", "cache", "/h"},
     "/h/.local/share/halftone/op_bank",
     "default"},
    {BankUse::kReadSubgraphs, {"opt", "env", "cache", "/h"}, "opt", "option"},
    {BankUse::kReadSubgraphs, {"opt", "", "cache", "/h"}, "opt", "option"},
    {BankUse::kReadSubgraphs, {"", "env", "cache", "/h"}, "env", "TUNE_BANK_PATH"},
    {BankUse::kReadSubgraphs,
     {"", "", "cache", "/h"},
     "/h/.local/share/halftone/op_bank",
     "default"},
    {BankUse::kWrite, {"opt", "env", "cache", "/h"}, "env", "TUNE_BANK_PATH"},
    {BankUse::kWrite, {"opt", "", "cache", "/h"}, "cache/aoe_data", "ASCEND_CACHE_PATH"},
    {BankUse::kWrite, {"opt", "", "", "/h"}, "/h/.local/share/halftone/op_bank", "default"},
    {BankUse::kWrite, {"", "", "", ""}, "./.local/share/halftone/op_bank", "default"},
};

TEST(BankLocationTest, Orders) {
  for (const OrderCase& row : kCases) {
    const BankLocation location = FindBank(row.use, row.places);
    EXPECT_EQ(location.path, row.path);
    EXPECT_EQ(location.source, row.source) << row.path;
  }
}

TEST(BankLocationTest, AnInstallationIsTheDefault) {
  const std::filesystem::path home = ::testing::TempDir() + "halftone_bank_location";
  std::filesystem::create_directories(home / "Ascend/latest/data/aoe/custom/op");
  std::filesystem::create_directories(home / "Ascend/latest/data/aoe/custom/graph");
  const BankPlaces places{.home = home.string()};
  EXPECT_EQ(FindBank(BankUse::kWrite, places).path, home / "Ascend/latest/data/aoe/custom/op");
  EXPECT_EQ(FindBank(BankUse::kReadOperators, places).path,
            home / "Ascend/latest/data/aoe/custom/op");
  EXPECT_EQ(FindBank(BankUse::kReadSubgraphs, places).path,
            home / "Ascend/latest/data/aoe/custom/graph");
  std::filesystem::remove_all(home);
}

TEST(BankLocationTest, OnlyTheEnvironmentMustExist) {
  EXPECT_NO_THROW(CheckBankUsable({"/nowhere", "option"}));
  EXPECT_NO_THROW(CheckBankUsable({"/nowhere", "ASCEND_CACHE_PATH"}));
  EXPECT_NO_THROW(CheckBankUsable({"/nowhere", "default"}));
  EXPECT_THROW(CheckBankUsable({"/nowhere", "TUNE_BANK_PATH"}), Error);
}

}  // namespace
}  // namespace halftone
