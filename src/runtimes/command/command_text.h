// Command line with placeholders: {model} and so on, the words of the contract halftone-measure
// (docs/guide/measuring_elsewhere.md). The environment of the command has the same values, such as
// HALFTONE_MODEL.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// Placeholders, in the order of kPlaceholders.
enum class Placeholder : std::size_t {
  kModel,
  kFiles,
  kInputs,
  kOutputs,
  kResult,
  kWork,
  kRuns,
  kWarmup,
  kSeconds,
  kPoint,
  kRole,
};

struct PlaceholderRow {
  std::string_view name;      // without braces: "model"
  std::string_view variable;  // name in the environment
  std::string_view meaning;
};

inline constexpr PlaceholderRow kPlaceholders[] = {
    {"model", "HALFTONE_MODEL", "the ONNX file to measure"},
    {"files", "HALFTONE_FILES", "folder with the other files of the plan"},
    {"inputs", "HALFTONE_INPUTS", "folder with inputs.json and the samples"},
    {"outputs", "HALFTONE_OUTPUTS", "empty folder for outputs"},
    {"result", "HALFTONE_RESULT", "path of the result, where nothing lies yet"},
    {"work", "HALFTONE_WORK", "folder of this model, and the current one"},
    {"runs", "HALFTONE_RUNS", "number of timed runs"},
    {"warmup", "HALFTONE_WARMUP", "number of runs before them"},
    {"seconds", "HALFTONE_SECONDS", "whole seconds of timed runs, for tools that count these"},
    {"point", "HALFTONE_POINT", "32 hexadecimal digits: the plan"},
    {"role", "HALFTONE_ROLE", "candidate or reference"},
};
inline constexpr std::size_t kPlaceholderCount = std::size(kPlaceholders);

using PlaceholderValues = std::array<std::string, kPlaceholderCount>;

// `text` with placeholders replaced, and with a brace for {{. Error kUsage: a brace that begins no
// placeholder; the message begins with `option`.
std::string FillPlaceholders(std::string_view text, const PlaceholderValues& values,
                             std::string_view option);

// True if `text` has the placeholder. Errors as FillPlaceholders().
bool HasPlaceholder(std::string_view text, Placeholder placeholder, std::string_view option);

// Words "NAME=VALUE": HALFTONE_MEASURE=1, LC_ALL=C, and one for each placeholder.
std::vector<std::string> EnvironmentOf(const PlaceholderValues& values);

}  // namespace halftone
