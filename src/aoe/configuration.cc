#include "src/aoe/configuration.h"

#include <fmt/format.h>

#include <set>

#include "src/base/error.h"
#include "src/base/numbers.h"
#include "src/base/text.h"

namespace halftone {
namespace {

struct NumberRow {
  std::string_view key;
  int AoeConfiguration::*value;
  int least;
  int most;
};

constexpr NumberRow kNumbers[] = {
    {"TUNING_PARALLEL_NUM", &AoeConfiguration::tuning_parallel_num, 1, 64},
    {"RUN_LOOP", &AoeConfiguration::run_loop, 1, 2048},
};
constexpr std::string_view kWorkPath = "WORK_PATH";
constexpr std::string_view kSection = "[COMMON]";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

class Reader {
 public:
  explicit Reader(std::string_view file_name) : file_name_(file_name) {}

  AoeConfiguration Read(std::string_view content) {
    if (content.starts_with(kByteOrderMark)) {
      content.remove_prefix(kByteOrderMark.size());
    }
    for (const std::string_view line : Split(content, '\n')) {
      ++line_;
      ReadLine(Trim(line));
    }
    return std::move(result_);
  }

 private:
  [[noreturn]] void Throw(std::string_view what) const {
    throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", file_name_, line_, what));
  }

  void Warn(std::string_view what) {
    result_.warnings.push_back(fmt::format("{}:{}: {}", file_name_, line_, what));
  }

  void ReadLine(std::string_view line) {
    if (line.empty() || line[0] == '#' || line[0] == ';') {
      return;
    }
    if (line.front() == '[' && line.back() == ']') {
      if (line != kSection) {
        Warn(fmt::format("the section {} is not known; its keys are read as those of {}",
                         Shown(line), kSection));
      }
      return;
    }
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) {
      Throw(
          fmt::format("expected {}, KEY=value or a # comment, found '{}'", kSection, Shown(line)));
    }
    ReadPair(Trim(line.substr(0, equals)), Trim(line.substr(equals + 1)));
  }

  void ReadPair(std::string_view key, std::string_view value) {
    if (!keys_.emplace(key).second) {
      Throw(fmt::format("{} is given twice; give it once", Shown(key)));
    }
    if (key == kWorkPath) {
      result_.work_path = value;
      return;
    }
    for (const NumberRow& row : kNumbers) {
      if (row.key == key) {
        ReadNumber(row, value);
        return;
      }
    }
    Warn(fmt::format("the key '{}' is not known and has no effect", Shown(key)));
  }

  void ReadNumber(const NumberRow& row, std::string_view value) {
    const auto number = NumberIn(value, WholeRange{row.least, row.most});
    if (!number) {
      Throw(fmt::format("{}={}: expected an integer from {} to {}", row.key, Shown(value),
                        row.least, row.most));
    }
    result_.*row.value = static_cast<int>(*number);
  }

  std::string_view file_name_;
  int line_ = 0;
  std::set<std::string, std::less<>> keys_;
  AoeConfiguration result_;
};

}  // namespace

AoeConfiguration ParseAoeConfiguration(std::string_view content, std::string_view file_name) {
  return Reader(file_name).Read(content);
}

}  // namespace halftone
