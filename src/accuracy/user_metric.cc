#include "src/accuracy/user_metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "src/accuracy/tensor_file.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/run_program.h"
#include "src/base/temporary_folder.h"
#include "src/base/text.h"

namespace halftone {
namespace {

std::string Line(std::string_view name) {
  return Printable(name) + "\n";
}

void WriteTensors(const TemporaryFolder& folder, std::string_view part, std::size_t sample,
                  std::span<const Tensor> tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    folder.Write(fmt::format("{}/{}_{}.npy", part, sample, i), FormatNpy(tensors[i]));
  }
}

// Last line of a failed program's output.
std::string LastLine(std::string_view text) {
  const std::string_view trimmed = Trim(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
  const auto line_break = trimmed.rfind('\n');
  const std::string_view line =
      line_break == std::string_view::npos ? trimmed : trimmed.substr(line_break + 1);
  return line.empty() ? "it says nothing on standard error" : fmt::format("'{}'", Shown(line));
}

}  // namespace

std::vector<double> ParseMetricOutput(const std::string& text, const std::string& program,
                                      std::size_t samples) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<double> values;
  bool numbers = true;
  for (std::size_t at = text.find_first_not_of(kBlanks); numbers && at != std::string::npos;) {
    const std::size_t stop = std::min(text.find_first_of(kBlanks, at), text.size());
    const char* const begin = text.data() + at + (text[at] == '+' ? 1 : 0);
    const char* const end = text.data() + stop;
    double value = 0;
    const auto parsed = std::from_chars(begin, end, value);
    numbers = parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(value) &&
              values.size() < samples;
    values.push_back(value);
    at = text.find_first_not_of(kBlanks, stop);
  }
  if (numbers && (values.size() == 1 || values.size() == samples)) {
    return values;
  }
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format("--metric=command: '{}' printed '{}' on standard output, expected one "
                  "finite number{} and nothing else",
                  Printable(program), Shown(text),
                  samples > 1 ? fmt::format(", or one for each of the {} samples", samples) : ""));
}

namespace {

// Sums of squares of as many numbers as there are samples are finite.
constexpr double kLargestMetric = 1e100;

// The one number, or those of all samples.
MetricValue ValueOf(const LossMetric& metric, std::vector<double> values, std::size_t samples) {
  if (const auto beyond = std::ranges::find_if(
          values, [](double value) { return std::fabs(value) > kLargestMetric; });
      beyond != values.end()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("--metric={}: it gave {:g}, expected numbers of {:g} to {:g}; scale it",
                            Shown(metric.name), *beyond, -kLargestMetric, kLargestMetric));
  }
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  if (values.size() < samples) {
    return {.name = metric.name, .mean = mean, .worst = mean, .worst_sample = -1, .values = {}};
  }
  const auto worst = metric.better == Better::kHigher ? std::ranges::min_element(values)
                                                      : std::ranges::max_element(values);
  MetricValue value{
      .name = metric.name, .mean = mean, .worst = *worst, .worst_sample = worst - values.begin()};
  value.values = std::move(values);
  return value;
}

class ProgramMetric : public UserMetric {
 public:
  ProgramMetric(LossMetric metric, const Dataset& dataset,
                std::span<const std::string> output_names);

  void TakeReference(std::size_t sample, std::span<const Tensor> outputs) override {
    WriteTensors(folder_, "reference", sample, outputs);
  }

  void TakeOutputs(std::size_t sample, std::span<const Tensor> outputs) override {
    WriteTensors(folder_, "outputs", sample, outputs);
  }

  [[nodiscard]] MetricValue Run() override;

 private:
  LossMetric metric_;
  std::size_t samples_;
  TemporaryFolder folder_;
};

// The elements copied: a run may write its outputs to where those of the last one lie.
std::vector<Tensor> Copied(std::span<const Tensor> tensors) {
  std::vector<Tensor> copies;
  for (const Tensor& tensor : tensors) {
    Tensor& copy = copies.emplace_back(tensor.type());
    std::ranges::copy(tensor.bytes(), copy.mutable_data());
  }
  return copies;
}

class FunctionMetric : public UserMetric {
 public:
  FunctionMetric(LossMetric metric, const Dataset& dataset,
                 std::span<const std::string> output_names)
      : metric_(std::move(metric)) {
    judged_.outputs.assign(output_names.begin(), output_names.end());
    judged_.values.resize(dataset.size());
    judged_.references.resize(dataset.size());
    judged_.labels = dataset.labels();
    for (std::size_t sample = 0; sample < dataset.size(); ++sample) {
      judged_.samples.push_back(dataset.NameOf(sample));
    }
  }

  void TakeReference(std::size_t sample, std::span<const Tensor> outputs) override {
    judged_.references.at(sample) = Copied(outputs);
  }

  void TakeOutputs(std::size_t sample, std::span<const Tensor> outputs) override {
    judged_.values.at(sample) = Copied(outputs);
  }

  [[nodiscard]] MetricValue Run() override {
    const std::size_t samples = judged_.samples.size();
    std::vector<double> values = (*metric_.function)(judged_);
    const bool finite =
        std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
    if (!finite || (values.size() != 1 && values.size() != samples)) {
      throw Error(
          ErrorKind::kUnsupported,
          fmt::format(
              "--metric={}: it gave {}, expected one finite number{}", Shown(metric_.name),
              finite ? Counted(std::ssize(values), "number") : "a number that is infinite or NaN",
              samples > 1 ? fmt::format(", or one for each of the {} samples", samples) : ""));
    }
    return ValueOf(metric_, std::move(values), samples);
  }

 private:
  LossMetric metric_;
  JudgedOutputs judged_;
};

ProgramMetric::ProgramMetric(LossMetric metric, const Dataset& dataset,
                             std::span<const std::string> output_names)
    : metric_(std::move(metric)),
      samples_(dataset.size()),
      folder_("the files of --metric=command") {
  std::string names;
  for (std::size_t sample = 0; sample < dataset.size(); ++sample) {
    names += Line(dataset.NameOf(sample));
  }
  folder_.Write("samples.txt", names);
  std::string outputs;
  for (const std::string& name : output_names) {
    outputs += Line(name);
  }
  folder_.Write("outputs.txt", outputs);
  CreateFolder(folder_.path() / "reference");
  CreateFolder(folder_.path() / "outputs");
}

MetricValue ProgramMetric::Run() {
  std::vector<std::string> words = metric_.command;
  words.push_back(folder_.path().string());
  const std::string& program = metric_.command.front();
  const ProgramResult result = WithContext(
      [] { return "--metric=command"; },
      [&] {
        return RunProgram(
            words, {.timeout_s = metric_.timeout_s, .stop_requested = metric_.stop_requested});
      });
  if (result.stopped) {
    throw StoppedByUser(
        fmt::format("--metric=command: stopped while '{}' ran", Printable(program)));
  }
  if (result.timed_out) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("--metric=command: '{}' took longer than {:g} s and was stopped; give it "
                    "more with --metric_timeout",
                    Printable(program), metric_.timeout_s));
  }
  if (result.exit_code != 0) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("--metric=command: '{}' ended with exit code {}: {}",
                            Printable(program), result.exit_code, LastLine(result.err)));
  }
  return ValueOf(metric_, ParseMetricOutput(result.out, program, samples_), samples_);
}

}  // namespace

std::unique_ptr<UserMetric> MakeUserMetric(const LossMetric& metric, const Dataset& dataset,
                                           std::span<const std::string> output_names) {
  if (metric.function != nullptr) {
    return std::make_unique<FunctionMetric>(metric, dataset, output_names);
  }
  if (!metric.command.empty()) {
    return std::make_unique<ProgramMetric>(metric, dataset, output_names);
  }
  return nullptr;
}

}  // namespace halftone
