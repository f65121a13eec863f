#include "src/export/ncnn_param.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kMagic = "7767517";
constexpr std::string_view kMaskKey = "31=";

constexpr std::uint32_t kNoHalf = 1U | 2U;
constexpr std::uint32_t kNoBrain = 4;
constexpr std::uint32_t kNoInt8 = 8;

template <typename Integer>
std::optional<Integer> IntegerOf(std::string_view text) {
  Integer value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

std::vector<std::string_view> WordsOf(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string_view> words;
  std::size_t begin = line.find_first_not_of(kBlanks);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

struct Line {
  std::string_view text;  // with a carriage return, without the line feed
  std::vector<std::string_view> words;
  std::size_t first_parameter = 0;  // of words
  std::uint32_t bits = 0;
};

// Reads the layers of a .param: "Convolution conv1 1 1 data conv1_blob 0=64 1=3".
class ParamText {
 public:
  ParamText(std::string_view text, std::string_view where) : where_(where) {
    for (const std::string_view line : Split(text, '\n')) {
      lines_.push_back({.text = line, .words = WordsOf(line)});
    }
    if (lines_[0].words.size() != 1 || lines_[0].words[0] != kMagic) {
      Refuse(0, fmt::format("expected {}, as a .param of ncnn in text begins; found '{}'", kMagic,
                            Shown(lines_[0].text.substr(0, 40))));
    }
    if (lines_.size() < 2 || lines_[1].words.size() != 2 ||
        !IntegerOf<std::int32_t>(lines_[1].words[0])) {
      Refuse(1, "expected the numbers of layers and blobs");
    }
    for (std::size_t i = 2; i < lines_.size(); ++i) {
      ReadLayer(i);
    }
    const auto said = *IntegerOf<std::int32_t>(lines_[1].words[0]);
    if (said != layers_) {
      Refuse(1, fmt::format("says {} layers, and {} follow", said, layers_));
    }
  }

  // The layer of a node; null: there is none.
  Line* Find(const NcnnMask& mask) {
    auto found = by_name_.find(mask.name);
    if (mask.name.empty() || found == by_name_.end()) {
      found = by_blob_.find(mask.output);
      if (found == by_blob_.end()) {
        return nullptr;
      }
    }
    return &lines_[found->second];
  }

  [[nodiscard]] std::string WithMasks() const {
    std::vector<std::string> lines;
    for (const Line& line : lines_) {
      lines.push_back(WithMask(line));
    }
    return Join(lines, "\n");
  }

 private:
  [[noreturn]] void Refuse(std::size_t line, const std::string& what) const {
    throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", where_, line + 1, what));
  }

  void ReadLayer(std::size_t at) {
    Line& line = lines_[at];
    if (line.words.empty()) {
      return;
    }
    const auto inputs =
        line.words.size() > 3 ? IntegerOf<std::uint16_t>(line.words[2]) : std::nullopt;
    const auto outputs =
        line.words.size() > 3 ? IntegerOf<std::uint16_t>(line.words[3]) : std::nullopt;
    if (!inputs || !outputs) {
      Refuse(at,
             "expected a layer: type, name, numbers of inputs and outputs, their blobs, "
             "parameters");
    }
    const std::size_t first_output = std::size_t{4} + *inputs;
    line.first_parameter = first_output + *outputs;
    if (line.first_parameter > line.words.size()) {
      Refuse(at, fmt::format("expected {} blobs of layer '{}', found {}", line.first_parameter - 4,
                             Shown(line.words[1]), line.words.size() - 4));
    }
    ++layers_;
    by_name_.emplace(line.words[1], at);
    for (std::size_t i = first_output; i < line.first_parameter; ++i) {
      by_blob_.emplace(line.words[i], at);
    }
    static_cast<void>(MaskIn(at));
  }

  // The word that is a mask, and its bits; null: there is none.
  [[nodiscard]] std::pair<const std::string_view*, std::uint32_t> MaskIn(std::size_t at) const {
    const Line& line = lines_[at];
    for (std::size_t i = line.first_parameter; i < line.words.size(); ++i) {
      if (line.words[i].starts_with(kMaskKey)) {
        const auto bits = IntegerOf<std::uint32_t>(line.words[i].substr(kMaskKey.size()));
        if (!bits) {
          Refuse(at, fmt::format("expected a whole number as 31, the mask of features; found '{}'",
                                 Shown(line.words[i])));
        }
        return {&line.words[i], *bits};
      }
    }
    return {nullptr, 0};
  }

  [[nodiscard]] std::string WithMask(const Line& line) const {
    const auto [word, bits] = MaskIn(static_cast<std::size_t>(&line - lines_.data()));
    const std::uint32_t all = line.bits | bits;
    if (all == bits) {
      return std::string(line.text);
    }
    std::string text(line.text);
    if (word != nullptr) {
      text.replace(static_cast<std::size_t>(word->data() - line.text.data()), word->size(),
                   fmt::format("{}{}", kMaskKey, all));
    } else {
      const std::string_view last = line.words.back();
      text.insert(static_cast<std::size_t>(last.data() + last.size() - line.text.data()),
                  fmt::format(" {}{}", kMaskKey, all));
    }
    return text;
  }

  std::string_view where_;
  std::vector<Line> lines_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::map<std::string, std::size_t, std::less<>> by_blob_;
  std::int32_t layers_ = 0;
};

}  // namespace

std::vector<NcnnMask> NcnnMasksOf(const Graph& network, const PrecisionPlan& plan) {
  const std::vector<PlannedNode> nodes = NodesOfFile(network, plan);
  const auto any = [&](auto&& is) {
    return std::ranges::any_of(nodes, [&](const PlannedNode& node) { return is(node.compute); });
  };
  const bool has_8_bits = any([](NumericFormat format) { return format.has_scale(); });
  const bool has_brain = any([](NumericFormat format) { return format == DType::kBFloat16; });
  if (!has_8_bits && !has_brain &&
      !any([](NumericFormat format) { return format == DType::kFloat16; })) {
    throw Error(ErrorKind::kUnsupported,
                "the plan has no operator in 8 or 16 bits: ncnn runs it with opt.use_fp16_storage "
                "and opt.use_bf16_storage off");
  }
  std::vector<NcnnMask> masks;
  for (const PlannedNode& node : nodes) {
    if (!IsTunable(node.compute.dtype()) || node.compute.has_scale()) {
      continue;
    }
    std::uint32_t bits = has_8_bits ? kNoInt8 : 0;
    bits |= node.compute == DType::kFloat16 ? 0 : kNoHalf;
    bits |= node.compute == DType::kBFloat16 || (node.compute == DType::kFloat16 && !has_brain)
                ? 0
                : kNoBrain;
    if (bits != 0) {
      masks.push_back({.name = node.shares_name ? "" : node.name,
                       .output = node.output,
                       .asked = node.compute,
                       .bits = bits});
    }
  }
  return masks;
}

ExportedText PatchNcnnParam(std::string_view param, std::string_view where,
                            const std::vector<NcnnMask>& masks) {
  ParamText text(param, where);
  ExportedText file;
  for (const NcnnMask& mask : masks) {
    if (Line* line = text.Find(mask)) {
      line->bits |= mask.bits;
    } else {
      file.losses.push_back(LossOf(mask.name.empty() ? mask.output : mask.name, mask.asked, "",
                                   "operators that the .param has no layer for, by name or by "
                                   "result, which run as the options of the program say"));
    }
  }
  if (!masks.empty() && file.losses.size() == masks.size()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: no layer has the name or result of any of {} of the model; "
                            "expected the .param that a converter made of it",
                            where, Counted(std::ssize(masks), "operator")));
  }
  for (const NcnnMask& mask : masks) {
    if (!mask.asked.is_dtype()) {
      file.losses.push_back(LossOf(mask.name.empty() ? mask.output : mask.name, mask.asked,
                                   "float32",
                                   "operators in a format of float32 tensors, which stand in "
                                   "float32"));
    }
  }
  file.text = text.WithMasks();
  return file;
}

}  // namespace halftone
