#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/elements.h"
#include "kernels/gemm/chunks.h"
#include "kernels/parallel.h"
#include "kernels/sort/sort.h"
#include "kernels/table_rows.h"

namespace halftone {
namespace {

struct TopKState final : KernelState {
  DType dtype = DType::kFloat32;
  std::int64_t outer = 1;
  std::int64_t length = 0;
  std::int64_t inner = 1;
  std::int64_t k = 0;
  bool largest = true;
  int max_chunks = 1;
};

std::unique_ptr<KernelState> Prepare(const KernelQuery& query) {
  auto state = std::make_unique<TopKState>();
  const TensorType& x = *query.inputs.at(0);
  const int axis = NormalizeAxis(query.attributes->Int("axis", -1), x.shape.rank());
  state->dtype = x.dtype;
  state->outer = x.shape.ElementCount(0, axis);
  state->length = x.shape[axis];
  state->inner = x.shape.ElementCount(axis + 1, x.shape.rank());
  state->k = query.outputs.at(0)->shape[axis];
  state->largest = query.attributes->Int("largest", 1) != 0;
  state->max_chunks = MaxChunks();
  return state;
}

// An unsigned number that orders as the element does: the element whose number is less comes
// first.
template <typename T>
std::uint64_t OrderOf(T x, bool largest) {
  std::uint64_t order = 0;
  if constexpr (kIsFloatElement<T>) {
    double value = NumberOf(x);
    value = value == 0 ? 0.0 : value;
    const auto bits = std::bit_cast<std::uint64_t>(std::isnan(value) ? std::abs(value) : value);
    // All bits of a negative number are turned, the sign alone of others; without a branch, which
    // random signs would mispredict.
    const auto negative = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> 63);
    order = bits ^ (negative | (std::uint64_t{1} << 63));
    order = std::isnan(value) ? ~std::uint64_t{0} : order;
  } else if constexpr (std::is_unsigned_v<T>) {
    order = x;
  } else {
    order = static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) ^ (std::uint64_t{1} << 63);
  }
  return largest ? ~order : order;
}

struct Item {
  std::uint64_t order = 0;
  std::int64_t index = 0;

  friend bool operator<(const Item& a, const Item& b) {
    return a.order != b.order ? a.order < b.order : a.index < b.index;
  }
};

// 32 bits of order and 32 of index in one word: elements of up to 32 bits, fewer than 2^32 of them.
template <typename T>
std::uint64_t WordOf(T x, bool largest, std::int64_t index) {
  std::uint32_t order = 0;
  if constexpr (kIsFloatElement<T>) {
    float value = 0;
    if constexpr (kIsHalf<T>) {
      value = x.ToFloat();
    } else {
      value = x;
    }
    value = value == 0 ? 0.0F : value;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    order =
        bits ^ (static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> 31) | 0x80000000U);
    order = value != value ? ~0U : order;
  } else if constexpr (std::is_unsigned_v<T>) {
    order = x;
  } else {
    order = static_cast<std::uint32_t>(static_cast<std::int32_t>(x)) ^ 0x80000000U;
  }
  order = largest ? ~order : order;
  return (static_cast<std::uint64_t>(order) << 32) | static_cast<std::uint64_t>(index);
}

std::size_t Scratch(const KernelState& state) {
  const auto& s = static_cast<const TopKState&>(state);
  return static_cast<std::size_t>(s.max_chunks) * static_cast<std::size_t>(s.length) * sizeof(Item);
}

// Collects the k least of the keys it is given. Keys beyond the k-th so far are dropped when they
// come; the others wait behind the k until there is no room.
template <typename Key>
class LeastKeys {
 public:
  LeastKeys(Key* keys, std::int64_t length, std::int64_t k)
      : keys_(keys), k_(k), room_(std::min(length, 4 * k + 64)) {}

  void Add(const Key& key) {
    if (full_ && !(key < keys_[k_ - 1])) {
      return;
    }
    keys_[count_++] = key;
    if (count_ == room_ && k_ < room_) {
      std::nth_element(keys_, keys_ + k_ - 1, keys_ + count_);
      count_ = k_;
      full_ = true;
    }
  }

  // The k least, in order, at the front.
  void Finish() {
    if (k_ < count_) {
      std::nth_element(keys_, keys_ + k_ - 1, keys_ + count_);
    }
    std::sort(keys_, keys_ + k_);
  }

 private:
  Key* keys_;
  std::int64_t k_;
  std::int64_t room_;
  std::int64_t count_ = 0;
  bool full_ = false;  // keys_[k - 1] is the greatest of the k least so far
};

template <typename T, typename Key>
void RunRows(const TopKState& s, const KernelArgs& args, std::int64_t begin, std::int64_t end,
             Key* keys) {
  const T* x = static_cast<const T*>(args.inputs[0]);
  T* values = static_cast<T*>(args.outputs[0]);
  auto* indices = args.outputs.size() > 1 ? static_cast<std::int64_t*>(args.outputs[1]) : nullptr;
  for (std::int64_t row = begin; row < end && s.k > 0; ++row) {
    const std::int64_t o = row / s.inner;
    const std::int64_t i = row % s.inner;
    const T* from = x + o * s.length * s.inner + i;
    LeastKeys<Key> least(keys, s.length, s.k);
    for (std::int64_t at = 0; at < s.length; ++at) {
      if constexpr (std::is_same_v<Key, Item>) {
        least.Add({OrderOf(from[at * s.inner], s.largest), at});
      } else {
        least.Add(WordOf(from[at * s.inner], s.largest, at));
      }
    }
    least.Finish();
    for (std::int64_t rank = 0; rank < s.k; ++rank) {
      std::int64_t at = 0;
      if constexpr (std::is_same_v<Key, Item>) {
        at = keys[rank].index;
      } else {
        at = static_cast<std::int64_t>(keys[rank] & 0xffffffffU);
      }
      const std::int64_t to = (o * s.k + rank) * s.inner + i;
      values[to] = from[at * s.inner];
      if (indices != nullptr) {
        indices[to] = at;
      }
    }
  }
}

// Sorts words instead of items where an element and its index fit one.
template <typename T>
void RunRowsOf(const TopKState& s, const KernelArgs& args, std::int64_t begin, std::int64_t end,
               Item* items) {
  if constexpr (sizeof(T) <= 4) {
    if (s.length < (std::int64_t{1} << 32)) {
      return RunRows<T>(s, args, begin, end, reinterpret_cast<std::uint64_t*>(items));
    }
  }
  RunRows<T>(s, args, begin, end, items);
}

void Run(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const TopKState&>(*args.state);
  auto* items = reinterpret_cast<Item*>(args.scratch);
  // About 3 ns an element: 25 us.
  const std::int64_t grain = std::max<std::int64_t>(1, 8'000 / std::max<std::int64_t>(s.length, 1));
  ForEachChunk(s.outer * s.inner, grain, s.max_chunks,
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 Item* own = items + chunk * s.length;
                 VisitElement(s.dtype, [&](auto element) {
                   RunRowsOf<decltype(element)>(s, args, begin, end, own);
                 });
               });
}

// The specification: all elements of a row sorted.
template <typename T>
void SortRow(const TopKState& s, const KernelArgs& args, std::int64_t row, Item* items) {
  const T* x = static_cast<const T*>(args.inputs[0]);
  const std::int64_t first = row / s.inner * s.length * s.inner + row % s.inner;
  for (std::int64_t at = 0; at < s.length; ++at) {
    items[at] = {OrderOf(x[first + at * s.inner], s.largest), at};
  }
  std::sort(items, items + s.length);
  for (std::int64_t rank = 0; rank < s.k; ++rank) {
    const std::int64_t to = (row / s.inner * s.k + rank) * s.inner + row % s.inner;
    static_cast<T*>(args.outputs[0])[to] = x[first + items[rank].index * s.inner];
    if (args.outputs.size() > 1) {
      static_cast<std::int64_t*>(args.outputs[1])[to] = items[rank].index;
    }
  }
}

void RunReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const TopKState&>(*args.state);
  auto* items = reinterpret_cast<Item*>(args.scratch);
  VisitElement(s.dtype, [&](auto element) {
    for (std::int64_t row = 0; row < s.outer * s.inner; ++row) {
      SortRow<decltype(element)>(s, args, row, items);
    }
  });
}

constexpr Component kSort{.name = "sort"};

constexpr KernelEntry kRows[] = {
    {"top_k.any.portable", OpKind::kTopK, kAllDTypes, ImplMode::kDefault, kIsaAny, nullptr, Prepare,
     Scratch, Run},
    {"top_k.any.reference", OpKind::kTopK, kAllDTypes, ImplMode::kDefault, kIsaAny, nullptr,
     Prepare, Scratch, RunReference, true},
};

constexpr auto kEntries = MadeOf({&kSort}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> SortKernels() {
  return kEntries;
}

}  // namespace halftone
