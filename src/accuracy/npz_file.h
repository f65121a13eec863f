// Reader of NumPy .npz archives: zip files of .npy files, as numpy.savez() and savez_compressed()
// write them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "halftone/data.h"

namespace halftone {

// All arrays, named as their files without .npy ("arr_0", or what savez() was given), in the order
// of the archive; they are held in memory. Error kIo naming the file: not a zip archive, encrypted,
// a member that is no .npy file (as ParseNpy()) or claims a size that its bytes cannot have,
// members that together take more than kMostNpzBytes, or than `limit` (--max_memory; 0: none).
std::vector<NamedArray> ReadNpz(const std::filesystem::path& path, std::int64_t limit = 0);

struct NamedType {
  std::string name;
  TensorType type;
};

// Types of the arrays, in the order of the archive, by their headers. Errors as ReadNpz(), which
// finds further ones.
std::vector<NamedType> NpzTypes(const std::filesystem::path& path, std::int64_t limit = 0);

// Most bytes that an archive may unpack to: a few bytes can announce any size.
inline constexpr std::uint64_t kMostNpzBytes = std::uint64_t{16} << 30U;

}  // namespace halftone
