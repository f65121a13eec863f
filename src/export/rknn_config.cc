#include "src/export/rknn_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "src/base/error.h"
#include "src/base/strict_yaml.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// A version of the toolkit.
struct Toolkit {
  std::string_view key;      // of the map of layers
  std::string_view written;  // for floating point
  NumericFormat exact;       // the format of the plan that this is
};

constexpr Toolkit kToolkits[] = {
    {"custom_quantize_layers", "float16", DType::kFloat16},
    {"customized_quantize_layers", "float32", DType::kFloat32},
};

constexpr std::string_view kParameters = "quantize_parameters";
constexpr std::string_view kIndent = "    ";

class RknnConfig {
 public:
  // Refers to both.
  RknnConfig(std::string_view text, std::string_view where)
      : text_(text),
        where_(where),
        root_(ParseStrictYaml(text, where,
                              {.what = "a quantization.cfg of RKNN-Toolkit in YAML",
                               .noun = "quantization.cfg",
                               .most_bytes = kMostRknnConfigBytes})) {
    for (const Toolkit& toolkit : kToolkits) {
      if (root_.kind == YamlNode::Kind::kMap && root_.Find(toolkit.key) != nullptr) {
        toolkit_ = &toolkit;
        layers_ = root_.Find(toolkit.key);
      }
    }
    if (toolkit_ == nullptr) {
      Refuse(1, fmt::format("expected {} or {}, as hybrid_quantization_step1() writes them; found "
                            "neither",
                            kToolkits[0].key, kToolkits[1].key));
    }
    if (layers_->kind != YamlNode::Kind::kMap && !layers_->IsNull()) {
      Refuse(layers_->line, fmt::format("expected a map of layers as {}", toolkit_->key));
    }
    for (const YamlMember& member : layers_->members) {
      if (member.value.kind != YamlNode::Kind::kScalar) {
        Refuse(member.value.line,
               fmt::format("expected a type for layer '{}'", Shown(member.name)));
      }
      entries_.emplace(member.name, member.value.scalar);
    }
    if (const YamlNode* parameters = root_.Find(kParameters)) {
      for (const YamlMember& member : parameters->members) {
        names_.insert(member.name);
      }
    }
    if (names_.empty()) {
      Refuse(1,
             fmt::format("expected {} with the tensors of the network, found none", kParameters));
    }
  }

  [[nodiscard]] const Toolkit& toolkit() const { return *toolkit_; }

  // Whether the file has the tensor.
  bool Set(const std::string& tensor) {
    if (!names_.contains(tensor)) {
      return false;
    }
    entries_[tensor] = toolkit_->written;
    return true;
  }

  // The text with the map of layers written anew.
  [[nodiscard]] std::string Text() const {
    const std::vector<std::string_view> lines = Split(text_, '\n');
    const auto [begin, end] = LinesOfLayers(lines);
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i == begin) {
        text += WrittenLayers();
      }
      if (i < begin || i >= end) {
        text += lines[i];
        text += i + 1 < lines.size() ? "\n" : "";
      }
    }
    return text;
  }

  // Whether a text has the layers that were set.
  [[nodiscard]] bool ReadsAs(const std::string& text) const {
    try {
      const RknnConfig read(text, where_);
      return read.entries_ == entries_ && read.names_ == names_;
    } catch (const Error&) {
      return false;
    }
  }

 private:
  [[noreturn]] void Refuse(int line, const std::string& what) const {
    throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", where_, line, what));
  }

  // First line of the map, and the one behind its last.
  [[nodiscard]] std::pair<std::size_t, std::size_t> LinesOfLayers(
      const std::vector<std::string_view>& lines) const {
    std::size_t begin = 0;
    while (begin < lines.size() && !lines[begin].starts_with(fmt::format("{}:", toolkit_->key))) {
      ++begin;
    }
    if (begin == lines.size()) {
      Refuse(layers_->line, fmt::format("expected {} at the beginning of a line", toolkit_->key));
    }
    std::size_t end = begin + 1;
    // A map goes on in indented lines; one between braces may end with a brace that is not.
    while (end < lines.size() && (lines[end].starts_with(' ') || lines[end].starts_with('\t') ||
                                  lines[end].starts_with('}') || Trim(lines[end]).empty())) {
      ++end;
    }
    while (Trim(lines[end - 1]).empty()) {
      --end;
    }
    return {begin, end};
  }

  [[nodiscard]] std::string WrittenLayers() const {
    if (entries_.empty()) {
      return fmt::format("{}: {{}}\n", toolkit_->key);
    }
    std::string text = fmt::format("{}:\n", toolkit_->key);
    for (const auto& [name, type] : entries_) {
      text += fmt::format("{}{}: {}\n", kIndent, YamlText(name), YamlText(type));
    }
    return text;
  }

  std::string_view text_;
  std::string_view where_;
  YamlNode root_;
  const Toolkit* toolkit_ = nullptr;
  const YamlNode* layers_ = nullptr;
  std::map<std::string, std::string> entries_;
  std::set<std::string> names_;
};

}  // namespace

ExportedText PatchRknnConfig(std::string_view config, std::string_view where,
                             const std::vector<PlannedNode>& nodes) {
  if (std::ranges::none_of(nodes,
                           [](const PlannedNode& node) { return node.compute.has_scale(); })) {
    throw Error(ErrorKind::kUnsupported,
                "the plan has no operator in 8 bits: RKNN-Toolkit builds it without a "
                "quantization.cfg, by do_quantization=False");
  }
  RknnConfig file(config, where);
  ExportedText patched;
  std::size_t found = 0;
  std::size_t asked = 0;
  for (const PlannedNode& node : nodes) {
    if (node.compute.has_scale() || !IsTunable(node.compute.dtype())) {
      continue;
    }
    ++asked;
    if (!file.Set(node.output)) {
      patched.losses.push_back(
          LossOf(node.output, node.compute, "int8",
                 "tensors that the file does not list, which stay as the toolkit has them"));
      continue;
    }
    ++found;
    if (node.compute != file.toolkit().exact) {
      patched.losses.push_back(
          LossOf(node.output, node.compute, std::string(file.toolkit().written),
                 fmt::format("tensors that stand in {}, the only floating point of the toolkit",
                             file.toolkit().written)));
    }
  }
  if (asked > 0 && found == 0) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: {} has none of {} of the model; expected the file that "
                    "hybrid_quantization_step1() wrote for it",
                    where, kParameters, Counted(static_cast<std::int64_t>(asked), "tensor")));
  }
  patched.text = file.Text();
  if (!file.ReadsAs(patched.text)) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: expected {} as a block of lines of its own, as "
                                               "hybrid_quantization_step1() writes it",
                                               where, file.toolkit().key));
  }
  return patched;
}

}  // namespace halftone
