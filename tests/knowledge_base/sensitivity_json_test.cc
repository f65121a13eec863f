#include "knowledge_base/sensitivity_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/base/error.h"
#include "tests/knowledge_base/sample_trials.h"

namespace halftone {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SensitivityJsonTest, ComesBack) {
  const Sensitivity sensitivity = testing::SampleSensitivity();
  EXPECT_EQ(SensitivityFromJson(SensitivityToJson(sensitivity)), sensitivity);
}

// As it was written when all samples counted alike.
TEST(SensitivityJsonTest, WithoutWeightsSamplesCountAlike) {
  Sensitivity sensitivity = testing::SampleSensitivity();
  sensitivity.weights = {0.5, 0.5};
  const json text = json::parse(SensitivityToJson(sensitivity));
  EXPECT_FALSE(text.contains("weights"));
  EXPECT_THAT(SensitivityFromJson(text.dump()).weights, ElementsAre(0.5, 0.5));
}

TEST(SensitivityJsonTest, ANumberForEachSample) {
  json text = json::parse(SensitivityToJson(testing::SampleSensitivity()));
  const auto message = [](const json& damaged) {
    try {
      SensitivityFromJson(damaged.dump());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kDatabase);
      return std::string(error.what());
    }
    return std::string();
  };
  text["samples"] = 3;
  EXPECT_THAT(message(text), HasSubstr("one for each sample, found 2"));
  // A count that no list has is not taken memory for, also where there is no list to compare with.
  text["samples"] = 1'000'000'000'000;
  EXPECT_THAT(message(text), HasSubstr("of 1000000000000 samples, more than its "));
  json empty = text;
  empty["groups"] = json::array();
  empty.erase("weights");
  EXPECT_THAT(message(empty), HasSubstr("of 1000000000000 samples, more than its "));
  text["samples"] = 2;
  text["weights"] = {1};
  EXPECT_THAT(message(text), HasSubstr("expected 2 numbers of each kind"));
  text["weights"] = {0.5, 0.25};
  text["groups"][1]["choices"][0]["errors"] = {1, 2, 3};
  EXPECT_THAT(message(text), HasSubstr("found 3"));
}

}  // namespace
}  // namespace halftone
