#include "src/accuracy/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "src/base/error.h"
#include "src/base/hash.h"
#include "src/base/rng.h"
#include "src/base/text.h"

namespace halftone {
namespace {

Hash128 HashOf(const Sample& sample) {
  Hasher hasher;
  for (const Tensor& input : sample.inputs) {
    hasher.Add(NameOf(input.dtype())).Add(input.shape().ToString()).AddBytes(input.bytes());
  }
  return hasher.Finish();
}

void Move(Dataset& all, std::size_t index, Dataset& part) {
  part.samples.push_back(std::move(all.samples[index]));
  if (all.has_labels()) {
    part.labels.push_back(std::move(all.labels[index]));
  }
}

}  // namespace

DataSplit SplitDataset(Dataset all, double heldout_share, std::uint64_t seed) {
  Check(heldout_share >= 0 && heldout_share < 1, "a share of held-out samples outside of [0, 1)");
  DataSplit split;
  if (heldout_share == 0) {
    split.search = std::move(all);
    return split;
  }
  std::map<Hash128, std::vector<std::size_t>> groups;  // of equal inputs
  std::vector<Hash128> order;
  for (std::size_t i = 0; i < all.samples.size(); ++i) {
    std::vector<std::size_t>& group = groups[HashOf(all.samples[i])];
    if (group.empty()) {
      order.push_back(HashOf(all.samples[i]));
    }
    group.push_back(i);
  }
  Rng(seed).Shuffle(std::span(order));
  const auto wanted = std::max<std::size_t>(
      1, static_cast<std::size_t>(
             std::lround(heldout_share * static_cast<double>(all.samples.size()))));
  std::vector<bool> held_out(all.samples.size(), false);
  std::size_t count = 0;
  for (const Hash128& hash : order) {
    if (count >= wanted) {
      break;
    }
    for (const std::size_t i : groups[hash]) {
      held_out[i] = true;
      ++count;
    }
  }
  if (count == all.samples.size()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("cannot hold out {:g} % of {}: nothing would be left to search on; "
                            "give more different samples or --heldout_share=0",
                            100 * heldout_share,
                            Counted(static_cast<std::int64_t>(all.samples.size()), "sample")));
  }
  for (std::size_t i = 0; i < all.samples.size(); ++i) {
    Move(all, i, held_out[i] ? split.heldout : split.search);
  }
  split.search.notes = std::move(all.notes);
  split.search.representative = split.heldout.representative = all.representative;
  return split;
}

std::size_t RemoveSeen(const Dataset& search, Dataset& heldout) {
  std::set<Hash128> seen;
  for (const Sample& sample : search.samples) {
    seen.insert(HashOf(sample));
  }
  Dataset unseen;
  for (std::size_t i = 0; i < heldout.samples.size(); ++i) {
    if (!seen.contains(HashOf(heldout.samples[i]))) {
      Move(heldout, i, unseen);
    }
  }
  const std::size_t removed = heldout.samples.size() - unseen.samples.size();
  if (unseen.samples.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("all {} are among the samples of the search too: give samples that it "
                            "does not see",
                            Counted(static_cast<std::int64_t>(removed), "held-out sample")));
  }
  unseen.notes = std::move(heldout.notes);
  unseen.representative = heldout.representative;
  heldout = std::move(unseen);
  return removed;
}

}  // namespace halftone
