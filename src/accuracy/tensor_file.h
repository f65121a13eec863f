// Reader and writer of single tensors as NumPy .npy files (format versions 1 to 3, C order).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/ir/tensor.h"

namespace halftone {

// Longest header. That of a float32 file has 128 bytes; only headers of records grow, and records
// are refused.
inline constexpr std::int64_t kMostNpyHeaderBytes = 1 << 16;

struct NpyHeader {
  TensorType type;
  std::int64_t data_offset = 0;  // bytes before the first element
};

// Parses the header. `front`: the first bytes of a file of `file_bytes`, at least
// kMostNpyHeaderBytes of them or all. Little-endian bool, int8..uint64, float16, float32, float64.
// Error kIo naming the file and the fault: magic, header, dtype, Fortran order, size of the data.
NpyHeader ParseNpyHeader(std::string_view front, std::int64_t file_bytes,
                         std::string_view source_name);

// The tensor in the bytes of a whole file. Errors as ParseNpyHeader().
Tensor ParseNpy(std::string_view bytes, std::string_view source_name);

// The bytes of a file. bfloat16, which NumPy lacks, is written as float32.
std::string FormatNpy(const Tensor& tensor);

}  // namespace halftone
