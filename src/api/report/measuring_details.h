// What a summary of `tune` says about how it was measured: machine, metric, samples.
#pragma once

#include <vector>

#include "search/measure/network_measurer.h"
#include "search/trial/trial.h"
#include "search/tuner.h"
#include "src/accuracy/dataset.h"
#include "src/accuracy/loss_metric.h"
#include "src/base/machine_watch.h"
#include "src/report/tune_summary.h"

namespace halftone {

// Facts, and a warning where other programs used the machine since `watch` began, or while a point
// was measured, maybe by an earlier run.
void DescribeMachine(const MachineWatch& watch, TuneSummary& summary);

// The latter alone, for where nothing was timed.
void WarnOfLoadedPoints(TuneSummary& summary);

// The trials of a knowledge base that have the metric, with the loss that it gives; all of them for
// the default.
std::vector<Trial> WithLoss(std::vector<Trial> trials, const LossMetric& metric);

void DescribeMetric(const LossMetric& metric, const NetworkMeasurer& measurer,
                    TuneSummary& summary);

// Names the worst samples. A chosen point of a knowledge base, which keeps neither values by sample
// nor flips, is judged once more.
void DescribeAccuracy(const TuneProblem& problem, const NetworkMeasurer& measurer,
                      const Dataset& data, TuneSummary& summary);

}  // namespace halftone
