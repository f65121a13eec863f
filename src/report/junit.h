// JUnit XML as CI servers read it (the schema of Jenkins' xUnit plug-in): one suite of test cases.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/report/gates.h"

namespace halftone {

struct JUnitCase {
  std::string name;
  std::string message;             // reason why it failed; empty: it passed
  std::vector<std::string> lines;  // details of the failure, or output of a case that passed
  bool undecided = false;          // nothing shows whether it passed; `message` says why
};

struct JUnitSuite {
  std::string command;  // "tune"
  std::string model_name;
  std::string target;
  std::string created_at;
  double elapsed_s = 0;
  std::vector<std::pair<std::string, std::string>> properties;  // name and value
  std::vector<JUnitCase> cases;
};

// A case for each gate.
std::vector<JUnitCase> TestCasesOf(std::span<const GateResult> gates);

std::string FormatJUnitSuite(const JUnitSuite& suite);

}  // namespace halftone
