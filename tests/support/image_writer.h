// PNG and JPEG files for tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace halftone::testing {

// 8-bit samples of 1 (gray), 3 (RGB) or 4 (RGBA) channels, row by row.
void WritePng(const std::filesystem::path& path, int height, int width, int channels,
              const std::vector<std::uint8_t>& samples);

// RGB, quality 95, no subsampling.
void WriteJpeg(const std::filesystem::path& path, int height, int width,
               const std::vector<std::uint8_t>& rgb);

}  // namespace halftone::testing
