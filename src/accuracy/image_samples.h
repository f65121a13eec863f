// Samples from PNG and JPEG files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/accuracy/image_transform.h"
#include "src/accuracy/sample_reader.h"
#include "src/accuracy/stored_tensor.h"
#include "src/ir/graph.h"

namespace halftone {

// The images of a folder in the order of their names, or `path` itself if it is an image. Empty:
// `path` is neither. Only names are checked, not contents.
std::vector<std::filesystem::path> ImagesIn(const std::filesystem::path& path);

// Samples of a network whose only input takes images. Each sample has as many images as the batch
// of the network. A file is read and scaled at each use.
class ImageSamples : public SampleReader {
 public:
  // Errors as ImageShapeOf(). Error kModel: there are fewer images than one batch.
  ImageSamples(const Value& input, std::vector<std::filesystem::path> files,
               const ImageTransform& transform);

  [[nodiscard]] std::size_t size() const override;

  [[nodiscard]] std::string NameOf(std::size_t index) const override;

  // Errors as ReadImage() and TransformImage().
  [[nodiscard]] std::vector<Tensor> Read(std::size_t index) const override;

  // Clauses for the user: the number of images behind the last whole batch, if there are any, and
  // that images are scaled, if the first one has another size than the input. Empty: there is
  // nothing to tell. Reads the first image; errors as ReadImage().
  [[nodiscard]] std::string Note() const;

 private:
  [[nodiscard]] std::size_t batch() const { return static_cast<std::size_t>(shape_.batch); }

  TensorType type_;
  std::vector<std::filesystem::path> files_;
  ImageTransform transform_;
  ImageShape shape_;
};

// Images for one input of a network with several, stacked in memory. Errors as ReadImage(),
// ImageShapeOf() and TransformImage(). Error kUsage: they take more than kMostStackedBytes.
StoredTensor StackImages(const Value& input, const std::vector<std::filesystem::path>& files,
                         const ImageTransform& transform);

inline constexpr std::int64_t kMostStackedBytes = std::int64_t{4} << 30;

}  // namespace halftone
