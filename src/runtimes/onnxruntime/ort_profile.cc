#include "src/runtimes/onnxruntime/ort_profile.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "src/base/error.h"
#include "src/base/stats.h"

namespace halftone {
namespace {

constexpr std::string_view kKernelSuffix = "_kernel_time";

// Types of a list such as [{"float":[1,3]},{"float16":[4]}].
std::vector<std::string> TypesIn(const nlohmann::json& args, const char* key) {
  std::vector<std::string> types;
  const auto found = args.find(key);
  if (found == args.end() || !found->is_array()) {
    return types;
  }
  for (const nlohmann::json& tensor : *found) {
    if (tensor.is_object() && !tensor.empty()) {
      types.push_back(tensor.begin().key());
    }
  }
  return types;
}

// Elements of the first tensor of such a list.
std::int64_t ElementsIn(const nlohmann::json& args, const char* key) {
  const auto found = args.find(key);
  if (found == args.end() || !found->is_array() || found->empty() || !found->front().is_object() ||
      found->front().empty()) {
    return 0;
  }
  std::int64_t elements = 1;
  for (const nlohmann::json& extent : found->front().begin().value()) {
    elements *= extent.is_number_integer() ? extent.get<std::int64_t>() : 1;
  }
  return elements;
}

}  // namespace

std::vector<OrtKernel> ReadOrtProfile(std::string_view json) {
  const nlohmann::json events = nlohmann::json::parse(json, nullptr, false);
  if (!events.is_array()) {
    throw Error(ErrorKind::kUnsupported,
                "the profile of ONNX Runtime is not an array of events in JSON");
  }
  std::vector<OrtKernel> kernels;
  std::map<std::string, std::size_t> known;
  std::vector<std::vector<double>> samples;
  for (const nlohmann::json& event : events) {
    const auto text = [](const nlohmann::json& object, const char* key) {
      const auto found = object.find(key);
      return found != object.end() && found->is_string() ? found->get<std::string>()
                                                         : std::string();
    };
    if (!event.is_object() || text(event, "cat") != "Node") {
      continue;
    }
    std::string name = text(event, "name");
    const auto args = event.find("args");
    const auto duration = event.find("dur");
    if (!name.ends_with(kKernelSuffix) || args == event.end() || !args->is_object() ||
        duration == event.end() || !duration->is_number()) {
      continue;
    }
    name.resize(name.size() - kKernelSuffix.size());
    const auto [entry, is_new] = known.try_emplace(name, kernels.size());
    if (is_new) {
      kernels.push_back({.node = name,
                         .op = text(*args, "op_name"),
                         .provider = text(*args, "provider"),
                         .input_types = TypesIn(*args, "input_type_shape"),
                         .output_types = TypesIn(*args, "output_type_shape"),
                         .elements = ElementsIn(*args, "output_type_shape")});
      samples.emplace_back();
    }
    samples[entry->second].push_back(duration->get<double>() * 1e-6);
  }
  if (kernels.empty()) {
    throw Error(ErrorKind::kUnsupported, "the profile of ONNX Runtime has no kernel");
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i].seconds = Median(samples[i]);
  }
  return kernels;
}

}  // namespace halftone
