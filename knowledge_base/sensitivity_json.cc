#include "knowledge_base/sensitivity_json.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

using nlohmann::json;

constexpr int kSchema = 2;

// Formats whose errors and rounding facts schema 1 has, in this order.
constexpr NumericFormat kFormatsOfSchema1[] = {DType::kFloat16, DType::kBFloat16};

void CheckSamples(const std::vector<double>& values, std::size_t samples) {
  if (values.size() != samples) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("a stored sensitivity is damaged: expected {} of each kind, one for "
                            "each sample, found {}",
                            Counted(static_cast<std::int64_t>(samples), "number"), values.size()));
  }
}

// Weights of samples that count alike, which are written as no weights.
std::vector<double> EqualWeights(std::size_t samples) {
  return std::vector<double>(samples, 1 / static_cast<double>(samples));
}

json ToJson(const ChoiceSensitivity& choice) {
  json object = {
      {"errors", choice.errors}, {"local_error", choice.local_error}, {"time", choice.time}};
  if (!choice.refusal.empty()) {
    object["refusal"] = choice.refusal;
  }
  if (choice.probed) {
    object["probed"] = true;
  }
  if (choice.not_finite) {
    object["not_finite"] = true;
  }
  if (choice.changed > 0) {
    object["changed"] = choice.changed;
  }
  return object;
}

ChoiceSensitivity ChoiceFrom(const json& object) {
  return {.refusal = object.value("refusal", ""),
          .local_error = object.at("local_error").get<double>(),
          .errors = object.at("errors").get<std::vector<double>>(),
          .time = object.at("time").get<double>(),
          .probed = object.value("probed", false),
          .not_finite = object.value("not_finite", false),
          .changed = object.value("changed", 0.0)};
}

json ToJson(const RoundingFacts& facts) {
  return {{"operands", facts.operands},
          {"carried", facts.carried},
          {"results", facts.results},
          {"tiny_share", facts.tiny_share},
          {"clipped_share", facts.clipped_share}};
}

RoundingFacts FactsFrom(const json& object) {
  return {.operands = object.at("operands").get<double>(),
          .carried = object.at("carried").get<double>(),
          .results = object.at("results").get<double>(),
          .tiny_share = object.at("tiny_share").get<double>(),
          .clipped_share = object.value("clipped_share", 0.0)};
}

FormatSensitivity FormatFrom(const json& object) {
  return {.errors = object.at("errors").get<std::vector<double>>(),
          .rounding = FactsFrom(object.at("rounding"))};
}

NumericFormat FormatNamed(const std::string& name) {
  const auto format = NumericFormat::Named(name);
  if (!format) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("a stored sensitivity has the number format '{}', which this halftone "
                            "does not know: it was written by another version",
                            name));
  }
  return *format;
}

// Probes of the first versions recorded no evidence.
void ReadSchema1(const json& group, GroupSensitivity& read) {
  const auto errors = group.at("rounding_errors").get<std::vector<std::vector<double>>>();
  const auto evidence = group.find("evidence");
  if (evidence != group.end()) {
    read.largest_sample = evidence->at("largest_sample").get<std::size_t>();
    read.longest_sum = evidence->at("longest_sum").get<std::int64_t>();
  }
  for (std::size_t i = 0; i < std::size(kFormatsOfSchema1); ++i) {
    read.formats[kFormatsOfSchema1[i]] = {
        .errors = errors.at(i),
        .rounding =
            evidence != group.end() ? FactsFrom(evidence->at("rounding").at(i)) : RoundingFacts()};
  }
}

void ReadSchema2(const json& group, GroupSensitivity& read) {
  read.largest_sample = group.at("largest_sample").get<std::size_t>();
  read.longest_sum = group.at("longest_sum").get<std::int64_t>();
  for (const auto& [name, of_format] : group.at("formats").items()) {
    read.formats[FormatNamed(name)] = FormatFrom(of_format);
  }
}

GroupSensitivity GroupFrom(const json& group, int schema, std::size_t samples) {
  GroupSensitivity read;
  read.gain = group.at("gain").get<double>();
  read.largest_value = group.at("largest_value").get<double>();
  if (schema == 1) {
    ReadSchema1(group, read);
  } else {
    ReadSchema2(group, read);
  }
  for (const json& choice : group.at("choices")) {
    read.choices.push_back(ChoiceFrom(choice));
    CheckSamples(read.choices.back().errors, samples);
  }
  for (const auto& [format, of_format] : read.formats) {
    CheckSamples(of_format.errors, samples);
  }
  return read;
}

}  // namespace

std::string SensitivityToJson(const Sensitivity& sensitivity) {
  json groups = json::array();
  for (const GroupSensitivity& group : sensitivity.groups) {
    json choices = json::array();
    for (const ChoiceSensitivity& choice : group.choices) {
      choices.push_back(ToJson(choice));
    }
    json object = {{"choices", choices},
                   {"gain", group.gain},
                   {"largest_value", group.largest_value},
                   {"largest_sample", group.largest_sample},
                   {"longest_sum", group.longest_sum},
                   {"formats", json::object()}};
    for (const auto& [format, of_format] : group.formats) {
      object["formats"][std::string(NameOf(format))] = {{"errors", of_format.errors},
                                                        {"rounding", ToJson(of_format.rounding)}};
    }
    groups.push_back(std::move(object));
  }
  json object{{"schema", kSchema},
              {"samples", sensitivity.weights.size()},
              {"evaluations", sensitivity.evaluations},
              {"other_time", sensitivity.other_time},
              {"cast_time", sensitivity.cast_time},
              {"cast_time_per_element", sensitivity.cast_time_per_element},
              {"groups", groups}};
  if (sensitivity.weights != EqualWeights(sensitivity.weights.size())) {
    object["weights"] = sensitivity.weights;
  }
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Sensitivity SensitivityFromJson(std::string_view text) {
  try {
    const json object = json::parse(text);
    const int schema = object.at("schema").get<int>();
    if (schema < 1 || schema > kSchema) {
      throw Error(ErrorKind::kDatabase,
                  fmt::format("expected a sensitivity of schema 1 to {}, found {}: it was written "
                              "by another version of halftone",
                              kSchema, schema));
    }
    Sensitivity sensitivity{
        .groups = {},
        .weights = {},
        .other_time = object.at("other_time").get<double>(),
        .cast_time = object.at("cast_time").get<double>(),
        .cast_time_per_element = object.at("cast_time_per_element").get<double>(),
        .evaluations = object.at("evaluations").get<double>()};
    const auto samples = object.at("samples").get<std::size_t>();
    if (samples > text.size()) {  // each has a number in the text
      throw Error(ErrorKind::kDatabase,
                  fmt::format("a stored sensitivity is damaged: it is to be of {} samples, more "
                              "than its {} can hold",
                              samples, Counted(static_cast<std::int64_t>(text.size()), "byte")));
    }
    for (const json& group : object.at("groups")) {
      sensitivity.groups.push_back(GroupFrom(group, schema, samples));
    }
    const auto weights = object.find("weights");
    sensitivity.weights =
        weights == object.end() ? EqualWeights(samples) : weights->get<std::vector<double>>();
    CheckSamples(sensitivity.weights, samples);
    return sensitivity;
  } catch (const json::exception& error) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("a stored sensitivity cannot be read: {}", error.what()));
  }
}

}  // namespace halftone
