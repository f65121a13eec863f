// {"schema": 1, "target": "host", "mode": "force_fp16", "plan_digest": "0123...", "changed_inputs":
// [{"name": ..., "original": "float32", "dtype": "float16"}], "changed_outputs": [],
// "clips_weights": true, "overflow": "inf_nan", "notes": [], "warnings": [...], "nodes": [{"node":
// ..., "inputs": ["float16", null], "refused": [{"column": "f32->f32", "why": ...}], ...}]}
#include <nlohmann/json.hpp>

#include "src/base/printable.h"
#include "src/precision/explain/explain.h"

namespace halftone {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

Json FormatsJson(const std::vector<std::optional<NumericFormat>>& formats) {
  Json names = Json::array();
  for (const auto& format : formats) {
    names.push_back(format ? Json(NameOf(*format)) : Json(nullptr));
  }
  return names;
}

Json PlanJson(const NodeExplanation& node) {
  Json refused = Json::array();
  for (const RefusedColumn& column : node.trace.columns) {
    refused.push_back({{"column", column.dtypes}, {"why", column.why}});
  }
  Json json = {{"engine", NameOf(node.engine)},
               {"inputs", FormatsJson(node.inputs)},
               {"outputs", FormatsJson(node.outputs)},
               {"compute", NameOf(node.compute)},
               {"implementation", NameOf(node.impl_mode)},
               {"reason", node.reason},
               {"refused", std::move(refused)}};
  for (const auto& [key, value] :
       {std::pair("ai_core_refusal", &node.trace.ai_core_refusal),
        std::pair("kept_by", &node.trace.kept_by), std::pair("custom_by", &node.trace.custom_by)}) {
    if (!value->empty()) {
      json[key] = *value;
    }
  }
  return json;
}

Json NodeJson(const NodeExplanation& node) {
  return {{"node", node.node},
          {"parts", node.parts},
          {"onnx_type", node.onnx_type},
          {"ir_type", node.ir_type}};
}

Json HeadJson(const Explanation& explanation) {
  Json json = {{"target", explanation.target},
               {"mode", explanation.mode},
               {"plan_digest", explanation.plan_digest.ToHex()}};
  for (const bool is_input : {true, false}) {
    Json& changes = json[is_input ? "changed_inputs" : "changed_outputs"] = Json::array();
    for (const BoundaryChange& change : explanation.boundary) {
      if (change.is_input == is_input) {
        changes.push_back({{"name", change.name},
                           {"original", NameOf(change.original)},
                           {"dtype", NameOf(change.dtype)}});
      }
    }
  }
  json["clips_weights"] = explanation.clips_weights;
  json["overflow"] = NameOf(explanation.overflow);
  json["notes"] = explanation.notes;
  json["warnings"] = explanation.warnings;
  return json;
}

// Names of a model may hold bytes that are not UTF-8.
std::string TextOf(const Json& json) {
  return PrintableJson(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace

std::string ExplainJson(const Explanation& explanation, const ExplainLayout& /*layout*/) {
  Json json = {{"schema", kSchema}};
  json.update(HeadJson(explanation));
  json["nodes"] = Json::array();
  for (const NodeExplanation& node : explanation.nodes) {
    Json row = NodeJson(node);
    row.update(PlanJson(node));
    json["nodes"].push_back(std::move(row));
  }
  return TextOf(json);
}

std::string DiffJson(const Explanation& a, const Explanation& b, const ExplainLayout& /*layout*/) {
  Json json = {{"schema", kSchema},
               {"a", HeadJson(a)},
               {"b", HeadJson(b)},
               {"node_count", a.nodes.size()},
               {"nodes", Json::array()}};
  for (const NodeDifference& difference : Differences(a, b)) {
    Json row = NodeJson(*difference.a);
    row["a"] = PlanJson(*difference.a);
    row["b"] = PlanJson(*difference.b);
    json["nodes"].push_back(std::move(row));
  }
  return TextOf(json);
}

}  // namespace halftone
