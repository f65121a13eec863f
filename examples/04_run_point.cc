// Runs a point that `tune` wrote, on four threads: one session, memory of the caller.
//   example_04_run_point examples/digits/model.onnx out/point_1
#include <halftone/halftone.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

// 8x8 pixels, the darker the larger.
constexpr std::string_view kSeven =
    "  ####  "
    " ###### "
    "     ## "
    "    ##  "
    "  ##### "
    "   ##   "
    "  ##    "
    "  ##    ";
constexpr std::size_t kClasses = 10;

std::vector<float> Pixels(std::string_view drawing) {
  std::vector<float> pixels;
  for (const char c : drawing) {
    pixels.push_back(c == '#' ? 1.0F : 0.0F);
  }
  return pixels;
}

// Of the same pixels, on as many threads at a time.
std::array<std::array<float, kClasses>, 4> ScoresOf(const halftone::Session& session,
                                                    const std::vector<float>& pixels) {
  const halftone::SessionTensor& input = session.inputs()[0];
  const halftone::SessionTensor& output = session.outputs()[0];
  std::array<std::array<float, kClasses>, 4> scores;
  std::vector<std::jthread> threads;
  threads.reserve(scores.size());
  for (auto& own : scores) {
    threads.emplace_back([&] {
      const halftone::ConstTensorView from[] = {{pixels.data(), input.dtype, input.shape}};
      const halftone::TensorView to[] = {{own.data(), output.dtype, output.shape}};
      session.Run(from, to);
    });
  }
  threads.clear();  // waits for them
  return scores;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: example_04_run_point MODEL POINT\n", stderr);
    return 2;
  }
  try {
    halftone::SessionOptions options;
    options.point = argv[2];
    options.threads = 1;  // of one run: four runs at a time keep four cores busy
    const halftone::Session session(argv[1], options);
    for (const std::string& note : session.notes()) {
      std::fprintf(stderr, "note: %s\n", note.c_str());
    }
    const auto scores = ScoresOf(session, Pixels(kSeven));
    std::printf("%s, plan %s\n", session.configuration().c_str(), session.plan_digest().c_str());
    std::size_t best = 0;
    for (std::size_t c = 0; c < kClasses; ++c) {
      std::printf("%zu %.4f\n", c, scores[0][c]);
      best = scores[0][c] > scores[0][best] ? c : best;
    }
    std::printf("the digit is a %zu%s\n", best,
                scores[1] == scores[0] && scores[2] == scores[0] && scores[3] == scores[0]
                    ? ", on every thread"
                    : "");
  } catch (const halftone::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
