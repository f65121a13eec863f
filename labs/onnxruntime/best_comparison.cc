#include "labs/onnxruntime/best_comparison.h"

#include <fmt/format.h>

#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "kernels/parallel.h"
#include "labs/onnxruntime/machine_load.h"
#include "labs/onnxruntime/our_network.h"
#include "labs/onnxruntime/peer_model.h"
#include "labs/onnxruntime/runtime_session.h"
#include "labs/onnxruntime/turns.h"
#include "src/base/error.h"
#include "src/runtimes/onnxruntime/try_apart.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kOursFloat32 = 0;
constexpr std::size_t kOursBest = 1;
constexpr std::size_t kFirstPeer = 2;

// Median over the rounds.
double MedianRatio(const std::vector<double>& times_s, const std::vector<double>& other_times_s) {
  std::vector<double> ratios(times_s.size());
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    ratios[i] = times_s[i] / other_times_s[i];
  }
  return Median(ratios);
}

// The forms of one network, each of which has run once.
class FormRunner {
 public:
  FormRunner(const OrtApi& api, const ConstantWeights& weights, const Model& model,
             const std::string& samples, const ComparisonOptions& options, int threads)
      : api_(api),
        weights_(weights),
        model_(model),
        samples_(samples),
        options_(options),
        threads_(threads),
        pool_(threads),
        float32_(By("halftone", [&] { return MakeOurs(ComparedPlans().front().options()); })) {
    RunOurs(float32_);
  }

  // Error kUsage, kUnsupported: the point does not belong to the network.
  void AddPoint(const fs::path& folder, ComparedForm& form) {
    By("halftone", [&] {
      if (!fs::exists(folder)) {
        throw Error(ErrorKind::kUnsupported, "there is no tuned point");
      }
      point_.emplace(MakeOurs(PointPrecision(model_, folder)));
    });
    RunOurs(*point_);
    form.rel_l2 = WorstRelativeError(float32_.outputs, point_->outputs);
    Add(kOursBest, [this] { RunOurs(*point_); });
  }

  // Error kUnsupported: the runtime refuses the network in this form.
  void AddPeer(std::size_t which, PeerForm peer_form, ComparedForm& form) {
    By("ONNX Runtime", [&] {
      const PeerModel peer =
          MakePeerModel(api_, weights_.model, float32_.inputs_by_name, peer_form);
      const auto load = [&] {
        RuntimeSession session(api_, peer.bytes, {.threads = threads_}, float32_.inputs_by_name);
        session.Run();
        return session;
      };
      // A crash would take the figures of all networks with it.
      if (const int signal = SignalOfCopy([&] { load(); }); signal != 0) {
        throw Error(ErrorKind::kUnsupported,
                    fmt::format("ends by signal {} when it loads and runs this form", signal));
      }
      RuntimeSession session = load();
      form.rel_l2 = WorstRelativeError(peer.references, session.Outputs());
      if (peer_form == PeerForm::kFloat32) {
        float32_rel_l2_ = WorstRelativeError(peer.references, float32_.outputs);
      }
      sessions_.push_back(std::move(session));
    });
    RuntimeSession& added = sessions_.back();
    Add(which, [&added] { added.Run(); });
  }

  // Of halftone in float32 against ONNX Runtime; after AddPeer() of float32.
  [[nodiscard]] double float32_rel_l2() const { return float32_rel_l2_; }

  // Fills in the times of all forms that were added.
  void Time(BestCompared& compared) {
    const MachineLoad load;
    const std::vector<Latency> latencies =
        TimeAllInTurns(runs_, [this] { RunOurs(float32_); },
                       {.budget_s = options_.budget_s, .threads = threads_, .seed = options_.seed});
    compared.other_cores = load.OtherCores();
    compared.rounds = latencies.front().anchor_samples_s.size();
    const std::vector<double>* best_samples_s = nullptr;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (forms_of_runs_[i] == kOursBest) {
        best_samples_s = &latencies[i].candidate_samples_s;
      }
    }
    const auto ratio_to_best = [&](const std::vector<double>& samples_s) {
      return best_samples_s == nullptr ? std::nullopt
                                       : std::optional(MedianRatio(samples_s, *best_samples_s));
    };
    ComparedForm& anchor = compared.forms[kOursFloat32];
    anchor.median_s = latencies.front().anchor_median_s;
    anchor.ratio_to_best = ratio_to_best(latencies.front().anchor_samples_s);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      ComparedForm& form = compared.forms[forms_of_runs_[i]];
      form.median_s = latencies[i].median_s;
      form.ratio = latencies[i].ratio;
      form.ratio_interval = latencies[i].ratio_interval;
      form.ratio_to_best = ratio_to_best(latencies[i].candidate_samples_s);
    }
  }

 private:
  [[nodiscard]] Ours MakeOurs(const PrecisionOptions& precision) const {
    return {model_, samples_, precision,
            ChooseKernels(model_, samples_, precision, threads_, options_.kernels), options_.seed};
  }

  void RunOurs(Ours& ours) const {
    pool_.Run([&] { ours.Run(); });
  }

  void Add(std::size_t form, std::function<void()> run) {
    runs_.push_back(std::move(run));
    forms_of_runs_.push_back(form);
  }

  const OrtApi& api_;
  const ConstantWeights& weights_;
  const Model& model_;
  const std::string& samples_;
  const ComparisonOptions& options_;
  int threads_;
  ThreadPool pool_;
  Ours float32_;
  std::optional<Ours> point_;
  std::deque<RuntimeSession> sessions_;
  double float32_rel_l2_ = 0;
  std::vector<std::function<void()>> runs_;
  std::vector<std::size_t> forms_of_runs_;  // parallel to runs_
};

// An Error of the body is the reason why the form is missing.
template <typename Body>
void OrMissing(ComparedForm& form, const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    form.missing = error.what();
  }
}

std::variant<BestCompared, NotCompared> CompareForms(const OrtApi& api, const std::string& name,
                                                     const fs::path& folder,
                                                     const ComparisonOptions& options,
                                                     int threads) {
  static_assert(std::size(kBestForms) == kFirstPeer + 3, "a name for each of PeerForms()");
  const std::string samples = SamplesOf(folder);
  const ConstantWeights weights = LoadWeights(folder, options.seed, options.dimensions);
  const Model model = By("halftone", [&] { return LoadOurs(weights, folder); });
  FormRunner runner(api, weights, model, samples, options, threads);
  BestCompared compared;
  compared.input_shapes = model.input_shapes;
  compared.random_weights = weights.random_weights > 0;
  OrMissing(compared.forms[kOursBest],
            [&] { runner.AddPoint(options.tuned / name, compared.forms[kOursBest]); });
  for (std::size_t i = 0; i < PeerForms().size(); ++i) {
    ComparedForm& form = compared.forms[kFirstPeer + i];
    const PeerForm peer = PeerForms()[i].form;
    const auto add = [&] { runner.AddPeer(kFirstPeer + i, peer, form); };
    if (peer == PeerForm::kFloat32) {
      add();  // without it there is nothing to compare with
    } else {
      OrMissing(form, add);
    }
  }
  compared.forms[kOursFloat32].rel_l2 = runner.float32_rel_l2();
  if (!(runner.float32_rel_l2() <= kMostRelL2)) {
    return NotCompared{.disagrees = true,
                       .reason = fmt::format("the outputs disagree: relative L2 error {:.2g}, "
                                             "expected at most {:.2g}",
                                             runner.float32_rel_l2(), kMostRelL2)};
  }
  runner.Time(compared);
  return compared;
}

}  // namespace

BestNetwork CompareBest(const OrtApi& api, const std::string& name, const fs::path& folder,
                        const ComparisonOptions& options, int threads) {
  try {
    return {name, CompareForms(api, name, folder, options, threads)};
  } catch (const Error& error) {
    return {name, NotCompared{.reason = error.what()}};
  }
}

}  // namespace halftone
