// Dictionaries of options, which the Python half of the package passes, as structs of the library.
//
// Keys are those of the functions in halftone/*.py; a missing key and None are the default.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halftone/data.h"
#include "halftone/error.h"
#include "halftone/measure.h"
#include "halftone/network.h"
#include "halftone/ranges.h"
#include "halftone/target.h"
#include "halftone/words.h"

namespace halftone {

// Sentences with the names that options have in Python.
std::vector<std::string> InPython(std::span<const std::string> sentences,
                                  Language language = Language::kPython);

// Runs the body of a function that takes several input shapes: an Error has the names of options
// there.
template <typename Body>
auto WithShapeWords(const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    throw Error(error.kind(), InWordsOf(Language::kPythonShapes, error.what()));
  }
}

// Error kUsage: the value of a key has another type than is expected, or is out of its range.
[[noreturn]] void ThrowOtherType(const char* key, const pybind11::handle& value);

template <typename T>
T Get(const pybind11::dict& options, const char* key, T fallback) {
  if (!options.contains(key) || options[key].is_none()) {
    return fallback;
  }
  try {
    return options[key].cast<T>();
  } catch (const pybind11::cast_error&) {
    ThrowOtherType(key, options[key]);
  }
}

// A number of the range. Error kUsage "KEY=VALUE: expected a whole number from 0 to 1024" for
// another value or type.
double Number(const pybind11::dict& options, const char* key, double fallback,
              const RealRange& range);
std::int64_t Number(const pybind11::dict& options, const char* key, std::int64_t fallback,
                    const WholeRange& range);

// "threads" (0: all cores), "seed".
int ThreadsOf(const pybind11::dict& options);
std::uint64_t SeedOf(const pybind11::dict& options, std::uint64_t fallback);

inline std::string Text(const pybind11::dict& options, const char* key) {
  return Get<std::string>(options, key, {});
}

// "inputs" (text) or "arrays" ({name: array}), "labels" (text or array), "labels_output", "name",
// "image", "state", "sequence_length", "max_samples", "draw_samples", "seed".
DatasetOptions DataOptionsOf(const pybind11::dict& data);

// "model", "input_shape", "max_memory", "fusion_switch_file"; source of shapes: `data`.
ModelOptions ModelOptionsOf(const pybind11::dict& options, const DatasetOptions& data);

// "soc_version", "ops_info", and the target of "quantize"; without "ops_info" the library of
// FindLibrary(), whose warning is a HalftoneWarning.
TargetOptions TargetOptionsOf(const pybind11::dict& options);

// "threads", "seed", "latency_budget" (seconds for a member of a front; docs/internals/latency.md),
// "measure", "metric" (text), "metric_better", "metric_function" (called with a JudgedOutputs,
// returns numbers).
MeasureSettings MeasureSettingsOf(const pybind11::dict& options);

// The folder "point", or the precision options by their names; "input_shape", "fusion_switch_file",
// "from_bank" and "select".
Configuration ConfigurationOf(const pybind11::dict& options);

}  // namespace halftone
