#include "src/runtimes/command/sample_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "src/accuracy/tensor_file.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"

namespace halftone {
namespace {

using nlohmann::json;

constexpr std::uintmax_t kMostJsonBytes = 1 << 20;
constexpr std::uintmax_t kMostNpyHeader = kMostNpyHeaderBytes;

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// True if files may hold `file` for a tensor of `network`: floats among each other and integers
// among each other are converted.
bool Convertible(DType file, DType network) {
  return file == network || (IsFloating(file) && IsFloating(network)) ||
         (kIntegerDTypes.Has(file) && kIntegerDTypes.Has(network));
}

void CheckType(const Value& output, DType dtype, std::string_view where) {
  if (!Convertible(dtype, output.type.dtype)) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{}: expected output '{}' in {}, got {}", where, output.name,
                            NameOf(output.type.dtype), NameOf(dtype)));
  }
}

const json* Member(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

[[noreturn]] void ThrowEntry(std::string_view where, std::string_view expected) {
  throw Error(ErrorKind::kUnsupported, fmt::format("{}: expected {}", where, expected));
}

// What `read` makes of a file that a command left: that it cannot be read is a fault of the
// outputs.
template <typename Read>
auto OfLeft(const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(ErrorKind::kUnsupported, error.what());
  }
}

std::string ReadLeft(const std::filesystem::path& path, std::uintmax_t most_bytes) {
  return OfLeft([&] { return ReadSmallFile(path, most_bytes); });
}

// Whether anything lies at the path, if only a link to nothing.
bool LiesThere(const std::filesystem::path& path) {
  std::error_code code;
  return std::filesystem::exists(std::filesystem::symlink_status(path, code));
}

// One of the list in outputs.json.
void TakeEntry(const json& entry, std::size_t place, const Graph& network, std::string_view where,
               std::vector<DType>& dtypes) {
  if (!entry.is_object()) {
    ThrowEntry(where, "objects in \"outputs\"");
  }
  const json* const index = Member(entry, "index");
  if (index != nullptr && !(index->is_number_unsigned() && *index < dtypes.size())) {
    ThrowEntry(where, fmt::format("\"index\" from 0 to {}, one of {}", dtypes.size() - 1,
                                  Counted(std::ssize(dtypes), "output")));
  }
  const std::size_t at = index != nullptr ? index->get<std::size_t>() : place;
  if (at >= dtypes.size()) {
    ThrowEntry(where, fmt::format("{}, got more", Counted(std::ssize(dtypes), "output")));
  }
  const Value& output = network.value(network.outputs[at]);
  const json* const name = Member(entry, "name");
  if (name != nullptr && *name != output.name) {
    ThrowEntry(where,
               fmt::format("'{}' as the name of output {}, got {}", output.name, at,
                           Shown(name->dump(-1, ' ', false, json::error_handler_t::replace))));
  }
  if (const json* const dtype = Member(entry, "dtype")) {
    const auto known =
        dtype->is_string() ? DTypeFromName(dtype->get_ref<const std::string&>()) : std::nullopt;
    if (!known) {
      ThrowEntry(where, fmt::format("a type such as \"float32\" as \"dtype\" of output '{}'",
                                    output.name));
    }
    CheckType(output, *known, where);
    dtypes[at] = *known;
  }
  if (const json* const shape = Member(entry, "shape")) {
    if (!shape->is_array() || *shape != json(output.type.shape.dims())) {
      ThrowEntry(where,
                 fmt::format("the shape {} of output '{}', got {}",
                             json(output.type.shape.dims()).dump(), output.name,
                             Shown(shape->dump(-1, ' ', false, json::error_handler_t::replace))));
    }
  }
}

}  // namespace

void WriteSampleFiles(const TemporaryFolder& below, const std::filesystem::path& folder,
                      const Graph& network, const Dataset& data, std::size_t count,
                      SampleForm form) {
  json inputs = json::array();
  for (std::size_t i = 0; i < network.inputs.size(); ++i) {
    const Value& input = network.value(network.inputs[i]);
    inputs.push_back({{"index", i},
                      {"name", input.name},
                      {"dtype", NameOf(input.type.dtype)},
                      {"shape", input.type.shape.dims()}});
  }
  CreateFolder(below.path() / folder);
  const json list = {{"samples", count}, {"inputs", inputs}};
  below.Write(folder / "inputs.json",
              list.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
  for (std::size_t sample = 0; sample < count; ++sample) {
    const Sample read = data.Read(sample);
    const std::filesystem::path place = folder / std::to_string(sample);
    CreateFolder(below.path() / place);
    for (std::size_t i = 0; i < read.inputs.size(); ++i) {
      const Tensor& tensor = read.inputs[i];
      below.Write(
          place / fmt::format("{}.{}", i, NameIn(kSampleForms, form)),
          form == SampleForm::kNpy ? FormatNpy(tensor) : std::string(AsText(tensor.bytes())));
    }
  }
}

std::vector<DType> ParseOutputTypes(std::string_view text, const Graph& network,
                                    std::string_view where) {
  std::vector<DType> dtypes;
  for (const ValueId output : network.outputs) {
    dtypes.push_back(network.value(output).type.dtype);
  }
  const json object = ParseStrictJson(text, where);
  const json* const list = object.is_object() ? Member(object, "outputs") : nullptr;
  if (list == nullptr || !list->is_array()) {
    ThrowEntry(where, "an object with the list \"outputs\"");
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    TakeEntry((*list)[i], i, network, where, dtypes);
  }
  return dtypes;
}

OutputFolder::OutputFolder(std::filesystem::path folder, const Graph& network)
    : folder_(std::move(folder)), network_(network) {
  std::error_code code;  // of a folder that may not be read: as if nothing were there
  if (!std::filesystem::is_directory(folder_, code)) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("expected the folder '{}' of \"outputs\", found none", folder_.string()));
  }
  const std::filesystem::path types = folder_ / "outputs.json";
  dtypes_ =
      ParseOutputTypes(LiesThere(types) ? ReadLeft(types, kMostJsonBytes) : R"({"outputs":[]})",
                       network, "outputs.json");
}

std::vector<Tensor> OutputFolder::Read(std::size_t sample) const {
  std::vector<Tensor> outputs;
  for (std::size_t i = 0; i < network_.outputs.size(); ++i) {
    outputs.push_back(ReadOutput(sample, i));
  }
  return outputs;
}

Tensor OutputFolder::ReadOutput(std::size_t sample, std::size_t index) const {
  const Value& output = network_.value(network_.outputs[index]);
  const std::string name = fmt::format("{}/{}", sample, index);
  const auto elements = static_cast<std::uintmax_t>(output.type.shape.ElementCount());
  std::error_code code;
  if (const std::filesystem::path npy = folder_ / (name + ".npy"); LiesThere(npy)) {
    const Tensor tensor = OfLeft([&] {
      return ParseNpy(ReadSmallFile(npy, elements * sizeof(double) + kMostNpyHeader), npy.string());
    });
    CheckType(output, tensor.dtype(), npy.filename().string());
    if (tensor.ElementCount() != output.type.shape.ElementCount()) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("outputs/{}.npy: expected {} for output '{}', got {}", name,
                              output.type.ToString(), output.name, tensor.type().ToString()));
    }
    return Convert(tensor.Reshaped(output.type.shape), output.type.dtype);
  }
  const std::filesystem::path bin = folder_ / (name + ".bin");
  if (!LiesThere(bin)) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("outputs/{}.bin: expected output '{}' of sample {} (from 0), found no "
                            "such file",
                            name, output.name, sample));
  }
  Tensor tensor(dtypes_[index], output.type.shape);
  const std::uintmax_t found = std::filesystem::file_size(bin, code);
  if (!code && found != tensor.size_bytes()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("outputs/{}.bin: expected {} bytes, {} for output '{}', got {}", name,
                            tensor.size_bytes(), tensor.type().ToString(), output.name, found));
  }
  const std::string bytes = ReadLeft(bin, tensor.size_bytes());
  if (bytes.size() != tensor.size_bytes()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("outputs/{}.bin changed while it was read", name));
  }
  if (!bytes.empty()) {
    std::memcpy(tensor.mutable_data(), bytes.data(), bytes.size());
  }
  if (tensor.dtype() == DType::kBool) {  // any byte but 0 is true, of which bool holds one
    for (std::byte& element : std::span(tensor.mutable_data(), tensor.size_bytes())) {
      element = element == std::byte{0} ? std::byte{0} : std::byte{1};
    }
  }
  return Convert(tensor, output.type.dtype);
}

}  // namespace halftone
