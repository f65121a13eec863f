#include "tests/support/image_writer.h"

#include <png.h>
#include <turbojpeg.h>

#include <memory>
#include <string>

#include "src/base/error.h"
#include "src/base/file.h"

namespace halftone::testing {

void WritePng(const std::filesystem::path& path, int height, int width, int channels,
              const std::vector<std::uint8_t>& samples) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(width);
  png.height = static_cast<png_uint_32>(height);
  png.format = channels == 1 ? PNG_FORMAT_GRAY : channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  Check(png_image_write_to_file(&png, path.c_str(), 0, samples.data(), 0, nullptr) != 0,
        "the image can be written");
}

void WriteJpeg(const std::filesystem::path& path, int height, int width,
               const std::vector<std::uint8_t>& rgb) {
  const std::unique_ptr<void, int (*)(tjhandle)> encoder(tjInitCompress(), tjDestroy);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  Check(tjCompress2(encoder.get(), rgb.data(), width, 0, height, TJPF_RGB, &bytes, &size,
                    TJSAMP_444, 95, 0) == 0,
        "the image can be compressed");
  WriteFileAtomically(path, std::string(reinterpret_cast<const char*>(bytes), size));
  tjFree(bytes);
}

}  // namespace halftone::testing
