// Measurement conditions in a summary of `tune`: machine, metric, samples.
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

// Adds facts, and a warning where other programs used the machine since `watch` began, or during a
// point's measurement, maybe by an earlier run.
void DescribeMachine(const MachineWatch& watch, TuneSummary& summary);

// The warning on points alone, for runs without timing.
void WarnOfLoadedPoints(TuneSummary& summary);

// The trials of a knowledge base that have the metric, with its loss; all of them for the default.
std::vector<Trial> WithLoss(std::vector<Trial> trials, const LossMetric& metric);

void DescribeMetric(const LossMetric& metric, const NetworkMeasurer& measurer,
                    TuneSummary& summary);

// Names the worst samples. Judges a chosen point of a knowledge base again: banks store neither
// values by sample nor flips.
void DescribeAccuracy(const TuneProblem& problem, const NetworkMeasurer& measurer,
                      const Dataset& data, TuneSummary& summary);

}  // namespace halftone
