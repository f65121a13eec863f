#include "src/passes/passes.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/passes/fold_batch_norm.h"
#include "src/passes/fold_constants.h"
#include "src/passes/fuse_activation.h"
#include "src/passes/matmul_to_gemm.h"
#include "src/passes/remove_dead_nodes.h"
#include "src/passes/remove_identities.h"

namespace halftone {
namespace {

// docs/import.md lists these rows.
constexpr Pass kPasses[] = {
    {"fold_constants", "computes what does not depend on the input of the network", FoldConstants},
    {"remove_identities", "removes nodes that copy their input unchanged", RemoveIdentities},
    {"remove_dead_nodes", "removes nodes that no output of the network needs", RemoveDeadNodes},
    {"fold_batch_norm",
     "multiplies BatchNormalization and constant per-channel Mul, Add into the weights of Conv",
     FoldBatchNorm},
    {"matmul_to_gemm", "makes a two-dimensional MatMul and the Add of a constant bias one Gemm",
     MatMulToGemm},
    {"fuse_activation",
     "makes Relu, and Clip with constant bounds, part of the Conv or Gemm before", FuseActivation},
    {"remove_dead_constants", "releases constants that the passes before left without a reader",
     RemoveDeadNodes},
};

}  // namespace

std::span<const Pass> AllPasses() {
  return kPasses;
}

void Optimize(Graph& graph) {
  for (const Pass& pass : kPasses) {
    WithContext([&] { return fmt::format("pass {}", pass.name); }, [&] { pass.run(graph); });
  }
}

}  // namespace halftone
