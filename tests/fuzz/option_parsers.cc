// Command lines, their options and the files of settings that stand for them.
#include <CLI/CLI.hpp>
#include <cmath>

#include "halftone/goal.h"
#include "search/strategies/strategy.h"
#include "src/api/load/memory_limit.h"
#include "src/base/text.h"
#include "src/cli/config_words.h"
#include "src/qaic/compile_options.h"
#include "src/quantization/calibration_method.h"
#include "src/report/gates.h"
#include "src/runtimes/command/result_format.h"
#include "src/training/python_script.h"
#include "src/training/script.h"
#include "src/training/settings_tree.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

namespace halftone::testing {
namespace {

// Files of --config.
void ConfigFile(std::string_view bytes) {
  const MemoryFile file(bytes);
  CLI::App program("", "halftone");
  CLI::App& command = *program.add_subcommand("tune");
  std::string model;
  std::vector<double> weights;
  bool verify = false;
  command.add_option("--model", model);
  command.add_option("--shape_weights", weights);
  command.add_flag("--verify", verify);
  const auto words = ValueOrError([&] {
    return ExpandConfig(command, {"tune", "--config=" + file.path().string(), "--model=m.onnx"});
  });
  if (words) {
    Require(words->front() == "tune" && words->back() == "--model=m.onnx", "typed words moved");
  }
}

// The words of a command line of the Cloud AI compiler, one a line.
void QaicWords(std::string_view bytes) {
  std::vector<std::string> words;
  for (const std::string_view line : Split(bytes, '\n')) {
    if (!line.empty()) {
      words.emplace_back(line);
    }
  }
  const auto options = ValueOrError([&] { return ParseQaicOptions(words); });
  if (!options) {
    return;
  }
  Require(!options->model.empty(), "a model is required");
  Require(!(options->to_fp16 && options->quantizes), "FP16 wins over quantization");
  Require(options->percentile >= 90 && options->percentile <= 100, "a percentile from 90 to 100");
}

// The text of --strategy.
void Strategy(std::string_view bytes) {
  const auto choice = ValueOrError([&] { return ParseStrategy(bytes); });
  if (!choice) {
    return;
  }
  const std::string text = CanonicalStrategy(bytes);
  const StrategyChoice again = ParseStrategy(text);
  Require(again.row == choice->row, "the canonical text chooses another strategy");
  for (const StrategyOption& option : choice->row->options) {
    Require(OptionValue(choice->row->options, again.values, option.name) ==
                OptionValue(choice->row->options, choice->values, option.name),
            "the values read back differ");
  }
  Require(CanonicalStrategy(text) == text, "the canonical text has another one");
}

// The settings of a training script (--npu_config), YAML, JSON or Python.
void TrainingSettings(std::string_view bytes) {
  const auto tree = ValueOrError([&] { return ParseSettings(bytes, "settings.yaml"); });
  const auto script = ValueOrError([&] { return ParseTrainingScript(bytes, "settings.yaml"); });
  ValueOrError([&] { return ParseTrainingScript(bytes, "train.py"); });
  if (script) {
    Require(tree.has_value() || IsPythonScript(bytes, "settings.yaml"), "a script without a tree");
    RequireReadable(script->notes);
    RequireReadable(script->warnings);
  }
}

// Options with numbers or sizes inside a text: each parser gets each text.
void OptionTexts(std::string_view bytes) {
  if (const auto budget = ValueOrError([&] { return ParseBudget(bytes); })) {
    Require(!budget->time || (budget->time->count() > 0 && budget->time->count() < 1e9),
            "a budget beyond any clock");
  }
  if (const auto confidence = ValueOrError([&] { return ParseConfidence(bytes); })) {
    Require(!*confidence || (**confidence > 0 && **confidence < 1), "a confidence of no share");
  }
  if (const auto goal = ValueOrError([&] { return ParseGoal(bytes, {}); })) {
    for (const BoundRow& row : AllBounds()) {
      const auto& bound = (*goal).*row.value;
      Require(!bound || std::isfinite(*bound), "a bound that is no number");
    }
  }
  if (const auto gate = ValueOrError([&] { return ParseGate(bytes); })) {
    Require(std::isfinite(gate->limit), "a gate that is no number");
  }
  if (const auto size = ValueOrError([&] { return ParseMemorySize(bytes); })) {
    Require(*size > 0, "a limit of no byte");
  }
  ValueOrError([&] { return ParseCalibrationMethod(bytes); });
  ValueOrError([&] { return ParseResultFormat(bytes); });
}

const FuzzedParsers kOptionParsers = {
    {"config_file", ConfigFile},   {"qaic_words", QaicWords},
    {"strategy", Strategy},        {"training_settings", TrainingSettings},
    {"option_texts", OptionTexts},
};

}  // namespace
}  // namespace halftone::testing
