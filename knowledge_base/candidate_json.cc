#include "knowledge_base/candidate_json.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "knowledge_base/quantization_json.h"
#include "knowledge_base/text_json.h"
#include "src/base/error.h"

namespace halftone {
namespace {

using nlohmann::json;

constexpr int kSchema = 1;

// A field of PrecisionOptions under its key; every field has one row in ForEachField.
template <typename Visitor>
void ForEachField(Visitor&& visit) {
  visit("precision_mode", &PrecisionOptions::precision_mode);
  visit("precision_mode_v2", &PrecisionOptions::precision_mode_v2);
  visit("keep_dtype", &PrecisionOptions::keep_dtype);
  visit("op_precision_given", &PrecisionOptions::op_precision_given);
  visit("impl_mode_by_node", &PrecisionOptions::impl_mode_by_node);
  visit("impl_mode_by_type", &PrecisionOptions::impl_mode_by_type);
  visit("op_select_implmode", &PrecisionOptions::op_select_implmode);
  visit("optypelist_for_implmode", &PrecisionOptions::optypelist_for_implmode);
  visit("modify_mixlist", &PrecisionOptions::modify_mixlist);
  visit("customize_dtypes", &PrecisionOptions::customize_dtypes);
  visit("allow_hf32", &PrecisionOptions::allow_hf32);
  visit("output_type", &PrecisionOptions::output_type);
  visit("input_fp16_nodes", &PrecisionOptions::input_fp16_nodes);
  visit("is_weight_clip", &PrecisionOptions::is_weight_clip);
  visit("status_check", &PrecisionOptions::status_check);
  visit("graph_run_mode", &PrecisionOptions::graph_run_mode);
  visit("node_formats", &PrecisionOptions::node_formats);
  visit("quantization", &PrecisionOptions::quantization);
}

// Calls visit(key, member) for the lists of a Mixlist.
template <typename Visitor>
void ForEachList(Visitor&& visit) {
  visit("white", &Mixlist::white);
  visit("black", &Mixlist::black);
  visit("gray", &Mixlist::gray);
}

template <typename Visitor>
void ForEachChange(Visitor&& visit) {
  visit("to_add", &MixlistChange::to_add);
  visit("to_remove", &MixlistChange::to_remove);
}

template <typename T>
json ToJson(const T& value) {
  return value;
}

json ToJson(const std::string& text) {
  return TextToJson(text);
}

json ToJson(const std::vector<std::string>& texts) {
  return TextsToJson(texts);
}

// An object; an array of pairs where a name is not UTF-8, which no key can be.
json ToJson(const std::map<std::string, ImplMode>& modes) {
  json object = json::object();
  json pairs = json::array();
  bool is_object = true;
  for (const auto& [name, mode] : modes) {
    const json key = TextToJson(name);
    is_object = is_object && key.is_string();
    object[name] = std::string(NameOf(mode));
    pairs.push_back({key, NameOf(mode)});
  }
  return is_object ? object : pairs;
}

// Pairs, since no key can be a name that is not UTF-8.
json ToJson(const std::map<std::string, std::string>& formats) {
  json pairs = json::array();
  for (const auto& [name, format] : formats) {
    pairs.push_back({TextToJson(name), format});
  }
  return pairs;
}

json ToJson(const std::optional<Mixlist>& mixlist) {
  json object = json::object();
  ForEachList([&](const char* list, auto change) {
    ForEachChange([&](const char* key, auto types) {
      if (mixlist && !((*mixlist).*change.*types).empty()) {
        object[list][key] = (*mixlist).*change.*types;
      }
    });
  });
  return object;
}

json ToJson(const std::vector<std::optional<DType>>& dtypes) {
  json array = json::array();
  for (const std::optional<DType>& dtype : dtypes) {
    array.push_back(dtype ? json(std::string(NameOf(*dtype))) : json());
  }
  return array;
}

json ToJson(const std::vector<CustomDTypes>& lines) {
  json array = json::array();
  for (const CustomDTypes& line : lines) {
    array.push_back({{line.is_type ? "type" : "node", TextToJson(line.target)},
                     {"inputs", ToJson(line.inputs)},
                     {"outputs", ToJson(line.outputs)}});
  }
  return array;
}

json ToJson(const SharedQuantization& quantization) {
  return QuantizationToJson(quantization);
}

// Every key of what must be an object must be one that was asked for.
void RefuseOtherKeys(const json& object, std::size_t known, std::string_view what) {
  if (object.get_ref<const json::object_t&>().size() != known) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("a stored candidate has unknown keys in its {}: it was written by a "
                            "newer halftone",
                            what));
  }
}

template <typename T>
void FromJson(const json& value, T& field) {
  field = value.get<T>();
}

void FromJson(const json& value, std::string& text) {
  text = TextFromJson(value);
}

void FromJson(const json& value, std::vector<std::string>& texts) {
  texts = TextsFromJson(value);
}

void FromJson(const json& value, std::optional<Mixlist>& mixlist) {
  mixlist.emplace();
  std::size_t lists = 0;
  ForEachList([&](const char* list, auto change) {
    const auto found = value.find(list);
    if (found == value.end()) {
      return;
    }
    ++lists;
    std::size_t changes = 0;
    ForEachChange([&](const char* key, auto types) {
      if (found->contains(key)) {
        ++changes;
        found->at(key).get_to((*mixlist).*change.*types);
      }
    });
    RefuseOtherKeys(*found, changes, "modify_mixlist");
  });
  RefuseOtherKeys(value, lists, "modify_mixlist");
}

void FromJson(const json& value, std::vector<std::optional<DType>>& dtypes) {
  for (const json& item : value.get<std::vector<json>>()) {
    if (item.is_null()) {
      dtypes.emplace_back();
      continue;
    }
    const auto name = item.get<std::string>();
    dtypes.push_back(DTypeFromName(name));
    if (!dtypes.back()) {
      throw Error(ErrorKind::kDatabase,
                  fmt::format("a stored candidate has the unknown dtype '{}': it was written by a "
                              "newer halftone",
                              name));
    }
  }
}

void FromJson(const json& value, std::vector<CustomDTypes>& lines) {
  for (const json& object : value.get<std::vector<json>>()) {
    CustomDTypes& line = lines.emplace_back();
    line.is_type = object.contains("type");
    line.target = TextFromJson(object.at(line.is_type ? "type" : "node"));
    FromJson(object.at("inputs"), line.inputs);
    FromJson(object.at("outputs"), line.outputs);
    RefuseOtherKeys(object, 3, "customize_dtypes");
  }
}

void FromJson(const json& value, std::map<std::string, ImplMode>& modes) {
  std::vector<std::pair<std::string, std::string>> read;
  if (value.is_array()) {
    for (const json& pair : value) {
      read.emplace_back(TextFromJson(pair.at(0)), pair.at(1).get<std::string>());
    }
  } else {
    const auto object = value.get<std::map<std::string, std::string>>();
    read.assign(object.begin(), object.end());
  }
  for (const auto& [name, mode_name] : read) {
    const auto mode = ValueIn(kImplModes, mode_name);
    if (!mode) {
      throw Error(ErrorKind::kDatabase,
                  fmt::format("a stored candidate has the unknown implementation mode '{}' for "
                              "'{}': it was written by a newer halftone",
                              mode_name, name));
    }
    modes.emplace(name, *mode);
  }
}

void FromJson(const json& value, std::map<std::string, std::string>& formats) {
  for (const json& pair : value.get<std::vector<json>>()) {
    formats.emplace(TextFromJson(pair.at(0)), pair.at(1).get<std::string>());
  }
}

void FromJson(const json& value, SharedQuantization& quantization) {
  quantization = QuantizationFromJson(value);
}

// Third-party exceptions become ours here.
template <typename Body>
auto Translated(std::string_view what, Body&& body) {
  try {
    return body();
  } catch (const json::exception& error) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("a stored {} is damaged: {}", what, error.what()));
  }
}

}  // namespace

std::string CandidateToJson(const Candidate& candidate) {
  const PrecisionOptions defaults;
  json object = {{"schema", kSchema}};
  ForEachField([&](const char* key, auto field) {
    if (candidate.options.*field != defaults.*field) {
      object[key] = ToJson(candidate.options.*field);
    }
  });
  return Translated("candidate", [&] { return object.dump(); });
}

Candidate CandidateFromJson(std::string_view text) {
  return Translated("candidate", [&] {
    json object = json::parse(text);
    const int schema = object.at("schema").get<int>();
    if (schema != kSchema) {
      throw Error(ErrorKind::kDatabase,
                  fmt::format("a stored candidate has schema {}, expected {}: it was written by "
                              "another version of halftone",
                              schema, kSchema));
    }
    object.erase("schema");
    Candidate candidate;
    ForEachField([&](const char* key, auto field) {
      if (const auto found = object.find(key); found != object.end()) {
        FromJson(*found, candidate.options.*field);
        object.erase(found);
      }
    });
    if (!object.empty()) {
      throw Error(ErrorKind::kDatabase,
                  fmt::format("a stored candidate has the unknown option '{}': it was written by a "
                              "newer halftone",
                              object.begin().key()));
    }
    return candidate;
  });
}

std::string NamesToJson(const std::vector<std::string>& names) {
  return Translated("list of names", [&] { return TextsToJson(names).dump(); });
}

std::vector<std::string> NamesFromJson(std::string_view text) {
  return Translated("list of names", [&] { return TextsFromJson(json::parse(text)); });
}

}  // namespace halftone
