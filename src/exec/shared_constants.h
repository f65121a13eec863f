// Constants that executables share: weights in each format, and what kernels made of them (packed
// panels, transformed filters). Graphs of one model at several input shapes share them too, where
// their constants are the same tensors (src/ir/constant_pool.h).
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/kernel_table.h"
#include "kernels/packed_weights.h"
#include "src/base/hash.h"
#include "src/exec/clipped_weights.h"
#include "src/ir/numeric_format.h"
#include "src/ir/tensor.h"

namespace halftone {

// Keeps what it made, once per format and kernel, for as long as it lives: either the converted
// weight, or, when every kernel that has it packed it, only that. Where another one then wants the
// converted weight it is made again. Thread safe; the executables that share its parts are too, and
// may outlive it. The constants of the graph must outlive it.
class SharedConstants {
 public:
  // A constant in one format, whether its bytes are there or not.
  using Id = int;
  static constexpr Id kNoId = -1;

  struct Converted {
    Tensor tensor;          // has no bytes where they were let go
    ClippedWeight clipped;  // count and largest
    Id id = kNoId;          // none: of no bytes at all
  };

  // ConvertWeight() of a constant of the graph, or of one that this made: of the same bytes once
  // per format.
  Converted Convert(const Tensor& source, NumericFormat format, bool clip);
  Converted Convert(Id source, NumericFormat format, bool clip);

  // The result of make(), called once for a key. `sources` stay alive, so that a key may hold
  // addresses.
  Tensor Derived(const Hash128& key, std::span<const Tensor> sources,
                 const std::function<Tensor()>& make);

  // The tensor with its bytes; converts again when they were let go.
  Tensor Bytes(Id id);

  // What the kernel prepares for the query; `ids` are those of its constants, parallel to them.
  // Shared where its constants are large and all of them have an id; calls of other shapes have
  // states of their own, which share packed weights. `make_bytes(input)` is called
  // for constants without bytes that the kernel is about to read.
  std::shared_ptr<const KernelState> Prepare(
      const KernelEntry& kernel, const KernelQuery& query, std::span<const Id> ids,
      const std::function<void(std::size_t input)>& make_bytes);

  // Operand `input` of a kernel of `op` is constant `id`, and the kernel has its own form of it.
  void NotePacked(Id id, OpKind op, std::size_t input);
  [[nodiscard]] bool IsPackedBy(Id id, OpKind op, std::size_t input) const;

  // Lets the bytes go unless a tensor elsewhere shares them, the graph's own for one.
  void LetGo(Id id);

  // Bytes of the tensors that conversions made and that are still here.
  [[nodiscard]] std::size_t converted_bytes() const;

  // What kernels made of constants, for calls of any shape.
  [[nodiscard]] const PackedWeights& packed() const { return packed_; }

  // Prepared kernels that are kept.
  [[nodiscard]] std::size_t prepared_count() const;

 private:
  struct Entry {
    Tensor source;    // of the graph; without bytes when `from` says what it is made of
    Id from = kNoId;  // another entry
    NumericFormat format;
    bool clip = false;
    Tensor tensor;
    ClippedWeight clipped;
    std::set<std::pair<OpKind, std::size_t>> packed_by;
  };

  struct DerivedEntry {
    std::vector<Tensor> sources;
    Tensor tensor;
  };

  using PreparedKey = std::pair<std::string, std::vector<Id>>;
  using State = std::shared_ptr<const KernelState>;

  // These are called with the mutex held.
  template <typename Key>
  Converted FindOrMake(std::map<Key, Id>& known, Key key, Entry entry);
  [[nodiscard]] Tensor Made(const Entry& entry, ClippedWeight& clipped) const;
  const Tensor& WithBytes(Id id);

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;  // by Id
  // By address, shape, format and clip: addresses stay, since entries hold the graph's tensors.
  std::map<std::tuple<const void*, std::vector<std::int64_t>, NumericFormat, bool>, Id> of_graph_;
  std::map<std::tuple<Id, NumericFormat, bool>, Id> of_entry_;
  std::map<PreparedKey, State> prepared_;
  std::map<Hash128, DerivedEntry> derived_;
  PackedWeights packed_;
};

}  // namespace halftone
