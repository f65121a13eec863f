#include "src/qaic/profile_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/ir/ir_type.h"
#include "src/quantization/files/glow_names.h"

namespace halftone {
namespace {

constexpr std::string_view kModelKey = "HalftoneModelHash";
constexpr std::string_view kNodePrecisionKey = "HalftoneNodePrecisionInfo";
constexpr std::string_view kValueKey = "HalftoneValue";
constexpr std::string_view kNone = "none";
constexpr std::size_t kMostNames = 5;  // that a message quotes

YamlNode Scalar(std::string text) {
  return {.quoted = true, .scalar = std::move(text)};
}

YamlNode MapOf(std::string_view key, std::string value) {
  YamlNode map{.kind = YamlNode::Kind::kMap};
  map.members.push_back({std::string(key), Scalar(std::move(value))});
  return map;
}

std::string HashText(const Hash128& hash) {
  return hash == Hash128() ? std::string(kNone) : hash.ToHex();
}

std::optional<std::string> HeaderOf(const GlowProfile& profile, std::string_view key) {
  for (const YamlNode& header : profile.headers) {
    if (const YamlNode* value = header.Find(key); value != nullptr) {
      return value->scalar;
    }
  }
  return std::nullopt;
}

bool IsOwn(const GlowProfile& profile) {
  return HeaderOf(profile, kModelKey).has_value();
}

DumpedProfile Parsed(const std::filesystem::path& path, std::string_view option) {
  DumpedProfile read{
      .where = fmt::format("{}={}", option, path.string()), .profile = {}, .loaded = {}};
  const std::string text = WithContext([&] { return std::string(option); },
                                       [&] { return ReadSmallFile(path, kMostGlowProfileBytes); });
  read.profile = ParseGlowProfile(text, path.string());
  return read;
}

std::string Listed(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kMostNames, names.size()); ++i) {
    shown.push_back(fmt::format("'{}'", names[i]));
  }
  if (names.size() > kMostNames) {
    shown.push_back(fmt::format("and {} more", names.size() - kMostNames));
  }
  return Join(shown, ", ");
}

// Names that records may have, and the values that they mean.
struct Named {
  std::vector<GlowCandidate> candidates;
  std::vector<std::vector<ValueId>> results;  // parallel: by result
};

// Inputs, constants in the order in which nodes read them, results of nodes. A node without a name
// in the file is called "<type>_<first output>"; the graph does not say which nodes those are, so
// that each node has both names.
Named NamesOf(const Graph& graph) {
  Named named;
  std::set<ValueId> known;
  const auto add_value = [&](ValueId id) {
    if (known.insert(id).second) {
      named.candidates.push_back({graph.value(id).name, 1});
      named.results.push_back({id});
    }
  };
  std::ranges::for_each(graph.inputs, add_value);
  for (const Node& node : graph.nodes) {
    for (const ValueId id : node.inputs) {
      if (id != kNoValue && graph.value(id).constant) {
        add_value(id);
      }
    }
    const std::set<std::string> names = {
        GlowNodeName(node.name, OnnxKindOf(node), FirstOutputName(graph, node)),
        GlowNodeName("", OnnxKindOf(node), FirstOutputName(graph, node))};
    for (const std::string& name : names) {
      named.candidates.push_back({name, node.outputs.size()});
      named.results.push_back(node.outputs);
    }
  }
  return named;
}

// The record names of our own profiles: that of the node, unique by a number.
class RecordNames {
 public:
  std::string Make(const std::string& name, std::size_t result) {
    const std::string identifier = GlowIdentifier(name);
    std::string record = fmt::format("{}:{}", identifier, result);
    for (int number = 1; !taken_.insert(record).second; ++number) {
      record = fmt::format("{}__{}:{}", identifier, number, result);
    }
    return record;
  }

 private:
  std::set<std::string> taken_;
};

void CheckOrigin(const GlowProfile& profile, const ProfileOrigin& origin, std::string_view where,
                 std::vector<std::string>& warnings) {
  if (const auto model = HeaderOf(profile, kModelKey); model && *model != HashText(origin.model)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: it was made of another network, other input shapes or "
                            "another batch size (hash {}, here {}); dump it again with this model",
                            where, *model, HashText(origin.model)));
  }
  const auto lists = HeaderOf(profile, kNodePrecisionKey);
  if (!lists) {
    warnings.push_back(
        fmt::format("{}: the profile does not say which -node-precision-info it was made with; the "
                    "device's compiler takes it with that one alone",
                    where));
  } else if (*lists != HashText(origin.node_precision)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: it was made {} -node-precision-info, and this command has {}; "
                            "the profile must be made with the same node precisions: dump it again",
                            where, *lists == kNone ? "without" : "with another",
                            origin.node_precision == Hash128() ? "none" : "one"));
  }
}

const YamlNode* ValueKeyOf(const GlowRecord& record) {
  const auto found = std::ranges::find(record.others, kValueKey, &YamlMember::name);
  return found == record.others.end() ? nullptr : &found->value;
}

// Values of a profile of ours, by the names in its records.
std::vector<ValueId> OwnValues(const Graph& graph, const GlowProfile& profile,
                               std::string_view where) {
  std::unordered_map<std::string, ValueId> by_name;
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    by_name.emplace(graph.values[v].name, static_cast<ValueId>(v));
  }
  std::vector<ValueId> values;
  std::vector<std::string> unknown;
  for (const GlowRecord& record : profile.records) {
    const YamlNode* name = ValueKeyOf(record);
    const auto found = name == nullptr ? by_name.end() : by_name.find(name->scalar);
    values.push_back(found == by_name.end() ? kNoValue : found->second);
    if (values.back() == kNoValue) {
      unknown.push_back(record.name);
    }
  }
  if (!unknown.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: the network has no tensor for {}: {}; dump the "
                            "profile again with this model",
                            where, Counted(static_cast<std::int64_t>(unknown.size()), "record"),
                            Listed(unknown)));
  }
  return values;
}

// The value of a record by Glow's names; kNoValue: none, or one of several.
std::vector<ValueId> VendorValues(const Graph& graph, const GlowProfile& profile,
                                  std::string_view where, std::vector<std::string>& warnings) {
  std::vector<std::string> names;
  for (const GlowRecord& record : profile.records) {
    names.push_back(record.name);
  }
  const Named named = NamesOf(graph);
  const GlowMatches matches = MatchGlowRecords(names, named.candidates);
  std::vector<ValueId> values(names.size(), kNoValue);
  std::vector<std::string> unmatched;
  std::vector<std::string> ambiguous;
  for (std::size_t r = 0; r < names.size(); ++r) {
    std::set<ValueId> meant;
    bool is_exact = false;
    for (const GlowTarget& target : matches.targets[r]) {
      meant.insert(named.results[target.candidate][target.result]);
      is_exact = GlowIdentifier(named.candidates[target.candidate].name) ==
                 names[r].substr(0, names[r].rfind(':'));
    }
    if (meant.empty()) {
      unmatched.push_back(names[r]);
    } else if (meant.size() > 1 ||
               (std::ranges::binary_search(matches.ambiguous, r) && !is_exact)) {
      ambiguous.push_back(names[r]);
    } else {
      values[r] = *meant.begin();
    }
  }
  if (unmatched.size() == names.size()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: no record means a tensor of the network, the first "
                            "ones: {}; it belongs to another model",
                            where, Listed(unmatched)));
  }
  const auto warn = [&](const std::vector<std::string>& list, std::string_view what) {
    if (!list.empty()) {
      warnings.push_back(fmt::format("{}: {} {}: {}", where,
                                     Counted(static_cast<std::int64_t>(list.size()), "record"),
                                     what, Listed(list)));
    }
  };
  warn(unmatched, "of no tensor of the network");
  warn(ambiguous, "that may mean one of several tensors are not used");
  return values;
}

}  // namespace

ValueProfiles ProfilesOf(const ProfiledTensors& tensors) {
  ValueProfiles values;
  for (const auto& [value, statistics] : tensors) {
    values.emplace(value, GlowHistogram{static_cast<float>(statistics.observed.low),
                                        static_cast<float>(statistics.observed.high),
                                        {statistics.histogram.counts.begin(),
                                         statistics.histogram.counts.end()}});
  }
  return values;
}

Hash128 FingerprintOf(const NodePrecisionLists& lists) {
  return lists == NodePrecisionLists() ? Hash128()
                                       : Hasher().Add(WriteNodePrecision(lists)).Finish();
}

GlowProfile MakeProfile(const Graph& graph, const ValueProfiles& values,
                        const ProfileOrigin& origin, std::string_view version) {
  GlowProfile profile = OwnGlowProfile(version);
  profile.headers.push_back(MapOf(kModelKey, HashText(origin.model)));
  profile.headers.push_back(MapOf(kNodePrecisionKey, HashText(origin.node_precision)));
  RecordNames names;
  std::set<ValueId> written;
  const auto add = [&](const std::string& name, std::size_t result, ValueId value) {
    const auto found = values.find(value);
    if (found == values.end() || !written.insert(value).second) {
      return;
    }
    GlowRecord record{.name = names.Make(name, result),
                      .min = found->second.min,
                      .max = found->second.max,
                      .histogram = found->second.counts,
                      .others = {}};
    record.others.push_back({std::string(kValueKey), Scalar(graph.value(value).name)});
    profile.records.push_back(std::move(record));
  };
  for (const ValueId id : graph.inputs) {
    add(graph.value(id).name, 0, id);
  }
  for (const Node& node : graph.nodes) {
    for (const ValueId id : node.inputs) {
      if (id != kNoValue && graph.value(id).constant) {
        add(graph.value(id).name, 0, id);
      }
    }
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
      if (node.outputs[o] != kNoValue) {
        add(node.name, o, node.outputs[o]);
      }
    }
  }
  return profile;
}

LoadedProfile MatchProfile(const Graph& graph, const GlowProfile& profile,
                           const ProfileOrigin& origin, std::string_view where) {
  LoadedProfile loaded;
  CheckOrigin(profile, origin, where, loaded.warnings);
  loaded.is_own = IsOwn(profile);
  const std::vector<ValueId> values = loaded.is_own
                                          ? OwnValues(graph, profile, where)
                                          : VendorValues(graph, profile, where, loaded.warnings);
  for (std::size_t r = 0; r < values.size(); ++r) {
    const GlowRecord& record = profile.records[r];
    if (values[r] != kNoValue &&
        loaded.values.emplace(values[r], GlowHistogram{record.min, record.max, record.histogram})
            .second) {
      loaded.order.push_back(values[r]);
      loaded.record_of.push_back(r);
    }
  }
  return loaded;
}

DumpedProfile ReadProfile(const Graph& graph, const ProfileOrigin& origin,
                          const std::filesystem::path& path, std::string_view option) {
  DumpedProfile read = Parsed(path, option);
  read.loaded = MatchProfile(graph, read.profile, origin, read.where);
  return read;
}

DumpedProfile ReadVendorProfile(const Graph& graph, const std::filesystem::path& path,
                                std::string_view option) {
  DumpedProfile read = Parsed(path, option);
  if (IsOwn(read.profile)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: expected a profile that the device's compiler dumped, found one of "
                    "halftone, whose hash no compiler takes; dump it with the compiler's own "
                    "-dump-profile",
                    read.where));
  }
  read.loaded = MatchProfile(graph, read.profile, {}, read.where);
  return read;
}

FilledProfile Fill(const Graph& graph, const DumpedProfile& dumped, const ValueProfiles& values) {
  FilledProfile filled{.profile = dumped.profile, .warnings = {}};
  ValueProfiles left = values;
  for (std::size_t i = 0; i < dumped.loaded.order.size(); ++i) {
    const auto found = left.find(dumped.loaded.order[i]);
    if (found == left.end()) {
      continue;
    }
    GlowRecord& record = filled.profile.records[dumped.loaded.record_of[i]];
    record.min = found->second.min;
    record.max = found->second.max;
    record.histogram = std::move(found->second.counts);
    left.erase(found);
  }
  if (!left.empty()) {
    std::vector<std::string> names;
    for (const auto& [value, range] : left) {
      names.push_back(graph.value(value).name);
    }
    filled.warnings.push_back(
        fmt::format("{}: the file has no record that means {}, whose ranges are not written: {}",
                    dumped.where, Counted(std::ssize(names), "tensor"), Listed(names)));
  }
  return filled;
}

}  // namespace halftone
