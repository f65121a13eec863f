#include "src/accuracy/image_file.h"

#include <fmt/format.h>
#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/limits.h"

namespace halftone {
namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30U;
constexpr int kChannels = 3;

[[noreturn]] void ThrowDamaged(std::string_view format, std::string_view why) {
  throw Error(ErrorKind::kIo, fmt::format("expected a whole {} image, found: {}", format, why));
}

void CheckExtents(std::int64_t height, std::int64_t width, std::size_t file_bytes) {
  if (height < 1 || width < 1) {
    throw Error(ErrorKind::kIo, "expected a whole image, found one without pixels");
  }
  if (width > kMostPixels / height) {
    throw Error(ErrorKind::kIo, fmt::format("expected an image of at most {} pixels, found {} x {}",
                                            kMostPixels, width, height));
  }
  const auto pixels_of_bytes = static_cast<std::int64_t>(file_bytes * limits::kMostPixelsOfAByte);
  if (height * width > pixels_of_bytes) {
    throw Error(ErrorKind::kIo,
                fmt::format("expected a whole image, found {} x {} pixels announced and {} bytes, "
                            "which hold {} at most",
                            width, height, file_bytes, pixels_of_bytes));
  }
}

// A black image that bytes of a file will fill.
Image WithExtents(std::int64_t height, std::int64_t width, std::size_t file_bytes) {
  CheckExtents(height, width, file_bytes);
  Image image{.height = static_cast<int>(height), .width = static_cast<int>(width), .rgb = {}};
  image.rgb.resize(static_cast<std::size_t>(height * width * kChannels));
  return image;
}

Image ReadPng(const std::string& bytes) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, void (*)(png_image*)> closer(&png, png_image_free);
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) {
    ThrowDamaged("PNG", png.message);
  }
  Image image = WithExtents(png.height, png.width, bytes.size());
  png.format = PNG_FORMAT_RGB;
  const png_color black = {0, 0, 0};
  if (png_image_finish_read(&png, &black, image.rgb.data(), 0, nullptr) == 0) {
    ThrowDamaged("PNG", png.message);
  }
  return image;
}

Image ReadJpeg(const std::string& bytes) {
  const std::unique_ptr<void, int (*)(tjhandle)> decoder(tjInitDecompress(), tjDestroy);
  if (decoder == nullptr) {
    throw std::bad_alloc();
  }
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0;
  int height = 0;
  int subsampling = 0;
  int colors = 0;
  if (tjDecompressHeader3(decoder.get(), data, bytes.size(), &width, &height, &subsampling,
                          &colors) != 0) {
    ThrowDamaged("JPEG", tjGetErrorStr2(decoder.get()));
  }
  Image image = WithExtents(height, width, bytes.size());
  // A warning is a damaged file too: pixels are missing. The accurate transform does not depend on
  // the instruction set.
  if (tjDecompress2(decoder.get(), data, bytes.size(), image.rgb.data(), width, 0, height, TJPF_RGB,
                    TJFLAG_ACCURATEDCT) != 0) {
    ThrowDamaged("JPEG", tjGetErrorStr2(decoder.get()));
  }
  return image;
}

struct DecoderRow {
  std::string_view signature;  // first bytes of a file
  Image (*read)(const std::string& bytes);
};

constexpr DecoderRow kDecoders[] = {
    {"\x89PNG\r\n\x1a\n", ReadPng},
    {"\xff\xd8\xff", ReadJpeg},
};

}  // namespace

bool IsImageName(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 3> kEndings = {".png", ".jpg", ".jpeg"};
  return std::ranges::find(kEndings, ending) != kEndings.end();
}

Image ReadImage(const std::filesystem::path& path) {
  const std::string bytes = ReadSmallFile(path, kMostBytes);
  return WithContext([&] { return fmt::format("'{}'", path.string()); },
                     [&] {
                       for (const DecoderRow& decoder : kDecoders) {
                         if (bytes.starts_with(decoder.signature)) {
                           return decoder.read(bytes);
                         }
                       }
                       throw Error(ErrorKind::kIo,
                                   "expected a PNG or JPEG image, found neither's signature");
                     });
}

}  // namespace halftone
