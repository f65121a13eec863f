#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "halftone/cloud_ai.h"
#include "src/api/qaic/session.h"
#include "src/base/error.h"
#include "src/base/shell_words.h"
#include "src/qaic/compile_options.h"

namespace halftone {
namespace {

// Options of qaic-compile that a graph does not take.
struct Refusal {
  std::string_view option;
  std::string_view why;
};

constexpr std::string_view kWritesFile =
    "a graph is resolved, and no file is written; use halftone qaic-compile";

constexpr Refusal kRefusals[] = {
    {"model", "the model is the argument of qaicAddNodesToGraphFromModel"},
    {"node-precision-info", "its path is quantizationConfig.nodePrecisionInfo"},
    {"dump-profile", kWritesFile},
    {"dump-custom-IO-config-template", kWritesFile},
    {"point", kWritesFile},
};

void RefuseSome(const ToolCommandLine& line) {
  if (line.help) {
    throw Error(ErrorKind::kUsage,
                "halftoneOptions: a help is asked for, and a graph prints none; see "
                "docs/reference/cloud_ai.md");
  }
  for (const Refusal& row : kRefusals) {
    if (line.Has(row.option)) {
      throw Error(ErrorKind::kUsage, fmt::format("halftoneOptions: -{}: {}", row.option, row.why));
    }
  }
}

}  // namespace

QaicGraphPlan ResolveQaicGraph(const std::string& model, const QaicGraphOptions& options) {
  if (model.empty()) {
    throw Error(ErrorKind::kUsage,
                "qaicAddNodesToGraphFromModel: expected the path of an ONNX file, found an empty "
                "text");
  }
  std::vector<std::string> words = WithContext([] { return std::string("halftoneOptions"); },
                                               [&] { return ShellWords(options.words); });
  RefuseSome(ParseQaicCommandLine(words));
  words.push_back("-model=" + model);
  words.push_back("-node-precision-info=" + options.node_precision);
  std::string notes;
  const auto add = [&](std::string_view text) { notes += fmt::format("{}\n", text); };
  const auto nothing = [](std::string_view) {};
  QaicPlan plan =
      ResolveQaic(ParseQaicOptions(words), {.print = nothing, .note = add, .warn = add});
  return {.digest = plan.digest.ToHex(), .table = std::move(plan.table), .notes = std::move(notes)};
}

}  // namespace halftone
