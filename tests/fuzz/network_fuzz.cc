// Mutated networks on all kernels: see CONTRIBUTING.md, "Fuzzing".
//   network_fuzz [--seed=1] [--first=0] [--networks=N] [--runs=N] [--save=DIR]
//                [--without=OPERATOR]... [--models=DIR] [--each_isa_once]
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "src/base/error.h"
#include "tests/fuzz/network_campaign.h"
#include "tests/support/isa_of_run.h"

namespace {

using halftone::testing::CampaignOptions;

constexpr int kExitSkipped = 77;  // SKIP_RETURN_CODE of ctest

template <typename T>
bool ParseNumber(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseArgument(std::string_view argument, CampaignOptions& options) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string_view::npos) {
    return false;
  }
  const std::string_view name = argument.substr(0, equals);
  const std::string_view value = argument.substr(equals + 1);
  if (name == "--models") {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(value)) {
      if (entry.path().extension() == ".onnx") {
        options.models.push_back(entry.path());
      }
    }
    std::sort(options.models.begin(), options.models.end());
    return !options.models.empty();
  }
  if (name == "--without") {
    options.without.emplace_back(value);
    return true;
  }
  if (name == "--save") {
    options.save = value;
    return true;
  }
  return name == "--seed"       ? ParseNumber(value, options.seed)
         : name == "--first"    ? ParseNumber(value, options.first)
         : name == "--networks" ? ParseNumber(value, options.networks)
         : name == "--runs"     ? ParseNumber(value, options.runs)
                                : false;
}

}  // namespace

// Memory that the system refuses is an error of the product here as elsewhere: networks ask for
// hundreds of gigabytes.
#if defined(__SANITIZE_ADDRESS__)
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}
#elif defined(__SANITIZE_THREAD__)
extern "C" const char* __tsan_default_options() {
  return "allocator_may_return_null=1";
}
#endif

int main(int argc, char** argv) {
  CampaignOptions options;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--each_isa_once") {
      if (const std::string why = halftone::testing::ReasonToSkipIsa(); !why.empty()) {
        std::printf("skipped: %s\n", why.c_str());
        return kExitSkipped;
      }
      continue;
    }
    if (!ParseArgument(argv[i], options)) {
      std::fprintf(
          stderr,
          "usage: network_fuzz [--seed=1] [--first=0] [--networks=N] [--runs=N] "
          "[--save=DIR] [--without=OPERATOR]... [--models=DIR] [--each_isa_once]; without a "
          "limit it runs until it is stopped\n");
      return 2;
    }
  }
  try {
    return halftone::testing::RunCampaign(options).findings == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
