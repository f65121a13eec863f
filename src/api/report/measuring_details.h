// Measurement conditions of a run for its report: load of the machine, metric, samples.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/measure/shapes_measurer.h"
#include "search/trial/trial.h"
#include "search/tuner.h"
#include "src/accuracy/dataset.h"
#include "src/accuracy/loss_metric.h"
#include "src/base/machine_watch.h"
#include "src/report/tune_summary.h"

namespace halftone {

// Facts of the machine, and its use by other programs since `watch` began.
MachineUse UseOf(const MachineWatch& watch);

// Warning that other programs used the machine since `watch` began; if they did not,
// WarningOfLoadedPoints().
std::string WarningOfLoad(const MachineWatch& watch, std::span<const FrontPoint> points);

// Warning that other programs used the machine while some of the points were measured, maybe in an
// earlier run; empty: they did not. `cores`: number of cores of the machine.
std::string WarningOfLoadedPoints(std::span<const FrontPoint> points, int cores);

// Computes the loss of stored trials by the metric, and drops measured trials that lack it. Returns
// the trials unchanged for the default metric.
std::vector<Trial> WithLoss(std::vector<Trial> trials, const LossMetric& metric);

// Reference accuracy of float32 on the samples of the search. Latency and held-out accuracy are not
// set.
Reference ReferenceOf(const LossMetric& metric, const ShapesMeasurer& measurer);

// Sets the names of worst samples in the front. If the chosen point comes from a knowledge base,
// first judges it again, because a bank stores neither all values by sample nor flips.
TunedFront WithSampleNames(const TuneProblem& problem, const ShapesMeasurer& measurer,
                           TunedFront front);

}  // namespace halftone
