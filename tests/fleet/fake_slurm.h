// Slurm without Slurm: its commands are small scripts in a folder in front of PATH. They note their
// words and give the answers of a list.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/shell_words.h"
#include "src/base/temporary_folder.h"
#include "src/base/text.h"
#include "src/fleet/slurm_engine.h"
#include "tests/support/process.h"

namespace halftone::testing {

// Answers of commands.
inline constexpr const char* kNotThere =
    "echo 'error: Unable to contact slurm controller (connect failure)' >&2; exit 1";
inline constexpr const char* kTooSlow =
    "echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' "
    ">&2; exit 1";
inline constexpr const char* kForgotten =
    "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1";

inline std::string PathOfCommands() {
  const char* path = std::getenv("PATH");
  return path != nullptr ? path : "/usr/bin:/bin";
}

class FakeSlurm : public ::testing::Test {
 public:
  ~FakeSlurm() override { ::setenv("PATH", path_.c_str(), 1); }

 protected:
  FakeSlurm() {
    ::setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1);
    for (const char* name : {"SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_JOB_ID"}) {
      ::unsetenv(name);
    }
  }

  // Puts a command in PATH that does the n-th line of shell at its n-th call, then the last again.
  // Forgets calls of an earlier one.
  void Command(const std::string& name, const std::vector<std::string>& answers) {
    const std::string base = (folder_.path() / name).string();
    std::filesystem::remove(base + ".calls");
    std::string cases;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const std::string number = i + 1 < answers.size() ? std::to_string(i + 1) : "*";
      cases += number + ") " + answers[i] + " ;;\n";
    }
    WriteScript(base, "n=$(cat " + base + ".calls 2>/dev/null | wc -l); n=$((n + 1))\n" +
                          "for w in " + name + " \"$@\"; do printf '%s\\036' \"$w\"; done >> " +
                          base + ".calls; echo >> " + base + ".calls\n" + "case $n in\n" + cases +
                          "esac");
  }

  // Command lines by which it was called.
  std::vector<std::string> Calls(const std::string& name) {
    std::vector<std::string> calls;
    const std::filesystem::path file = folder_.path() / (name + ".calls");
    if (!std::filesystem::exists(file)) {
      return calls;
    }
    const std::string text = ReadFile(file);
    for (const std::string_view line : Split(text, '\n')) {
      std::vector<std::string> words;
      for (const std::string_view word : Split(line, '\036')) {
        words.push_back(ShellWord(word));
      }
      words.pop_back();  // behind the last separator
      if (!words.empty()) {
        calls.push_back(Join(words, " "));
      }
    }
    return calls;
  }

  std::unique_ptr<FleetEngine> Engine(const OptionList& options = {}) {
    return MakeSlurmEngine(options,
                           {.sleep = [this](double seconds) { pauses_.push_back(seconds); },
                            .token = [] { return "1f"; }});
  }

  static EngineJob Job() {
    return {.name = "halftone-zen5",
            .words = {"/opt/halftone", "fleet", "work"},
            .elements = 12,
            .constraint = "zen5",
            .exclusive = true,
            .log = "/fleet/log/zen5"};
  }

  // The sentence of the Error of `kind`.
  template <typename Body>
  static std::string Message(ErrorKind kind, Body&& body) {
    try {
      body();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_{"a test"};
  std::string path_ = PathOfCommands();
  std::vector<double> pauses_;
};

}  // namespace halftone::testing
