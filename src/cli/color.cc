#include "src/cli/color.h"

#include <unistd.h>

#include <cstdlib>

namespace halftone {
namespace {

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

std::vector<std::string> ColorModes() {
  return {"auto", "always", "never"};
}

ColorFacts CurrentColorFacts() {
  return {.terminal = ::isatty(STDOUT_FILENO) == 1,
          .no_color = Variable("NO_COLOR"),
          .term = Variable("TERM")};
}

bool UsesColor(std::string_view mode, const ColorFacts& facts) {
  if (mode != "auto") {
    return mode == "always";
  }
  return facts.terminal && facts.no_color.empty() && facts.term != "dumb";
}

}  // namespace halftone
