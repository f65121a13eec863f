#include "src/api/report/atc_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <vector>

#include "src/amct/point_files.h"
#include "src/api/report/atc_shapes.h"
#include "src/base/shell_words.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNotOfAtc[] = {"--ops_info", "--quantization"};

fs::path WholePath(const fs::path& model) {
  std::error_code error;
  const fs::path file = fs::is_directory(model, error) ? model / "model.onnx" : model;
  const fs::path whole = fs::absolute(file, error);
  return error ? file : whole.lexically_normal();
}

// "--keep_dtype="$folder"/keep_dtype.cfg", "--precision_mode=force_fp16"
std::string ScriptArgument(const OptionFiles& files, std::string_view option,
                           std::string_view value) {
  return files.files.contains(std::string(value))
             ? fmt::format("{}=\"$folder\"/{}", option, ShellWord(value))
             : fmt::format("{}={}", option, ShellWord(value));
}

}  // namespace

std::string AtcScript(const OptionFiles& files, const TargetSpec& target, const fs::path& model) {
  if (target.has_host_kernels()) {
    return "";
  }
  std::string arguments;
  std::vector<std::string> shapes;
  for (const std::string_view argument : files.arguments) {
    const std::size_t equals = argument.find('=');
    const std::string_view option = argument.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? "" : argument.substr(equals + 1);
    if (std::ranges::find(kNotOfAtc, option) != std::end(kNotOfAtc)) {
      continue;
    }
    if (option == "--soc_version" && files.files.contains(std::string(value))) {
      return "";
    }
    if (option == "--input_shape") {
      shapes.emplace_back(value);
      continue;
    }
    arguments += fmt::format("  {} \\\n", ScriptArgument(files, option, value));
  }
  std::string of_shapes;
  for (const std::string& argument : AtcShapeArguments(shapes)) {
    of_shapes += fmt::format("  {} \\\n", ShellArgument(argument));
  }
  // Behind the device, where point folders have them.
  const std::size_t device = arguments.find("--soc_version=");
  const std::size_t at = device == std::string::npos ? 0 : arguments.find('\n', device) + 1;
  arguments.insert(at, of_shapes);
  if (arguments.find("--soc_version=") == std::string::npos) {
    arguments = fmt::format("  --soc_version={} \\\n", ShellWord(target.name)) + arguments;
  }
  // Files that the configuration names lie beside it, so that is where ATC runs.
  const bool quantises = files.files.contains(std::string(kCompressionFile));
  if (quantises) {
    arguments += fmt::format("  --compression_optimize_conf=\"$folder\"/{} \\\n", kCompressionFile);
  }
  constexpr std::string_view kEnterFolder =
      "case ${MODEL:=$model} in /*) ;; *) MODEL=$PWD/$MODEL ;; esac\n"
      "case ${OUTPUT:=$folder/model} in /*) ;; *) OUTPUT=$PWD/$OUTPUT ;; esac\n"
      "cd -- \"$folder\"\n";
  return fmt::format(
      "#!/bin/sh\n"
      "# Compiles the network with ATC in the precision of this point, from any folder:\n"
      "#   MODEL=model.onnx OUTPUT=model sh atc.sh [OPTIONS OF ATC]\n"
      "set -eu\n"
      "folder=$(CDPATH= cd -- \"$(dirname -- \"$0\")\" && pwd)\n"
      "model={}\n{}"
      "exec atc --framework=5 --model=\"${{MODEL:-$model}}\" "
      "--output=\"${{OUTPUT:-$folder/model}}\" \\\n"
      "{}  \"$@\"\n",
      ShellWord(WholePath(model).string()), quantises ? kEnterFolder : "", arguments);
}

}  // namespace halftone
