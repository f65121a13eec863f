// Samples and outputs as files, as a measuring command reads and writes them
// (docs/guide/measuring_elsewhere.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "src/accuracy/dataset.h"
#include "src/base/enum_table.h"
#include "src/base/temporary_folder.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

enum class SampleForm : std::uint8_t { kBin, kNpy };

inline constexpr EnumRow<SampleForm> kSampleForms[] = {
    {SampleForm::kBin, "bin", "elements, little-endian, row by row"},
    {SampleForm::kNpy, "npy", "NumPy files"},
};

// Writes inputs.json and the first `count` samples into `folder`, a path below the temporary folder
// `below`. Input <index> of a sample is the file <sample>/<index>.bin or <sample>/<index>.npy, by
// `form`. Error kIo.
void WriteSampleFiles(const TemporaryFolder& below, const std::filesystem::path& folder,
                      const Graph& network, const Dataset& data, std::size_t count,
                      SampleForm form);

// Outputs that a command left. Every fault in them is Error kUnsupported; a text that is no JSON is
// kUsage.
class OutputFolder {
 public:
  // Reads outputs.json if there is one, and checks names, types and shapes against the network.
  // `network` must outlive it. A folder that does not exist is an Error too.
  OutputFolder(std::filesystem::path folder, const Graph& network);

  // The outputs of a sample, in the types and shapes of the network. Output <index> is the file
  // <sample>/<index>.npy; if there is none, <sample>/<index>.bin, whose type outputs.json gives. A
  // file may have another type of the same kind (float, integer, bool), and a .npy another shape
  // with as many elements. NaN and infinity are data. A file that is missing, unreadable, or of
  // another size or kind is an Error.
  [[nodiscard]] std::vector<Tensor> Read(std::size_t sample) const;

 private:
  [[nodiscard]] Tensor ReadOutput(std::size_t sample, std::size_t index) const;

  std::filesystem::path folder_;
  const Graph& network_;
  std::vector<DType> dtypes_;  // in the files, by output
};

// Parses outputs.json: {"outputs":[{"index":0,"name":"y","dtype":"float32","shape":[1,10]}]}.
// Returns the type of each output in the files, by index; the type of the network if the text gives
// none. Error kUnsupported, kUsage.
std::vector<DType> ParseOutputTypes(std::string_view text, const Graph& network,
                                    std::string_view where);

}  // namespace halftone
