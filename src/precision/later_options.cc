#include "src/precision/later_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr LaterOption kLater[] = {
    {"modify_mixlist",
     "it moves operator types between the white, black and gray lists; use --keep_dtype for "
     "operators that must not be lowered"},
    {"customize_dtypes",
     "it gives single operators their dtypes; use --keep_dtype for operators that must not be "
     "lowered"},
    {"soc_version", "this release resolves for the CPU it runs on; use --soc_version=host"},
    {"allow_hf32",
     "it lets matrix operators compute in HF32, which the host does not have; leave it out"},
    {"output_type", "it converts the outputs of the model; they keep their original dtype"},
    {"input_fp16_nodes", "it makes inputs of the model float16; they keep their original dtype"},
    {"is_weight_clip",
     "it clips weights that overflow float16; use --keep_dtype for operators with such weights"},
    {"status_check", "it makes operators record overflow; leave it out"},
};

}  // namespace

std::span<const LaterOption> LaterOptions() {
  return kLater;
}

const LaterOption* FindLaterOption(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  for (const LaterOption& option : kLater) {
    if (option.name == name) {
      return &option;
    }
  }
  return nullptr;
}

void RefuseLater(std::string_view name, std::string_view value) {
  const LaterOption* option = FindLaterOption(name);
  Check(option != nullptr, fmt::format("'{}' is not in the table of later options", name));
  throw Error(ErrorKind::kUsage, fmt::format("--{}{}{} is not supported yet; {}", option->name,
                                             value.empty() ? "" : "=", value, option->what));
}

}  // namespace halftone
