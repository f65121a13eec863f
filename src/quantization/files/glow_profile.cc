#include "src/quantization/files/glow_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kVersion = "GlowToolsVersion";
constexpr std::string_view kHash = "GraphPreLowerHash";
constexpr std::array<std::string_view, 4> kRecordKeys = {"NodeOutputName", "Min", "Max",
                                                         "Histogram"};
constexpr YamlRules kRules{
    .what = "a profile in YAML", .noun = "a profile", .most_bytes = kMostGlowProfileBytes};
constexpr std::size_t kCountsInALine = 16;  // 512 counts are 32 lines
constexpr std::size_t kKeyWidth =
    16;  // what stands between a colon and its value fills keys up to it, as LLVM does

[[noreturn]] void ThrowAt(std::string_view where, int line, std::string_view what) {
  throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", where, line, what));
}

// A finite float32; empty: the text is something else.
std::optional<float> FloatOf(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// One record, and where it stands for messages.
class RecordReader {
 public:
  RecordReader(const YamlNode& node, std::size_t number, std::string_view where)
      : node_(node), number_(number), where_(where) {}

  GlowRecord Read() {
    if (node_.kind != YamlNode::Kind::kMap) {
      ThrowAt(where_, node_.line,
              fmt::format("record {}: expected a map with the keys {}, found {}", number_,
                          fmt::join(kRecordKeys, ", "), YamlKindName(node_.kind)));
    }
    GlowRecord record;
    record.name = Name(Member(kRecordKeys[0]));
    record.min = Number(Member(kRecordKeys[1]), kRecordKeys[1]);
    record.max = Number(Member(kRecordKeys[2]), kRecordKeys[2]);
    if (record.min > record.max) {
      Throw(Member(kRecordKeys[2]), kRecordKeys[2],
            fmt::format("expected at least Min, which is {}; found {}", record.min, record.max));
    }
    record.histogram = Counts(Member(kRecordKeys[3]));
    for (const YamlMember& member : node_.members) {
      if (std::find(kRecordKeys.begin(), kRecordKeys.end(), member.name) == kRecordKeys.end()) {
        record.others.push_back(member);
      }
    }
    return record;
  }

 private:
  [[noreturn]] void Throw(const YamlNode& at, std::string_view key, std::string_view what) const {
    ThrowAt(where_, at.line,
            name_.empty()
                ? fmt::format("record {}: {}: {}", number_, key, what)
                : fmt::format("record {} ('{}'): {}: {}", number_, Shown(name_), key, what));
  }

  [[nodiscard]] const YamlNode& Member(std::string_view key) const {
    const YamlNode* member = node_.Find(key);
    if (member == nullptr) {
      Throw(node_, key, "expected a value, found no such key");
    }
    return *member;
  }

  std::string Name(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::kScalar || node.scalar.empty()) {
      Throw(node, kRecordKeys[0],
            fmt::format("expected a name, found {}",
                        node.scalar.empty() && node.kind == YamlNode::Kind::kScalar
                            ? "nothing"
                            : YamlKindName(node.kind)));
    }
    name_ = node.scalar;
    return node.scalar;
  }

  [[nodiscard]] float Number(const YamlNode& node, std::string_view key) const {
    if (node.kind != YamlNode::Kind::kScalar) {
      Throw(node, key, fmt::format("expected a number, found {}", YamlKindName(node.kind)));
    }
    const auto value = FloatOf(node.scalar);
    if (!value) {
      Throw(node, key, fmt::format("expected a number of float32, found '{}'", Shown(node.scalar)));
    }
    return *value;
  }

  [[nodiscard]] std::vector<float> Counts(const YamlNode& node) const {
    constexpr std::string_view kKey = kRecordKeys[3];
    if (node.kind != YamlNode::Kind::kList) {
      Throw(node, kKey,
            fmt::format("expected a list of counts, found {}", YamlKindName(node.kind)));
    }
    std::vector<float> counts;
    counts.reserve(node.items.size());
    for (const YamlNode& item : node.items) {
      counts.push_back(Number(item, kKey));
      if (counts.back() < 0) {
        Throw(item, kKey, fmt::format("expected counts from 0, found {}", counts.back()));
      }
    }
    return counts;
  }

  const YamlNode& node_;
  std::size_t number_;
  std::string_view where_;
  std::string name_;
};

const YamlNode* FindHeader(const std::vector<YamlNode>& headers, std::string_view key) {
  for (const YamlNode& header : headers) {
    if (const YamlNode* value = header.Find(key); value != nullptr) {
      return value;
    }
  }
  return nullptr;
}

void RequireHeader(const YamlNode& header, bool behind_records, std::string_view where) {
  if (behind_records) {
    ThrowAt(where, header.line, "expected the records as the last document, found another one");
  }
  if (header.kind != YamlNode::Kind::kMap) {
    ThrowAt(
        where, header.line,
        fmt::format("expected a map or the list of records, found {}", YamlKindName(header.kind)));
  }
  for (const std::string_view key : {kVersion, kHash}) {
    const YamlNode* value = header.Find(key);
    if (value != nullptr && (value->kind != YamlNode::Kind::kScalar || value->IsNull())) {
      ThrowAt(where, value->line,
              fmt::format("{}: expected a text, found {}", key,
                          value->IsNull() ? "null" : YamlKindName(value->kind)));
    }
  }
}

void RequireComplete(const GlowProfile& profile, std::string_view where) {
  if (profile.records.empty()) {
    ThrowAt(where, 1,
            "expected a list of records with NodeOutputName, Min, Max and Histogram as the last "
            "document, found none");
  }
  if (FindHeader(profile.headers, kHash) == nullptr) {
    ThrowAt(where, 1, fmt::format("expected the key {} before the records, found none", kHash));
  }
}

void AddKey(std::string& text, std::string_view key, std::string_view value) {
  text += key;
  text += ':';
  text.append(key.size() < kKeyWidth ? kKeyWidth - key.size() : 1, ' ');
  text += value;
  text += '\n';
}

// Names as Glow makes them are written without quotes, as Glow does.
std::string NameText(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':';
  });
  const bool letter = !name.empty() && name.front() > '9' && name.front() != ':';
  return plain && letter && !name.ends_with(':') ? name : YamlText(name);
}

std::string CountsText(const std::vector<float>& counts) {
  if (counts.empty()) {
    return "[  ]";
  }
  std::string text = "[ ";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i > 0) {
      text += i % kCountsInALine == 0 ? ",\n                   " : ", ";
    }
    text += fmt::format("{:g}", counts[i]);
  }
  return text + " ]";
}

YamlNode Scalar(std::string_view text) {
  YamlNode node;
  node.scalar = text;
  return node;
}

YamlNode MapOf(std::string_view key, std::string_view value) {
  YamlNode map;
  map.kind = YamlNode::Kind::kMap;
  map.members.push_back({std::string(key), Scalar(value)});
  return map;
}

}  // namespace

std::optional<std::string> GlowProfile::Version() const {
  const YamlNode* version = FindHeader(headers, kVersion);
  return version == nullptr ? std::nullopt : std::optional(version->scalar);
}

std::string GlowProfile::Hash() const {
  const YamlNode* hash = FindHeader(headers, kHash);
  return hash == nullptr ? "" : hash->scalar;
}

void SetRange(GlowRecord& record, float min, float max) {
  Check(std::isfinite(min) && std::isfinite(max) && min <= max, "a range of finite numbers");
  const auto bins = static_cast<double>(record.histogram.size());
  const double old_low = static_cast<double>(record.min);
  const double old_step = (static_cast<double>(record.max) - old_low) / bins;
  const double step = (static_cast<double>(max) - static_cast<double>(min)) / bins;
  // Where a number lies in the new range, in bins.
  const auto place = [&](double number) {
    const double from_low = number - static_cast<double>(min);
    return step > 0 ? std::clamp(from_low / step, 0.0, bins) : (from_low > 0 ? bins : 0.0);
  };
  std::vector<double> counts(record.histogram.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto count = static_cast<double>(record.histogram[i]);
    const double low = old_low + static_cast<double>(i) * old_step;
    const double inside_low = std::max(low, static_cast<double>(min));
    const double inside_high = std::min(low + old_step, static_cast<double>(max));
    if (!(inside_high > inside_low)) {  // one number, or all of it outside
      const auto bin = static_cast<std::size_t>(place(low));
      counts[std::min(bin, counts.size() - 1)] += count;
      continue;
    }
    counts.front() += count * (inside_low - low) / old_step;
    counts.back() += count * (low + old_step - inside_high) / old_step;
    const double first = place(inside_low);
    const double last = place(inside_high);
    for (auto bin = static_cast<std::size_t>(first); bin < counts.size(); ++bin) {
      const double from = std::max(first, static_cast<double>(bin));
      const double to = std::min(last, static_cast<double>(bin + 1));
      if (!(to > from)) {
        break;
      }
      counts[bin] += count * (to - from) * step / old_step;
    }
  }
  std::transform(counts.begin(), counts.end(), record.histogram.begin(),
                 [](double count) { return static_cast<float>(count); });
  record.min = min;
  record.max = max;
}

GlowProfile OwnGlowProfile(std::string_view version) {
  GlowProfile profile;
  profile.headers.push_back(MapOf(kVersion, version));
  profile.headers.push_back(MapOf(kHash, "0x0000000000000000"));
  return profile;
}

GlowProfile ParseGlowProfile(std::string_view text, std::string_view where) {
  GlowProfile profile;
  int list = -1;  // the document of the records
  ForEachYamlItem(text, where, kRules, [&](YamlPlace place, YamlNode item) {
    if (!place.in_list) {
      RequireHeader(item, list >= 0, where);
      profile.headers.push_back(std::move(item));
      return;
    }
    if (list >= 0 && place.document != list) {
      ThrowAt(where, item.line, "expected one list of records, found a second one");
    }
    list = place.document;
    profile.records.push_back(RecordReader(item, profile.records.size() + 1, where).Read());
  });
  RequireComplete(profile, where);
  return profile;
}

std::string WriteGlowProfile(const GlowProfile& profile) {
  std::string text;
  for (const YamlNode& header : profile.headers) {
    text += "---\n";
    for (const auto& [key, value] : header.members) {
      AddKey(text, YamlText(key), YamlFlow(value));
    }
    text += "...\n";
  }
  text += "---\n";
  for (const GlowRecord& record : profile.records) {
    AddKey(text += "- ", kRecordKeys[0], NameText(record.name));
    AddKey(text += "  ", kRecordKeys[1], GlowFloat(record.min));
    AddKey(text += "  ", kRecordKeys[2], GlowFloat(record.max));
    AddKey(text += "  ", kRecordKeys[3], CountsText(record.histogram));
    for (const auto& [key, value] : record.others) {
      AddKey(text += "  ", YamlText(key), YamlFlow(value));
    }
  }
  return text + "...\n";
}

std::string GlowFloat(float value) {
  Check(std::isfinite(value), "a profile has finite numbers only");
  std::string text = fmt::format("{:.126f}", static_cast<double>(value));
  text.erase(std::max(text.find_last_not_of('0'), text.find('.') + 1) + 1);
  return text;
}

}  // namespace halftone
