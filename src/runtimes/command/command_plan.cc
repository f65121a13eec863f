#include "src/runtimes/command/command_plan.h"

#include <algorithm>
#include <numeric>
#include <system_error>
#include <vector>

#include "src/accuracy/tensor_file.h"
#include "src/base/file.h"
#include "src/base/remove_below.h"
#include "src/base/text.h"
#include "src/runtimes/command/ran_types.h"
#include "src/runtimes/command/sample_files.h"

namespace halftone {
namespace {

constexpr std::size_t kMostText = 1000;  // bytes of a message, and of unknown keys, that are stored

bool IsInside(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const std::filesystem::path relative = path.lexically_normal().lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

std::vector<std::filesystem::path> FilesBelow(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

CommandPlan::CommandPlan(std::filesystem::path folder, PlanFiles files, PrecisionPlan plan,
                         const std::string& description)
    : folder_(std::move(folder)), files_(std::move(files)), plan_(std::move(plan)) {
  facts_.runtime = description;
}

CommandPlan::~CommandPlan() {
  RemoveBelow(folder_.parent_path(), folder_);
}

Hash128 CommandPlan::Digest(const Hash128& network, const std::string& command) const {
  Hasher hasher;
  hasher.Add(network).Add(command);
  std::vector<std::filesystem::path> files = FilesBelow(files_folder());
  if (!IsInside(files_.model, files_folder())) {
    files.push_back(files_.model);
  }
  for (const std::filesystem::path& file : files) {
    hasher.Add(IsInside(file, files_folder()) ? file.lexically_relative(files_folder()).string()
                                              : file.filename().string());
    hasher.Add(ReadFile(file));
  }
  return hasher.Finish();
}

void CommandPlan::TakeFacts(const CommandAnswer& answer, double wall_s, const Graph& network,
                            const std::string& description) {
  const std::string otherwise = RanOtherwise(network, plan_, answer.ran);
  facts_.runtime = description;
  facts_.as_asked = answer.ran_as_asked.value_or(otherwise.empty());
  std::vector<std::string> clauses;
  for (const std::string& clause : {otherwise, answer.message, answer.other}) {
    if (!clause.empty()) {
      clauses.push_back(Printable(clause.substr(0, kMostText)));
    }
  }
  facts_.detail = Join(clauses, "; ");
  // Engines that a wrapper has kept are not built by later calls.
  const double runs_s = std::accumulate(answer.latencies_s.begin(), answer.latencies_s.end(), 0.0);
  if (answer.compile_s) {
    facts_.build_s = std::max(facts_.build_s, *answer.compile_s);
  } else if (!was_called_) {
    facts_.build_s = std::max(0.0, wall_s - runs_s);
  }
  was_called_ = true;
}

std::filesystem::path CommandPlan::OutputsFolder() const {
  const std::filesystem::path first = folder_ / "outputs";
  return outputs_ && IsInside(outputs_->folder, first) ? folder_ / "other_outputs" : first;
}

const std::filesystem::path& CommandPlan::Keep(const Hash128& data, std::filesystem::path folder,
                                               std::size_t samples, const Graph& network) {
  const std::filesystem::path own = OutputsFolder();
  if (!IsInside(folder, own)) {
    const OutputFolder outside(folder, network);
    for (std::size_t sample = 0; sample < samples; ++sample) {
      const std::vector<Tensor> outputs = outside.Read(sample);
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        WriteFileAtomically(own / std::to_string(sample) / (std::to_string(i) + ".npy"),
                            FormatNpy(outputs[i]));
      }
    }
    folder = own;
  }
  outputs_ = Outputs{.data = data, .folder = std::move(folder)};
  return outputs_->folder;
}

}  // namespace halftone
