#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace halftone::testing {
namespace {

std::vector<FuzzedParser>& AllParsers() {
  static std::vector<FuzzedParser> parsers;
  return parsers;
}

}  // namespace

FuzzedParsers::FuzzedParsers(std::initializer_list<FuzzedParser> rows) {
  AllParsers().insert(AllParsers().end(), rows);
}

const FuzzedParser* FindParser(std::string_view name) {
  const auto& all = AllParsers();
  const auto row = std::ranges::find(all, name, &FuzzedParser::name);
  return row == all.end() ? nullptr : &*row;
}

void Require(bool ok, std::string_view what) {
  if (!ok) {
    std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
  }
}

void RequireReadable(const Error& error) {
  const std::string_view message = error.what();
  const auto acts = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f;
  };
  const bool readable = error.kind() != ErrorKind::kInternal && !message.empty() &&
                        std::none_of(message.begin(), message.end(), acts);
  Require(readable, message);
}

void RequireReadable(std::span<const std::string> sentences) {
  for (const std::string& sentence : sentences) {
    RequireReadable(Error(ErrorKind::kUsage, sentence));
  }
}

}  // namespace halftone::testing
