#include "src/fleet/fleet_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "src/base/enum_table.h"
#include "src/base/error.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"
#include "src/fleet/fleet_names.h"

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

// An error without the place, which PlanFromJson() adds.
[[noreturn]] void Refuse(std::string_view what, const std::string& found, std::string_view why) {
  throw Error(ErrorKind::kUsage, fmt::format("{} '{}': {}", what, Shown(found), why));
}

OptionList OptionsFromJson(const Json& array) {
  OptionList options;
  for (const Json& pair : array) {
    options.emplace_back(pair.at(0).get<std::string>(), pair.at(1).get<std::string>());
    if (const std::string why = WhyNoOptionName(options.back().first); !why.empty()) {
      Refuse("the option", options.back().first, why);
    }
  }
  return options;
}

std::string NameFromJson(const Json& json, std::string_view what) {
  std::string name = json;
  if (const std::string why = WhyNoFleetName(name); !why.empty()) {
    Refuse(what, name, why);
  }
  return name;
}

// A number that is no whole one, or too large, would be cut by get<int>().
int CpusFromJson(const Json& json) {
  if (!json.is_number_integer() || json < 0 || json > std::numeric_limits<int>::max()) {
    Refuse("cpus", json.dump(), "expected a whole number, 0 or above");
  }
  return json;
}

double SecondsFromJson(const Json& json) {
  const double seconds = json;
  if (!std::isfinite(seconds) || seconds < 0) {
    Refuse("checkpoint_s", json.dump(), "expected seconds, 0 or above");
  }
  return seconds;
}

// As FLEET.yaml: names that stand once, and kinds that are there.
void CheckNames(const FleetPlan& plan) {
  std::set<std::string_view> kinds;
  for (const FleetKind& kind : plan.kinds) {
    if (!kinds.insert(kind.name).second) {
      Refuse("the kind", kind.name, "expected one of this name, found two");
    }
  }
  std::set<std::string_view> networks;
  for (const FleetNetwork& network : plan.networks) {
    if (!networks.insert(network.name).second) {
      Refuse("the network", network.name, "expected one of this name, found two");
    }
    for (const std::string& kind : network.kinds) {
      if (!kinds.contains(kind)) {
        Refuse("the kind", kind,
               fmt::format("expected one of \"kinds\", as of '{}'", network.name));
      }
    }
  }
}

FleetKind KindFromJson(const Json& json) {
  return {.name = NameFromJson(json.at("name"), "the kind"),
          .constraint = json.at("constraint"),
          .exclusive = json.at("exclusive"),
          .cpus = CpusFromJson(json.at("cpus")),
          .options = OptionsFromJson(json.at("options"))};
}

FleetNetwork NetworkFromJson(const Json& json) {
  return {.name = NameFromJson(json.at("name"), "the network"),
          .model = json.at("model").get<std::string>(),
          .options = OptionsFromJson(json.at("options")),
          .kinds = json.at("kinds")};
}

}  // namespace

std::string CommandWord(const OptionList::value_type& option) {
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

namespace {

FleetPlan PlanOf(const Json& json) {
  try {
    if (json.at("format") != kPlanFormat) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("a plan of format {}; this halftone reads format {}",
                              json.at("format").dump(), kPlanFormat));
    }
    FleetPlan plan;
    const std::string task = json.at("task");
    const auto known = ValueIn(kTaskNames, task);
    if (!known) {
      throw Error(ErrorKind::kUsage, fmt::format("unknown task '{}'", Shown(task)));
    }
    plan.task = *known;
    plan.engine = json.at("engine");
    plan.engine_options = OptionsFromJson(json.at("engine_options"));
    plan.checkpoint_s = SecondsFromJson(json.at("checkpoint_s"));
    plan.start_folder = json.at("start_folder").get<std::string>();
    for (const Json& kind : json.at("kinds")) {
      plan.kinds.push_back(KindFromJson(kind));
    }
    for (const Json& network : json.at("networks")) {
      plan.networks.push_back(NetworkFromJson(network));
    }
    CheckNames(plan);
    return plan;
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("no plan of a fleet: {}; expected what `halftone fleet submit` wrote",
                            error.what()));
  }
}

}  // namespace

FleetPlan PlanFromJson(std::string_view text, std::string_view where) {
  const Json json = ParseStrictJson(text, where);
  CheckFleetTexts(json, where);
  return WithContext([&] { return where; }, [&] { return PlanOf(json); });
}

}  // namespace halftone
