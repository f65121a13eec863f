#include "src/quantization/files/custom_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "src/base/error.h"
#include "src/base/strict_yaml.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kName = "IOName";
constexpr std::string_view kLayout = "Layout";
constexpr std::string_view kPrecision = "Precision";
constexpr std::string_view kScale = "Scale";
constexpr std::string_view kOffset = "Offset";
constexpr std::string_view kKeys[] = {kName, kLayout, kPrecision, kScale, kOffset};
constexpr std::size_t kLayoutRank = 4;

std::vector<std::string> NamesOf(std::span<const IoTensor> tensors) {
  std::vector<std::string> names;
  for (const IoTensor& tensor : tensors) {
    names.push_back(tensor.name);
  }
  return names;
}

// One entry, and where it stands for messages.
class EntryReader {
 public:
  EntryReader(const YamlNode& node, std::size_t number, std::string_view where)
      : node_(node), number_(number), where_(where) {}

  CustomIo Read() {
    if (node_.kind != YamlNode::Kind::kMap) {
      Throw(node_, fmt::format("expected a map with the keys {}, found {}", fmt::join(kKeys, ", "),
                               YamlKindName(node_.kind)));
    }
    for (const auto& [key, value] : node_.members) {
      if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys)) {
        Throw(value,
              fmt::format("expected the keys {}; found '{}'", fmt::join(kKeys, ", "), Shown(key)));
      }
    }
    CustomIo entry;
    entry.name = name_ = Name();
    entry.layout = Choice(kLayout, kIoLayouts);
    entry.precision = Choice(kPrecision, kIoPrecisions);
    entry.scale = Scale(entry.precision == IoPrecision::kInt8);
    return entry;
  }

  [[noreturn]] void Throw(const YamlNode& at, std::string_view what) const {
    const std::string entry =
        name_.empty() ? fmt::format("entry {}", number_) : fmt::format("'{}'", Shown(name_));
    throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}: {}", where_, at.line, entry, what));
  }

 private:
  [[noreturn]] void Refuse(const YamlNode& at, std::string_view key,
                           std::string_view expected) const {
    Throw(at, fmt::format("{}: expected {}, found {}", key, expected,
                          at.kind != YamlNode::Kind::kScalar ? std::string(YamlKindName(at.kind))
                          : at.IsNull()                      ? "null"
                                        : fmt::format("'{}'", Shown(at.scalar))));
  }

  [[nodiscard]] std::string Name() const {
    const YamlNode* name = node_.Find(kName);
    if (name == nullptr) {
      Throw(node_, fmt::format("expected the key {}, found none", kName));
    }
    if (name->kind != YamlNode::Kind::kScalar || name->scalar.empty()) {
      Refuse(*name, kName, "the name of an input or output");
    }
    return name->scalar;
  }

  template <typename Enum, std::size_t kCount>
  [[nodiscard]] std::optional<Enum> Choice(std::string_view key,
                                           const EnumRow<Enum> (&table)[kCount]) const {
    const YamlNode* node = node_.Find(key);
    if (node == nullptr) {
      return std::nullopt;
    }
    const auto value = ValueIn(table, node->scalar);
    if (!value) {
      Refuse(*node, key, "one of " + NamesIn(table));
    }
    return value;
  }

  [[nodiscard]] std::optional<IoScale> Scale(bool is_int8) const {
    const YamlNode* scale = node_.Find(kScale);
    const YamlNode* offset = node_.Find(kOffset);
    if (is_int8 && (scale == nullptr || offset == nullptr)) {
      Throw(node_, fmt::format("expected {} and {}, which int8 needs; found no {}", kScale, kOffset,
                               scale == nullptr ? kScale : kOffset));
    }
    if (!is_int8 && (scale != nullptr || offset != nullptr)) {
      Throw(scale != nullptr ? *scale : *offset,
            fmt::format("expected {} with {} int8 only, found it without; remove it",
                        scale != nullptr ? kScale : kOffset, kPrecision));
    }
    if (!is_int8) {
      return std::nullopt;
    }
    const auto value = Number<float>(*scale);
    if (!value || !(*value > 0) || !std::isfinite(*value)) {
      Refuse(*scale, kScale, "a number above 0");
    }
    const auto zero = Number<std::int32_t>(*offset);
    if (!zero || *zero < -128 || *zero > 127) {
      Refuse(*offset, kOffset, "a whole number from -128 to 127");
    }
    return IoScale{.scale = *value, .offset = *zero};
  }

  template <typename Value>
  static std::optional<Value> Number(const YamlNode& node) {
    Value value{};
    const char* const end = node.scalar.data() + node.scalar.size();
    const auto read = std::from_chars(node.scalar.data(), end, value);
    return read.ec == std::errc{} && read.ptr == end ? std::optional(value) : std::nullopt;
  }

  const YamlNode& node_;
  std::size_t number_;
  std::string_view where_;
  std::string name_;
};

}  // namespace

std::vector<CustomIo> ParseCustomIo(std::string_view text, std::string_view where) {
  const YamlNode root = ParseStrictYaml(
      text, where, {.what = "a list in YAML", .noun = "a list", .most_bytes = kMostCustomIoBytes});
  if (root.kind != YamlNode::Kind::kList) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}:{}: expected a list of inputs and outputs with {}, found {}", where,
                            root.line, kName, YamlKindName(root.kind)));
  }
  std::vector<CustomIo> entries;
  std::set<std::string> names;
  for (const YamlNode& item : root.items) {
    EntryReader reader(item, entries.size() + 1, where);
    entries.push_back(reader.Read());
    if (!names.insert(entries.back().name).second) {
      reader.Throw(item, "expected one entry of this name, found a second one");
    }
  }
  return entries;
}

void CheckCustomIo(std::span<const CustomIo> entries, std::span<const IoTensor> tensors,
                   std::string_view where) {
  for (const CustomIo& entry : entries) {
    const auto tensor =
        std::find_if(tensors.begin(), tensors.end(),
                     [&](const IoTensor& candidate) { return candidate.name == entry.name; });
    if (tensor == tensors.end()) {
      const std::vector<std::string> close = ClosestNames(entry.name, NamesOf(tensors));
      throw Error(
          ErrorKind::kUsage,
          fmt::format("{}: expected the name of an input or output of the model, found '{}'{}",
                      where, Shown(entry.name),
                      close.empty() ? "" : "; did you mean " + Join(close, ", ") + "?"));
    }
    if (entry.precision && !tensor->precision) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: '{}': expected no {}, as the tensor is of no floating type; "
                              "remove it",
                              where, Shown(entry.name), kPrecision));
    }
    if (entry.layout && tensor->rank != kLayoutRank) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: '{}': expected {} of a tensor of {} axes, found {}; remove it",
                              where, Shown(entry.name), kLayout, kLayoutRank, tensor->rank));
    }
  }
}

std::string WriteCustomIo(std::span<const CustomIo> entries) {
  if (entries.empty()) {
    return "[]\n";
  }
  std::string text;
  for (const CustomIo& entry : entries) {
    text += fmt::format("- {}: {}\n", kName, YamlText(entry.name));
    if (entry.layout) {
      text += fmt::format("  {}: {}\n", kLayout, NameIn(kIoLayouts, *entry.layout));
    }
    if (entry.precision) {
      text += fmt::format("  {}: {}\n", kPrecision, NameIn(kIoPrecisions, *entry.precision));
    }
    if (entry.scale) {
      text += fmt::format("  {}: {}\n  {}: {}\n", kScale, entry.scale->scale, kOffset,
                          entry.scale->offset);
    }
  }
  return text;
}

std::vector<CustomIo> CustomIoTemplate(std::span<const IoTensor> tensors) {
  std::vector<CustomIo> entries;
  for (const IoTensor& tensor : tensors) {
    CustomIo entry{.name = tensor.name, .layout = {}, .precision = tensor.precision, .scale = {}};
    if (tensor.rank == kLayoutRank) {
      entry.layout = IoLayout::kNchw;
    }
    if (tensor.precision == IoPrecision::kInt8) {
      entry.scale = IoScale{};
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace halftone
