// Defines a search strategy and passes it to Tune() in place of a named one. A strategy needs two
// methods; the optional third one, forecast(), tells what the search will do.
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/api/halftone.h"
#include "src/base/error.h"

namespace {

// Proposes every precision mode once, with nothing kept, and learns nothing.
class EveryMode : public halftone::SearchStrategy {
 public:
  explicit EveryMode(const halftone::SearchSpace& space) : space_(space) {}

  std::vector<halftone::Candidate> Suggest(std::size_t max_count) override {
    std::vector<halftone::Candidate> candidates;
    while (candidates.size() < max_count && next_ < space_.modes.size()) {
      candidates.push_back(halftone::MakeCandidate(space_, next_++, {}, 0));
    }
    return candidates;
  }

  void Update(std::span<const halftone::Trial> finished) override { finished_ += finished.size(); }

  [[nodiscard]] std::optional<halftone::Forecast> forecast() const override {
    return halftone::Forecast{.work_plan = "every precision mode, nothing kept",
                              .most_plans = space_.modes.size()};
  }

 private:
  halftone::SearchSpace space_;
  std::size_t next_ = 0;
  std::size_t finished_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "examples/digits";
  try {
    halftone::TuneOptions options;
    options.data.inputs = folder + "/search_inputs.npy";
    options.make_strategy = [](const halftone::SearchSpace& space) {
      return std::make_unique<EveryMode>(space);
    };
    options.measure.quick_budget_s = 0.05;
    options.measure.full_budget_s = 0.1;
    const halftone::Model model =
        halftone::LoadModel({.path = folder + "/model.onnx", .inputs = options.data.inputs});
    std::printf("%s", halftone::FormatConsole(halftone::Tune(model, options)).c_str());
  } catch (const halftone::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
