// FLEET.yaml. The parser looks for models and follows patterns: all that an input can name lies
// below an empty folder but for one network.
#include <string>

#include "src/base/file.h"
#include "src/base/temporary_folder.h"
#include "src/fleet/fleet_file.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

namespace {

const std::filesystem::path& Folder() {
  static const TemporaryFolder folder("a fuzzer");
  static const std::filesystem::path path = [] {
    WriteFileAtomically(folder.path() / "m/net/model.onnx", "");
    WriteFileAtomically(folder.path() / "m/net/input_0.pb", "");
    WriteFileAtomically(folder.path() / "m/two.onnx", "");
    return folder.path();
  }();
  return path;
}

// A slash of another kind than "m/", or an escape that may be one, could lead out of the folder.
bool StaysInside(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_own = i > 0 && text[i - 1] == 'm' && (i == 1 || text[i - 2] != '.');
    if (text[i] == '\\' || (text[i] == '/' && !is_own)) {
      return false;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = TextOf(data, size);
  if (!StaysInside(text)) {
    return 0;
  }
  const auto file = ValueOrError([&] { return ParseFleetFile(text, Folder() / "FLEET.yaml"); });
  if (!file) {
    return 0;
  }
  Require(!file->plan.networks.empty() && !file->plan.kinds.empty(), "an empty plan");
  Require(file->folder.is_absolute() && file->folder != Folder(), "a folder of the file itself");
  for (const FleetItem& item : ItemsOf(file->plan)) {
    Require(item.network.find('/') == std::string::npos, "a name that is a path");
    OptionsOf(file->plan, item);
  }
  const auto json = ValueOrError([&] { return PlanToJson(file->plan); });
  Require(!json || PlanFromJson(*json, "plan.json") == file->plan, "the plan read back differs");
  return 0;
}
