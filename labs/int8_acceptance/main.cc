// halftone_int8_acceptance: the figures of the acceptance of 8 bits that need the library itself;
// labs/int8_acceptance/int8_acceptance.sh has the others and makes the table.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "labs/int8_acceptance/acceptance_parts.h"
#include "src/api/bank/workload.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/temporary_folder.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string part;
  std::vector<std::string> networks;
  std::string library;
  std::string rival;
  std::string point;
  std::string bank;
  std::string json;
  std::size_t cost_samples = 64;
  PartOptions options;
};

// Largest resident memory of this process so far, bytes.
double PeakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

std::string PartOf(const Arguments& arguments, const OrtApi* api, const fs::path& folder) {
  if (arguments.part == "accuracy") {
    return AccuracyFigures(folder, arguments.options);
  }
  if (arguments.part == "rival") {
    return RivalFigures(folder, arguments.rival, arguments.options);
  }
  if (arguments.part == "cost") {
    return CostFigures(folder, arguments.cost_samples, arguments.options);
  }
  if (arguments.part == "prediction") {
    return PredictionFigures(folder, arguments.options);
  }
  if (api == nullptr) {
    throw Error(ErrorKind::kUsage, fmt::format("the part '{}' needs --library", arguments.part));
  }
  if (arguments.part == "qdq") {
    return QdqFigures(*api, folder, arguments.point, arguments.options);
  }
  return arguments.part == "error" ? PeerErrorFigures(*api, folder, arguments.options)
                                   : SpeedFigures(*api, folder, arguments.options);
}

// The exit code: 1 when a network failed.
int RunParts(Arguments arguments) {
  std::optional<OrtApi> api;
  if (!arguments.library.empty()) {
    api.emplace(arguments.library);
  }
  std::optional<TemporaryFolder> bank;
  arguments.options.kernels.bank = arguments.bank;
  if (arguments.bank.empty()) {
    arguments.options.kernels.bank = bank.emplace("the kernels that are chosen").path();
  }
  nlohmann::json rows = nlohmann::json::array();
  int code = 0;
  for (const std::string& network : arguments.networks) {
    nlohmann::json row;
    try {
      row = nlohmann::json::parse(PartOf(arguments, api ? &*api : nullptr, network));
    } catch (const Error& error) {
      row["error"] = error.what();
      code = 1;
    }
    row["network"] = fs::path(network).parent_path().filename() == "light"
                         ? "light/" + fs::path(network).filename().string()
                         : fs::path(network).filename().string();
    row["peak_bytes"] = PeakBytes();
    fmt::print(stderr, "{}\n", row.dump());
    rows.push_back(std::move(row));
    const nlohmann::json document = {{"part", arguments.part},
                                     {"cpu", CpuName()},
                                     {"time", UtcNow()},
                                     {"onnxruntime", api ? api->version() : ""},
                                     {"threads", arguments.options.threads},
                                     {"networks", rows}};
    WriteFileAtomically(arguments.json, document.dump(1) + "\n");
  }
  return code;
}

int Main(int argc, char** argv) {
  CLI::App app("Figures of the acceptance of 8 bits, by network.");
  Arguments arguments;
  app.add_option("networks", arguments.networks, "Folders with a model.onnx")->required();
  app.add_option("--part", arguments.part, "What is measured")
      ->check(CLI::IsMember({"accuracy", "rival", "error", "speed", "cost", "prediction", "qdq"}))
      ->required();
  app.add_option("--library", arguments.library, "libonnxruntime.so.1, for error, speed and qdq");
  app.add_option("--rival", arguments.rival, "Folder of another network, for rival");
  app.add_option("--point", arguments.point, "Folder of a point of halftone tune, for qdq");
  app.add_option("--op_bank_path", arguments.bank, "Keeps machine profile and timings of kernels");
  app.add_option("--threads", arguments.options.threads)->capture_default_str();
  app.add_option("--budget", arguments.options.budget_s, "Seconds of timed runs of each network")
      ->capture_default_str();
  app.add_option("--max_samples", arguments.options.samples, "Most samples of a network")
      ->capture_default_str();
  app.add_option("--cost_samples", arguments.cost_samples, "Samples of the part cost")
      ->capture_default_str();
  app.add_option("--json", arguments.json, "File for the figures")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    return RunParts(std::move(arguments));
  } catch (const Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}

}  // namespace
}  // namespace halftone

int main(int argc, char** argv) {
  return halftone::Main(argc, argv);
}
