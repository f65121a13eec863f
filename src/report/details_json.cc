#include "src/report/details_json.h"

#include "src/quantization/files/histogram_file.h"

namespace halftone {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json SensitivityJson(const std::vector<ProbedGroup>& groups) {
  Json array = Json::array();
  for (const ProbedGroup& group : groups) {
    Json choices = Json::array();
    for (const ProbedChoice& choice : group.choices) {
      Json object = {{"choice", choice.name}};
      if (choice.refusal.empty()) {
        object["local_sqnr_db"] = choice.local_sqnr_db;
        object["sqnr_db"] = choice.sqnr_db;
        object["time"] = choice.time;
        object["probed"] = choice.probed;
      } else {
        object["refusal"] = choice.refusal;
      }
      choices.push_back(std::move(object));
    }
    array.push_back({{"node", group.node},
                     {"op", group.op},
                     {"largest_value", group.largest_value},
                     {"gain", group.gain},
                     {"choices", choices}});
  }
  return array;
}

Json PredictionsJson(const std::vector<PredictedPlan>& predictions, bool by_agreement) {
  Json array = Json::array();
  for (const PredictedPlan& plan : predictions) {
    array.push_back({{"configuration", plan.configuration},
                     {"predicted", ObjectivesJson(plan.predicted, by_agreement)},
                     {"measured", ObjectivesJson(plan.measured, by_agreement)}});
  }
  return array;
}

Json DataJson(const DataQuality& data) {
  Json inputs = Json::array();
  for (const InputRange& input : data.inputs) {
    inputs.push_back({{"name", input.name},
                      {"type", input.type},
                      {"least", input.least},
                      {"largest", input.largest}});
  }
  return {{"inputs", inputs}, {"duplicates", data.duplicates}, {"constant", data.constant}};
}

Json ChosenJson(const ChosenDetails& chosen) {
  Json nodes = Json::array();
  for (const NodeAtPoint& node : chosen.nodes) {
    Json object = {{"node", node.node},
                   {"op", node.op},
                   {"dtype", node.dtype},
                   {"sqnr_db", OrNull(node.sqnr_db)},
                   {"broken", node.broken}};
    if (!node.parts.empty()) {
      object["parts"] = node.parts;
    }
    object["inputs"] = node.inputs;
    if (!node.finding.empty()) {
      object["finding"] = node.finding;
    }
    if (chosen.timed) {
      object["float32_time"] = node.float32_time;
      object["time"] = node.time;
    }
    nodes.push_back(std::move(object));
  }
  Json samples = Json::array();
  for (const SampleAtPoint& sample : chosen.worst_samples) {
    Json object = {{"sample", sample.index},
                   {"name", sample.name},
                   {"sqnr_db", OrNull(sample.sqnr_db)},
                   {"top1_agreement", OrNull(sample.top1_agreement)},
                   {"top1", OrNull(sample.top1)}};
    if (sample.agreement) {
      object["agreement"] = *sample.agreement;
    }
    samples.push_back(std::move(object));
  }
  Json json = {{"bad_below_db", chosen.bad_below_db},
               {"error_samples", chosen.error_samples},
               {"nodes", nodes},
               {"worst_samples", samples}};
  if (chosen.timed) {
    json["casts"] = chosen.casts;
    json["cast_time"] = chosen.cast_time;
    json["total_time"] = chosen.total_time;
    json["predicted_times"] = chosen.predicted;
  }
  return json;
}

}  // namespace

Json ObjectivesJson(const Objectives& objectives, bool by_agreement) {
  return {{"latency_ratio", objectives.latency_ratio},
          {by_agreement ? "disagreement" : "rel_l2", objectives.loss}};
}

void AddDetails(const ReportDetails& details, std::optional<std::size_t> described, Json& json) {
  json["sensitivity"] = SensitivityJson(details.groups);
  json["predictions"] = PredictionsJson(details.predictions, details.by_agreement);
  json["data_quality"] = DataJson(details.data);
  if (details.chosen) {
    json["chosen_point"] = ChosenJson(*details.chosen);
    json["chosen_point"]["point"] = described.value_or(0) + 1;
  }
}

void AddQuantization(const CalibrationRecord& record, Json& json) {
  CalibrationRecord figures = Bounded(record, 0, 0);
  Json written = Json::parse(WriteHistograms(figures));
  for (const char* key :
       {"schema_version", "tool", "model_hash", "histograms_left_out", "pictures_left_out"}) {
    written.erase(key);
  }
  for (Json& tensor : written["tensors"]) {
    tensor.erase("histogram");
  }
  for (Json& weight : written["weights"]) {
    weight.erase("channels_a_place");
    weight.erase("places");
  }
  json["quantization"] = std::move(written);
}

}  // namespace halftone
