#include "search/calibrate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "kernels/parallel.h"
#include "search/calibrate/bias_shifts.h"
#include "search/calibrate/calibrated_values.h"
#include "search/calibrate/calibration_work.h"
#include "search/calibrate/channel_factors.h"
#include "search/calibrate/range_classes.h"
#include "search/calibrate/reader_ranges.h"
#include "search/calibrate/tensor_ranges.h"
#include "search/calibrate/whole_error.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/exec/channel_factors.h"
#include "src/exec/integer_steps.h"
#include "src/ir/layout.h"
#include "src/quantization/schemes.h"

namespace halftone {
namespace {

std::size_t Index(ValueId id) {
  return static_cast<std::size_t>(id);
}

class Calibrator {
 public:
  Calibrator(const Graph& graph, const Dataset& samples, const CalibrationOptions& options)
      : graph_(graph),
        shapes_(ShapesOf(graph, samples, options.others)),
        samples_(SamplesOf(shapes_)),
        executables_(shapes_.size()),
        options_(options),
        pool_(options.threads),
        sources_(RangeSources(graph)),
        wanted_(CalibratedValues(graph, sources_)),
        work_(WantedWork()) {}

  Calibration Run() {
    if (options_.time.limited()) {
      FitIntoTime();
    }
    if (work_.factors) {
      ChooseFactors();
    }
    if (options_.given != nullptr) {
      TakeFactors(*options_.given);
    }
    std::vector<RangeCollector> ranges(graph_.values.size());
    std::vector<TensorHistogram> histograms(graph_.values.size());
    const bool known = !first_ranges_.empty() && chosen_factors_.factors.empty();
    if (known) {
      ranges = std::move(first_ranges_);
    }
    Pass(known ? 1 : 0, samples_.size(), RangesInto(ranges));
    for (const ValueId value : wanted_) {
      histograms[Index(value)] = TensorHistogram(ranges[Index(value)].observed());
    }
    Pass(0, ranged_, [&](ValueId value, std::span<const float> elements) {
      histograms[Index(value)].Add(elements);
    });
    std::map<ValueId, TensorStatistics> statistics;
    for (const ValueId value : wanted_) {
      const RangeCollector& range = ranges[Index(value)];
      if (options_.given == nullptr && range.nan_count() + range.infinity_count() > 0) {
        continue;
      }
      statistics[value] = {.observed = range.observed(),
                           .mean_of_samples = range.mean_of_samples(),
                           .histogram = std::move(histograms[Index(value)])};
    }
    Calibration made =
        options_.given != nullptr ? Observed(*options_.given, statistics) : BestOfWhole(statistics);
    if (late_) {
      const std::string runs = fmt::format("{} of {} runs", done_, std::max(done_, RunsOf(work_)));
      cut_ = cut_.empty() ? fmt::format(
                                "8-bit tensors are calibrated with {}: their share of the "
                                "budget was over",
                                runs)
                          : fmt::format("{}; it was over after {}", cut_, runs);
    }
    made.cut = std::move(cut_);
    return made;
  }

 private:
  using Ranges = std::vector<RangeCollector>;  // by value

  using Visit = std::function<void(ValueId, std::span<const float>)>;

  struct RangesOfMethod {
    CalibrationChoice method;
    RangesOfTensors ranges;  // one a tensor
  };

  static Visit RangesInto(Ranges& ranges) {
    return [&ranges](ValueId value, std::span<const float> elements) {
      RangeCollector of_sample;
      of_sample.AddSample(elements);
      ranges[Index(value)].Merge(of_sample);
    };
  }

  [[nodiscard]] CalibrationWork WantedWork() const {
    if (options_.given != nullptr) {
      return {.samples = samples_.size()};
    }
    return {.samples = samples_.size(),
            .hedges = options_.hedges.size(),
            .factors = options_.equalise && !FactorClasses(graph_).empty(),
            .compares = options_.methods.size() > 1,
            .corrects = options_.correct_bias};
  }

  // Times the first run, on the sample that every reduced work includes, and reduces the work to
  // the time.
  void FitIntoTime() {
    const double whole_s = options_.time.left_s();
    ExecutableAt(0);
    first_ranges_.resize(graph_.values.size());
    const double begin_s = options_.time.now_s();
    Pass(0, 1, RangesInto(first_ranges_));
    run_s_ = options_.time.now_s() - begin_s;
    if (run_s_ <= 0) {
      return;
    }
    const CalibrationWork wanted = work_;
    // The run that is done is one of the ranges where there are no factors.
    work_ = WorkWithin(wanted, options_.time.left_s() / run_s_ + 1);
    if (work_ != wanted) {
      cut_ = fmt::format(
          "8-bit tensors are calibrated on {} of {}{}: a float32 run takes {:.2g} s here, and "
          "calibration has {:.0f} s of the budget",
          work_.samples, Counted(static_cast<std::int64_t>(wanted.samples), "sample"),
          LeftOut(wanted, work_), run_s_, whole_s);
      samples_ = EvenlySpacedOf(samples_, work_.samples);
    }
  }

  // There are no factors where trying them takes more than half of the time, as in a small network
  // of many products, which are all compiled for each candidate: ranges need time, too.
  void ChooseFactors() {
    constexpr double kMostOfTime = 0.5;
    const double kept_s = (1 - kMostOfTime) * options_.time.left_s();
    const Dataset compared = First(kComparedSamples);
    bool in_time = true;
    chosen_factors_ = ChooseChannelFactors(
        graph_, options_.per_channel_weights,
        {compared, options_.compile, pool_, [this] { return Progress(); },
         [&] { return in_time = in_time && InTime() && options_.time.Fits(kept_s); }});
    if (!in_time) {
      work_.factors = false;
      cut_ = fmt::format("{} without factors of channels: trying them took half of its time",
                         cut_.empty() ? "8-bit tensors are calibrated" : cut_ + "; it goes on");
    }
  }

  void TakeFactors(const Quantization& given) {
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      if (FactorsOf(graph_, id, given) != nullptr) {
        chosen_factors_.factors.emplace(id, *FactorsOf(graph_, id, given));
      }
    }
  }

  [[nodiscard]] Calibration Observed(const Quantization& given,
                                     const std::map<ValueId, TensorStatistics>& statistics) const {
    Calibration result{.quantization = given, .tensors = {}, .samples = ranged_};
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      const auto scale = given.activations.find(graph_.values[i].name);
      const auto of_source = statistics.find(sources_[i]);
      if (scale != given.activations.end() && of_source != statistics.end()) {
        result.tensors[scale->first] = {of_source->second, {}, scale->second.range()};
      }
    }
    return result;
  }

  // Also where no run fits into the time any more.
  [[nodiscard]] bool Stopped() const {
    return (options_.stop_requested && options_.stop_requested()) || !options_.time.Fits(run_s_);
  }

  // Between runs, where the time is not theirs: quantising takes some as well.
  bool InTime() {
    late_ = late_ || options_.time.left_s() <= 0;
    return !late_ && !(options_.stop_requested && options_.stop_requested());
  }

  // After a run; false: there is to be no other.
  bool Progress() {
    ++done_;
    if (options_.on_progress) {
      options_.on_progress(done_, std::max(done_, RunsOf(work_)));
    }
    late_ = late_ || (!options_.time.Fits(run_s_) && done_ < RunsOf(work_));
    return !Stopped();
  }

  // `elements` of a value of this shape, whose channels are along `axis`, divided by the factors of
  // the value; as they are where it has none.
  std::span<const float> Divided(ValueId value, std::span<const float> elements, const Shape& shape,
                                 bool channels_last) {
    const auto found = chosen_factors_.factors.find(value);
    if (found == chosen_factors_.factors.end()) {
      return elements;
    }
    const ChannelFactors& factors = found->second;
    const int axis = channels_last ? PlaceOfAxis(shape.rank(), factors.axis) : factors.axis;
    const std::int64_t inner = shape.ElementCount(axis + 1, shape.rank());
    divided_.assign(elements.begin(), elements.end());
    for (std::int64_t i = 0; i < std::ssize(divided_); ++i) {
      divided_[static_cast<std::size_t>(i)] /=
          factors.factors[static_cast<std::size_t>(i / inner % shape[axis])];
    }
    return divided_;
  }

  const Executable& ExecutableAt(std::size_t shape) {
    std::optional<Executable>& executable = executables_[shape];
    if (!executable) {
      const Graph& graph = *shapes_[shape].graph;
      CompileOptions compile = options_.compile;
      compile.fuse = false;  // every value is made
      executable.emplace(Compile(graph, ReferencePlan(graph), compile));
    }
    return *executable;
  }

  // Calls visit(value, elements) with the values of a sample that are wanted, by values of the
  // first shape.
  template <typename Visit>
  void RunSample(const CalibratedShape& at, std::size_t index, const Executable& executable,
                 Workspace& workspace, const std::vector<bool>& is_wanted, const Visit& visit) {
    const std::vector<Tensor> inputs = executable.ConvertInputs(at.samples.Read(index).inputs);
    std::vector<Tensor> outputs = executable.NewOutputs();
    // Moves between layouts hold a value once more.
    std::vector<bool> is_open = is_wanted;
    const auto take = [&](ValueId of_shape, std::span<const float> elements, const Shape& shape,
                          bool channels_last) {
      const ValueId value = of_shape == kNoValue ? kNoValue : at.of_first[Index(of_shape)];
      if (value != kNoValue && is_open[Index(value)]) {
        is_open[Index(value)] = false;
        visit(value, Divided(value, elements, shape, channels_last));
      }
    };
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].type().dtype == DType::kFloat32) {
        take(at.graph->inputs[i], inputs[i].values<float>(), inputs[i].shape(), false);
      }
    }
    const auto observe = [&](std::size_t step, std::span<void* const> data) {
      const StepInfo& info = executable.steps()[step];
      const auto types = executable.step_output_types(step);
      for (std::size_t i = 0; i < data.size() && i < info.values.size(); ++i) {
        if (data[i] != nullptr && types[i].dtype == DType::kFloat32) {
          const std::span elements(static_cast<const float*>(data[i]),
                                   static_cast<std::size_t>(types[i].shape.ElementCount()));
          take(info.values[i], elements, types[i].shape, info.channels_last);
        }
      }
    };
    pool_.Run([&] { executable.RunObserved(workspace, inputs, outputs, observe); });
  }

  // Calls visit(value, elements) with the wanted values of the samples from `begin` to `end` in
  // float32, divided by their factors; elements stand in any order. Ends early where the
  // calibration is stopped, not before the first sample; ranged_ becomes the end.
  template <typename Visit>
  void Pass(std::size_t begin, std::size_t end, const Visit& visit) {
    ranged_ = begin;
    std::vector<bool> is_wanted(graph_.values.size());
    for (const ValueId id : wanted_) {
      is_wanted[Index(id)] = true;
    }
    std::vector<std::optional<Workspace>> workspaces(shapes_.size());
    for (std::size_t s = begin; s < end && !(Stopped() && s > 0); ++s) {
      ranged_ = s + 1;
      const auto [shape, index] = samples_[s];
      const Executable& executable = ExecutableAt(shape);
      if (!workspaces[shape]) {
        workspaces[shape].emplace(executable.NewWorkspace());
      }
      RunSample(shapes_[shape], index, executable, *workspaces[shape], is_wanted, visit);
      Progress();
    }
  }

  // The calibration by options_.methods, or by the hedge that beats it.
  Calibration BestOfWhole(const std::map<ValueId, TensorStatistics>& statistics) {
    std::vector<Calibration> tried = {Choose(statistics, options_.methods)};
    if (work_.hedges > 0 && !tried.front().quantization.activations.empty()) {
      for (const CalibrationChoice& hedge : options_.hedges) {
        const std::span by(&hedge, 1);
        const auto ranges = BoundedRanges(statistics, by, [this] { return InTime(); });
        if (!ranges) {
          break;
        }
        tried.push_back(ChosenOf(statistics, by, *ranges, {}));
        tried.back().hedge = hedge.text();
      }
    }
    if (work_.corrects) {
      CorrectBiases(tried);
    }
    return std::move(tried[LeastError(tried)]);
  }

  void CorrectBiases(std::vector<Calibration>& tried) {
    std::vector<const Quantization*> quantizations;
    quantizations.reserve(tried.size());
    for (const Calibration& calibration : tried) {
      quantizations.push_back(&calibration.quantization);
    }
    const Dataset samples = First(kCorrectedSamples);
    std::vector<BiasShifts> shifts =
        LocalBiasShifts(graph_, quantizations,
                        {samples, options_.compile, pool_, [this] { return Progress(); },
                         [this] { return InTime(); }});
    for (std::size_t i = 0; i < tried.size(); ++i) {
      tried[i].quantization.bias_shifts = std::move(shifts[i]);
    }
  }

  // Index of the calibration with the least error at the outputs; the first one has an advantage.
  std::size_t LeastError(std::span<const Calibration> tried) {
    if (tried.size() == 1 || Stopped()) {
      return 0;
    }
    const Dataset compared = First(kComparedSamples);
    const WholeError whole(graph_, compared, options_.compile, pool_,
                           [this] { return Progress(); });
    std::size_t best = 0;
    double least = kHedgeShare * whole.Of(tried.front().quantization);
    for (std::size_t i = 1; i < tried.size() && !Stopped(); ++i) {
      if (const double error = whole.Of(tried[i].quantization); error < least) {
        least = error;
        best = i;
      }
    }
    return best;
  }

  // RangesBy() within the bounds of the factors. Ranges of a method are computed once.
  std::optional<RangesOfTensors> BoundedRanges(
      const std::map<ValueId, TensorStatistics>& statistics,
      std::span<const CalibrationChoice> methods, const std::function<bool()>& goes_on) {
    RangesOfTensors all;
    for (const CalibrationChoice& method : methods) {
      auto known = std::ranges::find(ranges_, method, &RangesOfMethod::method);
      if (known == ranges_.end()) {
        auto made = RangesBy(statistics, std::span(&method, 1), pool_, goes_on);
        if (!made) {
          return std::nullopt;
        }
        Bound(*made);
        known = ranges_.insert(ranges_.end(), {method, *std::move(made)});
      }
      for (const auto& [value, of_value] : known->ranges) {
        all[value].push_back(of_value.front());
      }
    }
    return all;
  }

  void Bound(RangesOfTensors& ranges) const {
    for (const auto& [value, most] : chosen_factors_.most) {
      if (const auto found = ranges.find(value); found != ranges.end()) {
        for (ValueRange& range : found->second) {
          range.high = std::min(range.high, most);
          range.low = std::max(range.low, -most);
        }
      }
    }
  }

  // By the best of the methods, as far as there is time to find it; else by the first.
  Calibration Choose(const std::map<ValueId, TensorStatistics>& statistics,
                     const std::vector<CalibrationChoice>& methods) {
    std::map<ValueId, std::size_t> chosen;
    std::optional<RangesOfTensors> candidates;
    if (methods.size() > 1 && work_.compares) {
      candidates = BoundedRanges(statistics, methods, [this] { return InTime(); });
      if (candidates) {
        const Dataset compared = First(kComparedSamples);
        chosen = BestAtReaders(graph_, *candidates, chosen_factors_.factors,
                               {compared, options_.compile, pool_, [this] { return Progress(); },
                                [this] { return InTime(); }});
      }
    }
    if (!candidates) {
      candidates = BoundedRanges(statistics, std::span(methods).first(1), [] { return true; });
    }
    return ChosenOf(statistics, methods, *candidates, chosen);
  }

  // The calibration by the method of each tensor, the first where `chosen` has none.
  Calibration ChosenOf(const std::map<ValueId, TensorStatistics>& statistics,
                       std::span<const CalibrationChoice> methods,
                       const RangesOfTensors& candidates, std::map<ValueId, std::size_t> chosen) {
    std::vector<ValueRange> ranges(graph_.values.size());
    for (const auto& [value, of_value] : candidates) {
      ranges[Index(value)] = of_value[chosen[value]];
    }
    JoinConcats(graph_, sources_, ranges);
    Calibration result{.quantization = {}, .tensors = {}, .samples = ranged_};
    result.quantization.per_channel_weights = options_.per_channel_weights;
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      const auto of_source = statistics.find(sources_[i]);
      if (!graph_.values[i].constant && graph_.values[i].type.dtype == DType::kFloat32 &&
          of_source != statistics.end()) {
        const ValueRange& range = ranges[Index(sources_[i])];
        result.quantization.activations[graph_.values[i].name] = ActivationScaleOf(range);
        if (const auto factors = chosen_factors_.factors.find(static_cast<ValueId>(i));
            factors != chosen_factors_.factors.end()) {
          result.quantization.channel_factors[graph_.values[i].name] = factors->second;
        }
        result.tensors[graph_.values[i].name] = {of_source->second,
                                                 methods[chosen[sources_[i]]].text(), range};
      }
    }
    return result;
  }

  // Evenly spaced ones of the samples of the first shape.
  [[nodiscard]] Dataset First(std::size_t most) const {
    std::vector<SampleAt> of_first;
    std::ranges::copy_if(samples_, std::back_inserter(of_first),
                         [](const SampleAt& sample) { return sample.shape == 0; });
    std::vector<std::size_t> indices;
    for (const SampleAt& sample : EvenlySpacedOf(of_first, std::min(most, of_first.size()))) {
      indices.push_back(sample.index);
    }
    return shapes_.front().samples.Part(indices);
  }

  const Graph& graph_;
  std::vector<CalibratedShape> shapes_;
  std::vector<SampleAt> samples_;                       // that are used
  std::vector<std::optional<Executable>> executables_;  // by shape
  const CalibrationOptions& options_;
  ThreadPool pool_;
  std::vector<ValueId> sources_;
  std::vector<ValueId> wanted_;
  CalibrationWork work_;
  Ranges first_ranges_;     // of the run that was timed; empty: none was
  double run_s_ = 0;        // of it; 0: none was timed
  std::size_t ranged_ = 0;  // samples of the last Pass()
  bool late_ = false;       // time was over before all runs were done
  std::string cut_;         // as Calibration::cut
  ChosenFactors chosen_factors_;
  std::vector<RangesOfMethod> ranges_;
  std::vector<float> divided_;  // elements of one value
  std::size_t done_ = 0;
};

}  // namespace

std::vector<CalibrationChoice> CalibrationHedges() {
  std::vector<CalibrationChoice> hedges;
  for (const char* method : {"minmax", "percentile:99.999", "mse", "kl2"}) {
    hedges.push_back(ParseCalibrationMethod(method));
  }
  return hedges;
}

Calibration Calibrate(const Graph& graph, const Dataset& samples,
                      const CalibrationOptions& options) {
  if (samples.empty()) {
    throw Error(ErrorKind::kUsage, "calibration needs at least one sample");
  }
  return Calibrator(graph, samples, options).Run();
}

}  // namespace halftone
