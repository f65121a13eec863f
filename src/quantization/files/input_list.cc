#include "src/quantization/files/input_list.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

[[noreturn]] void ThrowAt(std::string_view where, std::size_t line, std::string_view what) {
  throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", where, line, what));
}

std::vector<std::string> FilesOf(std::string_view line, std::size_t number,
                                 std::string_view where) {
  std::vector<std::string> files;
  for (const std::string_view part : Split(line, ',')) {
    const std::string_view file = Trim(part);
    if (file.empty()) {
      ThrowAt(where, number,
              fmt::format("expected a file for each input, separated by commas; found nothing in "
                          "place {} of '{}'",
                          files.size() + 1, Shown(line)));
    }
    files.emplace_back(file);
  }
  return files;
}

}  // namespace

std::vector<std::vector<std::string>> ParseInputList(std::string_view text,
                                                     std::string_view where) {
  if (text.size() > kMostInputListBytes) {
    ThrowAt(where, 1,
            fmt::format("expected at most {} bytes of a list of files, found {}",
                        kMostInputListBytes, text.size()));
  }
  if (text.find('\0') != text.npos) {
    ThrowAt(where, 1, "expected a list of files, a line for each sample; found a binary file");
  }
  std::vector<std::vector<std::string>> samples;
  std::size_t number = 0;
  for (const std::string_view line : Split(text, '\n')) {
    ++number;
    if (Trim(line).empty()) {
      continue;
    }
    std::vector<std::string> files = FilesOf(Trim(line), number, where);
    if (!samples.empty() && files.size() != samples.front().size()) {
      ThrowAt(where, number,
              fmt::format("expected {}, as in the first line; found {}",
                          Counted(std::ssize(samples.front()), "file"), files.size()));
    }
    samples.push_back(std::move(files));
  }
  if (samples.empty()) {
    ThrowAt(where, 1, "expected a list of files, a line for each sample; found an empty file");
  }
  return samples;
}

}  // namespace halftone
