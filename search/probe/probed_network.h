// Network as the probes of errors see it.
#pragma once

#include "search/probe/judged_values.h"
#include "search/space/decisions.h"
#include "search/space/network_steps.h"
#include "search/space/subgraph.h"
#include "src/ir/graph.h"

namespace halftone {

struct ProbedNetwork {
  explicit ProbedNetwork(const Decisions& decisions)
      : graph(WholeOf(decisions.graph(), JudgedValues(decisions.graph())).graph),
        steps(StepGraph(graph, decisions.steps())) {}

  // The network. Its outputs are the values at which errors are measured
  // (search/probe/judged_values.h).
  const Graph graph;
  // `graph` with one node per step (search/space/network_steps.h).
  const Graph steps;
};

}  // namespace halftone
