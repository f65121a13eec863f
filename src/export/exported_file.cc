#include "src/export/exported_file.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

namespace halftone {

Loss LossOf(std::string node, NumericFormat asked, std::string written, std::string why) {
  return {.node = std::move(node),
          .asked = std::string(ShownNameOf(asked)),
          .written = std::move(written),
          .why = std::move(why)};
}

std::vector<std::string> NotesOf(const std::vector<Loss>& losses) {
  struct Group {
    const Loss* first;
    std::size_t count;
  };

  std::map<std::string_view, std::size_t> of_reason;
  std::vector<Group> groups;
  for (const Loss& loss : losses) {
    const auto [place, is_new] = of_reason.emplace(loss.why, groups.size());
    if (is_new) {
      groups.push_back({.first = &loss, .count = 0});
    }
    ++groups[place->second].count;
  }
  std::vector<std::string> notes;
  notes.reserve(groups.size());
  for (const Group& group : groups) {
    notes.push_back(
        fmt::format("{}: {}, the first is '{}'", group.first->why, group.count, group.first->node));
  }
  return notes;
}

}  // namespace halftone
