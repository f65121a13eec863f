// Reads and writes single tensors as NumPy .npy files (format versions 1 to 3, C order).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "src/ir/tensor.h"

namespace halftone {

// Little-endian bool, int8..uint64, float16, float32, float64. Error kIo naming the file and what
// was wrong: magic, header, dtype, Fortran order, size of the data.
Tensor ParseNpy(std::string_view bytes, std::string_view source_name);
Tensor ReadNpy(const std::filesystem::path& path);

// bfloat16, which NumPy lacks, is written as float32.
std::string FormatNpy(const Tensor& tensor);

}  // namespace halftone
