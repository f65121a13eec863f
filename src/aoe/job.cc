#include "src/aoe/job.h"

#include <fmt/format.h>
#include <unistd.h>

#include "halftone/goal.h"
#include "src/aoe/aipp_file.h"
#include "src/aoe/framework.h"
#include "src/api/load/shapes_from_data.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/hash.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostConfigurationBytes = 1U << 20U;
constexpr std::uintmax_t kMostAippBytes = 1U << 20U;
constexpr std::uintmax_t kMostTuneOpsBytes = 16U << 20U;  // a name for each of 100,000 operators

// Distinct plans of a search; --max_trials overrides it.
constexpr std::size_t kNormalTrials = 200;
constexpr std::size_t kDeeperFactor = 3;  // --tune_optimization_level=O1
constexpr std::size_t kPairsFactor = 5;   // --Fdeeper_opat

// Options that belong to one job type.
struct JobRow {
  std::string_view option;
  AoeJobType type;
};

constexpr JobRow kOfOneJob[] = {
    {"reload", AoeJobType::kSubgraph},        {"Fnonhomo_split", AoeJobType::kSubgraph},
    {"tune_ops_file", AoeJobType::kOperator}, {"Fdeeper_opat", AoeJobType::kOperator},
    {"Fop_format", AoeJobType::kOperator},
};

// Options that a continued job may change.
constexpr std::string_view kNotIdentity[] = {
    "reload", "progress_bar", "log", "max_trials", "budget", "threads", "tune_optimization_level"};

[[noreturn]] void ThrowUsage(std::string_view message) {
  throw Error(ErrorKind::kUsage, message);
}

AoeJobType TypeOf(const ToolCommandLine& line) {
  if (!line.Has("job_type")) {
    ThrowUsage(
        "E10054: --job_type is missing; expected 1 (subgraph tuning) or 2 (operator tuning)");
  }
  const std::string value = line.Get("job_type");
  if (value != "1" && value != "2") {
    ThrowUsage(
        fmt::format("E10001: --job_type={}: expected 1 (subgraph tuning) or 2 (operator "
                    "tuning)",
                    value));
  }
  return value == "1" ? AoeJobType::kSubgraph : AoeJobType::kOperator;
}

void CheckJobOptions(const ToolCommandLine& line, AoeJobType type) {
  for (const JobRow& row : kOfOneJob) {
    if (line.Has(row.option) && row.type != type) {
      ThrowUsage(fmt::format("E10001: --{} belongs to --job_type={}, not to --job_type={}",
                             row.option, static_cast<int>(row.type), static_cast<int>(type)));
    }
  }
}

PrecisionArguments PrecisionOf(const ToolCommandLine& line) {
  if (line.Has("precision_mode") && line.Has("precision_mode_v2")) {
    ThrowUsage(
        "E10056: --precision_mode and --precision_mode_v2 exclude each other; give one of them");
  }
  PrecisionArguments precision;
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    if (line.Has(row.name)) {
      precision.*row.argument = line.Get(row.name);
    }
  }
  return precision;
}

DynamicShapes ShapesOf(const ToolCommandLine& line) {
  DynamicShapes shapes{.input_shape = {},
                       .dynamic_batch_size = line.Get("dynamic_batch_size"),
                       .dynamic_image_size = line.Get("dynamic_image_size"),
                       .dynamic_dims = line.Get("dynamic_dims")};
  if (line.Has("input_shape")) {
    shapes.input_shape.push_back(line.Get("input_shape"));
  }
  static_cast<void>(InputShapesOf(shapes));  // says what is wrong before models are read
  return shapes;
}

// "true" in any letters, as scripts of users have it.
bool IsTrue(std::string_view text) {
  return std::ranges::equal(text, std::string_view("true"), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

AoeConfiguration ConfigurationOf(const AoeEnvironment& environment) {
  const fs::path places[] = {
      environment.current_folder / "aoe.ini",
      fs::path(environment.home) / "Ascend/latest/tools/aoe/conf/aoe.ini",
  };
  std::error_code error;
  for (const fs::path& path : places) {
    if (fs::exists(path, error)) {
      return ParseAoeConfiguration(ReadSmallFile(path, kMostConfigurationBytes), path.string());
    }
  }
  return {};
}

fs::path WorkRoot(const AoeEnvironment& environment, const AoeConfiguration& configuration) {
  const bool from_environment = !environment.ascend_work_path.empty();
  const std::string& text =
      from_environment ? environment.ascend_work_path : configuration.work_path;
  fs::path root = (environment.current_folder / text).lexically_normal();
  std::error_code error;
  if (!text.empty() &&
      (!fs::is_directory(root, error) || ::access(root.c_str(), R_OK | W_OK | X_OK) != 0)) {
    ThrowUsage(fmt::format("{}={}: expected a folder that can be read, written and searched",
                           from_environment ? "ASCEND_WORK_PATH" : "WORK_PATH", text));
  }
  return root;
}

std::size_t TrialsOf(const ToolCommandLine& line) {
  if (line.Has("max_trials")) {
    return static_cast<std::size_t>(line.Integer("max_trials"));
  }
  return kNormalTrials * (line.Get("tune_optimization_level") == "O1" ? kDeeperFactor : 1) *
         (line.Has("Fdeeper_opat") ? kPairsFactor : 1);
}

std::optional<double> BudgetOf(const ToolCommandLine& line) {
  if (!line.Has("budget")) {
    return std::nullopt;
  }
  const std::string text = line.Get("budget");
  try {
    if (const Budget budget = ParseBudget(text); budget.time) {
      return budget.time->count();
    }
  } catch (const Error& error) {
    ThrowUsage(fmt::format("E10001: {}", error.what()));
  }
  ThrowUsage(
      fmt::format("E10001: --budget={}: expected a time such as 90s, 10min or 2h; "
                  "--max_trials limits plans",
                  text));
}

std::optional<TuneOps> TuneOpsOf(const ToolCommandLine& line) {
  if (!line.Has("tune_ops_file")) {
    return std::nullopt;
  }
  const std::string path = line.Get("tune_ops_file");
  try {
    return ParseTuneOps(ReadSmallFile(path, kMostTuneOpsBytes), path);
  } catch (const Error& error) {
    ThrowUsage(fmt::format("E10001: --tune_ops_file={}: {}", path, error.what()));
  }
}

// Takes --insert_op_conf: what it does to images of --inputs, and a note on the rest.
void TakeAipp(const ToolCommandLine& line, AoeJob& job) {
  if (!line.Has("insert_op_conf")) {
    return;
  }
  const std::string path = line.Get("insert_op_conf");
  try {
    const std::string content = ReadSmallFile(path, kMostAippBytes);
    if (InputsAreImages(job.data.inputs)) {
      job.data.image = ParseAipp(content, path);
    }
  } catch (const Error& error) {
    ThrowUsage(fmt::format("E10001: --insert_op_conf={}: {}", path, error.what()));
  }
  job.notes.push_back(fmt::format(
      "--insert_op_conf is {}, and is not in the written options: give it to ATC again",
      job.data.image.empty()
          ? "not used, since --inputs holds no images: samples are what it makes of them"
          : "done to the images of --inputs"));
}

std::optional<double> NumberOf(const ToolCommandLine& line, std::string_view name) {
  return line.Has(name) ? std::optional(line.Number(name)) : std::nullopt;
}

}  // namespace

AoeJob MakeAoeJob(const ToolCommandLine& line, const AoeEnvironment& environment) {
  AoeJob job;
  job.type = TypeOf(line);
  CheckJobOptions(line, job.type);
  job.models = ModelsOf(line);
  job.precision = PrecisionOf(line);
  AoeConfiguration configuration = ConfigurationOf(environment);
  job.tune_ops = TuneOpsOf(line);
  job.shapes = ShapesOf(line);
  job.fusion_switches = LoadFusionSwitches(line.Get("fusion_switch_file"));
  job.data = {.inputs = line.Get("inputs"),
              .labels = line.Get("labels"),
              .max_samples = line.Integer("max_samples"),
              .draw_samples = kDrawnSamples};
  job.constraints = {.min_sqnr_db = NumberOf(line, "min_sqnr_db"),
                     .max_top1_drop = NumberOf(line, "max_top1_drop"),
                     .min_agreement = NumberOf(line, "min_agreement")};
  job.measure.threads = static_cast<int>(line.Integer("threads"));
  job.measure.seed = static_cast<std::uint64_t>(line.Integer("seed"));
  job.max_trials = TrialsOf(line);
  job.budget_s = BudgetOf(line);
  job.in_pairs = line.Has("Fdeeper_opat");
  if (line.Get("tune_optimization_level") == "O1") {
    job.operator_budget_s *= kDeeperFactor;
  }
  job.run_loop = configuration.run_loop;
  job.progress_bar = line.Get("progress_bar") == "on";
  job.bank = FindBank(BankUse::kWrite, {.tune_bank_path = environment.tune_bank_path,
                                        .ascend_cache_path = environment.ascend_cache_path,
                                        .home = environment.home});
  CheckBankUsable(job.bank);
  job.work_root = WorkRoot(environment, configuration);
  job.result_root = environment.current_folder / environment.ascend_work_path;
  for (const auto& [name, values] : line.values) {
    job.identity[name] = values.front();
  }
  for (const std::string_view name : kNotIdentity) {
    job.identity.erase(std::string(name));
  }
  if (!job.fusion_switches.file.empty()) {
    // The name of the file says nothing of its content, and other switches make another network.
    job.identity["fusion_switch_file"] += fmt::format(
        " (content {})", Hasher().Add(job.fusion_switches.file).Finish().ToHex().substr(0, 12));
  }
  job.output = line.Get("output");
  job.reload = line.Has("reload");
  job.reload_folder = line.Get("reload");
  job.notes = line.notes;
  TakeAipp(line, job);
  if (!job.data.image.empty()) {
    job.identity["insert_op_conf"] = job.data.image;
  }
  job.warnings = std::move(configuration.warnings);
  job.warnings.insert(job.warnings.end(), job.fusion_switches.warnings.begin(),
                      job.fusion_switches.warnings.end());
  // A job that is continued has measured a part of it already.
  job.repeat = IsTrue(environment.repeat_tune) && !job.reload;
  if (job.models.size() > 1 && (!job.output.empty() || !job.reload_folder.empty())) {
    ThrowUsage(
        fmt::format("E10001: {} names one folder, but --model_path holds {} models; leave it "
                    "out",
                    job.output.empty() ? "--reload" : "--output", job.models.size()));
  }
  return job;
}

}  // namespace halftone
