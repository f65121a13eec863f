// --fail_if, --junit, --annotations: options of tune and retune for CI services.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/api/halftone.h"

namespace CLI {
class App;
}  // namespace CLI

namespace halftone {

struct CiFlags {
  std::vector<std::string> fail_if;
  std::string junit;
  std::string annotations;
};

// `judged`: the subject of gates, for the help: "the chosen point".
void AddCiFlags(CLI::App& app, CiFlags& flags, std::string_view judged);

// Errors as ParseGate().
std::vector<Gate> GatesIn(const CiFlags& flags);

// Error kUsage, before hours of work: an unknown style, a file that cannot be written.
void CheckCiFlags(const CiFlags& flags);

// Prints them in the style of --annotations; without one, nothing.
void PrintAnnotations(const CiFlags& flags, const std::vector<Annotation>& annotations);

}  // namespace halftone
