#include "src/aoe/aipp_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "src/base/error.h"
#include "src/base/names_hint.h"
#include "src/base/numbers.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Source of all keys: ATC Instructions, AIPP configuration file template.
constexpr std::string_view kBlock = "aipp_op";
constexpr std::string_view kFormat = "input_format";
constexpr std::string_view kSwap = "rbuv_swap_switch";
constexpr std::string_view kWidth = "src_image_size_w";
constexpr std::string_view kHeight = "src_image_size_h";
constexpr std::size_t kChannels = 3;
constexpr std::string_view kMean[] = {"mean_chn_0", "mean_chn_1", "mean_chn_2"};
constexpr std::string_view kMin[] = {"min_chn_0", "min_chn_1", "min_chn_2"};
constexpr std::string_view kScale[] = {"var_reci_chn_0", "var_reci_chn_1", "var_reci_chn_2"};

// Parts that are done as `value` alone; `what` else is not, and the way around it.
struct PartRow {
  std::string_view key;
  std::string_view value;
  std::string_view what;
};

constexpr PartRow kParts[] = {
    {"aipp_mode", "static",
     "parameters of every run (a static aipp_op takes those of the samples)"},
    {"related_input_rank", "0", "images for a later input (give tensors for all inputs)"},
    {"crop", "false", "a crop (what is beyond the network's extents is cut off around the centre)"},
    {"resize", "false", "a second resize (src_image_size is the size that images get)"},
    {"padding", "false", "padding (give tensors that have it)"},
    {"csc_switch", "false", "other colours than RGB (images are read as RGB888_U8)"},
    {"ax_swap_switch", "false", "a fourth channel (images are read as RGB888_U8)"},
    {"single_line_mode", "false", "single lines (give whole images)"},
    {"raw_rgbir_to_f16_n", "false", "raw sensor data (give tensors)"},
};

// Keys of parts that are switched off, and of devices.
constexpr std::string_view kWithoutEffect[] = {
    "related_input_name", "input_edge_idx",      "max_src_image_size", "support_rotation",
    "load_start_pos_w",   "load_start_pos_h",    "crop_size_w",        "crop_size_h",
    "resize_output_w",    "resize_output_h",     "left_padding_size",  "right_padding_size",
    "top_padding_size",   "bottom_padding_size", "padding_value",      "cpadding_value",
    "mean_chn_3",         "min_chn_3",           "var_reci_chn_3",     "matrix_r0c0",
    "matrix_r0c1",        "matrix_r0c2",         "matrix_r1c0",        "matrix_r1c1",
    "matrix_r1c2",        "matrix_r2c0",         "matrix_r2c1",        "matrix_r2c2",
    "output_bias_0",      "output_bias_1",       "output_bias_2",      "input_bias_0",
    "input_bias_1",       "input_bias_2",
};

std::vector<std::string> AllKeys() {
  std::vector<std::string> keys = {std::string(kFormat), std::string(kSwap), std::string(kWidth),
                                   std::string(kHeight)};
  for (const auto& names : {std::span(kMean), std::span(kMin), std::span(kScale)}) {
    keys.insert(keys.end(), names.begin(), names.end());
  }
  for (const PartRow& row : kParts) {
    keys.emplace_back(row.key);
  }
  keys.insert(keys.end(), std::begin(kWithoutEffect), std::end(kWithoutEffect));
  return keys;
}

struct Entry {
  std::string value;
  int line = 0;
};

using Entries = std::map<std::string, Entry, std::less<>>;

// Reads the text: words, and the marks : { } between them.
class Reader {
 public:
  Reader(std::string_view content, std::string_view file_name)
      : rest_(content), file_name_(file_name) {}

  Entries Read() {
    Expect(kBlock);
    Expect("{");
    Entries entries;
    for (std::string word = Next(); word != "}"; word = Next()) {
      ReadEntry(word, entries);
    }
    if (const std::string more = Next(); !more.empty()) {
      Throw(more == kBlock
                ? "a second aipp_op: images are for networks of one input; give tensors "
                  "for all of them as --inputs"
                : fmt::format("expected one {}, found '{}' behind it", kBlock, Shown(more)));
    }
    return entries;
  }

 private:
  [[noreturn]] void Throw(std::string_view what) const {
    throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", file_name_, line_, what));
  }

  // The next word or mark; empty at the end.
  std::string Next() {
    constexpr std::string_view kMarks = ":{}";
    constexpr std::string_view kEnds = ":{}# \t\r\n,;";
    while (!rest_.empty()) {
      if (rest_.front() == '#') {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (kMarks.find(rest_.front()) != std::string_view::npos) {
        return Take(1);
      } else if (kEnds.find(rest_.front()) != std::string_view::npos) {
        line_ += rest_.front() == '\n' ? 1 : 0;
        rest_.remove_prefix(1);
      } else {
        return Take(std::min(rest_.find_first_of(kEnds), rest_.size()));
      }
    }
    return "";
  }

  std::string Take(std::size_t count) {
    std::string word(rest_.substr(0, count));
    rest_.remove_prefix(count);
    return word;
  }

  void Expect(std::string_view wanted) {
    if (const std::string found = Next(); found != wanted) {
      Throw(fmt::format("expected '{}', found {}", wanted, Quoted(found)));
    }
  }

  static std::string Quoted(std::string_view word) {
    return word.empty() ? "the end" : fmt::format("'{}'", Shown(word));
  }

  void ReadEntry(const std::string& key, Entries& entries) {
    const std::vector<std::string> known = AllKeys();
    if (std::ranges::find(known, key) == known.end()) {
      Throw(key.empty()
                ? "expected a key or '}', found the end"
                : fmt::format("'{}' is no key of {}{}", Shown(key), kBlock, NamesHint(key, known)));
    }
    Expect(":");
    const int line = line_;
    std::string value = Next();
    if (value.empty() || value == "{" || value == "}" || value == ":") {
      Throw(fmt::format("{}: expected a value, found {}", key, Quoted(value)));
    }
    if (value.size() > 1 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    if (!entries.try_emplace(key, Entry{std::move(value), line}).second) {
      Throw(fmt::format("{} is given twice; give it once", key));
    }
  }

  std::string_view rest_;
  std::string_view file_name_;
  int line_ = 1;
};

std::string_view ValueOf(const Entries& entries, std::string_view key, std::string_view otherwise) {
  const auto found = entries.find(key);
  return found == entries.end() ? otherwise : std::string_view(found->second.value);
}

// Switches of protobuf text.
bool IsOn(std::string_view value) {
  return value == "true" || value == "1";
}

bool Is(std::string_view value, std::string_view wanted) {
  return value == wanted || (wanted == "false" && value == "0");
}

bool IsGray(const Entries& entries) {
  return ValueOf(entries, kFormat, "") == "YUV400_U8";
}

void RefuseParts(const Entries& entries, std::string_view file_name) {
  std::vector<std::string> parts;
  for (const PartRow& row : kParts) {
    const auto found = entries.find(row.key);
    if (found != entries.end() && !Is(found->second.value, row.value)) {
      parts.push_back(fmt::format("{}: {}, line {}: {}", row.key, Shown(found->second.value),
                                  found->second.line, row.what));
    }
  }
  const std::string_view format = ValueOf(entries, kFormat, "");
  if (format != "RGB888_U8" && !IsGray(entries)) {
    parts.push_back(fmt::format("{}: {}: images are read as RGB888_U8, or as YUV400_U8 for gray",
                                kFormat, format.empty() ? "missing" : Shown(format)));
  }
  if (!parts.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: halftone does not do {} of this pre-processing: {}", file_name,
                            Counted(std::ssize(parts), "part"), Join(parts, "; ")));
  }
}

class Words {
 public:
  Words(const Entries& entries, std::string_view file_name)
      : entries_(entries), file_name_(file_name) {}

  [[nodiscard]] std::string All() const {
    std::vector<std::string> words = {"range=255"};
    const std::size_t channels = IsGray(entries_) ? 1 : kChannels;
    std::vector<std::string> mean;
    std::vector<std::string> std;
    for (std::size_t c = 0; c < channels; ++c) {
      mean.push_back(fmt::format("{}", Number(kMean[c], 0, kPixels) + Number(kMin[c], 0, kPixels)));
      std.push_back(fmt::format("{}", 1 / Number(kScale[c], 1, kScales)));
    }
    words.push_back("mean=" + Join(mean, "/"));
    words.push_back("std=" + Join(std, "/"));
    words.emplace_back(IsGray(entries_)                          ? "gray"
                       : IsOn(ValueOf(entries_, kSwap, "false")) ? "bgr"
                                                                 : "rgb");
    if (entries_.contains(kHeight) || entries_.contains(kWidth)) {
      words.push_back(fmt::format("resize={}x{}", Extent(kHeight), Extent(kWidth)));
    }
    return Join(words, ",");
  }

 private:
  static constexpr RealRange kPixels{-65504, 65504};  // what float16 holds
  static constexpr RealRange kScales{1e-6, 65504};
  static constexpr WholeRange kExtents{2, 4096};  // of the device's images, by the same source

  [[nodiscard]] std::string NameOf(std::string_view key) const {
    return fmt::format("{}: {}", file_name_, key);
  }

  [[nodiscard]] double Number(std::string_view key, double otherwise,
                              const RealRange& range) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? otherwise
                                   : ParseNumber(NameOf(key), found->second.value, range);
  }

  [[nodiscard]] std::int64_t Extent(std::string_view key) const {
    return ParseNumber(NameOf(key), ValueOf(entries_, key, ""), kExtents);
  }

  const Entries& entries_;
  std::string_view file_name_;
};

}  // namespace

std::string ParseAipp(std::string_view content, std::string_view file_name) {
  const Entries entries = Reader(content, file_name).Read();
  RefuseParts(entries, file_name);
  return Words(entries, file_name).All();
}

}  // namespace halftone
