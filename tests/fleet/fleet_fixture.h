// A fleet in a folder of its own, for tests that need no engine.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/temporary_folder.h"
#include "src/fleet/fleet_folder.h"

namespace halftone::testing {

// Each network, at a path where nothing is, on each kind; commands start in "/".
inline FleetPlan SmallPlan(const std::vector<std::string>& kinds,
                           const std::vector<std::string>& networks) {
  FleetPlan plan;
  plan.start_folder = "/";
  for (const std::string& kind : kinds) {
    plan.kinds.push_back({.name = kind});
  }
  for (const std::string& network : networks) {
    plan.networks.push_back({.name = network,
                             .model = std::filesystem::path("/models") / network / "model.onnx",
                             .options = {},
                             .kinds = kinds});
  }
  return plan;
}

inline FleetResult SmallResult(const FleetItem& item, TaskEnd end = TaskEnd::kDone) {
  FleetResult result;
  result.kind = item.kind;
  result.network = item.network;
  result.end = end;
  result.reason = "of a test";
  result.begin = "2026-11-26T12:00:00Z";
  result.node = "n0";
  return result;
}

class FleetFixture : public ::testing::Test {
 protected:
  FleetFolder NewFleet(const FleetPlan& plan) const {
    return FleetFolder::AddRound(folder_.path() / "fleet", plan, true);
  }

  // True: it was the first.
  static bool PublishSmall(const FleetFolder& fleet, const FleetResult& result) {
    return fleet.Publish({result.kind, result.network}, [&](const std::filesystem::path& folder) {
      WriteFileAtomically(folder / "result.json", ResultToJson(result));
    });
  }

  // Names of what lies in a folder, sorted.
  static std::vector<std::string> NamesIn(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  // The sentence of the Error of `kind`.
  template <typename Body>
  static std::string Message(ErrorKind kind, Body&& body) {
    try {
      body();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_{"a test"};
};

}  // namespace halftone::testing
