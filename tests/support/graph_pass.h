// A pass as tests call it: on a graph alone, with every fusion allowed.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone::testing {

class GraphPass {
 public:
  // Not explicit: rows of tables name the pass.
  GraphPass(void (*run)(Graph&)) : run_(run) {}  // NOLINT(google-explicit-constructor)

  // NOLINTNEXTLINE(google-explicit-constructor): as above
  GraphPass(void (*run)(Graph&, const Fusing&))
      : run_([run](Graph& graph) { run(graph, Fusing()); }) {}

  template <typename F, typename = std::enable_if_t<std::is_class_v<F>>>
  GraphPass(F run) : run_(std::move(run)) {}  // NOLINT(google-explicit-constructor): as above

  void operator()(Graph& graph) const { run_(graph); }

 private:
  std::function<void(Graph&)> run_;
};

}  // namespace halftone::testing
