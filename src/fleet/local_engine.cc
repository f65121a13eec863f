// Engine `local`: this machine, one task after the other, while the command waits.
#include <fmt/format.h>

#include "src/base/error.h"
#include "src/base/run_program.h"
#include "src/fleet/engine.h"

namespace halftone {
namespace {

constexpr int kExitInterrupted = 130;

class LocalEngine : public FleetEngine {
 public:
  std::size_t MostElements() override { return 1; }

  std::string Submit(const EngineJob& job) override {
    std::string name = fmt::format("local-{}", ++jobs_);
    const std::size_t runs = job.elements == 0 ? 1 : job.elements;
    for (std::size_t i = 0; i < runs; ++i) {
      std::vector<std::string> words = job.words;
      if (job.elements > 0) {
        words.push_back(fmt::format("--element={}", i));
      }
      const int exit_code = RunInPlace(words, job.stop_requested);
      if (exit_code == kExitInterrupted) {
        throw EngineInterrupted();
      }
      failed_ = failed_ || exit_code != 0;
    }
    return name;
  }

  std::vector<EngineTask> Active(std::span<const std::string> /*jobs*/) override { return {}; }

  bool RequeueThis() override { return false; }

  [[nodiscard]] bool waits() const override { return true; }

  [[nodiscard]] bool failed() const override { return failed_; }

 private:
  int jobs_ = 0;
  bool failed_ = false;
};

}  // namespace

std::unique_ptr<FleetEngine> OpenLocalEngine(const OptionList& options) {
  if (!options.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("the local engine has no option '{}': leave "
                                               "engine_options out",
                                               options.front().first));
  }
  return std::make_unique<LocalEngine>();
}

}  // namespace halftone
