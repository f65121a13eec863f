// Shared code of programs that compare two versions of networks: options, a row for each network
// and number of threads, and the geometric mean.
#pragma once

#include <functional>
#include <string>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): the library's name
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

// The number of threads as text; "all" for 0.
std::string ThreadsText(int threads);

// Parses the command line, then returns the exit code of body(). An Error goes to standard error
// and gives exit code 2 (kUsage) or 1.
int RunNetworkBench(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

// Calls ratio_of(model, threads), which prints a row and returns its ratio, for each number of
// threads and each network. If a call throws an Error, prints a line with the reason. Prints the
// geometric mean of the ratios for each number of threads. Returns the exit code: 1 if any call
// threw.
int ForEachNetwork(const NetworkArguments& arguments,
                   const std::function<double(const std::string& model, int threads)>& ratio_of);

}  // namespace halftone
