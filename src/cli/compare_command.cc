#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/api/compare/compare.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/cli/command.h"
#include "src/cli/shared_options.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

struct CompareFlags {
  std::vector<std::string> paths;
  std::string network;
  std::string format = "table";
};

void RunCompare(const CompareFlags& flags) {
  // Both are read before an error is reported, so that one answer names all errors.
  std::vector<ComparedFront> fronts;
  std::vector<std::string> wrong;
  std::optional<ErrorKind> kind;
  for (const std::string& path : flags.paths) {
    try {
      fronts.push_back(ReadComparedFront(path, flags.network));
    } catch (const Error& error) {
      wrong.emplace_back(error.what());
      kind = kind.value_or(error.kind());
    }
  }
  if (kind) {
    throw Error(*kind, Join(wrong, "; "));
  }
  const Comparison comparison = CompareFronts(std::move(fronts.at(0)), std::move(fronts.at(1)));
  PrintText(flags.format == "json" ? FormatComparisonJson(comparison)
                                   : FormatComparison(comparison, TerminalColumns()));
}

}  // namespace

void DefineCompareCommand(CLI::App& app, int& /*exit_code*/) {
  auto flags = std::make_shared<CompareFlags>();
  app.add_option(
         "fronts", flags->paths,
         "Two of: a folder that tune --output wrote, a front.json, the folder of a point, a "
         "knowledge base (its newest front)")
      ->required()
      ->expected(2)
      ->type_name("A B");
  app.add_option("--network", flags->network,
                 "Name of the network, where a knowledge base has several");
  app.add_option("--format", flags->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  AddProgramFlags(app);
  app.final_callback([flags] { RunCompare(*flags); });
}

}  // namespace halftone
