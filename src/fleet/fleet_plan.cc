#include "src/fleet/fleet_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/base/enum_table.h"
#include "src/base/error.h"
#include "src/base/strict_json.h"

namespace halftone {
namespace {

using Json = nlohmann::json;

constexpr int kPlanFormat = 1;

constexpr EnumRow<RoundTask> kTaskNames[] = {
    {RoundTask::kTune, "tune"},
    {RoundTask::kRetune, "retune"},
};

Json OptionsToJson(const OptionList& options) {
  Json array = Json::array();
  for (const auto& [name, value] : options) {
    array.push_back({name, value});
  }
  return array;
}

OptionList OptionsFromJson(const Json& array) {
  OptionList options;
  for (const Json& pair : array) {
    options.emplace_back(pair.at(0).get<std::string>(), pair.at(1).get<std::string>());
  }
  return options;
}

FleetKind KindFromJson(const Json& json) {
  return {.name = json.at("name"),
          .constraint = json.at("constraint"),
          .exclusive = json.at("exclusive"),
          .cpus = json.at("cpus"),
          .options = OptionsFromJson(json.at("options"))};
}

FleetNetwork NetworkFromJson(const Json& json) {
  return {.name = json.at("name"),
          .model = json.at("model").get<std::string>(),
          .options = OptionsFromJson(json.at("options")),
          .kinds = json.at("kinds")};
}

}  // namespace

std::string OptionWord(const OptionList::value_type& option) {
  const auto& [name, value] = option;
  return value == "true" ? "--" + name : fmt::format("--{}={}", name, value);
}

std::string_view NameOf(RoundTask task) {
  return NameIn(kTaskNames, task);
}

const FleetKind* FleetPlan::FindKind(std::string_view name) const {
  const auto found = std::ranges::find(kinds, name, &FleetKind::name);
  return found == kinds.end() ? nullptr : &*found;
}

const FleetNetwork* FleetPlan::FindNetwork(std::string_view name) const {
  const auto found = std::ranges::find(networks, name, &FleetNetwork::name);
  return found == networks.end() ? nullptr : &*found;
}

std::vector<FleetItem> ItemsOf(const FleetPlan& plan) {
  std::vector<FleetItem> items;
  for (const FleetKind& kind : plan.kinds) {
    for (const FleetNetwork& network : plan.networks) {
      if (std::ranges::find(network.kinds, kind.name) != network.kinds.end()) {
        items.push_back({kind.name, network.name});
      }
    }
  }
  return items;
}

OptionList OptionsOf(const FleetPlan& plan, const FleetItem& item) {
  const FleetNetwork* const network = plan.FindNetwork(item.network);
  const FleetKind* const kind = plan.FindKind(item.kind);
  Check(network != nullptr && kind != nullptr, "an item is of its plan");
  OptionList options = network->options;
  SetOptions(kind->options, options);
  std::erase_if(options, [](const auto& option) { return option.second == "false"; });
  return options;
}

void SetOptions(const OptionList& of, OptionList& options) {
  for (const auto& [name, value] : of) {
    const auto found = std::ranges::find(options, name, &OptionList::value_type::first);
    if (found == options.end()) {
      options.emplace_back(name, value);
    } else {
      found->second = value;
    }
  }
}

std::string PlanToJson(const FleetPlan& plan) {
  Json kinds = Json::array();
  for (const FleetKind& kind : plan.kinds) {
    kinds.push_back({{"name", kind.name},
                     {"constraint", kind.constraint},
                     {"exclusive", kind.exclusive},
                     {"cpus", kind.cpus},
                     {"options", OptionsToJson(kind.options)}});
  }
  Json networks = Json::array();
  for (const FleetNetwork& network : plan.networks) {
    networks.push_back({{"name", network.name},
                        {"model", network.model.string()},
                        {"options", OptionsToJson(network.options)},
                        {"kinds", network.kinds}});
  }
  const Json json = {{"format", kPlanFormat},
                     {"task", NameOf(plan.task)},
                     {"engine", plan.engine},
                     {"engine_options", OptionsToJson(plan.engine_options)},
                     {"checkpoint_s", plan.checkpoint_s},
                     {"start_folder", plan.start_folder.string()},
                     {"kinds", kinds},
                     {"networks", networks}};
  try {
    return json.dump(1) + "\n";
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("a path or option of the fleet is not UTF-8: {}", error.what()));
  }
}

FleetPlan PlanFromJson(std::string_view text, std::string_view where) {
  const Json json = ParseStrictJson(text, where);
  try {
    if (json.at("format") != kPlanFormat) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: a plan of format {}; this halftone reads format {}", where,
                              json.at("format").dump(), kPlanFormat));
    }
    FleetPlan plan;
    const std::string task = json.at("task");
    const auto known = ValueIn(kTaskNames, task);
    if (!known) {
      throw Error(ErrorKind::kUsage, fmt::format("{}: unknown task '{}'", where, task));
    }
    plan.task = *known;
    plan.engine = json.at("engine");
    plan.engine_options = OptionsFromJson(json.at("engine_options"));
    plan.checkpoint_s = json.at("checkpoint_s");
    plan.start_folder = json.at("start_folder").get<std::string>();
    for (const Json& kind : json.at("kinds")) {
      plan.kinds.push_back(KindFromJson(kind));
    }
    for (const Json& network : json.at("networks")) {
      plan.networks.push_back(NetworkFromJson(network));
    }
    return plan;
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: no plan of a fleet: {}; expected what `halftone fleet submit` "
                            "wrote",
                            where, error.what()));
  }
}

}  // namespace halftone
