// Options of tune and retune for CI services: --fail_if, --junit and --annotations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/api/halftone.h"
#include "src/cli/parser_classes.h"

namespace halftone {

struct CiFlags {
  std::vector<std::string> fail_if;
  std::string junit;
  std::string annotations;
};

// Adds the options. `judged` names the subject of gates in the help: "the chosen point".
void AddCiFlags(CLI::App& app, CiFlags& flags, std::string_view judged);

// Parses the gates of --fail_if. Errors as ParseGate().
std::vector<Gate> GatesIn(const CiFlags& flags);

// Checks the options before long work. Errors: kUsage for an unknown style of --annotations; kIo
// for a --junit file that cannot be written.
void CheckCiFlags(const CiFlags& flags);

// Prints the annotations in the style of --annotations, or nothing without that option.
void PrintAnnotations(const CiFlags& flags, const std::vector<Annotation>& annotations);

}  // namespace halftone
