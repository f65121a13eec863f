#include "src/accuracy/split_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "src/base/error.h"
#include "src/base/hash.h"
#include "src/base/rng.h"
#include "src/base/text.h"

namespace halftone {
namespace {

enum class Side : std::uint8_t { kSearch, kHeldout, kNeither };

using Rows = std::vector<Hash128>;

// Rows along the first axis of all inputs, each hashed with what stands behind that axis.
Rows RowsOf(const Sample& sample, const Hash128& whole) {
  std::int64_t batch = -1;
  for (const Tensor& input : sample.inputs) {
    const std::int64_t rows = input.shape().rank() > 0 ? input.shape()[0] : 0;
    batch = batch < 0 || batch == rows ? rows : 0;
  }
  if (batch <= 0 || !sample.steps.empty()) {
    return {whole};
  }
  Rows hashes;
  for (std::int64_t row = 0; row < batch; ++row) {
    Hasher hasher;
    for (const Tensor& input : sample.inputs) {
      hasher.Add(NameOf(input.dtype()));
      for (int axis = 1; axis < input.shape().rank(); ++axis) {
        hasher.Add(input.shape()[axis]);
      }
      const std::size_t bytes = input.size_bytes() / static_cast<std::size_t>(batch);
      hasher.AddBytes(input.bytes().subspan(static_cast<std::size_t>(row) * bytes, bytes));
    }
    hashes.push_back(hasher.Finish());
  }
  return hashes;
}

// The side of the rows that are known; empty: none is. kNeither: both sides have some.
std::optional<Side> SideOf(const Rows& rows, const std::map<Hash128, Side>& known) {
  std::optional<Side> side;
  for (const Hash128& row : rows) {
    if (const auto found = known.find(row); found != known.end()) {
      if (side && *side != found->second) {
        return Side::kNeither;
      }
      side = found->second;
    }
  }
  return side;
}

void Mark(const Rows& rows, Side side, std::map<Hash128, Side>& known) {
  for (const Hash128& row : rows) {
    known.try_emplace(row, side);
  }
}

// Sides of the samples of one shape.
std::vector<Side> SidesOf(const std::vector<Rows>& samples, std::size_t wanted, Rng& rng,
                          std::map<Hash128, Side>& known) {
  std::vector<Side> sides(samples.size(), Side::kSearch);
  std::vector<std::size_t> open;
  std::map<Rows, std::size_t> copies;  // of the open ones
  std::size_t heldout = 0;
  const auto decide = [&](std::size_t i, Side side) {
    sides[i] = side;
    if (side != Side::kNeither) {
      Mark(samples[i], side, known);
    }
  };
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (const auto side = SideOf(samples[i], known)) {
      decide(i, *side);
      heldout += *side == Side::kHeldout ? 1 : 0;
    } else {
      open.push_back(i);
      ++copies[samples[i]];
    }
  }
  rng.Shuffle(std::span(open));
  for (const std::size_t i : open) {
    if (const auto side = SideOf(samples[i], known)) {
      decide(i, *side);  // that of a copy before it, which counted it
    } else if (heldout < wanted) {
      decide(i, Side::kHeldout);
      heldout += copies[samples[i]];
    } else {
      decide(i, Side::kSearch);
    }
  }
  return sides;
}

Dataset PartOf(const Dataset& all, const std::vector<Side>& sides, Side side) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i] == side) {
      indices.push_back(i);
    }
  }
  return all.Part(indices);
}

}  // namespace

ShapesSplit SplitShapes(std::vector<Dataset> all, double heldout_share, std::uint64_t seed) {
  Check(heldout_share >= 0 && heldout_share < 1, "a share of held-out samples outside of [0, 1)");
  std::vector<std::vector<Rows>> rows(all.size());
  for (std::size_t shape = 0; shape < all.size(); ++shape) {
    for (std::size_t i = 0; i < all[shape].size(); ++i) {
      rows[shape].push_back(RowsOf(all[shape].Read(i), all[shape].InputsHash(i)));
    }
  }
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t shape) {
    return rows[shape].empty() ? 0 : rows[shape].front().size();
  });
  ShapesSplit split;
  split.parts.resize(all.size());
  Rng rng(seed);
  std::map<Hash128, Side> known;
  for (const std::size_t shape : order) {
    Dataset& samples = all[shape];
    const auto wanted =
        static_cast<std::size_t>(std::floor(heldout_share * static_cast<double>(samples.size())));
    const std::vector<Side> sides = SidesOf(rows[shape], wanted, rng, known);
    DataSplit& part = split.parts[shape];
    part.search = PartOf(samples, sides, Side::kSearch);
    part.heldout = PartOf(samples, sides, Side::kHeldout);
    split.left_out += samples.size() - part.search.size() - part.heldout.size();
    if (part.search.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("cannot hold out {:g} % of the samples: of {} at one input shape "
                              "nothing would be left to search on; give more different samples or "
                              "--heldout_share=0",
                              100 * heldout_share,
                              Counted(static_cast<std::int64_t>(samples.size()), "sample")));
    }
    part.search.notes = std::move(samples.notes);
  }
  return split;
}

}  // namespace halftone
