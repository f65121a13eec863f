// Reader of PNG and JPEG files, by libpng and libjpeg-turbo.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace halftone {

struct Image {
  int height = 0;
  int width = 0;
  std::vector<std::uint8_t> rgb;  // height x width x 3, red first
};

// Most pixels of an image. The limit is needed because a header of a few bytes can announce any
// size.
inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 27;

// True if the name ends in .png, .jpg or .jpeg, in upper or lower case.
bool IsImageName(const std::filesystem::path& path);

// Reads an image with 8 bits per channel. 16 bits are reduced to 8, gray is repeated in all three
// channels, and transparent pixels are blended with black. The content decides the format, not the
// name. Error kIo naming the file: it cannot be read, is neither PNG nor JPEG, is damaged, or has
// more than kMostPixels.
Image ReadImage(const std::filesystem::path& path);

}  // namespace halftone
