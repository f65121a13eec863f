// Reader and writer of single tensors as NumPy .npy files (format versions 1 to 3, C order).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/ir/tensor.h"

namespace halftone {

// Most bytes of a header. A header of float32 has 128 bytes; only headers of records are longer,
// and records are refused.
inline constexpr std::int64_t kMostNpyHeaderBytes = 1 << 16;

struct NpyHeader {
  TensorType type;
  std::int64_t data_offset = 0;  // bytes before the first element
};

// Parses the header of a file of `file_bytes` bytes. `front` has its first kMostNpyHeaderBytes
// bytes, or all bytes of a shorter file. Accepts bool, int8 to int64, uint8 to uint64, float16,
// float32 and float64, all little-endian. Error kIo naming the file and its fault: magic, header,
// dtype, Fortran order, or size of the data.
NpyHeader ParseNpyHeader(std::string_view front, std::int64_t file_bytes,
                         std::string_view source_name);

// Parses the bytes of a whole file. Errors as ParseNpyHeader().
Tensor ParseNpy(std::string_view bytes, std::string_view source_name);

// The bytes of a file that holds `tensor`. bfloat16, which NumPy lacks, is written as float32.
std::string FormatNpy(const Tensor& tensor);

}  // namespace halftone
