#include "search/strategies/dynamic_globals.h"

#include <algorithm>
#include <utility>

#include "search/strategies/scaled_globals.h"

namespace halftone {
namespace {

// `others`, with the choice of `dynamic` for every group that is in a dynamic format there.
Assignment Over(Assignment others, const Assignment& dynamic) {
  for (std::size_t g = 0; g < others.size(); ++g) {
    others[g] = dynamic[g] != 0 ? dynamic[g] : others[g];
  }
  return others;
}

}  // namespace

std::vector<Assignment> DynamicGlobals(const Decisions& decisions) {
  std::vector<Assignment> globals;
  const auto add = [&](const Assignment& assignment) {
    if (std::ranges::find(globals, assignment) == globals.end()) {
      globals.push_back(assignment);
    }
  };
  const Assignment exact(decisions.groups().size(), 0);
  for (const NumericFormat format : decisions.formats()) {
    const Assignment dynamic =
        format.is_dynamic() ? decisions.Uniform({.format = format}) : Assignment();
    if (dynamic.empty() || dynamic == exact) {
      continue;
    }
    add(dynamic);
    for (const NumericFormat rest : decisions.formats()) {
      if (rest.is_dynamic()) {
        continue;
      }
      Assignment mixed = Over(decisions.Uniform({.format = rest}), dynamic);
      add(rest.is_scaled() ? WithFloatEnds(decisions, std::move(mixed), dynamic)
                           : std::move(mixed));
    }
  }
  return globals;
}

}  // namespace halftone
