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

// Writes inputs.json and the first `count` samples as <sample>/<index>.bin below `folder` of
// `below`. Error kIo.
void WriteSampleFiles(const TemporaryFolder& below, const std::filesystem::path& folder,
                      const Graph& network, const Dataset& data, std::size_t count,
                      SampleForm form);

// Outputs that a command left. Whatever lies there, an Error is about it: kUnsupported, kUsage (no
// JSON).
class OutputFolder {
 public:
  // Reads outputs.json where there is one, and checks names, types and shapes against the network.
  // `network` must outlive it.
  OutputFolder(std::filesystem::path folder, const Graph& network);

  // The tensors of <sample>/<index>.bin, or .npy, with the types of the network. NaN and infinity
  // are data. An error: a file that is missing, cannot be read, is none, or has another size, type
  // or shape.
  [[nodiscard]] std::vector<Tensor> Read(std::size_t sample) const;

 private:
  [[nodiscard]] Tensor ReadOutput(std::size_t sample, std::size_t index) const;

  std::filesystem::path folder_;
  const Graph& network_;
  std::vector<DType> dtypes_;  // in the files, by output
};

// outputs.json: {"outputs":[{"index":0,"name":"y","dtype":"float32","shape":[1,10]}]}. The type of
// each output in the files, by number; those of the network where it says nothing. Error
// kUnsupported, kUsage.
std::vector<DType> ParseOutputTypes(std::string_view text, const Graph& network,
                                    std::string_view where);

}  // namespace halftone
