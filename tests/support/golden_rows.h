// Reader of the golden files of scripts/quantization_golden.py: rows of words after a line of
// titles.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "src/base/file.h"
#include "src/base/text.h"
#include "tests/support/paths.h"

namespace halftone::testing {

// The words of one row, read from left to right.
class GoldenRow {
 public:
  explicit GoldenRow(const std::string& line) : line_(line), words_(Split(line_, ' ')) {}

  GoldenRow(const GoldenRow& other) : GoldenRow(other.line_) {}

  GoldenRow& operator=(const GoldenRow&) = delete;

  std::string Word() { return at_ < words_.size() ? std::string(words_[at_++]) : "(no word)"; }

  std::int64_t Integer() { return std::strtoll(Word().c_str(), nullptr, 10); }

  double Real() { return std::strtod(Word().c_str(), nullptr); }

  float Bits32() {
    return std::bit_cast<float>(
        static_cast<std::uint32_t>(std::strtoul(Word().c_str(), nullptr, 16)));
  }

  double Bits64() {
    return std::bit_cast<double>(
        static_cast<std::uint64_t>(std::strtoull(Word().c_str(), nullptr, 16)));
  }

  [[nodiscard]] bool AtEnd() const { return at_ == words_.size(); }

 private:
  std::string line_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
};

// The rows of tests/golden/quantization/<name> without the titles.
inline std::vector<GoldenRow> GoldenRows(const std::string& name) {
  const std::string text = ReadFile(SourceDir() / "tests/golden/quantization" / name);
  std::vector<GoldenRow> rows;
  bool is_title = true;
  for (const std::string_view line : Split(text, '\n')) {
    if (!is_title && !line.empty()) {
      rows.emplace_back(std::string(line));
    }
    is_title = false;
  }
  return rows;
}

}  // namespace halftone::testing
