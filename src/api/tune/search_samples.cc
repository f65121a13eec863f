#include "src/api/tune/search_samples.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "src/accuracy/split_shapes.h"
#include "src/api/load/traced_samples.h"
#include "src/api/tune/run_facts.h"
#include "src/base/text.h"

namespace halftone {
namespace {

std::string CountedSamples(std::size_t count, std::string_view what) {
  return Counted(static_cast<std::int64_t>(count), what);
}

// `count`: samples of all input shapes.
double ShareOf(const TuneOptions& options, const Dataset& all, std::size_t count) {
  if (options.heldout_share) {
    return *options.heldout_share;
  }
  return all.representative && count >= kFewestToHoldOut ? kDefaultHeldoutShare : 0;
}

// Says where not all samples are used.
void NoteDraw(const Dataset& drawn, std::string_view what, std::vector<std::string>& warnings) {
  if (drawn.drawn_from > 0) {
    warnings.push_back(
        fmt::format("{} of {} {}s are used, drawn at random and the same in every run; "
                    "--draw_samples=0 uses all",
                    drawn.size(), drawn.drawn_from, what));
  }
}

Samples ReadParts(std::span<const Model> profiles, const TuneOptions& options) {
  Samples loaded;
  loaded.parts.resize(profiles.size());
  std::vector<Dataset> all = LoadSamples(profiles, options.data);
  std::size_t count = 0;
  for (const Dataset& dataset : all) {
    NoteDraw(dataset, "sample", loaded.warnings);
    count += dataset.size();
  }
  if (options.heldout) {
    std::vector<Dataset> heldout = LoadSamples(profiles, *options.heldout);
    std::size_t removed = 0;
    for (std::size_t i = 0; i < profiles.size(); ++i) {
      loaded.parts[i] = {std::move(all[i]), std::move(heldout[i])};
      NoteDraw(loaded.parts[i].heldout, "held-out sample", loaded.warnings);
      removed += RemoveSeen(loaded.parts[i].search, loaded.parts[i].heldout);
    }
    if (removed > 0) {
      loaded.warnings.push_back(fmt::format("{} left out: the search sees the same inputs",
                                            CountedSamples(removed, "held-out sample")));
    }
    return loaded;
  }
  const double share = ShareOf(options, all.front(), count);
  if (share >= 1) {
    for (std::size_t i = 0; i < profiles.size(); ++i) {
      std::vector<std::size_t> every(all[i].size());
      std::iota(every.begin(), every.end(), std::size_t{0});
      loaded.parts[i].heldout = all[i].Part(every);
      loaded.parts[i].search = std::move(all[i]);
    }
    return loaded;
  }
  if (profiles.size() == 1) {
    loaded.parts.front() = SplitDataset(std::move(all.front()), share, options.seed);
    return loaded;
  }
  ShapesSplit split = SplitShapes(std::move(all), share, options.seed);
  loaded.parts = std::move(split.parts);
  if (split.left_out > 0) {
    loaded.warnings.push_back(
        fmt::format("{} left out: at another input shape some of their rows are held out and "
                    "others are not",
                    CountedSamples(split.left_out, "sample")));
  }
  return loaded;
}

}  // namespace

Hash128 Samples::HeldoutHash() const {
  if (parts.size() == 1) {
    return parts.front().heldout.Hash();
  }
  Hasher hasher;
  for (const DataSplit& part : parts) {
    hasher.Add(part.heldout.Hash());
  }
  return hasher.Finish();
}

Samples ReadSamples(std::span<const Model> profiles, const TuneOptions& options) {
  Samples samples = ReadParts(profiles, options);
  samples.weights = WeightsOf(profiles, options, samples.parts);
  return samples;
}

}  // namespace halftone
