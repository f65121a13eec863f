// Points, option sets and progress.
#include <cmath>

#include "src/api/options/point_record.h"
#include "src/api/options/set_arguments.h"
#include "src/api/progress_record.h"
#include "src/base/shell_words.h"
#include "tests/fuzz/fuzz.h"

namespace halftone::testing {
namespace {

void PointJson(std::string_view bytes) {
  const auto record = ValueOrError([&] { return ParsePointRecord(bytes, "point.json"); });
  if (record) {
    const std::string written = FormatPointRecord(*record);
    Require(FormatPointRecord(ParsePointRecord(written, "point.json")) == written,
            "the record read back differs");
  }
}

void ProgressFile(std::string_view bytes) {
  const auto parse = [](std::string_view text) { return ParseProgress(text, "p.json"); };
  if (const auto record = ReadsBack(bytes, parse, FormatProgress)) {
    Require(std::isfinite(record->elapsed_s) && record->elapsed_s >= 0, "a time below 0");
  }
}

// arguments.txt, and the other texts that are an option set.
void SetArgumentsFile(std::string_view bytes) {
  const auto write = [](const auto& words) {
    std::string text;
    for (const std::string& word : words) {
      text += ShellWord(word) + "\n";
    }
    return text;
  };
  const auto words = ReadsBack(
      bytes, [](std::string_view text) { return ShellWords(std::string(text)); }, write);
  if (words) {
    ValueOrError([&] { return ParseSetArguments(std::string(bytes), "folder"); });
  }
}

const FuzzedParsers kApiParsers = {
    {"point_json", PointJson},
    {"progress_record", ProgressFile},  // --progress_file
    {"set_arguments", SetArgumentsFile},
};

}  // namespace
}  // namespace halftone::testing
