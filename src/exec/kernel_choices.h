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

// A regular type.
class KernelChoices {
 public:
  // Makes a set without choices.
  KernelChoices() = default;

  // Choices for networks that run on `threads` threads; signatures for another number never match.
  explicit KernelChoices(int threads) : threads_(threads) {}

  void Set(std::string signature, std::string kernel) {
    kernels_.insert_or_assign(std::move(signature), std::move(kernel));
  }

  [[nodiscard]] bool empty() const { return kernels_.empty(); }

  [[nodiscard]] int threads() const { return threads_; }

  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& kernels() const {
    return kernels_;
  }

  // Kernel chosen for a call; empty if there is none. The view points into this object.
  [[nodiscard]] std::string_view Find(const KernelQuery& query) const;

  // The choices that can affect the graph: their tuning key is one of PlacesOf(), and their number
  // of threads is that of this object.
  [[nodiscard]] KernelChoices For(const Graph& graph) const;

  // Hash of signatures and kernels; zero without choices. It is part of the key of a measurement,
  // since other choices give other latencies.
  [[nodiscard]] Hash128 Digest() const;

  friend bool operator==(const KernelChoices&, const KernelChoices&) = default;

 private:
  int threads_ = 0;
  std::map<std::string, std::string, std::less<>> kernels_;
};

}  // namespace halftone
