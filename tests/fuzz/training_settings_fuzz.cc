// The settings of a training script (--npu_config), YAML, JSON or Python.
#include "src/training/python_script.h"
#include "src/training/script.h"
#include "src/training/settings_tree.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = TextOf(data, size);
  const auto tree = ValueOrError([&] { return ParseSettings(text, "settings.yaml"); });
  const auto script = ValueOrError([&] { return ParseTrainingScript(text, "settings.yaml"); });
  ValueOrError([&] { return ParseTrainingScript(text, "train.py"); });
  if (script) {
    Require(tree.has_value() || IsPythonScript(text, "settings.yaml"), "a script without a tree");
    for (const auto* sentences : {&script->notes, &script->warnings}) {
      for (const std::string& sentence : *sentences) {
        RequireReadable(Error(ErrorKind::kUsage, sentence));
      }
    }
  }
  return 0;
}
