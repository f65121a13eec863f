// Inputs that the stages of Prepare() share.
#pragma once

#include "src/api/tune/bank_session.h"
#include "src/api/tune/network_at_shapes.h"
#include "src/api/tune/search_samples.h"
#include "src/api/tune_callbacks.h"

namespace halftone {

// Refers to values that must outlive it.
struct RunInputs {
  const NetworkAtShapes& network;
  const TuneOptions& options;
  const Samples& samples;
  const BankSession& bank;
  int threads = 0;
  bool stored_only = false;  // true: nothing may run, only the knowledge base answers

  [[nodiscard]] const Graph& graph() const { return network.graph(); }

  [[nodiscard]] const TargetSpec& target() const { return network.target; }
};

}  // namespace halftone
