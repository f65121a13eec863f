// What libFuzzer calls. The program's name is that of the parser, <parser>_fuzz: libFuzzer starts
// itself again under it, so that no argument has to say which.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/fuzz/fuzz.h"

namespace {

const halftone::testing::FuzzedParser* parser = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** argv) {
  constexpr std::string_view kEnding = "_fuzz";
  const std::string program = std::filesystem::path((*argv)[0]).filename().string();
  if (program.ends_with(kEnding)) {
    parser = halftone::testing::FindParser(
        std::string_view(program).substr(0, program.size() - kEnding.size()));
  }
  if (parser == nullptr) {
    std::fprintf(stderr, "error: expected to be started as <parser>_fuzz, found '%s'\n",
                 program.c_str());
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  parser->try_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
