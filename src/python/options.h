// Conversion of dictionaries of options, from the Python half of the package, to structs of the
// library. Keys are the parameters of the functions in halftone/*.py. A missing key and None mean
// the default.
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

// Returns the sentences with the names that options have in Python.
std::vector<std::string> InPython(std::span<const std::string> sentences,
                                  Language language = Language::kPython);

// Runs the body of a function that takes several input shapes. An Error of the body gets the option
// names of such functions (Language::kPythonShapes).
template <typename Body>
auto WithShapeWords(const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    throw Error(error.kind(), InWordsOf(Language::kPythonShapes, error.what()));
  }
}

// Throws Error kUsage: the value of the key has another type than is expected.
[[noreturn]] void ThrowOtherType(const char* key, const pybind11::handle& value);

// Value of a key; `fallback` if the key is missing or None. Error kUsage for another type.
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

// Number of a key; `fallback` if the key is missing or None. Error kUsage, "KEY=VALUE: expected a
// whole number from 0 to 1024", for a value outside the range or of another type.
double Number(const pybind11::dict& options, const char* key, double fallback,
              const RealRange& range);
std::int64_t Number(const pybind11::dict& options, const char* key, std::int64_t fallback,
                    const WholeRange& range);

// Key "threads" (0: all cores).
int ThreadsOf(const pybind11::dict& options);
// Key "seed".
std::uint64_t SeedOf(const pybind11::dict& options, std::uint64_t fallback);

inline std::string Text(const pybind11::dict& options, const char* key) {
  return Get<std::string>(options, key, {});
}

// Keys "inputs" (text) or "arrays" ({name: array}), "labels" (a text or, with "arrays", an array),
// "labels_output", "name", "image", "state", "sequence_length", "max_samples", "draw_samples" and
// "seed".
DatasetOptions DataOptionsOf(const pybind11::dict& data);

// Keys "model", "input_shape", "max_memory". `data`: source of free dimensions.
ModelOptions ModelOptionsOf(const pybind11::dict& options, const DatasetOptions& data);

// Adds the fusion switches of the key "fusion_switch_file" for the target of TargetOptionsOf(). A
// name in the file that is no fusion raises a HalftoneWarning.
ModelOptions WithFusionSwitches(ModelOptions model, const pybind11::dict& options);

// Raises a HalftoneWarning.
void Warn(const std::string& sentence);

// Keys "soc_version" and "ops_info", and the target in "quantize". Without "ops_info", takes the
// library of FindLibrary(), whose warning becomes a HalftoneWarning.
TargetOptions TargetOptionsOf(const pybind11::dict& options);

// Keys "threads", "seed", "latency_budget" (seconds to measure the latency of a front member;
// docs/internals/latency.md), "measure", "metric" (text), "metric_better", "metric_timeout" and
// "metric_function" (called with a JudgedOutputs, returns numbers).
MeasureSettings MeasureSettingsOf(const pybind11::dict& options);

// Keys "point" (a folder), the names of the precision options, "input_shape", "fusion_switch_file",
// "from_bank", "select", and those of TargetOptionsOf().
Configuration ConfigurationOf(const pybind11::dict& options);

}  // namespace halftone
