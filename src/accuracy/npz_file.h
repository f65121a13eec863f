// Reader of NumPy .npz archives: zip files of .npy files, as numpy.savez() and savez_compressed()
// write them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/ir/tensor.h"

namespace halftone {

struct NamedArray {
  std::string name;  // of the file without .npy: "arr_0", or what savez() was given
  Tensor tensor;
};

// All arrays, in the order of the archive; they are held in memory. Error kIo naming the file: not
// a zip archive, encrypted, a member that is no .npy file (as ParseNpy()), members that together
// take more than kMostNpzBytes.
std::vector<NamedArray> ReadNpz(const std::filesystem::path& path);

// Most bytes that an archive may unpack to: a few bytes can announce any size.
inline constexpr std::uint64_t kMostNpzBytes = std::uint64_t{16} << 30U;

}  // namespace halftone
