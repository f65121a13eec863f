// Reader of NumPy .npz archives: zip files of .npy files, as numpy.savez() and savez_compressed()
// write them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "halftone/data.h"

namespace halftone {

// Reads all arrays to memory, in the order of the archive. The name of an array is that of its file
// without .npy, such as "arr_0". `limit` is the most unpacked bytes (--max_memory), besides
// kMostNpzBytes; 0: there is no further limit. Error kIo naming the file: not a zip archive, no
// array, encrypted or damaged, a member that is no .npy file (as ParseNpy()) or states a size that
// its bytes cannot have, more unpacked bytes than allowed.
std::vector<NamedArray> ReadNpz(const std::filesystem::path& path, std::int64_t limit = 0);

struct NamedType {
  std::string name;
  TensorType type;
};

// Reads the types of the arrays from their headers, in the order of the archive. Errors as
// ReadNpz(), except faults in the elements.
std::vector<NamedType> NpzTypes(const std::filesystem::path& path, std::int64_t limit = 0);

// Most bytes to which an archive may unpack. The limit is needed because a few bytes can announce
// any size.
inline constexpr std::uint64_t kMostNpzBytes = std::uint64_t{16} << 30U;

}  // namespace halftone
