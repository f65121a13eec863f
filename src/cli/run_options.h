// Options of `halftone run`.
#pragma once

#include <string>
#include <vector>

#include "src/api/halftone.h"
#include "src/cli/parser_classes.h"
#include "src/cli/shared_options.h"

namespace halftone {

struct RunFlags {
  ModelFlags model;
  DataFlags data;
  PrecisionArguments precision;
  std::string point;
  std::string npu_config;
  MeasureSettings measure;
  std::string op_bank_path;
  std::string mdl_bank_path;
  std::string select;
  bool from_bank = false;
  bool explain = false;
  bool profile = false;
  std::string profile_output;
  std::string save;
  std::vector<std::string> check;
  CheckOptions tolerances;
  std::string budget;
  bool no_latency = false;
};

void AddRunOptions(CLI::App& app, RunFlags& flags);

// Error kUsage for options that exclude each other, or are missing.
void CheckRunOptions(const RunFlags& flags);

// True if the configuration comes from a knowledge base.
bool TakesStored(const RunFlags& flags);

// True if the command profiles steps, and measures no accuracy and latency.
bool Profiles(const RunFlags& flags);

}  // namespace halftone
