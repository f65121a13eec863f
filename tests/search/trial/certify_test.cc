// Promises about new samples, and which members of a front may be promised.
#include "search/trial/certify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "search/trial/best_promise.h"
#include "src/base/confidence.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

MetricValue Metric(std::string name, std::vector<double> values) {
  return {.name = std::move(name),
          .mean = 0,
          .worst = 0,
          .worst_sample = 0,
          .values = std::move(values)};
}

// Certified by held-out samples alone, as of an old knowledge base.
Certificate Certified(const Constraints& constraints, const Accuracy& heldout,
                      const Accuracy& reference = {}) {
  return Certify(constraints, {.latency = {}, .heldout = heldout, .reference = reference});
}

Accuracy Heldout(const std::vector<double>& errors) {
  std::vector<double> decibels;
  for (const double error : errors) {
    decibels.push_back(-20 * std::log10(error));
  }
  return {{Metric("sqnr_db", decibels), Metric("rel_l2", errors)}};
}

std::vector<double> Errors(int n, double typical) {
  Rng rng(3);
  std::vector<double> errors;
  for (int i = 0; i < n; ++i) {
    errors.push_back(typical * std::exp(0.2 * rng.Normal()));
  }
  return errors;
}

TEST(CertifyTest, ErrorsBetweenMeanAndLimit) {
  const Accuracy heldout = Heldout(Errors(30, 0.01));
  const Certificate loose = Certified({.min_sqnr_db = 38, .max_rel_l2 = 0.012}, heldout);
  ASSERT_EQ(loose.bounds.size(), 2U);
  EXPECT_TRUE(loose.holds());
  EXPECT_EQ(loose.samples, 30U);
  EXPECT_EQ(loose.bounds[0].name, "min_sqnr_db");
  EXPECT_GT(loose.bounds[0].limit, 38);
  EXPECT_LT(loose.bounds[0].limit, 40) << "below the mean: it is a promise";
  EXPECT_EQ(loose.bounds[1].limit, UpperLimitOfMean(Errors(30, 0.01)));
  EXPECT_NE(loose.bounds[0].statement.find(" dB with 95 % confidence (30 held-out samples)"),
            std::string::npos)
      << loose.bounds[0].statement;
  // The mean meets these bounds; what may be promised does not.
  const Certificate tight = Certified({.max_rel_l2 = 0.0103}, heldout);
  EXPECT_FALSE(tight.holds());
}

TEST(CertifyTest, TooFewSamplesPromiseNothing) {
  const Certificate certificate = Certified({.min_sqnr_db = 1}, Heldout({0.001}));
  EXPECT_FALSE(certificate.holds());
  EXPECT_EQ(certificate.bounds[0].limit, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(certificate.bounds[0].statement,
            "1 held-out sample: too few to say what the SQNR on new samples is");
}

TEST(CertifyTest, TopOneWithLabels) {
  std::vector<double> reference(400, 1);
  std::vector<double> right(400, 1);
  reference[7] = 0;  // float32 is wrong here, the candidate is not
  const Accuracy heldout{{Metric("rel_l2", std::vector<double>(400, 0.01)), Metric("top1", right)}};
  const Accuracy anchor{{Metric("top1", reference)}};
  EXPECT_TRUE(Certified({.max_top1_drop = 0.02}, heldout, anchor).holds());
  const Certificate none = Certified({.max_top1_drop = 0.001}, heldout, anchor);
  EXPECT_FALSE(none.holds());
  EXPECT_NE(none.bounds[0].statement.find("; 2995 or more are needed for 0.1 %"), std::string::npos)
      << none.bounds[0].statement;
}

TEST(CertifyTest, TopOneWithoutLabelsIsAgreement) {
  const Accuracy heldout{{Metric("rel_l2", std::vector<double>(200, 0.01)),
                          Metric("top1_agreement", std::vector<double>(200, 1))}};
  EXPECT_TRUE(Certified({.max_top1_drop = 0.02}, heldout).holds());
  EXPECT_FALSE(Certified({.max_top1_drop = 0.01}, heldout).holds());
  EXPECT_FALSE(Certified({.max_top1_drop = 0.5}, {}).holds()) << "no classes, no promise";
}

// A share of elements lies in [0, 1]: the limit holds whatever its distribution.
TEST(CertifyTest, AgreementOfDiscreteOutputsIsPromised) {
  const Accuracy heldout{{Metric("agreement", std::vector<double>(200, 1))}};
  const Certificate certificate = Certified({.min_agreement = 0.98}, heldout);
  EXPECT_TRUE(certificate.holds());
  EXPECT_EQ(certificate.samples, 200U);
  const Certificate more = Certified({.min_agreement = 0.99}, heldout);
  EXPECT_FALSE(more.holds());
  EXPECT_NE(more.bounds[0].statement.find("; 299 or more are needed for 99.00 %"),
            std::string::npos)
      << more.bounds[0].statement;
  EXPECT_FALSE(Certified({.min_agreement = 0.5}, {}).holds()) << "no outputs, no promise";
}

TEST(CertifyTest, EveryBoundHasItsPromise) {
  for (const BoundRow& row : AllBounds()) {
    Constraints constraints;
    constraints.*row.value = 0.5;
    const Certificate certificate = Certified(constraints, Heldout(Errors(30, 0.01)));
    ASSERT_EQ(certificate.bounds.size(), 1U) << row.name;
    EXPECT_EQ(certificate.bounds[0].name, row.name);
    EXPECT_EQ(certificate.bounds[0].asked, 0.5);
  }
}

TEST(CertifyTest, LatencyIsPromisedByItsInterval) {
  const Latency latency{.ratio = 0.7, .ratio_interval = {0.69, 0.72}};
  const PointEvidence evidence{.latency = latency, .heldout = {}, .reference = {}};
  EXPECT_TRUE(Certify({.max_latency_ratio = 0.72}, evidence).holds());
  EXPECT_FALSE(Certify({.max_latency_ratio = 0.71}, evidence).holds());
}

// One sample of 598 that is won, not lost: the exact limit knows losers alone.
TEST(CertifyTest, HalfAPercentTakes598SamplesWithoutALoss) {
  for (const std::size_t n : {597U, 598U}) {
    const Accuracy heldout{{Metric("rel_l2", std::vector<double>(n, 0.01)),
                            Metric("top1", std::vector<double>(n, 1))}};
    std::vector<double> reference(n, 1);
    reference[3] = 0;
    EXPECT_EQ(Certified({.max_top1_drop = 0.005}, heldout, {{Metric("top1", reference)}}).holds(),
              n == 598)
        << n;
  }
}

// Of 1000 samples 10 are lost and 10 won. Where the search saw flips too, wins count.
TEST(CertifyTest, TheSamplesOfTheSearchChooseTheLimit) {
  constexpr std::size_t kN = 1000;
  std::vector<double> right(kN, 1);
  std::vector<double> reference(kN, 1);
  std::vector<double> agreement(kN, 1);
  for (std::size_t i = 0; i < 10; ++i) {
    right[i] = 0;
    reference[500 + i] = 0;
    agreement[i] = agreement[500 + i] = 0;
  }
  const Accuracy heldout{{Metric("rel_l2", std::vector<double>(kN, 0.01)), Metric("top1", right)}};
  const Accuracy anchor{{Metric("top1", reference)}};
  const Accuracy flips{{Metric("top1_agreement", agreement)}};
  const Accuracy none{{Metric("top1_agreement", std::vector<double>(kN, 1))}};
  const auto limit = [&](const Accuracy* search) {
    return Certify({.max_top1_drop = 0.01},
                   {.latency = {}, .heldout = heldout, .reference = anchor, .search = search})
        .bounds.at(0)
        .limit;
  };
  EXPECT_DOUBLE_EQ(limit(&none), UpperLimitOfShare(10, kN, 0.95));
  EXPECT_DOUBLE_EQ(limit(nullptr), UpperLimitOfShare(10, kN, 0.95));
  EXPECT_LT(limit(&flips), UpperLimitOfShare(10, kN, 0.95));
  EXPECT_GT(limit(&flips), 0);
}

// Of n samples one in 33 at 30 dB, the others at 63 dB: 44.9 dB in the mean.
Accuracy WithTail(std::size_t n) {
  std::vector<double> errors(n, std::pow(10, -63.0 / 20));
  for (std::size_t i = 0; i < n; i += 33) {
    errors[i] = std::pow(10, -30.0 / 20);
  }
  return Heldout(errors);
}

// The tail makes the mean, whose limit is 43.3 dB; of the winsorised mean it is 46 dB.
TEST(CertifyTest, ATailDoesNotHideAPointThatMeetsTheBound) {
  const Accuracy heldout = WithTail(400);
  const Accuracy search = WithTail(1200);
  const auto bound = [&](const Accuracy* of_search) {
    return Certify({.min_sqnr_db = 44},
                   {.latency = {}, .heldout = heldout, .reference = {}, .search = of_search})
        .bounds.at(0);
  };
  EXPECT_FALSE(bound(nullptr).holds) << "of the mean: " << bound(nullptr).statement;
  EXPECT_TRUE(bound(&search).holds) << bound(&search).statement;
  EXPECT_NE(bound(&search).statement.find("at most 10 dB worse than the bound asked for"),
            std::string::npos);
}

// The cap hides no sample that makes the mean of the held-out ones miss the bound.
TEST(CertifyTest, TheMeanOfTheHeldOutSamplesMustMeetTheBoundToo) {
  Accuracy heldout = WithTail(400);
  heldout.metrics[0].values[1] = -60;
  const Accuracy search = WithTail(1200);
  const PromisedBound bound =
      Certify({.min_sqnr_db = 44},
              {.latency = {}, .heldout = heldout, .reference = {}, .search = &search})
          .bounds.at(0);
  EXPECT_GT(bound.limit, 44);
  EXPECT_FALSE(bound.holds);
  EXPECT_NE(bound.statement.find("the mean of the held-out samples misses the bound"),
            std::string::npos)
      << bound.statement;
}

// 63 dB with an ordinary spread, from 8 held-out samples on.
TEST(CertifyTest, SixtyThreeDecibelsArePromisedFifteen) {
  for (const double spread : {3.0, 6.0}) {
    for (const int n : {8, 25, 100}) {
      Rng rng(4);
      const auto draw = [&](int count) {
        std::vector<double> errors;
        for (int i = 0; i < count; ++i) {
          errors.push_back(std::pow(10, -(63 + spread * rng.Normal()) / 20));
        }
        return Heldout(errors);
      };
      const Accuracy search = draw(3 * n);
      const Accuracy heldout = draw(n);
      EXPECT_TRUE(Certify({.min_sqnr_db = 15},
                          {.latency = {}, .heldout = heldout, .reference = {}, .search = &search})
                      .holds())
          << spread << " dB, " << n;
    }
  }
}

TEST(CertifyTest, WhatRunsAsFloat32IsAlwaysPromised) {
  const Constraints all{.min_sqnr_db = 100,
                        .max_rel_l2 = 0,
                        .max_top1_drop = 0,
                        .min_agreement = 1,
                        .min_sqnr_db_share = 0.99};
  const PointEvidence evidence{
      .latency = {}, .heldout = {}, .reference = {}, .search = nullptr, .as_float32 = true};
  EXPECT_TRUE(Certify(all, evidence).holds());
  EXPECT_FALSE(Certify({.min_sqnr_db = kExactSqnrDb + 1}, evidence).holds());
  EXPECT_FALSE(Certify({.max_rel_l2 = 0, .max_latency_ratio = 0.5},
                       {.latency = {.ratio_interval = {0.9, 1.1}},
                        .heldout = {},
                        .reference = {},
                        .search = nullptr,
                        .as_float32 = true})
                   .holds())
      << "its latency is measured as any";
}

// 59 samples without a miss, 93 with one: log(0.05) / log(0.95), and the binomial distribution.
TEST(CertifyTest, AShareOfSamplesIsPromisedByOrderStatistics) {
  const auto certify = [](int n, int missing) {
    std::vector<double> errors = Errors(n, 0.001);
    for (int i = 0; i < missing; ++i) {
      errors[static_cast<std::size_t>(i)] = 0.5;
    }
    return Certified({.min_sqnr_db = 40,
                      .max_rel_l2 = 0.01,
                      .min_sqnr_db_share = 0.95,
                      .max_rel_l2_share = 0.95},
                     Heldout(errors));
  };
  EXPECT_FALSE(certify(58, 0).holds());
  EXPECT_TRUE(certify(59, 0).holds());
  EXPECT_FALSE(certify(92, 1).holds());
  EXPECT_TRUE(certify(93, 1).holds());
  EXPECT_NE(
      certify(58, 0).bounds[0].statement.find("; 59 or more are needed for 95 % of new samples"),
      std::string::npos)
      << certify(58, 0).bounds[0].statement;
  EXPECT_NE(
      certify(93, 1).bounds[0].statement.find("95 % of new samples have an SQNR of at least "),
      std::string::npos)
      << certify(93, 1).bounds[0].statement;
  EXPECT_EQ(certify(93, 1).bounds[1].share, 0.95);
  EXPECT_LT(certify(93, 1).bounds[1].limit, 0.002) << "the second largest error";
}

TEST(CertifyTest, BestPromises) {
  const Constraints constraints{
      .min_sqnr_db = 40, .max_rel_l2 = 0.01, .max_top1_drop = 0.005, .max_rel_l2_share = 0.95};
  const std::vector<BestPromise> promises = BestPromises(constraints, 100, 0.95);
  ASSERT_EQ(promises.size(), 3U);
  EXPECT_TRUE(promises[0].possible);
  EXPECT_EQ(promises[0].limit, std::nullopt);
  EXPECT_EQ(promises[1].needed, 59U);
  EXPECT_TRUE(promises[1].possible);
  EXPECT_NEAR(promises[2].limit.value(), 0.0295, 5e-5);
  EXPECT_EQ(promises[2].needed, 598U);
  EXPECT_FALSE(promises[2].possible);
  EXPECT_FALSE(CanPromise(constraints, 597, 0.95));
  EXPECT_TRUE(CanPromise(constraints, 598, 0.95));
  EXPECT_TRUE(CanPromise(constraints, 322, 0.8));
  EXPECT_FALSE(CanPromise({.max_top1_drop = 0}, 1'000'000, 0.5)) << "of float32 alone";
  EXPECT_FALSE(CanPromise({.min_sqnr_db = 1}, 0, 0.95));
  EXPECT_TRUE(CanPromise({.max_latency_ratio = 0.5}, 0, 0.95));
}

// A looser confidence promises more.
TEST(CertifyTest, TheConfidenceIsThatOfTheOptions) {
  const Accuracy heldout{{Metric("agreement", std::vector<double>(200, 1))}};
  const PointEvidence evidence{.latency = {}, .heldout = heldout, .reference = {}};
  const Certificate certificate = Certify({.min_agreement = 0.99}, evidence, {.confidence = 0.8});
  EXPECT_TRUE(certificate.holds());
  EXPECT_EQ(certificate.confidence, 0.8);
  EXPECT_NE(certificate.bounds[0].statement.find("with 80 % confidence"), std::string::npos);
  EXPECT_FALSE(Certify({.min_agreement = 0.99}, evidence).holds());
}

Trial Member(double ratio, double loss) {
  Measurement measurement;
  measurement.latency.ratio = ratio;
  measurement.accuracy.metrics = {{"sqnr_db", -20 * std::log10(loss), 0, 0, {}},
                                  {"rel_l2", loss, loss, 0, {}}};
  Trial trial;
  trial.outcome = measurement;
  return trial;
}

Certificate Holding(bool holds) {
  return {.samples = 10, .bounds = {{.holds = holds}}};
}

TEST(PromisableTest, StopsAtTheFirstFailureFromTheMostAccurateOn) {
  const std::vector<Trial> front = {Member(0.5, 0.03), Member(0.6, 0.02), Member(0.7, 0.01),
                                    Member(0.9, 0.001)};
  const std::vector<std::optional<Certificate>> all = {Holding(true), Holding(true), Holding(false),
                                                       Holding(true)};
  EXPECT_EQ(Promisable(front, {.max_rel_l2 = 0.05}, {}, all), (std::vector<std::size_t>{3}))
      << "those behind the failure were not tested";
  // Members that miss the bound on the search samples are not part of the sequence.
  EXPECT_EQ(Promisable(front, {.max_rel_l2 = 0.005}, {}, all), (std::vector<std::size_t>{3}));
  const std::vector<std::optional<Certificate>> fine = {Holding(false), Holding(true),
                                                        Holding(true), Holding(true)};
  EXPECT_EQ(Promisable(front, {.max_rel_l2 = 0.05}, {}, fine), (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(Promisable(front, {.max_rel_l2 = 0.05}, {}, std::vector<std::optional<Certificate>>(4)),
            std::vector<std::size_t>{});
}

}  // namespace
}  // namespace halftone
