// Options of --measure=command: (docs/guide/measuring_elsewhere.md).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/precision/resolve/anchor.h"
#include "src/runtimes/command/result_format.h"
#include "src/runtimes/command/sample_files.h"

namespace halftone {

struct CommandOptions {
  std::string text;                // the command line, as it was given
  std::vector<std::string> words;  // of `text`, with placeholders; names of files are absolute
  std::string format_text = "halftone";
  ResultFormat format;
  double timeout_s = 600;  // of one invocation, compilation included
  SampleForm form = SampleForm::kBin;
  int runs = 50;   // {runs}; down to 10 if the budget does not hold them
  int warmup = 5;  // {warmup}
  // Folder of the work folders. They stay for later calls, because wrappers keep compiled engines
  // in them. Empty: work folders are temporary.
  std::filesystem::path cache = {};
  double grace_s = 5;  // between SIGTERM and SIGKILL, at the timeout and at a stop
  std::function<bool()> stop_requested = {};
  std::optional<Anchor> anchor = {};  // what plans are compared with; empty: float32
};

// `command`: words by the quoting rules of POSIX, with placeholders. `format`: a text for
// ParseResultFormat(). `form`: a name of kSampleForms. Error kUsage: no words, a quote that is not
// closed, an unknown placeholder, an unknown format or form, a timeout that is no positive number.
CommandOptions ParseCommandOptions(std::string_view command, std::string_view format = "halftone",
                                   double timeout_s = 600, std::string_view form = "bin");

}  // namespace halftone
