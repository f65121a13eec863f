#include "src/accuracy/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "src/base/error.h"
#include "src/base/hash.h"
#include "src/base/rng.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Index of the first sample with equal inputs, per sample.
std::vector<std::size_t> FirstEquals(const Dataset& dataset) {
  std::vector<Hash128> hashes;
  hashes.reserve(dataset.size());
  std::vector<std::size_t> order(dataset.size());
  std::iota(order.begin(), order.end(), 0);
  for (const std::size_t i : order) {
    hashes.push_back(dataset.InputsHash(i));
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(hashes[i], i); });
  std::vector<std::size_t> firsts(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    const bool repeats = place > 0 && hashes[order[place]] == hashes[order[place - 1]];
    firsts[order[place]] = repeats ? firsts[order[place - 1]] : order[place];
  }
  return firsts;
}

// The indices of the samples for which `flags` has `wanted`.
std::vector<std::size_t> IndicesOf(const std::vector<bool>& flags, bool wanted) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] == wanted) {
      indices.push_back(i);
    }
  }
  return indices;
}

}  // namespace

DataSplit SplitDataset(Dataset all, double heldout_share, std::uint64_t seed) {
  Check(heldout_share >= 0 && heldout_share < 1, "a share of held-out samples outside of [0, 1)");
  DataSplit split;
  if (heldout_share == 0) {
    split.search = std::move(all);
    return split;
  }
  const std::vector<std::size_t> firsts = FirstEquals(all);
  std::vector<std::size_t> copies(all.size(), 0);  // by first one: samples equal to it, with itself
  std::vector<std::size_t> order;                  // the first ones
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    ++copies[firsts[i]];
    if (firsts[i] == i) {
      order.push_back(i);
    }
  }
  Rng(seed).Shuffle(std::span(order));
  const auto wanted = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::lround(heldout_share * static_cast<double>(all.size()))));
  std::vector<bool> first_held_out(all.size(), false);
  std::size_t count = 0;
  for (const std::size_t first : order) {
    if (count >= wanted) {
      break;
    }
    first_held_out[first] = true;
    count += copies[first];
  }
  if (count == all.size()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("cannot hold out {:g} % of {}: nothing would be left to search on; "
                    "give more different samples or --heldout_share=0",
                    100 * heldout_share, Counted(static_cast<std::int64_t>(all.size()), "sample")));
  }
  std::vector<bool> held_out(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    held_out[i] = first_held_out[firsts[i]];
  }
  split.search = all.Part(IndicesOf(held_out, false));
  split.heldout = all.Part(IndicesOf(held_out, true));
  split.search.notes = std::move(all.notes);
  return split;
}

std::size_t RemoveSeen(const Dataset& search, Dataset& heldout) {
  std::vector<Hash128> seen;
  for (std::size_t i = 0; i < search.size(); ++i) {
    seen.push_back(search.InputsHash(i));
  }
  std::ranges::sort(seen);
  std::vector<std::size_t> unseen;
  for (std::size_t i = 0; i < heldout.size(); ++i) {
    if (!std::ranges::binary_search(seen, heldout.InputsHash(i))) {
      unseen.push_back(i);
    }
  }
  const std::size_t removed = heldout.size() - unseen.size();
  if (unseen.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("all {} are among the samples of the search too: give samples that it "
                            "does not see",
                            Counted(static_cast<std::int64_t>(removed), "held-out sample")));
  }
  if (removed > 0) {
    Dataset rest = heldout.Part(unseen);
    rest.notes = std::move(heldout.notes);
    heldout = std::move(rest);
  }
  return removed;
}

}  // namespace halftone
