// A fresh folder for a test, removed at its end.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace halftone::testing {

class BankFolder {
 public:
  BankFolder() {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }

  ~BankFolder() {
    std::error_code ignored;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }

  BankFolder(const BankFolder&) = delete;
  BankFolder& operator=(const BankFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] std::filesystem::path database() const { return path_ / "host" / "halftone.db"; }

 private:
  std::filesystem::path path_ = std::filesystem::path(::testing::TempDir()) /
                                ("halftone_bank_" + std::to_string(::getpid()) + "_" +
                                 ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

}  // namespace halftone::testing
