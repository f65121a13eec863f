// A search of a small network without a clock.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "search/tuner.h"
#include "tests/support/chain_network.h"
#include "tests/support/fake_measurer.h"

namespace halftone::testing {

class TunerTest : public ::testing::Test {
 protected:
  Confirmed Tune(const TunerOptions& options = {}, std::span<const Trial> known = {}) {
    auto strategy = MakeStrategy("exhaustive", problem_.space);
    return RunTuner(problem_, *strategy, measurer_, options, known, hooks_);
  }

  Graph graph_ = ChainNetwork(2);
  TargetSpec target_ = ChainTarget();
  TuneProblem problem_{graph_, target_, MakeSearchSpace(graph_, target_)};
  FakeMeasurer measurer_{graph_};
  std::vector<Trial> stored_;
  TunerHooks hooks_{.on_trial = [this](const Trial& trial) { stored_.push_back(trial); },
                    .on_progress = {},
                    .stop_requested = {},
                    .elapsed_s = {}};
};

}  // namespace halftone::testing
