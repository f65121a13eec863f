#include "search/model/factor_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "src/base/error.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

constexpr FitPrior kPriors[] = {{.kind_deviation = 0.5, .own_deviation = 0.5},
                                {.kind_deviation = 0.5, .own_deviation = 0.5}};

TEST(FactorFitTest, WithoutRowsEveryFactorIsOne) {
  const std::vector<std::size_t> kinds = {0, 1, 1};
  EXPECT_EQ(FitFactors(kinds, {}, kPriors), (std::vector<double>{1, 1, 1}));
  EXPECT_TRUE(FitFactors({}, {}, kPriors).empty());
}

// Kinds are counted by the caller: one prior too few would be read behind the end.
TEST(FactorFitTest, AKindWithoutAPriorIsRefused) {
  const std::vector<std::size_t> kinds = {0, 1, 2};
  const std::vector<FitRow> rows = {{.shares = {{2, 1.0}}, .noise = 0.1}};
  EXPECT_THROW(FitFactors(kinds, rows, kPriors), Error);
}

TEST(FactorFitTest, FindsPlantedFactors) {
  Rng rng(1);
  const std::vector<std::size_t> kinds = {0, 0, 0, 1, 1, 1};
  const std::vector<double> planted = {1.5, 1.4, 1.6, 0.7, 0.8, 0.6};
  std::vector<FitRow> rows;
  for (int i = 0; i < 40; ++i) {
    FitRow row{.shares = {}, .noise = 0.001};
    std::vector<double> values;
    double measured = 0;
    for (const double factor : planted) {
      values.push_back(rng.Below(2) == 0 ? 0 : rng.Uniform(0.1, 1));
      measured += factor * values.back();
    }
    if (measured == 0) {
      continue;
    }
    for (std::size_t term = 0; term < values.size(); ++term) {
      row.shares.emplace_back(term, values[term] / measured);
    }
    rows.push_back(std::move(row));
  }
  const std::vector<double> factors = FitFactors(kinds, rows, kPriors);
  for (std::size_t term = 0; term < planted.size(); ++term) {
    EXPECT_NEAR(factors[term], planted[term], 0.01) << term;
  }
}

TEST(FactorFitTest, ASumMovesTheTermsOfItsKindThatItDoesNotHold) {
  const std::vector<std::size_t> kinds = {0, 0, 1};
  const FitPrior equal[] = {{1, 1}, {1, 1}};
  const std::vector<FitRow> rows = {{{{0, 0.5}}, 0.001}};  // the term is twice as large as thought
  const std::vector<double> factors = FitFactors(kinds, rows, equal);
  EXPECT_NEAR(factors[0], 2, 0.01);
  EXPECT_NEAR(factors[1], 1.5, 0.01);  // half of it is the kind's
  EXPECT_EQ(factors[2], 1);
}

// Sums that are off by a factor of up to 2 whatever the factors: they must not move by as much as
// their noise alone would have it.
TEST(FactorFitTest, WhatNoFactorsExplainIsNotBelieved) {
  Rng rng(1);
  std::vector<std::size_t> kinds(20, 0);
  std::vector<FitRow> rows;
  for (int i = 0; i < 15; ++i) {
    FitRow& row = rows.emplace_back();
    row.noise = 0.05;
    const double off = std::exp(0.5 * rng.Normal());
    for (std::size_t term = 0; term < kinds.size(); ++term) {
      if (rng.Below(2) == 0) {
        row.shares.emplace_back(term, off / 10);
      }
    }
  }
  const std::vector<double> factors = FitFactors(kinds, rows, kPriors);
  for (const double factor : factors) {
    EXPECT_NEAR(factor, 1, 0.5);
  }
}

TEST(FactorFitTest, NoFactorVanishes) {
  const std::vector<std::size_t> kinds = {0};
  const std::vector<FitRow> rows = {{{{0, 1000.0}}, 0.001}};
  EXPECT_EQ(FitFactors(kinds, rows, kPriors)[0], 0.05);
}

}  // namespace
}  // namespace halftone
