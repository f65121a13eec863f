// Recurrent networks over sequences: states are fed back, in the candidate its own ones.
#include "src/api/load/state_sequences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "src/accuracy/stored_tensor.h"
#include "src/accuracy/tensor_file.h"
#include "src/api/halftone.h"
#include "src/api/load/traced_samples.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "tests/support/model_writer.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::ModelWriter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = x + s, next = -y: from s = 0, the x 1 2 3 4 5 give 1 1 2 2 3.
fs::path RecurrentModel() {
  ModelWriter writer;
  writer.Input("x", {1, 1});
  writer.Input("s", {1, 1});
  writer.Node("Add", "add", {"x", "s"}, {"y"});
  writer.Node("Neg", "neg", {"y"}, {"next"});
  writer.Output("y");
  writer.Output("next");
  return writer.Save();
}

class StateSequencesTest : public ::testing::Test {
 protected:
  StateSequencesTest() {
    const float x[] = {1, 2, 3, 4, 5};
    WriteFileAtomically(steps_, FormatNpy(Tensor::From<float>({5, 1}, x)));
  }

  [[nodiscard]] DatasetOptions Data(std::int64_t length = 0) const {
    return {.inputs = "x:" + steps_.string(), .state = "next:s", .sequence_length = length};
  }

  fs::path path_ = RecurrentModel();
  fs::path steps_ = path_.parent_path() / "steps.npy";
  Model model_ = LoadModel({.path = path_});
};

std::vector<double> Of(const std::vector<Tensor>& tensors, std::size_t index) {
  return DoublesOf(tensors.at(index));
}

TEST_F(StateSequencesTest, AllStepsAreOneSequence) {
  const Dataset data = LoadSamples(model_, Data());
  ASSERT_EQ(data.size(), 1U);
  const Sample sequence = data.Read(0);
  EXPECT_EQ(sequence.name, "steps.npy[0] to steps.npy[4]");
  ASSERT_EQ(sequence.steps.size(), 5U);
  EXPECT_THAT(Of(sequence.steps[4], 0), ElementsAre(5));
  // What is timed and probed: the third step with the state that float32 has there.
  EXPECT_THAT(Of(sequence.inputs, 0), ElementsAre(3));
  EXPECT_THAT(Of(sequence.inputs, 1), ElementsAre(-1));
  EXPECT_THAT(data.notes, ElementsAre("all 5 steps are one sequence; --sequence_length cuts them "
                                      "into several"));
}

TEST_F(StateSequencesTest, EachSequenceBeginsAtZeroAndTheRestIsLeftOut) {
  const Dataset data = LoadSamples(model_, Data(2));
  ASSERT_EQ(data.size(), 2U);
  EXPECT_THAT(Of(data.Read(1).steps[0], 1), ElementsAre(0));
  EXPECT_THAT(data.notes, ElementsAre("the last step is left out: it fills no sequence"));
  // Both are other data than one sequence.
  EXPECT_NE(data.Hash(), LoadSamples(model_, Data()).Hash());
  EXPECT_EQ(data.Part(std::vector<std::size_t>{1}).state, data.state);
}

TEST_F(StateSequencesTest, CountsAreOfSequences) {
  DatasetOptions options = Data(2);
  options.max_samples = 1;
  EXPECT_EQ(LoadSamples(model_, options).size(), 1U);
  options = Data(1);
  options.draw_samples = 3;
  const Dataset drawn = LoadSamples(model_, options);
  EXPECT_EQ(drawn.size(), 3U);
  EXPECT_EQ(drawn.drawn_from, 5U);
}

TEST_F(StateSequencesTest, LabelsOfStepsAreThoseOfTheSequence) {
  std::vector<Sample> steps;
  for (int i = 0; i < 5; ++i) {
    const float x[] = {static_cast<float>(i)};
    const float s[] = {0};
    steps.push_back({.name = "step",
                     .inputs = {Tensor::From<float>({1, 1}, x), Tensor::From<float>({1, 1}, s)}});
  }
  const Dataset data =
      SequencesOf(model_.graph, Dataset(std::move(steps), {{7}, {6}, {5}, {4}, {3}}),
                  ParseStateLinks(model_.graph, "next:s"), 2);
  ASSERT_EQ(data.size(), 2U);
  EXPECT_THAT(data.labels()[1], ElementsAre(5, 4));
}

TEST_F(StateSequencesTest, SavedOutputsAreThoseOfTheSequence) {
  const fs::path folder = path_.parent_path() / "saved";
  SaveOutputs(model_, {LoadTarget("host"), {}, Data()}, 1, folder);
  const Tensor y = ParseNpy(ReadFile(folder / "0_y.npy"), "0_y.npy");
  EXPECT_EQ(y.shape(), (Shape{5, 1, 1}));
  EXPECT_THAT(DoublesOf(y), ElementsAre(1, 1, 2, 2, 3));
}

// The message of what `call` throws.
template <typename Call>
std::string ErrorOf(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(StateSequencesTest, ErrorsNameWhatWasExpected) {
  const auto load = [&](const DatasetOptions& options) {
    return ErrorOf([&] { LoadSamples(model_, options); });
  };
  DatasetOptions options = Data();
  options.state = "y2:s";
  EXPECT_EQ(load(options),
            "--state: 'y2:s': expected <output>:<input>, the outputs of the network "
            "are 'y', 'next', its inputs 'x', 's'");
  options.state = "next:s;y:s";
  EXPECT_EQ(load(options), "--state feeds 's' twice: leave one of the outputs out");
  EXPECT_EQ(load(Data(6)),
            "--sequence_length=6: --inputs holds 5 steps; expected as many at least");
  EXPECT_EQ(load(Data(-1)),
            "--sequence_length=-1: expected a number of steps, or 0 for one "
            "sequence of all");
  options = Data(2);
  options.state = "";
  EXPECT_EQ(load(options), "--sequence_length counts steps of --state: give both, or neither");
  options = Data();
  options.inputs = "";
  EXPECT_EQ(load(options), "--state needs the steps of a sequence: give --inputs");
  options = Data();
  options.state = "";
  EXPECT_THAT(load(options), HasSubstr("no file is given for input 's': the inputs of the network "
                                       "are 'x', 's'; a state that an output hands to the next "
                                       "step needs none: --state=\"y:s\""));
}

TEST(StateTypesTest, OutputAndInputHaveOneType) {
  ModelWriter writer;
  writer.Input("x", {2});
  writer.Node("Identity", "copy", {"x"}, {"c"});
  writer.Node("Flatten", "flatten", {"x"}, {"y"});
  writer.Output("y");
  const Model model = LoadModel({.path = writer.Save()});
  EXPECT_EQ(ErrorOf([&] { ParseStateLinks(model.graph, "y:x"); }),
            "--state: 'y' is float32 2x1, 'x' is float32 2: expected the same type, so that a step "
            "can take what the one before made");
}

// Sequences of real networks against their stored outputs, every step within what CheckFolder()
// allows of one run by default: errors of earlier steps fade in these networks.
TEST(StateSequencesOfModelsTest, OutputsAreThoseExpected) {
  const auto shared = testing::SharedDir();
  if (!shared) {
    GTEST_SKIP() << "the collection of networks is not there";
  }

  struct Case {
    const char* network;
    const char* input;
    const char* state;
    const char* other_input = "";  // its rate, the same in every frame
    const char* other_file = "";
  };

  for (const Case& c :
       {Case{"dtln-1", "input_2", "tf_op_layer_stack_2:input_3"},
        Case{"gtcrn", "mix",
             "conv_cache_out:conv_cache;tra_cache_out:tra_cache;"
             "inter_cache_out:inter_cache"},
        Case{"silero-vad", "input", "stateN:state", ";sr:", "test_data_set_0/input_2.pb"}}) {
    const fs::path folder = *shared / "models" / c.network;
    const DatasetOptions data{
        .inputs = std::string(c.input) + ":" + (folder / "sequence/frames.pb").string() +
                  c.other_input + (c.other_file[0] != '\0' ? (folder / c.other_file).string() : ""),
        .state = c.state};
    const Model model = LoadModel({.path = folder, .inputs = data.inputs, .state = data.state});
    const fs::path saved = fs::path(::testing::TempDir()) / c.network;
    const std::vector<std::string> files =
        SaveOutputs(model, {LoadTarget("host"), {.precision_mode = "must_keep_origin_dtype"}, data},
                    1, saved)
            .files;
    const std::vector<double> got = DoublesOf(ParseNpy(ReadFile(saved / files.at(0)), files[0]));
    const StoredTensor stored(folder / "sequence/expected.pb");
    const std::vector<double> want = DoublesOf(stored.Read(0, stored.type().shape));
    ASSERT_EQ(got.size(), want.size()) << c.network;
    const CheckOptions tolerances;
    const auto [least, most] = std::ranges::minmax(want);
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      worst = std::max(
          worst, std::abs(got[i] - want[i]) / (tolerances.absolute_tolerance * (most - least) +
                                               tolerances.relative_tolerance * std::abs(want[i])));
    }
    EXPECT_LE(worst, 1) << c.network;
  }
}

}  // namespace
}  // namespace halftone
