// Measurement conditions of a run: machine, metric, samples.
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

// The machine since `watch` began.
MachineUse UseOf(const MachineWatch& watch);

// A warning if other programs used the machine since `watch` began, else WarningOfLoadedPoints();
// empty: neither.
std::string WarningOfLoad(const MachineWatch& watch, std::span<const FrontPoint> points);

// A warning where other programs used the machine, of `cores` cores, while points were measured,
// maybe by an earlier run; empty: they did not.
std::string WarningOfLoadedPoints(std::span<const FrontPoint> points, int cores);

// The trials of a knowledge base that have the metric, with its loss; all trials for the default
// metric.
std::vector<Trial> WithLoss(std::vector<Trial> trials, const LossMetric& metric);

// Reference with float32 on the samples of the search, without latency and without held-out
// samples.
Reference ReferenceOf(const LossMetric& metric, const ShapesMeasurer& measurer);

// The front with the names of worst samples. A chosen point of a knowledge base is judged again:
// banks store neither all values by sample nor flips.
TunedFront WithSampleNames(const TuneProblem& problem, const ShapesMeasurer& measurer,
                           TunedFront front);

}  // namespace halftone
