#include "src/quantization/files/glow_names.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_map>

namespace halftone {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsLegal(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_';
}

// Without `__<number>` at the end.
std::string_view WithoutNumber(std::string_view identifier) {
  std::size_t digits = identifier.size();
  while (digits > 0 && IsDigit(identifier[digits - 1])) {
    --digits;
  }
  const bool numbered =
      digits < identifier.size() && digits >= 2 && identifier.substr(digits - 2, 2) == "__";
  return numbered ? identifier.substr(0, digits - 2) : identifier;
}

struct RecordName {
  std::string_view identifier;
  std::size_t result = 0;
};

// Empty: not "<name>:<result>".
std::optional<RecordName> Parts(std::string_view record) {
  const std::size_t colon = record.rfind(':');
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  const char* const end = record.data() + record.size();
  RecordName name{.identifier = record.substr(0, colon)};
  const auto read = std::from_chars(record.data() + colon + 1, end, name.result);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(name) : std::nullopt;
}

// Finds candidates by identifier, and counts the records that mean them.
class CandidateIndex {
 public:
  explicit CandidateIndex(std::span<const GlowCandidate> candidates) : candidates_(candidates) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const std::string identifier = GlowIdentifier(candidates[i].name);
      by_base_[BaseOf(identifier)].push_back(i);
      by_identifier_[identifier].push_back(i);
    }
  }

  // The first of the results that a record may mean.
  std::vector<GlowTarget> CountRecord(std::string_view record) {
    std::vector<GlowTarget> targets;
    const auto name = Parts(record);
    if (!name) {
      return targets;
    }
    for (const std::size_t candidate : NamedLike(*name)) {
      if (targets.size() == kMostGlowTargets) {
        break;
      }
      if (name->result < candidates_[candidate].results) {
        targets.push_back({.candidate = candidate, .result = name->result});
      }
    }
    return targets;
  }

  // After all records were counted: those that may mean this result.
  [[nodiscard]] std::size_t RecordsOf(const GlowTarget& target) const {
    const std::string identifier = GlowIdentifier(candidates_[target.candidate].name);
    const auto count = [&](const Counts& counts, const std::string& name) {
      const auto found = counts.find({name, target.result});
      return found == counts.end() ? 0 : found->second;
    };
    return count(exact_records_, identifier) + count(numbered_records_, BaseOf(identifier));
  }

 private:
  using Index = std::unordered_map<std::string, std::vector<std::size_t>>;
  using Counts = std::map<std::pair<std::string, std::size_t>, std::size_t>;

  static std::string BaseOf(std::string_view identifier) {
    return std::string(WithoutNumber(identifier));
  }

  std::span<const std::size_t> NamedLike(const RecordName& name) {
    const std::string identifier(name.identifier);
    if (const auto exact = by_identifier_.find(identifier); exact != by_identifier_.end()) {
      ++exact_records_[{identifier, name.result}];
      return exact->second;
    }
    const std::string base = BaseOf(identifier);
    const auto found = base == identifier ? by_base_.end() : by_base_.find(base);
    if (found == by_base_.end()) {
      return {};
    }
    ++numbered_records_[{base, name.result}];
    return found->second;
  }

  std::span<const GlowCandidate> candidates_;
  Index by_identifier_;
  Index by_base_;
  Counts exact_records_;
  Counts numbered_records_;
};

}  // namespace

std::string GlowIdentifier(std::string_view name) {
  std::string identifier(name);
  std::replace_if(
      identifier.begin(), identifier.end(), [](char c) { return !IsLegal(c); }, '_');
  return identifier.empty() || IsDigit(identifier.front()) ? "A" + identifier : identifier;
}

std::string GlowNodeName(std::string_view node_name, std::string_view type,
                         std::string_view first_output) {
  return node_name.empty() ? std::string(type) + "_" + std::string(first_output)
                           : std::string(node_name);
}

GlowMatches MatchGlowRecords(std::span<const std::string> record_names,
                             std::span<const GlowCandidate> candidates) {
  CandidateIndex index(candidates);
  GlowMatches matches;
  for (const std::string& name : record_names) {
    matches.targets.push_back(index.CountRecord(name));
  }
  for (std::size_t i = 0; i < record_names.size(); ++i) {
    const std::vector<GlowTarget>& targets = matches.targets[i];
    if (targets.empty()) {
      matches.unmatched.push_back(i);
    } else if (targets.size() > 1 || index.RecordsOf(targets.front()) > 1) {
      matches.ambiguous.push_back(i);
    }
  }
  return matches;
}

}  // namespace halftone
