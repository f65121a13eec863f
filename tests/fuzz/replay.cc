// Stands in for libFuzzer where the compiler has none: tries each file of a folder once, whole and
// cut short, in the order of their names.
//   parser_fuzz <parser> tests/fuzz/corpus/<parser>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/error.h"
#include "src/base/file.h"
#include "tests/fuzz/fuzz.h"

namespace {

constexpr std::size_t kCuts = 16;  // evenly spaced; mutating is the fuzzer's work

void Try(const halftone::testing::FuzzedParser& parser, std::string_view bytes) {
  parser.try_input(bytes);
  for (std::size_t cut = 0; cut < kCuts; ++cut) {
    parser.try_input(bytes.substr(0, bytes.size() * cut / kCuts));
  }
}

int Replay(const halftone::testing::FuzzedParser& parser, const std::filesystem::path& corpus) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::printf("%s\n", file.filename().c_str());
    std::fflush(stdout);  // the last line names the file that failed
    Try(parser, halftone::ReadFile(file));
  }
  return files.empty() ? 1 : 0;  // a corpus that was not found is no success
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s <parser> <folder of inputs>\n", argv[0]);
    return 2;
  }
  const auto* parser = halftone::testing::FindParser(argv[1]);
  if (parser == nullptr) {
    std::fprintf(stderr, "error: no parser '%s' in the tables of tests/fuzz/*_parsers.cc\n",
                 argv[1]);
    return 2;
  }
  try {
    return Replay(*parser, argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
