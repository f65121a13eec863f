#include "src/cli/checked_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "src/base/error.h"
#include "src/cli/parser_message.h"

namespace halftone {
namespace {

class CheckedCommand : public CLI::App {
 public:
  CheckedCommand(DefineCommand define, std::string_view name) : CLI::App("", std::string(name)) {
    define(*this, exit_code_);
  }

 private:
  int exit_code_ = 0;
};

}  // namespace

std::string ComplaintOf(DefineCommand define, std::string_view name,
                        std::vector<std::string> words) {
  CheckedCommand command(define, name);
  std::ranges::reverse(words);  // the order that CLI11 wants of a vector
  try {
    command.parse(words);
  } catch (const CLI::ParseError& error) {
    return ParserMessage(command, error);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool HasOption(DefineCommand define, std::string_view name) {
  const CheckedCommand command(define, "");
  return command.get_option_no_throw(fmt::format("--{}", name)) != nullptr;
}

bool IsOnlyChecked(const CLI::App& app) {
  return dynamic_cast<const CheckedCommand*>(&app) != nullptr;
}

}  // namespace halftone
