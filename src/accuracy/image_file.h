// Pixels of PNG and JPEG files, by libpng and libjpeg-turbo.
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

// Most pixels of an image: a header of a few bytes can announce any size.
inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 27;

// True if the name ends as that of an image: .png, .jpg or .jpeg, in either case.
bool IsImageName(const std::filesystem::path& path);

// 8 bits a channel: 16 are reduced, gray is repeated, transparent pixels are put on black. Error
// kIo naming the file: it cannot be read, is no PNG or JPEG (the content counts), is damaged, or
// has more than kMostPixels.
Image ReadImage(const std::filesystem::path& path);

}  // namespace halftone
