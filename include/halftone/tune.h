// Tuning: the search for the fastest configurations that keep a network accurate.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "halftone/network.h"
#include "halftone/run.h"
#include "halftone/tune_options.h"

namespace halftone {

// Progress of a tuning run, or a text for the user. Members that do not apply to the phase are
// empty.
struct TuneEvent {
  // Progress: "operators" (kernels are timed), "calibration", "probes" (parts of the network are
  // run to learn what single choices cost), "search" (plans are measured), "confirm" (the front is
  // measured again). Texts: "plan" (the work ahead), "warning", "promise" (what the held-out
  // samples can promise at best).
  std::string phase;
  std::optional<std::size_t> done;      // steps of the phase that are done
  std::optional<std::size_t> planned;   // greatest number of these steps; empty: unknown
  std::optional<std::size_t> measured;  // plans measured so far
  std::optional<std::size_t> front;     // points on the front so far
  std::optional<double> speed_up;       // of the fastest point so far
  std::optional<double> sqnr_db;        // of the fastest point so far
  std::string text;                     // full sentences; for "operators" a phrase; may be empty
};

// Functions that Tune() calls, on the thread that called it. Each may be empty.
struct TuneHooks {
  std::function<void(const TuneEvent&)> on_event;
  double period_s = 0.1;  // least seconds between two progress events of one phase
  // true ends the search early; Tune() returns the results so far.
  std::function<bool()> stop_requested;
};

// A point of the front.
struct TunedPoint {
  std::string configuration;  // "force_fp16, 2 operators kept"
  std::string folder;         // relative to TuneOptions::output; empty: nothing was written
  std::vector<std::string> arguments;  // command-line options, paths relative to the output folder
  double speed_up = 1;                 // as RunFigures::speed_up
  Bounds95 speed_up_interval;
  std::vector<MetricFigures> accuracy;  // on the samples of the search
  std::vector<MetricFigures> heldout;   // on held-out samples; empty: not judged on any
  std::size_t low_precision_nodes = 0;  // number of nodes in 8 or 16 bits
};

struct TuneResult {
  std::vector<TunedPoint> points;     // fastest first
  std::optional<std::size_t> chosen;  // index into points; empty: none meets the bounds
  // "done" (a point was chosen, no gate failed), "interrupted", "none_meets" (no point meets the
  // bounds), "not_promised" (the chosen point meets the bounds on the samples, but a promise was
  // asked for), "gate_failed", or "nothing_searched" (no time for a plan). front.json has it too.
  std::string outcome;
  std::string verdict;                // full sentences: does the chosen point meet each bound?
  std::string text;                   // the summary that `halftone tune` prints
  std::vector<std::string> notes;     // about the network; full sentences
  std::vector<std::string> warnings;  // full sentences
};

// Searches one front for all of `input_shapes`, each a text as in ModelOptions::input_shape. If
// there are none, the shape is that of `model`; if it has none, the samples give the shapes.
// Errors: as CheckTuneOptions(); kModel, kUnsupported, kIo and kDatabase for the network, the
// samples and the knowledge base; kUnsupported if the baseline cannot run; StoppedByUser if the
// stop ended a program of the user.
TuneResult Tune(const ModelOptions& model, const TuneOptions& options, const TuneHooks& hooks = {},
                std::vector<std::string> input_shapes = {});

}  // namespace halftone
