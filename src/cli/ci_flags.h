// --fail_if, --junit, --annotations: what a CI service asks of tune and retune.
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

// `judged`: what gates are about, for the help: "the chosen point".
void AddCiFlags(CLI::App& app, CiFlags& flags, std::string_view judged);

// Errors as ParseGate().
std::vector<Gate> GatesIn(const CiFlags& flags);

// Error kUsage, before hours of work: a style that there is none of, a file that cannot be written.
void CheckCiFlags(const CiFlags& flags);

// Prints them in the style that was asked for; without one, nothing.
void PrintAnnotations(const CiFlags& flags, const std::vector<Annotation>& annotations);

}  // namespace halftone
