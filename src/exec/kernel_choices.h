// Kernel choices of operator tuning: the fastest kernel of each operator, used when a plan is
// compiled. An operator without a choice takes the static order of the kernel tables.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/hash.h"

namespace halftone {

struct Graph;
struct KernelQuery;

// A regular value.
class KernelChoices {
 public:
  // No choices.
  KernelChoices() = default;

  // For networks that run on `threads` threads: signatures of another number never match.
  explicit KernelChoices(int threads) : threads_(threads) {}

  void Set(std::string signature, std::string kernel) {
    kernels_.insert_or_assign(std::move(signature), std::move(kernel));
  }

  [[nodiscard]] bool empty() const { return kernels_.empty(); }

  [[nodiscard]] int threads() const { return threads_; }

  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& kernels() const {
    return kernels_;
  }

  // The kernel chosen for a call; empty: none. Points into this object.
  [[nodiscard]] std::string_view Find(const KernelQuery& query) const;

  // The choices that can affect the graph (PlacesOf) on this number of threads.
  [[nodiscard]] KernelChoices For(const Graph& graph) const;

  // Hash of signatures and kernels; zero when there are none. It is part of the key of a
  // measurement: with other choices it is another measurement.
  [[nodiscard]] Hash128 Digest() const;

  friend bool operator==(const KernelChoices&, const KernelChoices&) = default;

 private:
  int threads_ = 0;
  std::map<std::string, std::string, std::less<>> kernels_;
};

}  // namespace halftone
