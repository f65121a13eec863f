#include "src/runtimes/onnxruntime/ort_runtime.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <optional>

#include "search/measure/paired_rounds.h"
#include "search/measure/placements.h"
#include "src/accuracy/dataset.h"
#include "src/accuracy/state_links.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/temporary_folder.h"
#include "src/base/text.h"
#include "src/precision/precision_plan.h"
#include "src/runtimes/onnxruntime/low_kernels.h"
#include "src/runtimes/onnxruntime/ort_api.h"
#include "src/runtimes/onnxruntime/ort_binding.h"
#include "src/runtimes/onnxruntime/ort_profile.h"
#include "src/runtimes/onnxruntime/ort_session.h"
#include "src/runtimes/onnxruntime/time_bindings.h"
#include "src/runtimes/onnxruntime/try_apart.h"

namespace halftone {
namespace {

using Clock = std::chrono::steady_clock;

// Number of runs in a profile, the first of which allocates; two if that many would take too long.
constexpr int kProfiledRuns = 5;
constexpr int kFewestProfiledRuns = 2;
constexpr double kProfiledSeconds = 1;
// Candidates whose files and sessions stay, beside those of float32: they have the weights once
// more.
constexpr std::size_t kMostLoaded = 4;
// A placement that takes so many times its share of the budget makes them fewer.
constexpr double kSlow = 3;

// Kernels that only change a type.
constexpr std::array<std::string_view, 3> kConversions = {"Cast", "QuantizeLinear",
                                                          "DequantizeLinear"};

struct BuiltForOrt : BuiltPlan {
  [[nodiscard]] const RuntimeRun& facts() const override { return run; }

  PrecisionPlan plan;
  Hash128 digest;
  // The files and the session; null: they went for those of later plans, and are made again.
  std::unique_ptr<TemporaryFolder> folder;
  PlanFiles files;
  std::unique_ptr<OrtSession> session;
  std::unique_ptr<OrtBinding> timed;
  std::optional<std::vector<OrtKernel>> kernels;
  RuntimeRun run;
};

class OrtRuntime : public Runtime {
 public:
  OrtRuntime(const Graph& network, const Sample& timed, PlanFilesWriter writer, OrtOptions options)
      : network_(network),
        writer_(std::move(writer)),
        options_(std::move(options)),
        api_(ApiOf(options_.library)),
        inputs_(ByName(timed.inputs)) {
    std::vector<std::string> providers;
    for (OrtProvider& provider : options_.providers) {
      provider = WithExactFloat32(std::move(provider));
      providers.push_back(TextOf(provider));
    }
    if (!options_.providers.empty()) {
      memory_ = MemoryOf(options_.providers.front());
    }
    description_ = fmt::format("ONNX Runtime {}, {}, {}", api_.version(),
                               providers.empty() ? "cpu" : Join(providers, " "),
                               Counted(options_.threads, "thread"));
    for (const auto& [key, value] : options_.config) {
      description_ += fmt::format(", {}={}", key, value);
    }
    const auto built = BuildAnew(ReferencePlan(network));
    if (const auto* rejection = std::get_if<Rejection>(&built)) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("{} does not load the network in float32: {}", description_,
                              rejection->reason));
    }
    reference_ = std::get<std::shared_ptr<BuiltForOrt>>(built);
  }

  [[nodiscard]] const std::string& description() const override { return description_; }

  std::variant<std::shared_ptr<BuiltPlan>, Rejection> Build(const PrecisionPlan& plan) override {
    const Hash128 digest = plan.Digest();
    if (const auto known = built_.find(digest); known != built_.end()) {
      return known->second;
    }
    auto built = digest == reference_->digest
                     ? std::variant<std::shared_ptr<BuiltForOrt>, Rejection>(reference_)
                     : BuildAnew(plan);
    if (auto* rejection = std::get_if<Rejection>(&built)) {
      return std::move(*rejection);
    }
    auto made = std::get<std::shared_ptr<BuiltForOrt>>(built);
    built_.emplace(digest, made);
    return std::shared_ptr<BuiltPlan>(made);
  }

  std::variant<Latency, Rejection> Time(BuiltPlan& plan, const RuntimeTiming& timing) override {
    auto& candidate = static_cast<BuiltForOrt&>(plan);
    try {
      Prove(candidate);
      if (timing.placements > 1 && options_.providers.empty()) {
        return TimePlacements(Loaded(candidate), timing);
      }
      // The reference itself is timed on two bindings.
      std::optional<OrtBinding> again;
      if (&candidate == reference_.get()) {
        again.emplace(*reference_->session, inputs_, memory_);
      }
      return TimedBindings(again ? *again : *Loaded(candidate).timed, *Loaded(*reference_).timed,
                           timing);
    } catch (const Error& error) {
      return RejectionBy(error);
    }
  }

  std::optional<StepTimes> SecondsByNode(BuiltPlan& plan) override {
    auto& built = static_cast<BuiltForOrt&>(plan);
    try {
      Prove(built);
    } catch (const Error& error) {
      RejectionBy(error);
      return std::nullopt;
    }
    StepTimes times;
    for (const OrtKernel& kernel : *built.kernels) {
      if (std::ranges::count(kConversions, kernel.op) > 0) {
        times.casts.emplace_back(static_cast<double>(kernel.elements), kernel.seconds);
      } else {
        times.nodes[kernel.node] += kernel.seconds;
      }
      times.total += kernel.seconds;
    }
    return times;
  }

  std::variant<RuntimeOutputs, Rejection> Run(BuiltPlan& plan, const Dataset& data,
                                              const TakeOutputs& take) override {
    auto& built = static_cast<BuiltForOrt&>(plan);
    try {
      for (std::size_t i = 0; i < data.size(); ++i) {
        const Sample sample = data.Read(i);
        std::vector<Tensor> outputs =
            RunSteps(sample, data.state, [&](std::span<const Tensor> inputs) {
              OrtBinding binding(*Loaded(built).session, ByName(inputs));
              AskStop();
              binding.Run();
              return InOrder(*built.session, binding.Outputs());
            });
        if (!take(i, std::move(outputs))) {
          break;
        }
      }
    } catch (const Error& error) {
      return RejectionBy(error);
    }
    return RuntimeOutputs::kTaken;
  }

 private:
  // One environment for each library; it is never released.
  static const OrtApi& ApiOf(const std::filesystem::path& library) {
    static std::map<std::filesystem::path, std::unique_ptr<OrtApi>> loaded;
    std::unique_ptr<OrtApi>& api = loaded[library];
    if (api == nullptr) {
      api = std::make_unique<OrtApi>(library);
    }
    return *api;
  }

  // Before each piece of work that takes a run or longer.
  void AskStop() const {
    if (options_.stop_requested && options_.stop_requested()) {
      throw StoppedByUser("ONNX Runtime was building or running a plan");
    }
  }

  // Trouble of the machine says nothing about a plan, and a stop neither.
  static Rejection RejectionBy(const Error& error) {
    if (dynamic_cast<const StoppedByUser*>(&error) != nullptr) {
      throw;
    }
    if (error.kind() != ErrorKind::kUnsupported && error.kind() != ErrorKind::kUsage) {
      throw;
    }
    return {error.what()};
  }

  [[nodiscard]] std::map<std::string, Tensor> ByName(std::span<const Tensor> inputs) const {
    std::map<std::string, Tensor> by_name;
    for (std::size_t i = 0; i < network_.inputs.size(); ++i) {
      by_name.emplace(network_.value(network_.inputs[i]).name, inputs[i]);
    }
    return by_name;
  }

  // The outputs in the order of the network.
  [[nodiscard]] std::vector<Tensor> InOrder(const OrtSession& session,
                                            std::vector<Tensor> outputs) const {
    std::vector<Tensor> ordered;
    for (const ValueId id : network_.outputs) {
      const Value& value = network_.value(id);
      const auto found = std::ranges::find(session.output_names(), value.name);
      if (found == session.output_names().end()) {
        throw Error(ErrorKind::kUnsupported, fmt::format("it has no output '{}'", value.name));
      }
      Tensor& output = outputs[static_cast<std::size_t>(found - session.output_names().begin())];
      if (output.dtype() != value.type.dtype) {
        throw Error(ErrorKind::kUnsupported,
                    fmt::format("its output '{}' is {}, that of the network is {}", value.name,
                                NameOf(output.dtype()), NameOf(value.type.dtype)));
      }
      ordered.push_back(output);
    }
    return ordered;
  }

  [[nodiscard]] PairedRoundsOptions RoundsOf(const RuntimeTiming& timing) const {
    return {.warm_up_s = 0.005,
            .min_rounds = timing.min_rounds,
            .give_up_above = timing.give_up_above,
            .budget_s = timing.budget_s,
            .seed = timing.seed,
            .stop_requested = options_.stop_requested};
  }

  Latency TimedBindings(OrtBinding& candidate, OrtBinding& float32,
                        const RuntimeTiming& timing) const {
    Latency latency = TimeBindings(candidate, float32, RoundsOf(timing));
    AskStop();  // what ended early is no latency
    return latency;
  }

  // In fresh sessions of both; the candidate is loaded first in every second pair. All stay alive
  // until the end: freed memory would come back at the same address.
  Latency TimePlacements(const BuiltForOrt& candidate, const RuntimeTiming& timing) {
    struct Copy {
      std::unique_ptr<OrtSession> session;
      std::unique_ptr<OrtBinding> binding;
    };

    std::deque<Copy> copies;
    const auto load = [&](const BuiltForOrt& built) {
      AskStop();
      Copy copy;
      copy.session = std::make_unique<OrtSession>(api_, built.files.model, SessionOptions());
      copy.binding = std::make_unique<OrtBinding>(*copy.session, inputs_, memory_);
      copies.push_back(std::move(copy));
      return copies.back().binding.get();
    };
    std::vector<Latency> placements;
    int count = timing.placements;
    for (int i = 0; i < count; ++i) {
      const auto start = Clock::now();
      OrtBinding* first = load(i % 2 == 0 ? candidate : *reference_);
      OrtBinding* second = load(i % 2 == 0 ? *reference_ : candidate);
      RuntimeTiming part = timing;
      part.budget_s /= count;
      part.seed += 1 + static_cast<std::uint64_t>(i);
      placements.push_back(i % 2 == 0 ? TimedBindings(*first, *second, part)
                                      : TimedBindings(*second, *first, part));
      const std::chrono::duration<double> taken = Clock::now() - start;
      if (i == 0 && taken.count() > kSlow * timing.budget_s / count) {
        count = std::min(count, kSlowPlacements);
      }
    }
    return PoolPlacements(placements);
  }

  [[nodiscard]] OrtSessionOptions SessionOptions() const {
    return {
        .threads = options_.threads, .providers = options_.providers, .config = options_.config};
  }

  std::variant<std::shared_ptr<BuiltForOrt>, Rejection> BuildAnew(const PrecisionPlan& plan) {
    auto built = std::make_shared<BuiltForOrt>();
    built->plan = plan;
    built->digest = plan.Digest();
    built->run.runtime = description_;
    const auto start = Clock::now();
    try {
      AskStop();
      WriteFiles(*built);
      if (const int signal = CrashOf(*built); signal != 0) {
        return Rejection{fmt::format("ONNX Runtime {} crashes while it loads the plan (signal {})",
                                     api_.version(), signal)};
      }
      Load(*built);
      if (reference_ != nullptr) {
        Loaded(*built);  // counts as used
      }
    } catch (const Error& error) {
      return RejectionBy(error);
    }
    built->run.build_s = std::chrono::duration<double>(Clock::now() - start).count();
    return built;
  }

  // The signal that ends a copy of this process in which the CPU's provider loads the plan; 0:
  // none, or another provider, whose device a copy cannot use.
  [[nodiscard]] int CrashOf(const BuiltForOrt& built) const {
    if (reference_ == nullptr || !options_.providers.empty()) {
      return 0;
    }
    const int signal =
        SignalOfCopy([&] { const OrtSession session(api_, built.files.model, SessionOptions()); },
                     options_.stop_requested);
    return signal == SIGALRM ? 0 : signal;  // a copy that takes too long says nothing
  }

  void WriteFiles(BuiltForOrt& built) {
    built.folder = std::make_unique<TemporaryFolder>("the files of a plan");
    built.files = writer_(built.plan, built.folder->path(), false);
  }

  void Load(BuiltForOrt& built) {
    if (built.folder == nullptr) {
      WriteFiles(built);
    }
    AskStop();
    built.session = std::make_unique<OrtSession>(api_, built.files.model, SessionOptions());
    built.timed = std::make_unique<OrtBinding>(*built.session, inputs_, memory_);
    AskStop();
    built.timed->Run();
  }

  // The plan with its files and session; those of the plan that was not used for longest go.
  BuiltForOrt& Loaded(BuiltForOrt& built) {
    if (built.session == nullptr) {
      Load(built);
    }
    if (&built == reference_.get()) {
      return built;
    }
    std::erase(recent_, &built);
    recent_.push_back(&built);
    if (recent_.size() > kMostLoaded) {
      BuiltForOrt& oldest = *recent_.front();
      oldest.timed.reset();
      oldest.session.reset();
      oldest.folder.reset();
      recent_.pop_front();
    }
    return built;
  }

  // Runs the plan with a profile, once.
  void Prove(BuiltForOrt& built) {
    if (built.kernels) {
      return;
    }
    Loaded(built);
    OrtSessionOptions options = SessionOptions();
    options.profile_prefix = (built.folder->path() / "profile").string();
    OrtSession session(api_, built.files.model, options);
    OrtBinding binding(session, inputs_, memory_);
    const auto start = Clock::now();
    const auto goes_on = [&](int runs) {
      const std::chrono::duration<double> taken = Clock::now() - start;
      return runs < kFewestProfiledRuns ||
             (runs < kProfiledRuns && taken.count() < kProfiledSeconds);
    };
    for (int run = 0; goes_on(run); ++run) {
      AskStop();
      binding.Run();
    }
    built.kernels = ReadOrtProfile(ReadFile(session.EndProfiling()));
    const LowKernels low = CompareKernels(network_, built.plan, *built.kernels);
    built.run.low_asked = low.asked;
    built.run.low_ran = low.ran;
    built.run.as_asked = low.ran == low.asked;
    std::vector<std::string> clauses;
    if (low.ran > low.asked) {
      clauses.push_back(fmt::format(
          "{} ran in fewer bits, the plan has {}: ONNX Runtime quantises the weights of products "
          "between pairs, unless config=optimization.disable_specified_optimizers="
          "WeightBiasQuantization",
          Counted(low.ran, "product"), low.asked));
    } else if (low.asked > 0) {
      clauses.push_back(
          fmt::format("{} of {} in fewer bits ran so", low.ran, Counted(low.asked, "product")));
    }
    clauses.insert(clauses.end(), low.others.begin(), low.others.end());
    built.run.detail = Join(clauses, "; ");
  }

  const Graph& network_;
  PlanFilesWriter writer_;
  OrtOptions options_;
  const OrtApi& api_;
  std::map<std::string, Tensor> inputs_;
  std::string memory_;
  std::string description_;
  std::shared_ptr<BuiltForOrt> reference_;
  std::map<Hash128, std::shared_ptr<BuiltForOrt>> built_;
  std::deque<BuiltForOrt*> recent_;
};

}  // namespace

std::unique_ptr<Runtime> MakeOrtRuntime(const Graph& network, const Sample& timed,
                                        PlanFilesWriter writer, OrtOptions options) {
  return std::make_unique<OrtRuntime>(network, timed, std::move(writer), std::move(options));
}

}  // namespace halftone
