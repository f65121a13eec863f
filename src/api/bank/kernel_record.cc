#include "src/api/bank/kernel_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "kernels/kernel_digest.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

using KernelSets = std::map<std::string, std::set<std::string>>;

void AddSteps(const Graph& graph, const PrecisionPlan& plan, const CompileOptions& compile,
              KernelSets& kernels) {
  const Executable executable = Compile(graph, plan, compile);
  std::set<std::string_view> nodes;
  for (const Node& node : graph.nodes) {
    nodes.insert(node.name);
  }
  for (const StepInfo& step : executable.steps()) {
    // Casts follow the plan; what they cost is part of what is measured, not of a node's kernel.
    if (nodes.contains(step.node) && step.op == step.node_op && !step.in_place) {
      kernels[step.node].insert(
          fmt::format("{} {}", NameOf(step.dtype), VersionedName(step.kernel)));
    }
  }
}

std::map<std::string, std::string> Lines(const std::string& record) {
  std::map<std::string, std::string> lines;
  for (const std::string_view line : Split(record, '\n')) {
    const auto tab = line.find('\t');
    if (tab != std::string_view::npos) {
      lines.emplace(line.substr(0, tab), line.substr(tab + 1));
    }
  }
  return lines;
}

// Whether all kernels of a line stand in another one.
bool IsPartOf(const std::string& kernels, const std::string& whole) {
  const auto of_whole = Split(whole, ',');
  return std::ranges::all_of(Split(kernels, ','), [&](std::string_view kernel) {
    return std::ranges::any_of(of_whole,
                               [&](std::string_view each) { return Trim(each) == Trim(kernel); });
  });
}

}  // namespace

std::string KernelRecord(const Graph& graph, const TargetSpec& target,
                         std::span<const PrecisionOptions> configurations,
                         const CompileOptions& compile) {
  KernelSets kernels;
  AddSteps(graph, ReferencePlan(graph), compile, kernels);
  std::set<Hash128> seen;
  for (const PrecisionOptions& options : configurations) {
    try {
      const PrecisionPlan plan = ResolvePrecision(graph, options, target);
      if (seen.insert(plan.Digest()).second) {
        AddSteps(graph, plan, compile, kernels);
      }
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kInternal) {
        throw;
      }
    }
  }
  std::map<std::string, std::string> joined;
  for (const auto& [node, names] : kernels) {
    joined.emplace(node, Join({names.begin(), names.end()}, ", "));
  }
  return RecordOfKernels(joined);
}

std::string RecordOfKernels(const std::map<std::string, std::string>& kernels) {
  std::string text;
  for (const auto& [node, names] : kernels) {
    text += nlohmann::json(node).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    text += '\t' + names + "\n";
  }
  return text;
}

std::map<std::string, std::string> KernelsByNode(const std::string& record) {
  std::map<std::string, std::string> kernels;
  for (const auto& [node, names] : Lines(record)) {
    kernels.emplace(nlohmann::json::parse(node).get<std::string>(), names);
  }
  return kernels;
}

std::set<std::string> ChangedNodes(const std::string& before, const std::string& after,
                                   bool of_part) {
  const auto old_lines = Lines(before);
  const auto new_lines = Lines(after);
  std::set<std::string> changed;
  const auto add_missing = [&](const auto& lines, const auto& others) {
    for (const auto& [node, kernels] : lines) {
      const auto other = others.find(node);
      if (other == others.end() ||
          !(of_part ? IsPartOf(kernels, other->second) : kernels == other->second)) {
        changed.insert(nlohmann::json::parse(node).template get<std::string>());
      }
    }
  };
  add_missing(new_lines, old_lines);
  if (!of_part) {
    add_missing(old_lines, new_lines);
  }
  return changed;
}

Provenance FactsOfKernels(const std::string& kernels) {
  return kernels.empty() ? Provenance() : Provenance{{"kernels", kernels}};
}

}  // namespace halftone
