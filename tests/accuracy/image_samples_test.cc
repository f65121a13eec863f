// Samples from images: decoding, --image, and what is said of images that do not fit.
#include "src/accuracy/image_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "src/accuracy/dataset.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/rng.h"
#include "tests/support/graph_builder.h"
#include "tests/support/image_writer.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::GraphBuilder;
using ::halftone::testing::WriteJpeg;
using ::halftone::testing::WritePng;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ImageSamplesTest : public ::testing::Test {
 protected:
  ImageSamplesTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  ~ImageSamplesTest() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path File(const std::string& name) const { return folder_ / name; }

  fs::path folder_ = ::testing::TempDir() + "halftone_images";
};

Graph NetworkOf(Shape shape, DType dtype = DType::kFloat32) {
  GraphBuilder builder;
  const ValueId x = builder.Input("pixels", std::move(shape), dtype);
  return builder.Finish({builder.Add(OpKind::kIdentity, "same", {x})});
}

std::vector<std::uint8_t> RandomPixels(int height, int width, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(height * width * 3));
  std::ranges::generate(pixels, [&] { return static_cast<std::uint8_t>(rng.Below(256)); });
  return pixels;
}

std::string ErrorOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

ImageShape ShapeIn(Shape shape, const ImageTransform& transform = {},
                   DType dtype = DType::kFloat32) {
  const Graph graph = NetworkOf(std::move(shape), dtype);
  return ImageShapeOf(graph.value(graph.inputs.front()), transform);
}

std::vector<float> Floats(const Tensor& tensor) {
  const auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

// 363 MB of pixels were taken for the 80 bytes of a file before one of them was read.
TEST_F(ImageSamplesTest, PixelsThatTheBytesCannotHoldAreRefused) {
  const auto file = testing::SourceDir() / "tests/fuzz/corpus/image/claims_many_pixels.png";
  EXPECT_THAT([&] { std::ignore = ReadImage(file); },
              ::testing::ThrowsMessage<Error>(
                  HasSubstr("expected a whole image, found 11000 x 11000 pixels announced and ")));
}

TEST_F(ImageSamplesTest, PngIsExact) {
  const std::vector<std::uint8_t> pixels = RandomPixels(3, 5, 1);
  WritePng(File("a.png"), 3, 5, 3, pixels);
  const Image image = ReadImage(File("a.png"));
  EXPECT_EQ(image.height, 3);
  EXPECT_EQ(image.width, 5);
  EXPECT_EQ(image.rgb, pixels);
  WritePng(File("gray.png"), 1, 2, 1, {10, 200});
  EXPECT_THAT(ReadImage(File("gray.png")).rgb, ElementsAre(10, 10, 10, 200, 200, 200));
  WritePng(File("alpha.png"), 1, 2, 4, {10, 20, 30, 255, 10, 20, 30, 0});
  EXPECT_THAT(ReadImage(File("alpha.png")).rgb, ElementsAre(10, 20, 30, 0, 0, 0)) << "on black";
}

// A block of one colour has one coefficient, which quality 95 keeps to a step or two.
TEST_F(ImageSamplesTest, JpegIsNear) {
  std::vector<std::uint8_t> pixels;
  for (int i = 0; i < 16 * 16; ++i) {
    pixels.insert(pixels.end(), {200, 100, 50});
  }
  WriteJpeg(File("a.jpg"), 16, 16, pixels);
  const Image image = ReadImage(File("a.jpg"));
  ASSERT_EQ(image.rgb.size(), pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    EXPECT_NEAR(image.rgb[i], pixels[i], 3) << i;
  }
}

TEST_F(ImageSamplesTest, DamagedFilesAreNamed) {
  WritePng(File("a.png"), 20, 20, 3, RandomPixels(20, 20, 1));
  WriteJpeg(File("a.jpg"), 20, 20, RandomPixels(20, 20, 1));
  for (const char* name : {"a.png", "a.jpg"}) {
    const std::string whole = ReadFile(File(name));
    for (const std::size_t kept :
         {std::size_t{0}, std::size_t{5}, std::size_t{30}, whole.size() / 2, whole.size() - 20}) {
      WriteFileAtomically(File("cut.png"), whole.substr(0, kept));
      EXPECT_THAT(ErrorOf([&] { ReadImage(File("cut.png")); }), HasSubstr("cut.png': expected a "))
          << name << " " << kept;
    }
  }
  WriteFileAtomically(File("text.png"), "no image");
  EXPECT_THAT(ErrorOf([&] { ReadImage(File("text.png")); }),
              HasSubstr("text.png': expected a PNG or JPEG image, found neither's signature"));
}

TEST_F(ImageSamplesTest, EqualExtentsOnlyNormalise) {
  const std::vector<std::uint8_t> pixels = {255, 128, 0, 51, 102, 204};
  const Image image{.height = 1, .width = 2, .rgb = pixels};
  const auto transformed = [&](std::string_view text, Shape shape, DType dtype = DType::kFloat32) {
    const ImageTransform transform = ParseImageTransform(text);
    return TransformImage(image, transform, ShapeIn(std::move(shape), transform, dtype));
  };
  EXPECT_THAT(Floats(transformed("range=255", {1, 3, 1, 2})),
              ElementsAre(255, 51, 128, 102, 0, 204));
  EXPECT_THAT(Floats(transformed("range=255,layout=NHWC", {1, 1, 2, 3})),
              ElementsAre(255, 128, 0, 51, 102, 204));
  EXPECT_THAT(Floats(transformed("range=255,bgr,layout=NHWC", {1, 1, 2, 3})),
              ElementsAre(0, 128, 255, 204, 102, 51));
  EXPECT_THAT(Floats(transformed("", {1, 3, 1, 2})),
              ElementsAre(1, 0.2F, 128.0F / 255, 0.4F, 0, 0.8F));
  const std::vector<float> normalised =
      Floats(transformed("mean=0.5/0.25/0,std=0.5/2/4", {1, 3, 1, 2}));
  const double expected[] = {1, -0.6, (128.0 / 255 - 0.25) / 2, 0.075, 0, 0.2};
  for (std::size_t i = 0; i < normalised.size(); ++i) {
    EXPECT_NEAR(normalised[i], expected[i], 1e-6) << i;
  }
  const std::vector<float> gray = Floats(transformed("range=255", {1, 1, 1, 2}));
  EXPECT_NEAR(gray[0], 0.299 * 255 + 0.587 * 128, 1e-4);
  EXPECT_NEAR(gray[1], 0.299 * 51 + 0.587 * 102 + 0.114 * 204, 1e-4);
  const Tensor bytes = transformed("", {1, 3, 1, 2}, DType::kUInt8);
  EXPECT_THAT(bytes.values<std::uint8_t>(), ElementsAre(255, 51, 128, 102, 0, 204));
}

// The triangle filter in double, by its definition: the mean over the pixels with a weight that
// falls linearly to zero at the width of an output pixel, or of an input pixel where images grow.
double FilteredPixel(const Image& image, int channel, double scale_y, double scale_x,
                     std::int64_t y, std::int64_t x) {
  double sum = 0;
  double weights = 0;
  const auto weight = [](double scale, std::int64_t out, int in) {
    return std::max(0.0, 1 - std::abs(in + 0.5 - (static_cast<double>(out) + 0.5) * scale) /
                                 std::max(scale, 1.0));
  };
  for (int row = 0; row < image.height; ++row) {
    for (int column = 0; column < image.width; ++column) {
      const double w = weight(scale_y, y, row) * weight(scale_x, x, column);
      sum += w * image.rgb[(static_cast<std::size_t>(row) * image.width + column) * 3 + channel];
      weights += w;
    }
  }
  return sum / weights;
}

// Of an axis: a filter has at most 2 max(scale, 1) + 1 weights, which sum to 1.
double RoundingsOf(double scale) {
  return 2 * std::max(scale, 1.0) + 1 + 1;  // of each weight, product and sum but the first
}

// float32 rounds the weights, products and sums of both axes, and at most three times after them:
// each by 2^-24 of values of at most 255.
TEST_F(ImageSamplesTest, ScalingIsTheTriangleFilter) {
  struct Case {
    int height, width;  // of the image
    const char* resize;
    std::int64_t scaled_height, scaled_width;
    std::int64_t out_height, out_width;
  };

  const Case cases[] = {
      {7, 5, "resize=3x4", 3, 4, 3, 4},         {4, 6, "resize=9x13", 9, 13, 9, 13},
      {8, 12, "resize=6", 6, 9, 5, 7},          {30, 20, "", 9, 6, 9, 6},
      {33, 17, "resize=16x16", 16, 16, 10, 16}, {1, 1, "", 5, 5, 5, 5}};
  for (const Case& c : cases) {
    const Image image{
        .height = c.height, .width = c.width, .rgb = RandomPixels(c.height, c.width, 9)};
    ImageTransform transform = ParseImageTransform(c.resize);
    transform.range = 255;
    const Tensor scaled =
        TransformImage(image, transform, ShapeIn({1, 3, c.out_height, c.out_width}, transform));
    const auto values = scaled.values<float>();
    const double scale_y = static_cast<double>(c.height) / static_cast<double>(c.scaled_height);
    const double scale_x = static_cast<double>(c.width) / static_cast<double>(c.scaled_width);
    const double bound = (RoundingsOf(scale_y) + RoundingsOf(scale_x) + 3) * std::ldexp(255.0, -24);
    for (int channel = 0; channel < 3; ++channel) {
      for (std::int64_t y = 0; y < c.out_height; ++y) {
        for (std::int64_t x = 0; x < c.out_width; ++x) {
          const double expected = FilteredPixel(image, channel, scale_y, scale_x,
                                                y + (c.scaled_height - c.out_height) / 2,
                                                x + (c.scaled_width - c.out_width) / 2);
          EXPECT_NEAR(
              values[static_cast<std::size_t>((channel * c.out_height + y) * c.out_width + x)],
              expected, bound)
              << c.resize << " of " << c.height << "x" << c.width << " at " << y << "," << x;
        }
      }
    }
  }
}

TEST_F(ImageSamplesTest, OptionsThatAreNone) {
  const std::pair<const char*, const char*> cases[] = {
      {"resize=0",
       "expected resize=N or resize=HEIGHTxWIDTH with extents of 1 to 65536, found '0'"},
      {"resize=4x", "found ''"},
      {"resize", "'resize' is none of resize=N"},
      {"scale=3", "'scale=3' is none of resize=N"},
      {"mean=1/2", "expected mean=A or mean=A/B/C with a number for each channel, found '1/2'"},
      {"mean=a", "found 'a'"},
      {"mean=nan", "found 'nan'"},
      {"std=1/0/1", "std is divided by: expected numbers other than 0"},
      {"range=-1", "expected range=R with a number above 0"},
      {"rgb,bgr", "'bgr' comes after another colors: give one"},
      {"layout=NCHW,layout=NHWC", "comes after another layout"},
      {"layout=CHW", "'layout=CHW' is none of"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(ErrorOf([&, text = text] { ParseImageTransform(text); }), HasSubstr(message))
        << text;
  }
  EXPECT_EQ(ErrorOf([] { ParseImageTransform(" rgb , range=255,"); }), "");
}

TEST_F(ImageSamplesTest, InputsThatTakeNoImages) {
  const auto error = [](Shape shape, std::string_view text, DType dtype = DType::kFloat32) {
    return ErrorOf([&] { ShapeIn(std::move(shape), ParseImageTransform(text), dtype); });
  };
  EXPECT_THAT(error({1, 64}, ""),
              HasSubstr("input 'pixels' is of float32 1x64: images need four axes"));
  EXPECT_THAT(error({1, 4, 8, 8}, ""), HasSubstr("expected 3 channels, or 1 for gray"));
  EXPECT_THAT(error({1, 3, 8, 3}, ""), HasSubstr("add layout=NCHW or layout=NHWC to --image"));
  EXPECT_EQ(error({1, 3, 8, 3}, "layout=NHWC"), "");
  EXPECT_THAT(error({1, 3, 8, 8}, "layout=NHWC"), HasSubstr("expected 3 channels"));
  EXPECT_THAT(error({1, 3, 8, 8}, "gray"), HasSubstr("expected 3 channels, or 1 for gray"));
  EXPECT_THAT(error({1, 1, 8, 8}, "mean=0.1/0.9/0.9", DType::kFloat32),
              HasSubstr("it has one channel, and mean or std of --image have a value for each of "
                        "three: give one"));
  EXPECT_THAT(error({1, 3, 8, 8}, "mean=1", DType::kUInt8),
              HasSubstr("leave range, mean and std out"));
  EXPECT_THAT(error({1, 3, 8, 8}, "", DType::kInt8), HasSubstr("pixels of 0 to 255 do not fit"));
}

TEST_F(ImageSamplesTest, AFolderIsADataset) {
  for (const char* name : {"b.png", "a.PNG", "c.png"}) {
    WritePng(File(name), 4, 4, 3, RandomPixels(4, 4, static_cast<std::uint64_t>(name[0])));
  }
  WriteFileAtomically(File("notes.txt"), "none");
  const Graph graph = NetworkOf({1, 3, 4, 4});
  const Dataset dataset = LoadDataset(graph, {.inputs = folder_.string(), .image = "range=255"});
  ASSERT_EQ(dataset.size(), 3U);
  EXPECT_EQ(dataset.NameOf(0), "a.PNG");
  EXPECT_EQ(dataset.NameOf(2), "c.png");
  const std::vector<std::uint8_t> pixels = RandomPixels(4, 4, 'b');
  EXPECT_EQ(dataset.Read(1).inputs[0].values<float>()[0], pixels[0]);
  EXPECT_NE(dataset.Hash(), LoadDataset(graph, {.inputs = folder_.string()}).Hash());
  EXPECT_EQ(LoadDataset(graph, {.inputs = File("b.png").string()}).size(), 1U);

  const Dataset pairs = LoadDataset(NetworkOf({2, 3, 4, 4}), {.inputs = folder_.string()});
  EXPECT_EQ(pairs.size(), 1U);
  EXPECT_THAT(pairs.notes, ElementsAre("the last image is left out: a sample takes 2"));
  EXPECT_THAT(ErrorOf([&] {
                LoadDataset(NetworkOf({4, 3, 4, 4}), {.inputs = folder_.string()});
              }),
              HasSubstr("input 'pixels' takes 4 images a sample, found 3 in all"));
  EXPECT_THAT(
      ErrorOf([&] {
        LoadDataset(NetworkOf({1, 3, 9, 9}), {.inputs = folder_.string(), .image = "resize=8"});
      }),
      HasSubstr("a.PNG': an image of 4 x 4 becomes 8 x 8 by --image, the network takes 9 x 9"));
}

TEST_F(ImageSamplesTest, ImagesBesideOtherInputs) {
  GraphBuilder builder;
  const ValueId image = builder.Input("image", {1, 3, 2, 2});
  const ValueId more = builder.Input("more", {1, 2});
  const Graph graph = builder.Finish(
      {builder.Add(OpKind::kIdentity, "a", {image}), builder.Add(OpKind::kIdentity, "b", {more})});
  fs::create_directories(File("images"));
  WritePng(File("images/a.png"), 2, 2, 3, RandomPixels(2, 2, 1));
  WritePng(File("images/b.png"), 2, 2, 3, RandomPixels(2, 2, 2));
  const float values[] = {1, 2, 3, 4};
  WriteFileAtomically(File("more.bin"),
                      std::string(reinterpret_cast<const char*>(values), sizeof(values)));
  const std::string inputs =
      "image:" + File("images").string() + ";more:" + File("more.bin").string();
  const Dataset dataset = LoadDataset(graph, {.inputs = inputs, .image = "range=255"});
  ASSERT_EQ(dataset.size(), 2U);
  EXPECT_EQ(dataset.Read(1).inputs[0].values<float>()[0], RandomPixels(2, 2, 2)[0]);
  EXPECT_EQ(dataset.Read(1).inputs[1].values<float>()[0], 3);
}

TEST_F(ImageSamplesTest, TheOptionIsForImages) {
  const Graph graph = NetworkOf({1, 3, 2, 2});
  EXPECT_THAT(ErrorOf([&] { LoadDataset(graph, {.inputs = {}, .image = "rgb"}); }),
              HasSubstr("--image belongs to images of --inputs"));
  const float values[12] = {};
  WriteFileAtomically(File("x.bin"),
                      std::string(reinterpret_cast<const char*>(values), sizeof(values)));
  EXPECT_THAT(
      ErrorOf([&] { LoadDataset(graph, {.inputs = File("x.bin").string(), .image = "rgb"}); }),
      HasSubstr("it is for PNG and JPEG images"));
}

}  // namespace
}  // namespace halftone
