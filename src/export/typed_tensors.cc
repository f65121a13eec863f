#include "src/export/typed_tensors.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "src/exec/clipped_weights.h"
#include "src/onnx/graph_order.h"

namespace halftone {
namespace {

// Elements of a float32 tensor that are zero in `low`, which is in 16 bits, and were not.
std::int64_t VanishedIn(const Tensor& source, const Tensor& low) {
  // Float16 and bfloat16 have the sign in the same bit, and zero is all bits below it.
  constexpr std::uint16_t kMagnitude = 0x7fff;
  const auto before = source.values<float>();
  const auto* after = reinterpret_cast<const std::uint16_t*>(low.data());
  std::int64_t count = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    count += before[i] != 0 && (after[i] & kMagnitude) == 0 ? 1 : 0;
  }
  return count;
}

}  // namespace

std::string_view ShortWordOf(DType dtype) {
  return dtype == DType::kFloat16 ? "fp16" : dtype == DType::kBFloat16 ? "bf16" : "fp32";
}

TypedTensors::TypedTensors(onnx::GraphProto& file, onnx::GraphProto& made)
    : file_(file), made_(made), parts_(file) {}

void TypedTensors::AddInput(const std::string& name, DType dtype) {
  places_[name] = {name, dtype};
  typed_[{name, dtype}] = name;
}

std::string TypedTensors::NameOfMade(const std::string& name, DType dtype, DType rounding) {
  const auto fixed = fixed_.find(name);
  const bool own = fixed == fixed_.end() || (fixed->second == dtype && rounding == dtype);
  const std::string_view end = rounding == dtype ? ShortWordOf(dtype) : "unrounded";
  places_[name] = {own ? name : parts_.FreeName(fmt::format("{}_{}", name, end)), dtype};
  return places_.at(name).name;
}

void TypedTensors::Made(const std::string& name, DType dtype, DType rounding) {
  Place& place = places_.at(name);
  if (rounding != dtype && IsLow(rounding)) {
    place = {Cast(place.name, rounding, fmt::format("{}_cast_to_{}", name, ShortWordOf(rounding))),
             rounding};
  }
  typed_[{name, place.dtype}] = place.name;
  const auto fixed = fixed_.find(name);
  if (fixed != fixed_.end() && place.name != name) {
    typed_[{name, fixed->second}] = Cast(place.name, fixed->second, name);
  }
}

DType TypedTensors::DTypeOf(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? DType::kFloat32 : found->second.dtype;
}

std::string TypedTensors::NameOf(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? name : found->second.name;
}

DType TypedTensors::OwnTypeOf(const std::string& name) const {
  const auto found = places_.find(name);
  if (found != places_.end() && found->second.name == name) {
    return found->second.dtype;
  }
  const auto fixed = fixed_.find(name);
  return fixed == fixed_.end() ? DType::kFloat32 : fixed->second;
}

std::string TypedTensors::Cast(const std::string& from, DType to, const std::string& name) {
  // A name of its own is taken already.
  const bool own = fixed_.contains(name);
  std::string made = own ? name : parts_.FreeName(name);
  onnx::NodeProto node = MakeNode(
      "Cast", own ? parts_.FreeName(fmt::format("{}_cast_to_{}", name, ShortWordOf(to))) : made,
      {from}, made);
  SetInt(node, "to", RowOf(to).onnx_type);
  AddNode(std::move(node));
  ++casts_;
  return made;
}

std::string TypedTensors::In(const std::string& name, DType dtype) {
  const auto place = places_.find(name);
  const DType made = DTypeOf(name);
  if (made == dtype) {
    return place == places_.end() ? name : place->second.name;
  }
  if (const auto known = typed_.find({name, dtype}); known != typed_.end()) {
    return known->second;
  }
  // From one 16-bit type to another through float32, which has both.
  const std::string from = IsLow(made) && IsLow(dtype) ? In(name, DType::kFloat32)
                           : place == places_.end()    ? name
                                                       : place->second.name;
  return typed_[{name, dtype}] =
             Cast(from, dtype, fmt::format("{}_cast_to_{}", name, ShortWordOf(dtype)));
}

std::string TypedTensors::As(const std::string& name, DType rounding, DType dtype, bool clip) {
  if (constants_.contains(name)) {
    return IsLow(rounding) ? ConstantAs(name, rounding, dtype, clip) : name;
  }
  if (!IsLow(rounding) || rounding == dtype || rounding == DTypeOf(name)) {
    return In(name, dtype);
  }
  if (const auto known = rounded_.find({name, rounding}); known != rounded_.end()) {
    return known->second;
  }
  return rounded_[{name, rounding}] = Cast(
             In(name, rounding), dtype, fmt::format("{}_rounded_{}", name, ShortWordOf(rounding)));
}

std::string TypedTensors::ConstantAs(const std::string& name, DType rounding, DType dtype,
                                     bool clip) {
  auto& known = dtype == rounding ? typed_ : rounded_;
  if (const auto found = known.find({name, rounding}); found != known.end()) {
    return found->second;
  }
  const Tensor& source = constants_.at(name);
  ClippedWeight clipped;
  const Tensor low = ConvertWeight(source, rounding, clip, clipped);
  clipped_ += clipped.count;
  vanished_ += VanishedIn(source, low);
  const bool typed = dtype == rounding;
  const std::string made =
      parts_.AddTensor(fmt::format("{}_{}{}", name, typed ? "" : "rounded_", ShortWordOf(rounding)),
                       typed ? low : Convert(low, dtype));
  converted_[made] = name;
  return known[{name, rounding}] = made;
}

void TypedTensors::NameConstants() {
  std::set<std::string> read;
  for (const auto& output : file_.output()) {
    read.insert(output.name());
  }
  for (const auto& node : made_.node()) {
    for (std::string& name : NamesReadBy(node)) {
      read.insert(std::move(name));
    }
    read.insert(node.output().begin(), node.output().end());
  }
  std::map<std::string, std::string> renamed;
  for (const auto& [made, own] : converted_) {
    if (read.insert(own).second) {
      renamed[made] = own;
    }
  }
  auto& initializers = *file_.mutable_initializer();
  for (int i = initializers.size() - 1; i >= 0; --i) {
    const auto old = std::find_if(renamed.begin(), renamed.end(), [&](const auto& entry) {
      return entry.second == initializers[i].name();
    });
    if (old != renamed.end()) {
      initializers.DeleteSubrange(i, 1);
    } else if (const auto found = renamed.find(initializers[i].name()); found != renamed.end()) {
      initializers[i].set_name(found->second);
    }
  }
  for (auto& node : *made_.mutable_node()) {
    for (std::string& input : *node.mutable_input()) {
      if (const auto found = renamed.find(input); found != renamed.end()) {
        input = found->second;
      }
    }
  }
}

void TypedTensors::AddNode(onnx::NodeProto node) {
  *made_.add_node() = std::move(node);
}

}  // namespace halftone
