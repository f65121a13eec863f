// Tasks whose program is a script in place of halftone.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "src/base/text.h"
#include "src/fleet/scratch_folder.h"
#include "src/fleet/task.h"
#include "tests/fleet/digits_runs.h"
#include "tests/fleet/fleet_fixture.h"
#include "tests/support/process.h"

namespace halftone::testing {

class TaskFixture : public FleetFixture {
 protected:
  static constexpr const char* kWritesBank = "cp -r $runs/bank $bank; ";
  static constexpr const char* kWritesFront = "cp $runs/tuned/front.json $out/; ";
  // Until its signal.
  static constexpr const char* kWaits =
      "trap 'exit 130' TERM; : > $here/waits; tail -f /dev/null & wait; ";

  // Makes the program run these lines of shell. $command is "tune", $bank, $out and $progress are
  // its paths, $runs those of DigitsRuns, $here a folder of the test.
  void Program(const std::string& lines) const {
    WriteScript(Here("halftone"), fmt::format("runs={} here={} command=$1\n"
                                              "echo \"$*\" >> $here/calls\n"
                                              "for w; do case $w in\n"
                                              "--op_bank_path=*) bank=${{w#*=}} ;;\n"
                                              "--output=*) out=${{w#*=}} ;;\n"
                                              "--progress_file=*) progress=${{w#*=}} ;;\n"
                                              "esac; done\n{}",
                                              DigitsRuns::Once().bank().parent_path().string(),
                                              folder_.path().string(), lines));
  }

  std::filesystem::path Here(const std::string& name) const { return folder_.path() / name; }

  // Command lines of the program so far.
  std::vector<std::string> Calls() const {
    std::vector<std::string> calls;
    if (std::filesystem::exists(Here("calls"))) {
      const std::string text = ReadFile(Here("calls"));
      for (const std::string_view line : Split(Trim(text), '\n')) {
        calls.emplace_back(line);
      }
    }
    return calls;
  }

  WorkSettings Settings() {
    return {.program = Here("halftone"),
            .scratch = Here("scratch"),
            .takes = [](std::string_view, std::string_view) { return true; },
            .stop_requested = [this] { return std::filesystem::exists(Here("waits")); },
            .say = [this](std::string_view line) { said_ += std::string(line) + "\n"; }};
  }

  // All networks of kind "k", one after the other.
  bool Work(const FleetFolder& fleet) {
    std::vector<std::string> networks;
    for (const FleetNetwork& network : fleet.Plan().networks) {
      networks.push_back(network.name);
    }
    return RunElement(fleet, "k", fleet.WriteList("k", networks), 0, 1, Settings());
  }

  // The folder of a task on the machine's disk.
  std::filesystem::path Scratch(const FleetFolder& fleet, const FleetItem& item) const {
    return Here("scratch") / fmt::format("halftone-fleet-{}", ::geteuid()) /
           ScratchName(fleet, item);
  }

  static void Damage(const std::filesystem::path& bank) {
    WriteFileAtomically(bank / "host/halftone.db", std::string(8192, 'x'));
  }

  std::string said_;
  const FleetItem item_ = {"k", "a"};
};

}  // namespace halftone::testing
