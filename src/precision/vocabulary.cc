#include "src/precision/vocabulary.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "src/base/text.h"
#include "src/target/builtin_targets.h"

namespace halftone {
namespace {

constexpr std::string_view kTypeLine = "OpType::";

// Options and key words of qaic-compile, where one says it (docs/reference/cloud_ai.md).
constexpr FamilyWord kCloudAiModes[] = {
    {"force_fp16", "-convert-to-fp16"},
    {"fp16", "-convert-to-fp16"},
    {"force_fp32", "FP32"},
    {"cube_fp16in_fp32out", "FP32"},
    {"allow_fp32_to_fp16", "FP16 for matrix kinds"},
    {"must_keep_origin_dtype", "original precision"},
    {"origin", "original precision"},
    {"allow_mix_precision", "FP16 by kind"},
    {"allow_mix_precision_fp16", "FP16 by kind"},
    {"mixed_float16", "FP16 by kind"},
    {"allow_mix_precision_bf16", "BF16 by kind"},
    {"mixed_bfloat16", "BF16 by kind"},
    {"allow_fp32_to_bf16", "BF16 for matrix kinds"},
    {"cube_hif8", "HiF8 for matrix kinds"},
    {"mixed_hif8", "HiF8 by kind"},
};

constexpr FamilyWord kCloudAiFormats[] = {
    {"float32", "FP32"}, {"float16", "FP16"}, {"bfloat16", "BF16"}, {"int8", "Int8"}};

constexpr Vocabulary kVocabularies[] = {
    {.family = "host"},
    {.family = "ascend", .script = "atc.sh"},
    {.family = "cloud_ai",
     .modes = kCloudAiModes,
     .formats = kCloudAiFormats,
     .no_mode = "-convert-to-fp16",
     .keep = "original precision for {}",
     .kept_type = "kind",
     .lists = "kind change",
     .custom = "node precision",
     .node_sets = "sets of nodes in original precision",
     .other_modes = "other options",
     .implementations = "",
     .script = "qaic_compile.sh",
     .arguments_are_of_the_tool = false},
};

const Vocabulary& VocabularyOfFamily(std::string_view family) {
  for (const Vocabulary& row : kVocabularies) {
    if (family.starts_with(row.family)) {
      return row;
    }
  }
  return kVocabularies[0];
}

std::string_view WordIn(std::span<const FamilyWord> words, std::string_view word) {
  for (const FamilyWord& row : words) {
    if (row.word == word) {
      return row.theirs;
    }
  }
  return word;
}

std::string KeptText(const std::vector<std::string>& lines, const Vocabulary& words) {
  std::vector<std::string> nodes;
  std::int64_t types = 0;
  for (const std::string& line : lines) {
    if (!words.kept_type.empty() && line.starts_with(kTypeLine)) {
      ++types;
    } else {
      nodes.push_back(line);
    }
  }
  std::vector<std::string> parts;
  if (types > 0) {
    parts.push_back(Counted(types, words.kept_type));
  }
  if (!nodes.empty()) {
    parts.push_back(lines.size() == 1 ? Shown(nodes.front()) : Counted(std::ssize(nodes), "node"));
  }
  return parts.empty() ? "" : ", " + fmt::format(fmt::runtime(words.keep), Join(parts, " and "));
}

// ", high_precision for 3 types, high_performance for Conv2D"; `noun` is what the keys are.
std::string ModesText(const std::map<std::string, ImplMode>& modes, std::string_view noun) {
  std::map<ImplMode, std::vector<std::string>> names_by_mode;
  for (const auto& [name, mode] : modes) {
    names_by_mode[mode].push_back(name);
  }
  std::string text;
  for (const auto& [mode, names] : names_by_mode) {
    text +=
        fmt::format(", {} for {}", NameOf(mode),
                    names.size() == 1 ? Shown(names.front()) : Counted(std::ssize(names), noun));
  }
  return text;
}

std::int64_t ChangeCount(const Mixlist& mixlist) {
  std::int64_t count = 0;
  for (const MixlistChange* list : {&mixlist.white, &mixlist.black, &mixlist.gray}) {
    count += std::ssize(list->to_add) + std::ssize(list->to_remove);
  }
  return count;
}

std::string ImplModesText(const PrecisionOptions& options) {
  std::string text =
      ModesText(options.impl_mode_by_type, "type") + ModesText(options.impl_mode_by_node, "node");
  if (options.op_precision_given && options.impl_mode_by_type.empty() &&
      options.impl_mode_by_node.empty()) {
    text += ", empty op_precision file";
  }
  if (!options.op_select_implmode.empty()) {
    text += ", " + options.op_select_implmode;
    if (!options.optypelist_for_implmode.empty()) {
      text += " for " + Join(options.optypelist_for_implmode, ", ");
    }
  }
  return text;
}

std::string FormatsText(const PrecisionOptions& options, const Vocabulary& words) {
  std::map<std::string, std::int64_t> nodes_by_format;
  for (const auto& [node, format] : options.node_formats) {
    ++nodes_by_format[words.FormatWord(ShownFormat(format))];
  }
  std::string text;
  for (const auto& [format, nodes] : nodes_by_format) {
    text += fmt::format(", {} for {}", format, Counted(nodes, "node"));
  }
  return text;
}

}  // namespace

std::string_view Vocabulary::ModeWord(std::string_view mode) const {
  return WordIn(modes, mode);
}

std::string Vocabulary::FormatWord(std::string_view format) const {
  std::vector<std::string> theirs;
  for (const std::string_view word : Split(format, ' ')) {
    theirs.emplace_back(WordIn(formats, word));
  }
  return Join(theirs, " ");
}

std::span<const Vocabulary> AllVocabularies() {
  return kVocabularies;
}

const Vocabulary& VocabularyOf(const TargetSpec& target) {
  return VocabularyOfFamily(target.family);
}

const Vocabulary& VocabularyOfTarget(std::string_view soc_version) {
  const TargetFile* file = FindSocVersion(soc_version);
  return VocabularyOfFamily(file == nullptr ? "" : std::string_view(file->spec.family));
}

std::string Summary(const PrecisionOptions& options, const Vocabulary& words) {
  const std::string& mode =
      options.precision_mode.empty() ? options.precision_mode_v2 : options.precision_mode;
  std::string text(mode.empty() ? words.no_mode : words.ModeWord(mode));
  text += KeptText(options.keep_dtype, words);
  text += ImplModesText(options);
  if (options.modify_mixlist) {
    text += ", " + Counted(ChangeCount(*options.modify_mixlist), words.lists);
  }
  if (!options.customize_dtypes.empty()) {
    text += ", " + Counted(std::ssize(options.customize_dtypes), words.custom);
  }
  if (!options.input_fp16_nodes.empty()) {
    text += fmt::format(", {}", Counted(std::ssize(options.input_fp16_nodes),
                                        fmt::format("{} input", words.FormatWord("float16"))));
  }
  text += FormatsText(options, words);
  for (const auto& [name, value] :
       {std::pair("allow_hf32", options.allow_hf32), std::pair("output_type", options.output_type),
        std::pair("is_weight_clip", options.is_weight_clip),
        std::pair("status_check", options.status_check),
        std::pair("graph_run_mode", options.graph_run_mode)}) {
    if (!value.empty()) {
      text += fmt::format(", {}={}", name, value);
    }
  }
  return text;
}

}  // namespace halftone
