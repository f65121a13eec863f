#include "src/precision/files/customize_dtypes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/ir/ir_type.h"
#include "src/ir/other_names.h"
#include "src/precision/files/config_lines.h"

namespace halftone {
namespace {

constexpr std::string_view kOpType = "OpType::";
constexpr std::string_view kInputs = "InputDtype:";
constexpr std::string_view kOutputs = "OutputDtype:";
constexpr std::size_t kMostBytes = 1024;  // of a line; the reference reader's limit

// Names beside those of our table.
constexpr std::pair<std::string_view, DType> kOtherNames[] = {{"float", DType::kFloat32},
                                                              {"double", DType::kFloat64}};

std::optional<DType> DTypeFromConfig(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [name, dtype] : kOtherNames) {
    if (name == lower) {
      return dtype;
    }
  }
  for (const DTypeRow& row : kDTypes) {
    if (row.name == lower) {
      return row.dtype;
    }
  }
  return std::nullopt;
}

// One line of the file while it is read.
class Line {
 public:
  Line(std::string_view text, std::string where) : rest_(text), where_(std::move(where)) {}

  CustomDTypes Parse() {
    CustomDTypes entry;
    if (rest_.starts_with(kOpType)) {
      entry.is_type = true;
      rest_.remove_prefix(kOpType.size());
    }
    const std::size_t colon = rest_.find(':');
    entry.target = Trim(rest_.substr(0, colon));
    if (colon == std::string_view::npos || entry.target.empty()) {
      Fail(entry.is_type ? "an IR type and ':' after 'OpType::'" : "a node name, then ':'");
    }
    rest_.remove_prefix(colon);
    rest_.remove_prefix(rest_.starts_with("::") ? 2 : 1);
    ParseParts(entry);
    return entry;
  }

 private:
  void ParseParts(CustomDTypes& entry) {
    const std::string_view parts = rest_;
    const bool has_inputs = rest_.starts_with(kInputs);
    const std::size_t outputs_at = rest_.find(kOutputs);
    if (has_inputs) {
      std::string_view list = rest_.substr(kInputs.size(), outputs_at == std::string_view::npos
                                                               ? std::string_view::npos
                                                               : outputs_at - kInputs.size());
      if (outputs_at != std::string_view::npos && list.ends_with(',')) {
        list.remove_suffix(1);  // it separates the parts
      }
      entry.inputs = DTypesOf(list);
    } else if (outputs_at != 0) {
      Fail("'InputDtype:' or 'OutputDtype:' after the name");
    }
    if (outputs_at != std::string_view::npos) {
      const std::string_view list = parts.substr(outputs_at + kOutputs.size());
      if (list.find(kInputs) != std::string_view::npos) {
        rest_ = list;
        Fail("'InputDtype:' before 'OutputDtype:'");
      }
      entry.outputs = DTypesOf(list);
    }
  }

  std::vector<std::optional<DType>> DTypesOf(std::string_view list) {
    std::vector<std::optional<DType>> dtypes;
    for (const std::string_view item : Split(list, ',')) {
      const std::string_view name = Trim(item);
      dtypes.push_back(name.empty() ? std::nullopt : DTypeFromConfig(name));
      if (!name.empty() && !dtypes.back()) {
        rest_ = name;
        Fail("a dtype (float16, bfloat16, float32, int8, ...) or nothing");
      }
    }
    while (!dtypes.empty() && !dtypes.back()) {
      dtypes.pop_back();
    }
    return dtypes;
  }

  [[noreturn]] void Fail(std::string_view expected) const {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: expected {}, found {}", where_, expected, QuotedLine(rest_)));
  }

  std::string_view rest_;
  std::string where_;
};

std::string ListText(const std::vector<std::optional<DType>>& dtypes) {
  std::vector<std::string> names;
  names.reserve(dtypes.size());
  for (const auto& dtype : dtypes) {
    names.emplace_back(dtype ? NameOf(*dtype) : "");
  }
  return Join(names, ",");
}

std::string LineOf(const CustomDTypes& entry) {
  std::string line = entry.is_type ? fmt::format("{}{}:", kOpType, entry.target)
                                   : fmt::format("{}::", entry.target);
  if (!entry.inputs.empty()) {
    line +=
        fmt::format("{}{}{}", kInputs, ListText(entry.inputs), entry.outputs.empty() ? "" : ",");
  }
  if (!entry.outputs.empty() || entry.inputs.empty()) {
    line += fmt::format("{}{}", kOutputs, ListText(entry.outputs));
  }
  return line;
}

}  // namespace

CustomDTypesFile ParseCustomDTypes(std::string_view content, std::string_view file_name) {
  CustomDTypesFile file;
  std::set<std::pair<bool, std::string>> seen;
  std::size_t skipped = 0;
  const std::vector<ConfigLine> lines = ConfigLinesOf(content);
  for (const ConfigLine& line : lines) {
    const std::string where = fmt::format("{}:{}", file_name, line.number);
    const std::string_view text = Trim(line.text);
    if (text.empty() || text.starts_with('#')) {
      // The end of the last line is not a blank line.
      skipped += line.number < lines.size() || !text.empty() ? 1 : 0;
      continue;
    }
    if (line.text.size() > kMostBytes) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: expected a line of at most {} bytes, found {}", where,
                              kMostBytes, line.text.size()));
    }
    CustomDTypes entry = Line(text, where).Parse();
    if (!seen.emplace(entry.is_type, entry.target).second) {
      file.warnings.push_back(fmt::format("{}: {} is listed twice; the first line counts", where,
                                          QuotedLine(entry.target)));
      continue;
    }
    file.entries.push_back(std::move(entry));
  }
  if (skipped > 0) {
    file.warnings.push_back(fmt::format(
        "{}: {} blank or comment {} skipped; the Ascend compiler refuses a file with such lines",
        file_name, skipped, skipped == 1 ? "line is" : "lines are"));
  }
  return file;
}

std::string FormatCustomDTypes(const std::vector<CustomDTypes>& entries) {
  std::string content;
  for (const CustomDTypes& entry : entries) {
    const std::string line = LineOf(entry);
    if (!CanBeCustomTarget(entry.target) || line.size() > kMostBytes ||
        (!entry.is_type && entry.target.starts_with(kOpType)) ||
        ParseCustomDTypes(line, "customize_dtypes").entries != std::vector{entry}) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("the customize_dtypes format cannot express the line of {}",
                              QuotedLine(entry.target)));
    }
    content += line + "\n";
  }
  return content;
}

bool CanBeCustomTarget(std::string_view name) {
  return SurvivesAsLine(name) && name.find(':') == std::string_view::npos;
}

CustomMatches MatchCustomDTypes(const Graph& graph, const std::vector<CustomDTypes>& entries) {
  CustomMatches matches;
  matches.of_node.assign(graph.nodes.size(), nullptr);
  if (entries.empty()) {
    return matches;
  }
  std::map<std::string_view, const CustomDTypes*> by_name;
  std::map<std::string_view, const CustomDTypes*> by_type;
  for (const CustomDTypes& entry : entries) {
    (entry.is_type ? by_type : by_name).emplace(entry.target, &entry);
  }
  std::set<const CustomDTypes*> unmatched;
  for (const CustomDTypes& entry : entries) {
    unmatched.insert(&entry);
  }
  std::set<std::string_view> absorbed;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (const auto type = by_type.find(IrTypeOf(graph, node)); type != by_type.end()) {
      matches.of_node[n] = type->second;
      unmatched.erase(type->second);
    }
    bool named = false;
    for (const std::string_view own : OwnNames(node)) {
      if (const auto name = by_name.find(own); name != by_name.end()) {
        matches.of_node[n] = named ? matches.of_node[n] : name->second;
        unmatched.erase(name->second);
        named = true;
      }
    }
    for (const Origin& origin : node.origins) {
      absorbed.insert(origin.name);
    }
  }
  for (const Origin& origin : graph.removed) {
    absorbed.insert(origin.name);
  }
  for (const CustomDTypes& entry : entries) {  // in the order of the file
    if (!unmatched.contains(&entry)) {
      continue;
    }
    auto& list = entry.is_type                     ? matches.unmatched_types
                 : absorbed.contains(entry.target) ? matches.absorbed_names
                                                   : matches.unknown_names;
    list.push_back(entry.target);
  }
  return matches;
}

}  // namespace halftone
