// Options that several commands have, defined once so that they read and behave the same.
#pragma once

#include <string>

#include "src/api/halftone.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace halftone {

// Makes the option refuse values below `least`, with a message that says so; returns the option.
CLI::Option* RequireAtLeast(CLI::Option* option, double least);

struct ModelFlags {
  std::string model;
  std::string input_shape;
  std::string soc_version = "host";
};

void AddModelFlags(CLI::App& app, ModelFlags& flags, bool model_required = true);

struct DataFlags {
  DatasetOptions options;
};

void AddDataFlags(CLI::App& app, DataFlags& flags);

void AddPrecisionFlags(CLI::App& app, PrecisionArguments& arguments);

// --threads, --seed
void AddMeasureFlags(CLI::App& app, MeasureSettings& settings);

// The options of the specification that halftone does not have yet: hidden from the help; using one
// is an error that says so, never silently accepted.
void AddLaterOptions(CLI::App& app);

// --op_bank_path, and what it resolves to (see FindBank); `note` is printed by the caller when the
// environment overrides the option.
void AddBankFlag(CLI::App& app, std::string& op_bank_path);
BankLocation ResolveBank(const std::string& op_bank_path);

Model LoadModelOf(const ModelFlags& flags, const std::string& inputs);

// "warning: ..." lines on stderr.
void PrintWarnings(const std::vector<std::string>& warnings);

}  // namespace halftone
