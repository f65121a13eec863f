#include "src/accuracy/image_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// The image of a file, without its batch.
Tensor ReadTransformed(const fs::path& file, const ImageTransform& transform,
                       const ImageShape& shape) {
  const Image image = ReadImage(file);
  return WithContext([&] { return fmt::format("'{}'", file.string()); },
                     [&] { return TransformImage(image, transform, shape); });
}

// Images from `files` behind each other in a tensor of this type.
Tensor ReadStack(std::span<const fs::path> files, const ImageTransform& transform,
                 const ImageShape& shape, const TensorType& type) {
  Tensor stack(type.dtype, type.shape);
  std::byte* to = stack.mutable_data();
  for (const fs::path& file : files) {
    const Tensor image = ReadTransformed(file, transform, shape);
    std::memcpy(to, image.data(), image.bytes().size());
    to += image.bytes().size();
  }
  return stack;
}

}  // namespace

std::vector<fs::path> ImagesIn(const fs::path& path) {
  std::vector<fs::path> files;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
      if (IsImageName(entry.path()) && entry.is_regular_file(error)) {
        files.push_back(entry.path());
      }
    }
    std::ranges::sort(files);
  } else if (IsImageName(path) && fs::is_regular_file(path, error)) {
    files.push_back(path);
  }
  return files;
}

ImageSamples::ImageSamples(const Value& input, std::vector<fs::path> files,
                           const ImageTransform& transform)
    : type_(input.type),
      files_(std::move(files)),
      transform_(transform),
      shape_(ImageShapeOf(input, transform)) {
  if (size() == 0) {
    throw Error(ErrorKind::kModel,
                fmt::format("input '{}' takes {} images a sample, found {} in all", input.name,
                            shape_.batch, files_.size()));
  }
}

std::size_t ImageSamples::size() const {
  return batch() == 0 ? 0 : files_.size() / batch();
}

std::string ImageSamples::NameOf(std::size_t index) const {
  return files_.at(index * batch()).filename().string();
}

std::vector<Tensor> ImageSamples::Read(std::size_t index) const {
  const std::span<const fs::path> files(files_);
  std::vector<Tensor> inputs;
  inputs.push_back(ReadStack(files.subspan(index * batch(), batch()), transform_, shape_, type_));
  return inputs;
}

std::string ImageSamples::Note() const {
  std::vector<std::string> notes;
  if (const std::size_t left = files_.size() - size() * batch(); left > 0) {
    notes.push_back(fmt::format("the last {} left out: a sample takes {}",
                                left == 1 ? "image is" : fmt::format("{} images are", left),
                                shape_.batch));
  }
  const Image first = ReadImage(files_.front());
  if (first.height != shape_.height || first.width != shape_.width) {
    notes.push_back(fmt::format(
        "images are not {}x{} pixels, as the input is (the first is {}x{}): they are scaled, and "
        "what is beyond is cut off around the centre (docs/guide/inputs.md, \"Images\")",
        shape_.height, shape_.width, first.height, first.width));
  }
  return Join(notes, "; ");
}

StoredTensor StackImages(const Value& input, const std::vector<fs::path>& files,
                         const ImageTransform& transform) {
  const ImageShape shape = ImageShapeOf(input, transform);
  TensorType type = input.type;
  type.shape[0] = std::ssize(files);
  const std::int64_t bytes = type.size_bytes();
  if (bytes > kMostStackedBytes) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} for input '{}' take {} beside other inputs, at most {} are kept: "
                            "give fewer",
                            Counted(std::ssize(files), "image"), input.name,
                            FormatBytes(static_cast<double>(bytes)),
                            FormatBytes(static_cast<double>(kMostStackedBytes))));
  }
  return {files.front().parent_path(), ReadStack(files, transform, shape, type)};
}

}  // namespace halftone
