// Shared code of the programs that compare two versions of networks: options, a row for each
// network and number of threads, the geometric mean.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace halftone {

struct NetworkArguments {
  std::vector<std::string> models;
  std::vector<int> threads = {1, 0};
  std::string precision_mode = "must_keep_origin_dtype";
  std::string input_shape;
};

void AddNetworkOptions(CLI::App& app, NetworkArguments& arguments);

// The number as text; "all" for 0.
std::string ThreadsText(int threads);

// Parses the command line, then returns body(): the exit code. Errors go to standard error.
int RunNetworkBench(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

// Calls ratio_of(model, threads), which prints a row and returns its ratio, for each network; where
// it throws an Error, a line says why. Returns the exit code: 1 when that happened.
int ForEachNetwork(const NetworkArguments& arguments,
                   const std::function<double(const std::string& model, int threads)>& ratio_of);

}  // namespace halftone
