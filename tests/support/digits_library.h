// An op library of an Ascend installation with everything that the example network needs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "src/base/file.h"
#include "tests/support/paths.h"

namespace halftone::testing {

// Path within the folder of a library.
inline constexpr std::string_view kLibraryPath =
    "built-in/op_impl/ai_core/tbe/config/ascend310p/aic-ascend310p-ops-info";

// Types that tests/data/ops_info lacks, or lacks with these dtypes.
inline constexpr std::string_view kDigitsTypes = R"({
  "Conv2D": {"input0": {"dtype": "float16", "name": "x", "paramType": "required"},
             "input1": {"dtype": "float16", "name": "filter", "paramType": "required"},
             "input2": {"dtype": "float16", "name": "bias", "paramType": "optional"},
             "output0": {"dtype": "float16", "name": "y", "paramType": "required"},
             "precision_reduce": {"flag": "true"}},
  "MatMulV2": {"input0": {"dtype": "float16", "name": "x1", "paramType": "required"},
               "input1": {"dtype": "float16", "name": "x2", "paramType": "required"},
               "input2": {"dtype": "float16", "name": "bias", "paramType": "optional"},
               "output0": {"dtype": "float16", "name": "y", "paramType": "required"},
               "precision_reduce": {"flag": "true"}},
  "BNInference": {"input0": {"dtype": "float16,float", "name": "x", "paramType": "required"},
                  "input1": {"dtype": "float,float", "name": "scale", "paramType": "required"},
                  "input2": {"dtype": "float,float", "name": "bias", "paramType": "required"},
                  "input3": {"dtype": "float,float", "name": "mean", "paramType": "required"},
                  "input4": {"dtype": "float,float", "name": "variance", "paramType": "required"},
                  "output0": {"dtype": "float16,float", "name": "y", "paramType": "required"}},
  "Add": {"input0": {"dtype": "float16,float", "name": "x1", "paramType": "required"},
          "input1": {"dtype": "float16,float", "name": "x2", "paramType": "required"},
          "output0": {"dtype": "float16,float", "name": "y", "paramType": "required"}},
  "Relu": {"input0": {"dtype": "float16,float", "name": "x", "paramType": "required"},
           "output0": {"dtype": "float16,float", "name": "y", "paramType": "required"}},
  "MaxPoolV3": {"input0": {"dtype": "float16,float", "name": "x", "paramType": "required"},
                "output0": {"dtype": "float16,float", "name": "y", "paramType": "required"}},
  "GlobalAveragePool": {"input0": {"dtype": "float16,float", "name": "x", "paramType": "required"},
                        "output0": {"dtype": "float16,float", "name": "y", "paramType": "required"},
                        "precision_reduce": {"flag": "false"}},
  "FlattenV2": {"input0": {"dtype": "float16,float", "name": "x", "paramType": "required"},
                "output0": {"dtype": "float16,float", "name": "y", "paramType": "required"}}
})";

// Replaces `folder` by the library of the tests with these types added, for --ops_info with an
// Ascend 310P.
inline void MakeDigitsLibrary(const std::filesystem::path& folder) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder.parent_path());
  std::filesystem::copy(SourceDir() / "tests/data/ops_info/opp", folder,
                        std::filesystem::copy_options::recursive);
  WriteFileAtomically(folder / (std::string(kLibraryPath) + "-Digits.json"), kDigitsTypes);
}

}  // namespace halftone::testing
