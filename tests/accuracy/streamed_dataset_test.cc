// Data sets that memory does not hold: read sample by sample, and files that change meanwhile.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "src/accuracy/dataset.h"
#include "src/accuracy/sample_sets.h"
#include "src/accuracy/split.h"
#include "src/accuracy/tensor_file.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/onnx/tensor_proto.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

const TensorType kPair{DType::kFloat32, {1, 2}};

// A network of inputs only: a dataset knows nothing else of it.
Graph GraphOf(const std::vector<std::pair<std::string, TensorType>>& inputs) {
  Graph graph;
  for (const auto& [name, type] : inputs) {
    graph.inputs.push_back(graph.AddValue({.name = name, .type = type, .constant = {}}));
  }
  return graph;
}

// Samples that exist only while somebody holds them, which is counted.
class CountedSamples : public SampleReader {
 public:
  explicit CountedSamples(std::size_t size) : size_(size) {}

  [[nodiscard]] std::size_t size() const override { return size_; }

  [[nodiscard]] std::string NameOf(std::size_t index) const override {
    return "s" + std::to_string(index);
  }

  [[nodiscard]] std::vector<Tensor> Read(std::size_t index) const override {
    most_ = std::max(most_, ++alive_);
    ++reads_;
    auto* bytes = new (std::align_val_t(Tensor::kAlignment)) std::byte[sizeof(std::uint64_t)];
    std::memcpy(bytes, &index, sizeof(std::uint64_t));
    std::shared_ptr<const std::byte[]> owner(bytes, [this](const std::byte* freed) {
      --alive_;
      ::operator delete[](const_cast<std::byte*>(freed), std::align_val_t(Tensor::kAlignment));
    });
    return {Tensor(TensorType{DType::kInt64, {1}}, std::move(owner))};
  }

  [[nodiscard]] int most() const { return most_; }

  [[nodiscard]] std::size_t reads() const { return reads_; }

 private:
  std::size_t size_;
  mutable int alive_ = 0;
  mutable int most_ = 0;
  mutable std::size_t reads_ = 0;
};

std::vector<std::size_t> AllOf(std::size_t count) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    numbers.push_back(i);
  }
  return numbers;
}

TEST(StreamedDatasetTest, AMillionSamplesAreNeverHeldAtOnce) {
  constexpr std::size_t kCount = 1'000'000;
  const auto reader = std::make_shared<CountedSamples>(kCount);
  Dataset dataset(reader, AllOf(kCount), {});
  dataset.ReadThrough(0);
  EXPECT_EQ(dataset.size(), kCount);
  EXPECT_EQ(reader->reads(), kCount);
  EXPECT_LE(reader->most(), 2);
}

TEST(StreamedDatasetTest, TheHashOfAMillionSamplesIsMadeInOnePass) {
  constexpr std::size_t kCount = 1000;
  const auto reader = std::make_shared<CountedSamples>(kCount);
  Dataset dataset(reader, AllOf(kCount), {});
  dataset.ReadThrough(0);
  const Hash128 hash = dataset.Hash();
  EXPECT_EQ(dataset.Hash(), hash);
  EXPECT_EQ(reader->reads(), kCount);
  // Parts: the samples are told apart by what was seen first, and each part is read once.
  const DataSplit split = SplitDataset(std::move(dataset), 0.25, 1);
  EXPECT_EQ(split.search.Hash(), split.search.Hash());
  EXPECT_EQ(split.heldout.Hash(), split.heldout.Hash());
  EXPECT_EQ(reader->reads(), 2 * kCount);
  EXPECT_LE(reader->most(), 2);
}

TEST(StreamedDatasetTest, WhatIsSmallIsReadOnce) {
  const auto reader = std::make_shared<CountedSamples>(100);
  Dataset dataset(reader, AllOf(100), {});
  dataset.ReadThrough(1 << 20);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(dataset.Read(i).inputs[0].values<std::int64_t>()[0], static_cast<std::int64_t>(i));
    EXPECT_EQ(dataset.NameOf(i), "s" + std::to_string(i));
  }
  EXPECT_EQ(reader->reads(), 100U);
}

// A fresh folder per test.
class StreamedFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("halftone_streamed_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  void TearDown() override { fs::remove_all(folder_); }

  // Pairs (0, 0.5), (1, 0.5), ...: too many to be kept in memory.
  static std::vector<float> ManyPairs() {
    std::vector<float> values;
    for (std::size_t i = 0; i < kMany; ++i) {
      values.push_back(static_cast<float>(i));
      values.push_back(0.5F);
    }
    return values;
  }

  std::string Npy(const std::string& name, const std::vector<float>& values) {
    const Shape shape{std::ssize(values) / 2, 2};
    WriteFileAtomically(folder_ / name, FormatNpy(Tensor::From<float>(shape, values)));
    return (folder_ / name).string();
  }

  // Writes into a file that stays where it is.
  static void Overwrite(const std::string& file, std::size_t from_the_end, float value) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(-static_cast<std::streamoff>(from_the_end), std::ios::end);
    stream.write(reinterpret_cast<const char*>(&value), sizeof(value));
  }

  template <typename Body>
  [[nodiscard]] std::string MessageOf(const Body& body) const {
    try {
      body();
    } catch (const Error& error) {
      std::string message = error.what();
      const std::string prefix = folder_.string() + "/";
      for (std::size_t at = message.find(prefix); at != std::string::npos;
           at = message.find(prefix)) {
        message.erase(at, prefix.size());
      }
      return message;
    }
    return "no error";
  }

  static constexpr std::size_t kMany = 70'000;  // with a KiB around each: more than 64 MiB

  fs::path folder_;
};

TEST_F(StreamedFilesTest, SamplesAreWhatTheFileHolds) {
  const std::string file = Npy("x.npy", ManyPairs());
  const Dataset dataset = LoadDataset(GraphOf({{"x", kPair}}), {.inputs = file});
  ASSERT_EQ(dataset.size(), kMany);
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, kMany - 1}) {
    const Sample sample = dataset.Read(i);
    EXPECT_EQ(sample.name, "x.npy[" + std::to_string(i) + "]");
    EXPECT_THAT(sample.inputs[0].values<float>(),
                ::testing::ElementsAre(static_cast<float>(i), 0.5F));
  }
}

TEST_F(StreamedFilesTest, AFileCutShortMeanwhileIsASentence) {
  const std::string file = Npy("x.npy", ManyPairs());
  const Dataset dataset = LoadDataset(GraphOf({{"x", kPair}}), {.inputs = file});
  fs::resize_file(file, fs::file_size(file) / 2);
  EXPECT_EQ(MessageOf([&] { static_cast<void>(dataset.Read(kMany - 1)); }),
            "cannot read 'x.npy': it became shorter while it was read");
  EXPECT_EQ(dataset.Read(0).inputs[0].values<float>()[1], 0.5F);
}

TEST_F(StreamedFilesTest, AFileWrittenMeanwhileIsASentence) {
  const std::string file = Npy("x.npy", ManyPairs());
  const Dataset dataset = LoadDataset(GraphOf({{"x", kPair}}), {.inputs = file});
  Overwrite(file, sizeof(float), 0.25F);
  EXPECT_EQ(MessageOf([&] { static_cast<void>(dataset.Read(kMany - 1)); }),
            "sample 'x.npy[69999]' has other values than when it was read first: leave the files "
            "of --inputs as they are while halftone runs, and start again");
  EXPECT_EQ(dataset.Read(kMany - 2).inputs[0].values<float>()[1], 0.5F);
}

TEST_F(StreamedFilesTest, AnotherFileUnderTheNameChangesNothing) {
  const std::string file = Npy("x.npy", ManyPairs());
  const Dataset dataset = LoadDataset(GraphOf({{"x", kPair}}), {.inputs = file});
  Npy("x.npy", {7, 7});
  EXPECT_EQ(dataset.Read(kMany - 1).inputs[0].values<float>()[1], 0.5F);
}

TEST_F(StreamedFilesTest, ABadValueInTheLastSampleIsFoundAtTheStart) {
  std::vector<float> values = ManyPairs();
  values.back() = std::numeric_limits<float>::quiet_NaN();
  const std::string file = Npy("x.npy", values);
  EXPECT_EQ(MessageOf([&] {
              LoadDataset(GraphOf({{"x", kPair}}), {.inputs = file});
            }),
            "'x.npy': input 'x': expected finite values, element 1 of sample 69999 is nan: mend "
            "that sample or leave it out");
  EXPECT_EQ(LoadDataset(GraphOf({{"x", kPair}}), {.inputs = file, .max_samples = 10}).size(), 10U);
}

TEST_F(StreamedFilesTest, AShortFileIsRefusedByItsSizeAlone) {
  const std::string file = Npy("x.npy", ManyPairs());
  fs::resize_file(file, fs::file_size(file) - 4);
  EXPECT_EQ(MessageOf([&] {
              LoadDataset(GraphOf({{"x", kPair}}), {.inputs = file, .max_samples = 1});
            }),
            "'x.npy' has 559996 bytes of data, float32 70000x2 has 560000: it is not a .npy file "
            "halftone reads");
}

TEST_F(StreamedFilesTest, APipeIsRefusedAndNotWaitedFor) {
  const std::string pipe = (folder_ / "x.npy").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(MessageOf([&] {
              LoadDataset(GraphOf({{"x", kPair}}), {.inputs = pipe});
            }),
            "'x.npy' is a pipe or a device: expected a regular .npy or .pb file, of which parts "
            "are read, some of them several times; write the data to one");
  // As a shell gives --inputs=<(...).
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  const std::string substituted = "/dev/fd/" + std::to_string(ends[0]);
  EXPECT_THAT(MessageOf([&] {
                LoadDataset(GraphOf({{"x", kPair}}), {.inputs = substituted});
              }),
              HasSubstr("is a pipe or a device: expected a regular .npy or .pb file"));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(StreamedFilesTest, LinksAreFollowed) {
  Npy("values.npy", {1, 2});
  fs::create_symlink("values.npy", folder_ / "x.npy");
  const Dataset dataset =
      LoadDataset(GraphOf({{"x", kPair}}), {.inputs = (folder_ / "x.npy").string()});
  EXPECT_EQ(dataset.NameOf(0), "x.npy[0]");
}

TEST_F(StreamedFilesTest, StacksOfProtobufAreReadInPartsToo) {
  fs::create_directories(folder_ / "stack");
  const Tensor pairs = Tensor::From<float>({kMany, 2}, ManyPairs());
  WriteTensorProto(folder_ / "stack" / "input_0.pb", pairs, "x");
  const Graph graph = GraphOf({{"x", kPair}});
  const Dataset dataset = LoadDataset(graph, {.inputs = (folder_ / "stack").string()});
  const std::string npy = Npy("x.npy", ManyPairs());
  EXPECT_EQ(dataset.Hash(), LoadDataset(graph, {.inputs = npy}).Hash());
  fs::resize_file(folder_ / "stack" / "input_0.pb", 1000);
  EXPECT_EQ(MessageOf([&] { static_cast<void>(dataset.Read(kMany - 1)); }),
            "cannot read 'stack/input_0.pb': it became shorter while it was read");
}

TEST_F(StreamedFilesTest, SetsAreReadWhenTheyAreUsed) {
  const Graph graph = GraphOf({{"x", kPair}});
  std::vector<SetFolder> sets;
  const auto write = [&](const SetFolder& set, std::vector<float> values) {
    fs::create_directories(folder_ / set.Name());
    WriteTensorProto(folder_ / set.Name() / "input_0.pb",
                     Tensor::From<float>({std::ssize(values) / 2, 2}, values), "x");
  };
  SampleSets reader({graph.value(0)}, folder_);
  write({.number = 7, .digits = 3}, {1, 2});
  write({.number = 12, .digits = 3}, {3, 4, 5, 6});
  reader.Add({.number = 7, .digits = 3}, 1);
  reader.Add({.number = 12, .digits = 3}, 2);
  ASSERT_EQ(reader.size(), 3U);
  EXPECT_EQ(reader.NameOf(0), "test_data_set_007");
  EXPECT_EQ(reader.NameOf(2), "test_data_set_012[1]");
  EXPECT_EQ(reader.Read(2)[0].values<float>()[0], 5);
  write({.number = 12, .digits = 3}, {3, 4});
  EXPECT_EQ(MessageOf([&] { static_cast<void>(reader.Read(2)); }),
            "'test_data_set_012' holds fewer samples than when it was read first: leave it as it "
            "is while halftone runs, and start again");
  fs::remove_all(folder_ / "test_data_set_007");
  EXPECT_EQ(MessageOf([&] { static_cast<void>(reader.Read(0)); }),
            "'test_data_set_007/input_0.pb' is missing: expected a file for each input of the "
            "network, 0 is 'x': add it");
}

TEST_F(StreamedFilesTest, AThousandSetsOfOtherShapesAreOneNote) {
  const fs::path fits = folder_ / "fits.pb";
  const fs::path other = folder_ / "other.pb";
  WriteTensorProto(fits, Tensor(kPair), "x");
  WriteTensorProto(other, Tensor(DType::kFloat32, {1, 3}), "x");
  for (int set = 0; set < 1000; ++set) {
    const fs::path folder = folder_ / ("test_data_set_" + std::to_string(set));
    fs::create_directories(folder);
    fs::create_symlink(set == 999 ? fits : other, folder / "input_0.pb");
  }
  const Dataset dataset = LoadDataset(GraphOf({{"x", kPair}}), {.inputs = folder_.string()});
  ASSERT_EQ(dataset.size(), 1U);
  EXPECT_EQ(dataset.NameOf(0), "test_data_set_999");
  ASSERT_EQ(dataset.notes.size(), 1U);
  EXPECT_THAT(dataset.notes[0],
              HasSubstr("999 of 1000 test_data_set_N folders are left out, as they have other "
                        "shapes than 'x:1,2': 999 have 'x:1,3' (test_data_set_0, "));
}

TEST_F(StreamedFilesTest, ManySamplesAreDrawnTheSameEveryTime) {
  const std::string file = Npy("x.npy", ManyPairs());
  std::vector<std::int64_t> classes;
  for (std::size_t i = 0; i < kMany; ++i) {
    classes.push_back(static_cast<std::int64_t>(i));
  }
  const std::string labels = (folder_ / "labels.npy").string();
  WriteFileAtomically(labels, FormatNpy(Tensor::From<std::int64_t>({kMany}, classes)));
  const Graph graph = GraphOf({{"x", kPair}});
  const DatasetOptions options{.inputs = file, .labels = labels, .draw_samples = 1000};
  const Dataset drawn = LoadDataset(graph, options);
  ASSERT_EQ(drawn.size(), 1000U);
  EXPECT_EQ(drawn.drawn_from, kMany);
  EXPECT_EQ(drawn.Hash(), LoadDataset(graph, options).Hash());
  double sum = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const std::int64_t number = drawn.labels()[i][0];
    EXPECT_TRUE(i == 0 || drawn.labels()[i - 1][0] < number) << "order is kept";
    EXPECT_EQ(drawn.NameOf(i), "x.npy[" + std::to_string(number) + "]");
    EXPECT_EQ(drawn.Read(i).inputs[0].values<float>()[0], static_cast<float>(number));
    sum += static_cast<double>(number);
  }
  // The mean of 1000 of 70000 numbers: within five of its standard errors, 640.
  EXPECT_NEAR(sum / 1000, 35000, 3200);
  // As many as there are, or fewer, are used as they are.
  EXPECT_EQ(LoadDataset(graph, {.inputs = file, .max_samples = 40, .draw_samples = 40}).drawn_from,
            0U);
  EXPECT_EQ(LoadDataset(graph, {.inputs = file, .max_samples = 40, .draw_samples = 8}).drawn_from,
            40U);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;  // sanitizers reserve terabytes of addresses
#else
constexpr bool kLimitsMemory = true;
#endif

// Lets the process have so many bytes more than it has now.
void AllowMore(std::uint64_t bytes) {
  std::ifstream status("/proc/self/statm");
  std::uint64_t pages = 0;
  status >> pages;
  const rlim_t most = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit limit{.rlim_cur = most, .rlim_max = most};
  ::setrlimit(RLIMIT_AS, &limit);
}

// 10^6 samples of 512 bytes, with holes for values: no disk is needed for them.
TEST_F(StreamedFilesTest, AMillionSamplesFitIntoTheMemoryOfAFew) {
  if (!kLimitsMemory) {
    GTEST_SKIP() << "a sanitizer takes the memory";
  }
  constexpr std::int64_t kCount = 1'000'000;
  constexpr std::int64_t kElements = 128;
  std::string header = FormatNpy(Tensor(DType::kFloat32, {0, kElements}));
  // The number of samples in the place of the 0 and of blanks behind it.
  const std::string extents = "'shape': (" + std::to_string(kCount) + ", 128), }";
  const std::size_t at = header.find("'shape'");
  header.replace(at, extents.size(), extents);
  const fs::path file = folder_ / "x.npy";
  WriteFileAtomically(file, header);
  fs::resize_file(file, header.size() + static_cast<std::size_t>(kCount * kElements) * 4);
  const auto load = [&] {
    AllowMore(std::uint64_t{192} << 20);
    const Dataset dataset =
        LoadDataset(GraphOf({{"x", {DType::kFloat32, {1, kElements}}}}), {.inputs = file.string()});
    std::_Exit(dataset.size() == kCount ? 0 : 1);
  };
  EXPECT_EXIT(load(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace halftone
