// halftone_vs_onnxruntime: the latency of networks in float32 against ONNX Runtime.
// labs/onnxruntime/bench_vs_onnxruntime.sh fetches the library, builds this program and runs it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "labs/onnxruntime/best_comparison.h"
#include "labs/onnxruntime/best_report.h"
#include "labs/onnxruntime/comparison.h"
#include "labs/onnxruntime/comparison_report.h"
#include "labs/onnxruntime/our_network.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/temporary_folder.h"
#include "src/base/text.h"
#include "src/runtimes/onnxruntime/ort_api.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUsage =
    "usage: halftone_vs_onnxruntime --library=FILE --models=FOLDER [options]\n"
    "  --library=FILE   libonnxruntime.so.1\n"
    "  --models=FOLDER  every subfolder with a model.onnx, and those of its folder light/\n"
    "  --budget=S       seconds of samples for each network (default 3)\n"
    "  --only=A,B       only the networks whose name contains one of these\n"
    "  --dim=NAME=N     a free dimension, for networks without test data; else 1. May be repeated\n"
    "  --plan=NAME      of halftone (default f32):\n{}"
    "  --tuned=FOLDER   instead of a plan: the point in FOLDER/NETWORK, as tune writes it\n"
    "                   (docs/guide/inference.md); its digest is checked\n"
    "  --save=FOLDER    writes FOLDER/NETWORK/model.onnx, with the weights that are compared\n"
    "  --peer=FORM      of ONNX Runtime: f32 (default), f16, or int8: every operator that it has\n"
    "                   on integers, calibrated with the inputs that are timed\n"
    "  --profile=N      where the time goes, by operator type and for the N slowest nodes\n"
    "  --seed=N         of random inputs and weights (default 1)\n"
    "  --json=FILE      the table with all digits\n"
    "  --best=BOUND     instead of one plan and one form: float32 and the points of --tuned\n"
    "                   against all forms of ONNX Runtime; BOUND is that on the relative L2 error\n"
    "                   in the table that labs/onnxruntime/best_table.py makes of --json\n"
    "  --operator_tuning=MODE  how halftone's kernels are chosen, as of halftone tune: profile\n"
    "                   (default), full, or off: what the knowledge base holds\n"
    "  --op_bank_path=FOLDER  keeps machine profile and timings there; default: a folder for this\n"
    "                   run\n"
    "  --threads=N      of --best (default 1)\n"
    "  --prepare=FOLDER checks the options, writes FOLDER/NETWORK/model.onnx as --save does for\n"
    "                   networks without test data, prints the names of all networks and ends\n";

std::string Usage() {
  std::string plans;
  for (const ComparedPlan& plan : ComparedPlans()) {
    plans += fmt::format("                   {}: {}\n", plan.name, plan.meaning);
  }
  return fmt::format(kUsage, plans);
}

struct Arguments {
  fs::path library;
  fs::path models;
  fs::path json;
  fs::path prepare;
  std::string plan;  // empty: the first
  double best = 0;   // bound; 0: not asked for
  int threads = 0;   // of --best; 0: not given
  std::vector<std::string> only;
  ComparisonOptions comparison;
};

template <typename Number>
Number NumberOf(std::string_view option, std::string_view text) {
  Number number{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || !(number > 0) ||
      !std::isfinite(static_cast<double>(number))) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--{} expects a number above 0, found '{}'", option, text));
  }
  return number;
}

OperatorTuningMode OperatorTuningOf(std::string_view name) {
  const auto mode = ValueIn(kOperatorTuningModes, name);
  if (!mode) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--operator_tuning expects off, profile or full, found '{}'", name));
  }
  return *mode;
}

void AddDimension(std::string_view option, std::string_view value, Arguments& arguments) {
  const auto second = value.rfind('=');
  const std::string_view size = second == std::string_view::npos ? "" : value.substr(second + 1);
  arguments.comparison.dimensions[std::string(value.substr(0, second))] =
      NumberOf<std::int64_t>(option, size);
}

struct OptionRow {
  std::string_view name;
  void (*take)(std::string_view option, std::string_view value, Arguments& arguments);
};

using Text = std::string_view;

constexpr OptionRow kOptions[] = {
    {"library", [](Text, Text value, Arguments& to) { to.library = value; }},
    {"models", [](Text, Text value, Arguments& to) { to.models = value; }},
    {"json", [](Text, Text value, Arguments& to) { to.json = value; }},
    {"budget", [](Text option, Text value,
                  Arguments& to) { to.comparison.budget_s = NumberOf<double>(option, value); }},
    {"seed", [](Text option, Text value,
                Arguments& to) { to.comparison.seed = NumberOf<std::uint64_t>(option, value); }},
    {"plan", [](Text, Text value, Arguments& to) { to.plan = value; }},
    {"tuned", [](Text, Text value, Arguments& to) { to.comparison.tuned = value; }},
    {"save", [](Text, Text value, Arguments& to) { to.comparison.save = value; }},
    {"peer", [](Text, Text value, Arguments& to) { to.comparison.peer = FindPeerForm(value); }},
    {"best",
     [](Text option, Text value, Arguments& to) { to.best = NumberOf<double>(option, value); }},
    {"threads",
     [](Text option, Text value, Arguments& to) { to.threads = NumberOf<int>(option, value); }},
    {"prepare", [](Text, Text value, Arguments& to) { to.prepare = value; }},
    {"operator_tuning",
     [](Text, Text value, Arguments& to) { to.comparison.kernels.mode = OperatorTuningOf(value); }},
    {"op_bank_path", [](Text, Text value, Arguments& to) { to.comparison.kernels.bank = value; }},
    {"profile", [](Text option, Text value,
                   Arguments& to) { to.comparison.profiled_nodes = NumberOf<int>(option, value); }},
    {"only",
     [](Text, Text value, Arguments& to) {
       for (const std::string_view name : Split(value, ',')) {
         to.only.emplace_back(name);
       }
     }},
    {"dim", AddDimension},
};

void AddArgument(std::string_view word, Arguments& arguments) {
  const auto equals = word.find('=');
  if (!word.starts_with("--") || equals == std::string_view::npos) {
    throw Error(ErrorKind::kUsage,
                fmt::format("expected --option=value, found '{}'; see --help", word));
  }
  const std::string_view option = word.substr(2, equals - 2);
  const auto row = std::ranges::find(kOptions, option, &OptionRow::name);
  if (row == std::end(kOptions)) {
    throw Error(ErrorKind::kUsage, fmt::format("there is no option --{}; see --help", option));
  }
  row->take(option, word.substr(equals + 1), arguments);
}

void CheckBest(const Arguments& arguments) {
  const ComparisonOptions& comparison = arguments.comparison;
  if (!(arguments.best > 0)) {
    if (arguments.threads > 0) {
      throw Error(ErrorKind::kUsage, "--threads belongs to --best; see --help");
    }
    return;
  }
  if (comparison.tuned.empty() || arguments.json.empty()) {
    throw Error(ErrorKind::kUsage, "--best needs --tuned and --json; see --help");
  }
  if (!arguments.plan.empty() || comparison.peer != PeerForm::kFloat32 ||
      comparison.profiled_nodes > 0 || !comparison.save.empty()) {
    throw Error(ErrorKind::kUsage,
                "--best excludes --plan, --peer, --profile and --save; see --help");
  }
}

Arguments ParseArguments(const std::vector<std::string_view>& words) {
  Arguments arguments;
  for (const std::string_view word : words) {
    AddArgument(word, arguments);
  }
  if (arguments.library.empty() || arguments.models.empty()) {
    throw Error(ErrorKind::kUsage, "expected --library and --models; see --help");
  }
  if (!arguments.plan.empty() && !arguments.comparison.tuned.empty()) {
    throw Error(ErrorKind::kUsage, "--plan and --tuned exclude each other");
  }
  CheckBest(arguments);
  if (!arguments.plan.empty()) {
    arguments.comparison.plan = &FindComparedPlan(arguments.plan);
  } else if (!arguments.comparison.tuned.empty()) {
    arguments.comparison.plan = nullptr;
  }
  return arguments;
}

bool IsWanted(const std::string& name, const std::vector<std::string>& only) {
  return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& part) {
           return name.find(part) != std::string::npos;
         });
}

// Names of folders below `models` that hold a model.onnx, sorted; those of light/ last.
std::vector<std::string> NetworkNames(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const std::string prefix : {"", "light/"}) {
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(arguments.models / prefix, error)) {
      const std::string name = prefix + entry.path().filename().string();
      if (fs::exists(entry.path() / "model.onnx", error) && IsWanted(name, arguments.only)) {
        found.push_back(name);
      }
    }
    std::sort(found.begin(), found.end());
    names.insert(names.end(), found.begin(), found.end());
  }
  if (names.empty()) {
    throw Error(
        ErrorKind::kIo,
        fmt::format("expected subfolders with a model.onnx in '{}'{}, found none",
                    arguments.models.string(), arguments.only.empty() ? "" : " that --only names"));
  }
  return names;
}

void Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

// The exit code: 1 when outputs disagree.
int CompareAll(const Arguments& arguments) {
  const std::vector<std::string> names = NetworkNames(arguments);
  const OrtApi api(arguments.library);
  const ComparedPlan* const named = arguments.comparison.plan;
  const std::string plan = named != nullptr
                               ? std::string(named->name)
                               : fmt::format("tuned in {}", arguments.comparison.tuned.string());
  const ComparisonHead head{.plan = plan,
                            .peer = arguments.comparison.peer,
                            .peer_version = api.version(),
                            .models = arguments.models.string(),
                            .budget_s = arguments.comparison.budget_s};
  Print(FormatHead(head));
  std::vector<ComparedNetwork> networks;
  bool all_agree = true;
  for (const std::string& name : names) {
    networks.push_back(CompareNetwork(api, name, arguments.models / name, arguments.comparison));
    Print(ComparisonRow(networks.back()));
    const auto* none = std::get_if<NotCompared>(&networks.back().outcome);
    all_agree = all_agree && !(none != nullptr && none->disagrees);
    if (!arguments.json.empty()) {
      WriteFileAtomically(arguments.json, FormatComparisonJson(head, networks));
    }
  }
  Print(FormatSummary(networks));
  return all_agree ? 0 : 1;
}

// The exit code: 1 when outputs disagree.
int CompareAllBest(const Arguments& arguments) {
  const std::vector<std::string> names = NetworkNames(arguments);
  const OrtApi api(arguments.library);
  const int threads = std::max(1, arguments.threads);
  const BestHead head{.bound = arguments.best,
                      .threads = threads,
                      .peer_version = api.version(),
                      .budget_s = arguments.comparison.budget_s};
  std::vector<BestNetwork> networks;
  bool all_agree = true;
  for (const std::string& name : names) {
    networks.push_back(
        CompareBest(api, name, arguments.models / name, arguments.comparison, threads));
    Print(BestRow(networks.back()));
    const auto* none = std::get_if<NotCompared>(&networks.back().outcome);
    all_agree = all_agree && !(none != nullptr && none->disagrees);
    WriteFileAtomically(arguments.json, FormatBestJson(head, networks));
  }
  return all_agree ? 0 : 1;
}

// A network that cannot be read is left out, with its reason on standard error.
void PrepareAll(const Arguments& arguments) {
  const ComparisonOptions& comparison = arguments.comparison;
  for (const std::string& name : NetworkNames(arguments)) {
    const fs::path folder = arguments.models / name;
    try {
      if (SamplesOf(folder).empty()) {
        WriteNetwork(arguments.prepare / name,
                     LoadWeights(folder, comparison.seed, comparison.dimensions));
      }
      Print(name + "\n");
    } catch (const Error& error) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    }
  }
}

// The exit code.
int RunBench(Arguments arguments) {
  if (!arguments.prepare.empty()) {
    PrepareAll(arguments);
    return 0;
  }
  std::optional<TemporaryFolder> bank;
  if (arguments.comparison.kernels.bank.empty()) {
    arguments.comparison.kernels.bank = bank.emplace("the kernels that are chosen").path();
  }
  arguments.comparison.kernels.seed = arguments.comparison.seed;
  return arguments.best > 0 ? CompareAllBest(arguments) : CompareAll(arguments);
}

}  // namespace
}  // namespace halftone

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (std::find(words.begin(), words.end(), "--help") != words.end()) {
    halftone::Print(halftone::Usage());
    return 0;
  }
  try {
    return halftone::RunBench(halftone::ParseArguments(words));
  } catch (const halftone::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return error.kind() == halftone::ErrorKind::kUsage ? 2 : 1;
  }
}
