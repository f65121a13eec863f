// Promises about new samples, and which members of a front may be promised.
#include "search/trial/certify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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
  const Certificate loose = Certify({.min_sqnr_db = 38, .max_rel_l2 = 0.012}, {}, heldout, {});
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
  const Certificate tight = Certify({.max_rel_l2 = 0.0103}, {}, heldout, {});
  EXPECT_FALSE(tight.holds());
}

TEST(CertifyTest, TooFewSamplesPromiseNothing) {
  const Certificate certificate = Certify({.min_sqnr_db = 1}, {}, Heldout({0.001}), {});
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
  EXPECT_TRUE(Certify({.max_top1_drop = 0.02}, {}, heldout, anchor).holds());
  const Certificate none = Certify({.max_top1_drop = 0.001}, {}, heldout, anchor);
  EXPECT_FALSE(none.holds());
  EXPECT_NE(none.bounds[0].statement.find("; 2995 or more are needed for 0.1 %"), std::string::npos)
      << none.bounds[0].statement;
}

TEST(CertifyTest, TopOneWithoutLabelsIsAgreement) {
  const Accuracy heldout{{Metric("rel_l2", std::vector<double>(200, 0.01)),
                          Metric("top1_agreement", std::vector<double>(200, 1))}};
  EXPECT_TRUE(Certify({.max_top1_drop = 0.02}, {}, heldout, {}).holds());
  EXPECT_FALSE(Certify({.max_top1_drop = 0.01}, {}, heldout, {}).holds());
  EXPECT_FALSE(Certify({.max_top1_drop = 0.5}, {}, {}, {}).holds()) << "no classes, no promise";
}

// A share of elements lies in [0, 1]: the limit holds whatever its distribution.
TEST(CertifyTest, AgreementOfDiscreteOutputsIsPromised) {
  const Accuracy heldout{{Metric("agreement", std::vector<double>(200, 1))}};
  const Certificate certificate = Certify({.min_agreement = 0.98}, {}, heldout, {});
  EXPECT_TRUE(certificate.holds());
  EXPECT_EQ(certificate.samples, 200U);
  const Certificate more = Certify({.min_agreement = 0.99}, {}, heldout, {});
  EXPECT_FALSE(more.holds());
  EXPECT_NE(more.bounds[0].statement.find("; 299 or more are needed for 99.00 %"),
            std::string::npos)
      << more.bounds[0].statement;
  EXPECT_FALSE(Certify({.min_agreement = 0.5}, {}, {}, {}).holds()) << "no outputs, no promise";
}

TEST(CertifyTest, EveryBoundHasItsPromise) {
  for (const BoundRow& row : AllBounds()) {
    Constraints constraints;
    constraints.*row.value = 0.5;
    const Certificate certificate = Certify(constraints, {}, Heldout(Errors(30, 0.01)), {});
    ASSERT_EQ(certificate.bounds.size(), 1U) << row.name;
    EXPECT_EQ(certificate.bounds[0].name, row.name);
    EXPECT_EQ(certificate.bounds[0].asked, 0.5);
  }
}

TEST(CertifyTest, LatencyIsPromisedByItsInterval) {
  const Latency latency{.ratio = 0.7, .ratio_interval = {0.69, 0.72}};
  EXPECT_TRUE(Certify({.max_latency_ratio = 0.72}, latency, {}, {}).holds());
  EXPECT_FALSE(Certify({.max_latency_ratio = 0.71}, latency, {}, {}).holds());
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
