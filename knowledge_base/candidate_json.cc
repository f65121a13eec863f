#include "knowledge_base/candidate_json.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

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
}

template <typename T>
json ToJson(const T& value) {
  return value;
}

json ToJson(const std::map<std::string, ImplMode>& modes) {
  json object = json::object();
  for (const auto& [name, mode] : modes) {
    object[name] = std::string(NameOf(mode));
  }
  return object;
}

template <typename T>
void FromJson(const json& value, T& field) {
  field = value.get<T>();
}

void FromJson(const json& value, std::map<std::string, ImplMode>& modes) {
  for (const auto& [name, mode_name] : value.get<std::map<std::string, std::string>>()) {
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
  return Translated("list of names", [&] { return json(names).dump(); });
}

std::vector<std::string> NamesFromJson(std::string_view text) {
  return Translated("list of names",
                    [&] { return json::parse(text).get<std::vector<std::string>>(); });
}

}  // namespace halftone
