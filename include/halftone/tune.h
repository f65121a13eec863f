// Tuning: a search for the fastest configurations that keep a network accurate.
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

// What a search is doing.
struct TuneEvent {
  // "operators", "calibration", "probes", "search", "confirm"; "plan", "warning", "promise": a
  // text.
  std::string phase;
  std::optional<std::size_t> done;
  std::optional<std::size_t> planned;   // empty: not known
  std::optional<std::size_t> measured;  // plans
  std::optional<std::size_t> front;     // points so far
  std::optional<double> speed_up;       // of the fastest one
  std::optional<double> sqnr_db;        // of the fastest one
  std::string text;                     // full sentences; may be empty
};

// Called by the thread that calls Tune(). Each may be empty.
struct TuneHooks {
  std::function<void(const TuneEvent&)> on_event;
  double period_s = 0.1;  // least time between two events of one phase
  // True ends the search; its results so far are reported.
  std::function<bool()> stop_requested;
};

// A member of the front.
struct TunedPoint {
  std::string configuration;           // "force_fp16, 2 operators kept"
  std::string folder;                  // below TuneOptions::output; empty: nothing was written
  std::vector<std::string> arguments;  // options of the command line, with paths below the output
  double speed_up = 1;
  Bounds95 speed_up_interval;
  std::vector<MetricFigures> accuracy;  // on the samples of the search
  std::vector<MetricFigures> heldout;   // on held-out samples; empty: there are none
  std::size_t low_precision_nodes = 0;
};

struct TuneResult {
  std::vector<TunedPoint> points;     // fastest first
  std::optional<std::size_t> chosen;  // index into points; empty: none meets the bounds
  // "done", "interrupted", "none_meets", "not_promised", "gate_failed", "nothing_searched", as in
  // front.json.
  std::string outcome;
  std::string verdict;                // full sentences
  std::string text;                   // what `halftone tune` prints at its end
  std::vector<std::string> notes;     // on the network, full sentences
  std::vector<std::string> warnings;  // full sentences
};

// Tunes one network for all of `input_shapes`, texts as ModelOptions::input_shape; none: that of
// `model`, else those of the samples. Errors: as CheckTuneOptions(); kModel, kUnsupported (also a
// baseline that cannot run), kIo, kDatabase; StoppedByUser before there is a result.
TuneResult Tune(const ModelOptions& model, const TuneOptions& options, const TuneHooks& hooks = {},
                std::vector<std::string> input_shapes = {});

}  // namespace halftone
