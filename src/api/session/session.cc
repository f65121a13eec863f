#include "halftone/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "search/trial/candidate.h"
#include "src/api/session/session_source.h"
#include "src/api/session/shape_runner.h"
#include "src/api/shape_profiles.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/exec/executable.h"
#include "src/exec/shared_constants.h"
#include "src/precision/resolve/plan_for_shapes.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

SessionThreads ThreadsOf(const SessionOptions& options) {
  if (options.pool != nullptr) {
    return {.pool = options.pool, .count = options.pool->threads()};
  }
  return {.pool = nullptr, .count = ThreadPool(options.threads).threads()};
}

std::vector<SessionTensor> Copied(std::span<const SessionTensor> tensors) {
  return {tensors.begin(), tensors.end()};
}

std::string Quoted(std::span<const SessionTensor> tensors) {
  std::vector<std::string> names;
  for (const SessionTensor& tensor : tensors) {
    names.push_back(tensor.name);
  }
  return Join(names, "', '");
}

}  // namespace

ConstTensorView ViewOf(const Tensor& tensor) {
  return {.data = tensor.data(), .dtype = tensor.dtype(), .shape = tensor.shape().dims()};
}

TensorView MutableViewOf(Tensor& tensor) {
  return {.data = tensor.mutable_data(), .dtype = tensor.dtype(), .shape = tensor.shape().dims()};
}

struct Session::Impl {
  struct Profile {
    Model model;
    std::unique_ptr<ShapeRunner> runner;
  };

  Impl(SessionSource source, SessionOptions given, SessionThreads of_run)
      : options(std::move(given)),
        threads(std::move(of_run)),
        target(std::move(source.target)),
        precision(std::move(source.precision)),
        notes(std::move(source.notes)) {
    for (std::size_t i = 0; i < source.models.size(); ++i) {
      Add(std::move(source.models[i]), source.choices[i]);
    }
    const auto& first = profiles.front();
    inputs = Copied(first.runner->inputs());
    outputs = Copied(first.runner->outputs());
  }

  // Compiles and adds; the caller alone does at a time. Runs go on.
  void Add(Model model, const KernelChoices& choices) {
    PrecisionPlan resolved = ResolvePrecision(model.graph, precision, target);
    if (profiles.empty()) {
      plan = std::move(resolved);
      digest = plan.Digest();
      for (const std::string& warning : plan.warnings) {
        notes.push_back(warning);
      }
      resolved = plan;
    } else {
      resolved =
          PlanForShapes(profiles.front().model.graph, plan, model.graph, std::move(resolved));
    }
    Profile added{.model = std::move(model), .runner = nullptr};
    added.runner =
        std::make_unique<ShapeRunner>(added.model.graph,
                                      Compile(added.model.graph, resolved,
                                              {.kernels = {},
                                               .choices = choices,
                                               .shared = &constants,
                                               .allocation_free = options.allocation_free}),
                                      threads);
    const std::unique_lock lock(profiles_mutex);
    profiles.push_back(std::move(added));
  }

  const ShapeRunner& At(std::size_t shape) const {
    const std::shared_lock lock(profiles_mutex);
    if (shape >= profiles.size()) {
      throw Error(ErrorKind::kUsage, fmt::format("expected the place of a shape below {}, found "
                                                 "{}; input_shapes() has them in order",
                                                 profiles.size(), shape));
    }
    return *profiles[shape].runner;
  }

  // The runner for inputs of these shapes.
  const ShapeRunner& For(std::span<const ConstTensorView> given) const {
    const std::shared_lock lock(profiles_mutex);
    for (const Profile& profile : profiles) {
      if (profile.runner->HasShapes(given)) {
        return *profile.runner;
      }
    }
    RefuseShapes(given);
  }

  // Names the first input that no shape of the session has.
  [[noreturn]] void RefuseShapes(std::span<const ConstTensorView> given) const {
    if (given.size() != inputs.size()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("expected {}, '{}', found {}; give each of the network's inputs, in "
                              "its order",
                              Counted(static_cast<std::int64_t>(inputs.size()), "input"),
                              Quoted(inputs), given.size()));
    }
    std::vector<std::string> shapes;
    for (const Profile& profile : profiles) {
      shapes.push_back(profile.model.input_shapes);
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool known = std::ranges::any_of(profiles, [&](const Profile& profile) {
        return std::ranges::equal(profile.runner->inputs()[i].shape, given[i].shape);
      });
      if (!known) {
        wrong = i;
        break;
      }
    }
    throw Error(ErrorKind::kUsage,
                fmt::format("input '{}': expected a shape of the session ('{}'), found {}; give "
                            "such data, or call AddShape() with its shape first",
                            inputs[wrong].name, Join(shapes, "', '"),
                            TypeText(given[wrong].dtype, given[wrong].shape)));
  }

  SessionOptions options;
  SessionThreads threads;
  TargetSpec target;
  PrecisionOptions precision;
  std::vector<std::string> notes;
  PrecisionPlan plan;  // of the first shape
  Hash128 digest;
  SharedConstants constants;
  std::vector<SessionTensor> inputs;  // of the first shape
  std::vector<SessionTensor> outputs;
  std::mutex adding;
  mutable std::shared_mutex profiles_mutex;
  std::deque<Profile> profiles;  // their addresses stay
};

namespace {

template <typename Network>
SessionSource SourceFor(Network&& network, const SessionOptions& options,
                        const SessionThreads& threads) {
  return ReadSource(std::forward<Network>(network), options, threads.count);
}

}  // namespace

Session::Session(const ModelOptions& model, SessionOptions options) {
  SessionThreads threads = ThreadsOf(options);
  SessionSource source = SourceFor(model, options, threads);
  impl_ = std::make_unique<Impl>(std::move(source), std::move(options), std::move(threads));
}

Session::Session(const std::filesystem::path& model, SessionOptions options)
    : Session(ModelOptions{.path = model}, std::move(options)) {}

Session::Session(Model model, SessionOptions options) {
  SessionThreads threads = ThreadsOf(options);
  SessionSource source = SourceFor(std::move(model), options, threads);
  impl_ = std::make_unique<Impl>(std::move(source), std::move(options), std::move(threads));
}

Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

std::span<const SessionTensor> Session::inputs() const {
  return impl_->inputs;
}

std::span<const SessionTensor> Session::outputs() const {
  return impl_->outputs;
}

std::span<const SessionTensor> Session::inputs(std::size_t shape) const {
  return impl_->At(shape).inputs();
}

std::span<const SessionTensor> Session::outputs(std::size_t shape) const {
  return impl_->At(shape).outputs();
}

std::vector<std::string> Session::input_shapes() const {
  const std::shared_lock lock(impl_->profiles_mutex);
  std::vector<std::string> shapes;
  for (const Impl::Profile& profile : impl_->profiles) {
    shapes.push_back(profile.model.input_shapes);
  }
  return shapes;
}

std::size_t Session::AddShape(const std::string& input_shape) {
  const std::scoped_lock adding(impl_->adding);
  Model model = WithInputShape(impl_->profiles.front().model, input_shape);
  const std::vector<std::string> known = input_shapes();
  if (const auto place = std::ranges::find(known, model.input_shapes); place != known.end()) {
    return static_cast<std::size_t>(place - known.begin());
  }
  std::vector<std::string> notes;  // were given for the first shape
  const KernelChoices choices =
      ChoicesFor(model, impl_->options, impl_->target.name, impl_->threads.count, notes);
  impl_->Add(std::move(model), choices);
  return known.size();
}

void Session::Reserve(std::size_t runs) {
  const std::shared_lock lock(impl_->profiles_mutex);
  for (const Impl::Profile& profile : impl_->profiles) {
    profile.runner->Reserve(runs);
  }
}

void Session::Run(std::span<const ConstTensorView> inputs,
                  std::span<const TensorView> outputs) const {
  impl_->For(inputs).Run(inputs, outputs);
}

std::vector<Tensor> Session::Run(std::span<const Tensor> inputs) const {
  std::vector<ConstTensorView> given;
  for (const Tensor& input : inputs) {
    given.push_back(ViewOf(input));
  }
  const ShapeRunner& runner = impl_->For(given);
  std::vector<Tensor> results;
  std::vector<TensorView> taken;
  for (const SessionTensor& output : runner.outputs()) {
    results.emplace_back(output.type());
    taken.push_back(
        {.data = results.back().mutable_data(), .dtype = output.dtype, .shape = output.shape});
  }
  runner.Run(given, taken);
  return results;
}

std::map<std::string, Tensor> Session::Run(const std::map<std::string, Tensor>& inputs) const {
  std::vector<Tensor> given;
  for (const SessionTensor& input : impl_->inputs) {
    const auto found = inputs.find(input.name);
    if (found == inputs.end()) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("input '{}': expected {}, found none; the network has the inputs "
                      "'{}', give each of them",
                      input.name, TypeText(input.dtype, input.shape), Quoted(impl_->inputs)));
    }
    given.push_back(found->second);
  }
  for (const auto& [name, tensor] : inputs) {
    if (std::ranges::find(impl_->inputs, name, &SessionTensor::name) == impl_->inputs.end()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("expected the inputs '{}', found '{}' too; leave it out",
                              Quoted(impl_->inputs), name));
    }
  }
  std::vector<Tensor> made = Run(given);
  std::map<std::string, Tensor> results;
  for (std::size_t i = 0; i < made.size(); ++i) {
    results.emplace(impl_->outputs[i].name, std::move(made[i]));
  }
  return results;
}

std::string Session::plan_digest() const {
  return impl_->digest.ToHex();
}

std::string Session::configuration() const {
  return Summary(impl_->precision, VocabularyOf(impl_->target));
}

std::string Session::Explain(const std::string& format) const {
  ExplainRequest request;
  request.format = format;
  return ExplainText(model(), impl_->target, impl_->precision, request).text;
}

std::span<const std::string> Session::notes() const {
  return impl_->notes;
}

const Model& Session::model() const {
  return impl_->profiles.front().model;
}

int Session::threads() const {
  return impl_->threads.count;
}

std::size_t Session::contexts() const {
  const std::shared_lock lock(impl_->profiles_mutex);
  std::size_t count = 0;
  for (const Impl::Profile& profile : impl_->profiles) {
    count += profile.runner->contexts();
  }
  return count;
}

std::size_t Session::arena_bytes() const {
  const std::shared_lock lock(impl_->profiles_mutex);
  std::size_t bytes = 0;
  for (const Impl::Profile& profile : impl_->profiles) {
    bytes += profile.runner->arena_bytes();
  }
  return bytes;
}

}  // namespace halftone
