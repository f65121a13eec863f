// Constants that executables share: weights in each format, and their packed form for each kernel
// (panels, transformed filters). Graphs of one model at several input shapes share them too, if
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

// Owns one copy of a weight for each format and kernel. If every kernel that reads a converted
// weight packed it, only the packed forms stay. The weight is converted again if another kernel
// needs it. Thread safe. Executables that share these constants are thread safe too, and may
// outlive this object. The constants of the graph must outlive it.
class SharedConstants {
 public:
  // Number of a constant in one format; it stays valid after its bytes are released.
  using Id = int;
  static constexpr Id kNoId = -1;

  struct Converted {
    Tensor tensor;          // without bytes if they were released
    ClippedWeight clipped;  // count and largest
    Id id = kNoId;          // kNoId for a constant without elements
  };

  // ConvertWeight() of a constant of the graph, or of one that an earlier call made. The conversion
  // runs once for each source, format and `clip`.
  Converted Convert(const Tensor& source, NumericFormat format, bool clip);
  Converted Convert(Id source, NumericFormat format, bool clip);

  // The result of make() for this key; later calls with the key get the same. Concurrent first
  // calls may each call make(), and one result is kept. `sources` stay alive, so that a key may
  // hold their addresses.
  Tensor Derived(const Hash128& key, std::span<const Tensor> sources,
                 const std::function<Tensor()>& make);

  // The tensor with its bytes, converted again if they were released.
  Tensor Bytes(Id id);

  // State that the kernel prepares for the query; `ids` are parallel to its constants. A state is
  // shared if one of the constants has 4096 bytes or more and all of them have an id. Calls of
  // other shapes have states of their own, which share packed weights. `make_bytes(input)` is
  // called for each constant without bytes that the kernel is about to read.
  std::shared_ptr<const KernelState> Prepare(
      const KernelEntry& kernel, const KernelQuery& query, std::span<const Id> ids,
      const std::function<void(std::size_t input)>& make_bytes);

  // Records that a kernel of `op` packed constant `id` as operand `input`.
  void NotePacked(Id id, OpKind op, std::size_t input);
  [[nodiscard]] bool IsPackedBy(Id id, OpKind op, std::size_t input) const;

  // Releases the bytes of a constant of 4096 bytes or more, unless another tensor shares them, such
  // as the graph's own.
  void LetGo(Id id);

  // Bytes that conversions made and that were not released.
  [[nodiscard]] std::size_t converted_bytes() const;

  // Packed weights of kernels, for calls of any shape.
  [[nodiscard]] const PackedWeights& packed() const { return packed_; }

  // Number of prepared kernel states held.
  [[nodiscard]] std::size_t prepared_count() const;

 private:
  struct Entry {
    Tensor source;    // of the graph; without bytes if `from` is set
    Id from = kNoId;  // the entry that it was converted from
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
  // Ids by address, shape, format and clip. An address is not used again, since entries hold the
  // graph's tensors.
  std::map<std::tuple<const void*, std::vector<std::int64_t>, NumericFormat, bool>, Id> of_graph_;
  std::map<std::tuple<Id, NumericFormat, bool>, Id> of_entry_;
  std::map<PreparedKey, State> prepared_;
  std::map<Hash128, DerivedEntry> derived_;
  PackedWeights packed_;
};

}  // namespace halftone
