#include "src/exec/shared_constants.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/exec/operator_signature.h"

namespace halftone {
namespace {

// A page. Smaller packed constants do not show in the memory of a network, nor do their bytes.
constexpr std::size_t kWorthSharing = 4096;

// Digest of the slopes of a fused PRelu, of which the signature has only that they are there.
std::string SlopesOf(const KernelQuery& query) {
  const auto& activation = query.fusion->activation;
  return activation && !activation->slopes.empty()
             ? Hasher().AddBytes(std::as_bytes(std::span(activation->slopes))).Finish().ToHex()
             : "";
}

// Key of a kernel and its operands; empty when they are not worth sharing.
std::string CallOf(const KernelEntry& kernel, const KernelQuery& query,
                   std::span<const SharedConstants::Id> ids) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < query.constants.size(); ++i) {
    if (query.constants[i] == nullptr) {
      continue;
    }
    if (ids[i] == SharedConstants::kNoId) {
      return "";
    }
    bytes = std::max(bytes, query.constants[i]->size_bytes());
  }
  // The ids tell the bytes, the signature their types and everything else of the call but the rows
  // and the slopes.
  return bytes < kWorthSharing
             ? ""
             : fmt::format("{} {} {}: {}", kernel.name, query.row_stride, SlopesOf(query),
                           OperatorSignature(query, /*threads=*/1));
}

Tensor WithoutBytes(const TensorType& type) {
  return {type, std::shared_ptr<const std::byte[]>()};
}

}  // namespace

template <typename Key>
SharedConstants::Converted SharedConstants::FindOrMake(std::map<Key, Id>& known, Key key,
                                                       Entry entry) {
  const auto [place, is_new] = known.try_emplace(std::move(key), static_cast<Id>(entries_.size()));
  const Id id = place->second;
  if (is_new) {
    entries_.push_back(std::move(entry));
    WithBytes(id);
  }
  const Entry& made = entries_[static_cast<std::size_t>(id)];
  return {.tensor = made.tensor, .clipped = made.clipped, .id = id};
}

Tensor SharedConstants::Made(const Entry& entry, ClippedWeight& clipped) const {
  if (entry.tensor.has_bytes()) {
    clipped = entry.clipped;
    return entry.tensor;
  }
  // The source of a converted constant may have been released, and is not restored for this.
  ClippedWeight of_source;
  const Tensor source = entry.from == kNoId
                            ? entry.source
                            : Made(entries_[static_cast<std::size_t>(entry.from)], of_source);
  clipped = {};
  return ConvertWeight(source, entry.format, entry.clip, clipped);
}

const Tensor& SharedConstants::WithBytes(Id id) {
  Entry& entry = entries_[static_cast<std::size_t>(id)];
  ClippedWeight clipped;
  entry.tensor = Made(entry, clipped);
  entry.clipped = std::move(clipped);
  return entry.tensor;
}

SharedConstants::Converted SharedConstants::Convert(const Tensor& source, NumericFormat format,
                                                    bool clip) {
  if (source.size_bytes() == 0) {  // has no address of its own
    return {.tensor = halftone::Convert(source, format.dtype()), .clipped = {}, .id = kNoId};
  }
  const std::lock_guard lock(mutex_);
  return FindOrMake(of_graph_, {source.data(), source.shape().dims(), format, clip},
                    {.source = source,
                     .from = kNoId,
                     .format = format,
                     .clip = clip,
                     .tensor = WithoutBytes({format.dtype(), source.shape()}),
                     .clipped = {},
                     .packed_by = {}});
}

SharedConstants::Converted SharedConstants::Convert(Id source, NumericFormat format, bool clip) {
  const std::lock_guard lock(mutex_);
  const Shape shape = entries_[static_cast<std::size_t>(source)].tensor.shape();
  return FindOrMake(of_entry_, {source, format, clip},
                    {.source = {},
                     .from = source,
                     .format = format,
                     .clip = clip,
                     .tensor = WithoutBytes({format.dtype(), shape}),
                     .clipped = {},
                     .packed_by = {}});
}

Tensor SharedConstants::Derived(const Hash128& key, std::span<const Tensor> sources,
                                const std::function<Tensor()>& make) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = derived_.find(key);
    if (known != derived_.end()) {
      return known->second.tensor;
    }
  }
  DerivedEntry made{.sources = {sources.begin(), sources.end()}, .tensor = make()};
  const std::lock_guard lock(mutex_);
  return derived_.try_emplace(key, std::move(made)).first->second.tensor;
}

Tensor SharedConstants::Bytes(Id id) {
  const std::lock_guard lock(mutex_);
  return WithBytes(id);
}

std::shared_ptr<const KernelState> SharedConstants::Prepare(
    const KernelEntry& kernel, const KernelQuery& query, std::span<const Id> ids,
    const std::function<void(std::size_t input)>& make_bytes) {
  std::pair<std::string, std::vector<Id>> key{CallOf(kernel, query, ids), {ids.begin(), ids.end()}};
  std::shared_ptr<const KernelState> state;
  if (!key.first.empty()) {
    const std::lock_guard lock(mutex_);
    const auto known = prepared_.find(key);
    state = known != prepared_.end() ? known->second : nullptr;
  }
  for (std::size_t i = 0; i < query.constants.size(); ++i) {
    const bool reads = state == nullptr || !state->Consumed(i);
    if (query.constants[i] != nullptr && !query.constants[i]->has_bytes() && reads) {
      make_bytes(i);
    }
  }
  if (state != nullptr || kernel.prepare == nullptr) {
    return state;
  }
  if (key.first.empty()) {
    return kernel.prepare(query);
  }
  KernelQuery sharing = query;
  sharing.packed = &packed_;
  sharing.constant_ids = ids;
  state = kernel.prepare(sharing);
  const std::lock_guard lock(mutex_);
  return prepared_.try_emplace(std::move(key), std::move(state)).first->second;
}

void SharedConstants::NotePacked(Id id, OpKind op, std::size_t input) {
  const std::lock_guard lock(mutex_);
  entries_[static_cast<std::size_t>(id)].packed_by.emplace(op, input);
}

bool SharedConstants::IsPackedBy(Id id, OpKind op, std::size_t input) const {
  const std::lock_guard lock(mutex_);
  return entries_[static_cast<std::size_t>(id)].packed_by.contains({op, input});
}

void SharedConstants::LetGo(Id id) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[static_cast<std::size_t>(id)];
  if (entry.tensor.size_bytes() >= kWorthSharing && !entry.tensor.is_shared()) {
    entry.tensor = WithoutBytes(entry.tensor.type());
  }
}

std::size_t SharedConstants::converted_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const Entry& entry : entries_) {
    const bool is_source = entry.from == kNoId && entry.tensor.data() == entry.source.data();
    bytes += entry.tensor.has_bytes() && !is_source ? entry.tensor.size_bytes() : 0;
  }
  return bytes;
}

std::size_t SharedConstants::prepared_count() const {
  const std::lock_guard lock(mutex_);
  return prepared_.size();
}

}  // namespace halftone
