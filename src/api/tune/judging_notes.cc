#include "src/api/tune/judging_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "knowledge_base/text_json.h"
#include "src/base/text.h"

namespace halftone {
namespace {

using nlohmann::json;

}  // namespace

FrontNotes NotesOf(std::span<const OutputCounts> reference, const TunedFront& front) {
  FrontNotes notes{.reference = JudgingNotes(reference), .points = {}};
  for (const FrontPoint& point : front.points) {
    std::vector<OutputCounts> outputs = point.measurement().accuracy.outputs;
    std::erase_if(outputs, [](const OutputCounts& output) {
      return output.saturated + output.apart_saturated + output.apart_changed == 0;
    });
    notes.points.push_back(JudgingNotes(outputs));
  }
  return notes;
}

std::vector<std::string> SentencesOf(const FrontNotes& notes) {
  std::vector<std::pair<std::string, std::vector<std::string>>> points_of;
  for (std::size_t i = 0; i < notes.points.size(); ++i) {
    for (const std::string& note : notes.points[i]) {
      auto found =
          std::ranges::find(points_of, note, [](const auto& entry) { return entry.first; });
      if (found == points_of.end()) {
        found = points_of.emplace(found, note, std::vector<std::string>());
      }
      found->second.push_back(fmt::format("{}", i + 1));
    }
  }
  std::vector<std::string> sentences = notes.reference;
  for (const auto& [note, points] : points_of) {
    sentences.push_back(
        fmt::format("point{} {}: {}", points.size() == 1 ? "" : "s", Join(points, ", "), note));
  }
  return sentences;
}

std::string ToText(const FrontNotes& notes, const TunedFront& front) {
  json points = json::object();
  for (std::size_t i = 0; i < notes.points.size(); ++i) {
    if (!notes.points[i].empty()) {
      points[front.points.at(i).trial.plan_digest.ToHex()] = TextsToJson(notes.points[i]);
    }
  }
  if (notes.reference.empty() && points.empty()) {
    return "";
  }
  return json{{"reference", TextsToJson(notes.reference)}, {"points", points}}.dump();
}

FrontNotes NotesFrom(std::string_view text, const TunedFront& front) {
  FrontNotes notes;
  notes.points.resize(front.points.size());
  if (text.empty()) {
    return notes;
  }
  const json object = json::parse(text);
  notes.reference = TextsFromJson(object.at("reference"));
  for (std::size_t i = 0; i < front.points.size(); ++i) {
    const auto found = object.at("points").find(front.points[i].trial.plan_digest.ToHex());
    if (found != object.at("points").end()) {
      notes.points[i] = TextsFromJson(*found);
    }
  }
  return notes;
}

}  // namespace halftone
