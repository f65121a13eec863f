// Bounds on the metric of the user's program: when they are met, and what can be promised.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "search/trial/certify.h"
#include "search/trial/constraints.h"
#include "src/accuracy/loss_metric.h"
#include "src/base/error.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;

MetricValue Own(std::vector<double> values, double mean) {
  MetricValue own{.name = "command:./score.py", .mean = mean, .worst = mean, .worst_sample = -1};
  own.values = std::move(values);
  return own;
}

std::optional<std::string> Missed(const Constraints& constraints, double metric) {
  const Accuracy accuracy{{Own({}, metric)}};
  return Violation(constraints, {.accuracy = accuracy, .latency = nullptr, .reference_top1 = {}});
}

TEST(BoundMembersTest, HaveEveryBoundAndShare) {
  const auto name_of = [](std::optional<double> Constraints::*value) {
    for (const BoundMember& member : kBoundMembers) {
      if (member.value == value) {
        return std::string(member.name);
      }
    }
    return std::string();
  };
  for (const BoundRow& row : AllBounds()) {
    EXPECT_EQ(name_of(row.value), row.name);
    if (row.share != nullptr) {
      EXPECT_EQ(name_of(row.share), std::string(row.name) + "_share");
    }
  }
}

TEST(OwnMetricTest, BoundsOfEitherSide) {
  EXPECT_EQ(Missed({.min_metric = 0.5}, 0.5), std::nullopt);
  EXPECT_EQ(Missed({.min_metric = 0.5}, 0.49), "the metric is 0.49, at least 0.5 is asked for");
  EXPECT_EQ(Missed({.max_metric = -1}, -1), std::nullopt);
  EXPECT_EQ(Missed({.max_metric = -1}, 2), "the metric is 2, at most -1 is asked for");
  const Accuracy none;
  EXPECT_EQ(
      Violation({.min_metric = 1}, {.accuracy = none, .latency = nullptr, .reference_top1 = {}}),
      "a bound on the metric needs --metric=command:PROGRAM or --metric=OUTPUT:METRIC");
}

std::string RefusalOf(const Constraints& constraints, const LossMetric& metric) {
  try {
    CheckMetricOf(constraints, metric);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

TEST(OwnMetricTest, ABoundNeedsTheProgramAndItsSide) {
  const LossMetric lower{.name = "command:p", .better = Better::kLower, .command = {"p"}};
  EXPECT_EQ(RefusalOf({.max_metric = 1}, lower), "");
  EXPECT_EQ(RefusalOf({.min_sqnr_db = 1}, {}), "");
  EXPECT_EQ(RefusalOf({.min_metric = 1}, {}),
            "--min_metric=1: it bounds a metric of yours; give it with --metric=command:PROGRAM or "
            "--metric=OUTPUT:METRIC, or bound another one");
  EXPECT_EQ(RefusalOf({.min_metric = 1}, lower),
            "--min_metric=1: --metric_better=lower says that lower values are better; bound it "
            "with max_metric");
  const LossMetric of_output{.name = "v:rel_l2", .better = Better::kLower, .output = "v"};
  EXPECT_EQ(RefusalOf({.max_metric = 1}, of_output), "");
  EXPECT_EQ(RefusalOf({.min_metric = 1}, of_output),
            "--min_metric=1: --metric=v:rel_l2 says that lower values are better; bound it with "
            "max_metric");
}

PromisedBound Promised(const Constraints& constraints, std::vector<double> values,
                       bool as_float32 = false) {
  const Accuracy heldout{{Own(std::move(values), 0)}};
  return Certify(constraints, {.latency = {},
                               .heldout = heldout,
                               .reference = {},
                               .search = nullptr,
                               .as_float32 = as_float32})
      .bounds.at(0);
}

TEST(OwnMetricTest, ValuesOfSamplesPromiseTheirMean) {
  Rng rng(5);
  std::vector<double> values;
  double mean = 0;
  for (int i = 0; i < 100; ++i) {
    values.push_back(3 + 0.5 * rng.Normal());
    mean += values.back() / 100;
  }
  // One-sided with 95 %: about 1.66 standard errors of 0.05.
  const PromisedBound least = Promised({.min_metric = 2.8}, values);
  EXPECT_TRUE(least.holds);
  EXPECT_LT(least.limit, mean - 0.05);
  EXPECT_GT(least.limit, mean - 0.13);
  EXPECT_THAT(least.statement, HasSubstr("by bootstrap, with 95 % confidence (100 held-out"));
  EXPECT_FALSE(Promised({.min_metric = mean}, values).holds);
  const PromisedBound most = Promised({.max_metric = 3.3}, values);
  EXPECT_TRUE(most.holds);
  EXPECT_GT(most.limit, mean + 0.05);
  EXPECT_LT(most.limit, mean + 0.13);
}

// 40 equal values have no spread; what the search saw of a sample that differs may happen to as
// many new ones as 40 without one allow: 7.2 % with 95 % confidence.
TEST(OwnMetricTest, EqualValuesPromiseNoMoreThanTheirNumberAllows) {
  const Accuracy heldout{{Own(std::vector<double>(40, 1.0), 0)}};
  std::vector<double> seen(120, 1.0);
  seen[7] = 0;
  const Accuracy search{{Own(seen, 0)}};
  const auto limit = [&](const Accuracy* of_search) {
    return Certify({.min_metric = 0.9}, {.latency = {},
                                         .heldout = heldout,
                                         .reference = {},
                                         .search = of_search,
                                         .as_float32 = false})
        .bounds.at(0)
        .limit;
  };
  EXPECT_NEAR(limit(&search), std::pow(0.05, 1.0 / 40), 1e-9);
  EXPECT_EQ(limit(nullptr), 1) << "no other value is known";
}

// As often as it says, of normal values and of shares that are 1 or 0: between 93 % and 98 % of 400
// draws of 60 values, where 95 % has a standard deviation of 1.1 %.
TEST(OwnMetricTest, ThePromiseHoldsAsOftenAsItSays) {
  for (const bool shares : {false, true}) {
    Rng rng(shares ? 8 : 7);
    int held = 0;
    for (int draw = 0; draw < 400; ++draw) {
      std::vector<double> values;
      for (int i = 0; i < 60; ++i) {
        values.push_back(shares ? (rng.Uniform(0, 1) < 0.7 ? 1 : 0) : rng.Normal());
      }
      held += Promised({.min_metric = 0}, values).limit <= (shares ? 0.7 : 0) ? 1 : 0;
    }
    EXPECT_GE(held, 372) << shares;
    EXPECT_LE(held, 392) << shares;
  }
}

TEST(OwnMetricTest, OneNumberForAllPromisesNothing) {
  const PromisedBound bound = Promised({.min_metric = 0.5}, {});
  EXPECT_FALSE(bound.holds);
  EXPECT_EQ(bound.limit, -std::numeric_limits<double>::infinity());
  EXPECT_THAT(bound.statement, HasSubstr("let it print a number for each sample"));
}

// float32 itself may be below the bound.
TEST(OwnMetricTest, AFloat32PointIsNoException) {
  EXPECT_FALSE(Promised({.min_metric = 2}, std::vector<double>(20, 1), true).holds);
  EXPECT_TRUE(Promised({.min_metric = 1}, std::vector<double>(20, 1), true).holds);
}

}  // namespace
}  // namespace halftone
