#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "src/api/compare/compare.h"
#include "src/base/error.h"
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
  const auto read = [&](const std::string& path) { return ReadComparedFront(path, flags.network); };
  const Comparison comparison = CompareFronts(read(flags.paths.at(0)), read(flags.paths.at(1)));
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
