#include "src/base/option_words.h"

#include <algorithm>

namespace halftone {
namespace {

// Arguments of functions: src/python/halftone. Members of halftone_options:
// include/halftone/c_api.h; precision options are words of its `precision`.
constexpr OptionWord kWords[] = {
    {.name = "--allow_hf32"},
    {.name = "--annotations"},
    {.name = "--bias_correction"},
    {.name = "--budget"},
    {.name = "--calibration_inputs"},
    {.name = "--calibration_method"},
    {.name = "--confidence"},
    {.name = "--customize_dtypes"},
    {.name = "--draw_samples"},
    {.name = "--dynamic_batch_size"},
    {.name = "--dynamic_dims"},
    {.name = "--dynamic_image_size"},
    {.name = "--export"},
    {.name = "--fail_if"},
    {.name = "--format"},
    {.name = "--from_bank"},
    {.name = "--front"},
    {.name = "--fusion_switch_file"},
    {.name = "--goal"},
    {.name = "--graph_run_mode"},
    {.name = "--heldout_inputs"},
    {.name = "--heldout_labels"},
    {.name = "--heldout_share"},
    {.name = "--histograms"},
    {.name = "--image"},
    {.name = "--input_fp16_nodes"},
    {.name = "--input_shape", .python_shapes = "input_shapes"},
    {.name = "--inputs"},
    {.name = "--is_weight_clip"},
    {.name = "--keep_dtype"},
    {.name = "--labels"},
    {.name = "--latency_budget"},
    {.name = "--load_profile"},
    {.name = "--max_memory"},
    {.name = "--max_samples"},
    {.name = "--max_slowdown"},
    {.name = "--max_top1_drop"},
    {.name = "--max_trials", .python = "budget"},
    {.name = "--measure"},
    {.name = "--measure_format"},
    {.name = "--measure_inputs"},
    {.name = "--measure_timeout"},
    {.name = "--metric"},
    {.name = "--metric_better"},
    {.name = "--metric_timeout"},
    {.name = "--min_agreement"},
    {.name = "--min_metric"},
    {.name = "--min_sqnr_db"},
    {.name = "--model"},
    {.name = "--modes"},
    {.name = "--modify_mixlist"},
    {.name = "--network"},
    {.name = "--no_bank"},
    {.name = "--no_latency"},
    {.name = "--no_search"},
    {.name = "--node"},
    {.name = "--op_bank_path", .python = "bank", .c = "bank"},
    {.name = "--op_precision_mode"},
    {.name = "--op_select_implmode"},
    {.name = "--operator_budget"},
    {.name = "--operator_tuning"},
    {.name = "--ops_info"},
    {.name = "--optypelist_for_implmode"},
    {.name = "--output"},
    {.name = "--output_type"},
    {.name = "--point"},
    {.name = "--precision"},
    {.name = "--precision_mode"},
    {.name = "--precision_mode_v2"},
    {.name = "--progress_file"},
    {.name = "--quantization"},
    {.name = "--quantize"},
    {.name = "--search_again"},
    {.name = "--seed"},
    {.name = "--seed_bank"},
    {.name = "--select"},
    {.name = "--sequence_length"},
    {.name = "--shape_weights"},
    {.name = "--soc_version", .python = "target"},
    {.name = "--state"},
    {.name = "--status_check"},
    {.name = "--steps"},
    {.name = "--strategy"},
    {.name = "--strict"},
    {.name = "--threads"},
    {.name = "--to"},
    {.name = "--verbose"},
    {.name = "--verify"},
    {.name = "AddShape()", .python = "add_shape()", .c = "halftone_session_add_shape()"},
};

constexpr std::string_view kProgram = "halftone ";
constexpr std::string_view kCommands[] = {"aoe",     "atc",    "bank",  "compare", "completion",
                                          "explain", "export", "fleet", "manual",  "qaic-compile",
                                          "retune",  "run",    "tune"};
constexpr std::string_view kEndsOfCommands = "`;:(),'\"";
constexpr std::string_view kDashes = "--";

bool IsOfWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether a command line of halftone begins there.
bool BeginsCommand(std::string_view rest) {
  return rest.starts_with(kProgram) &&
         std::ranges::any_of(kCommands, [&](std::string_view command) {
           const std::string_view behind = rest.substr(kProgram.size());
           return behind.starts_with(command) &&
                  (behind.size() == command.size() || !IsOfWord(behind[command.size()]));
         });
}

// The row whose name stands there whole; null: none.
const OptionWord* RowAt(std::string_view rest) {
  const OptionWord* longest = nullptr;
  for (const OptionWord& row : kWords) {
    if (!rest.starts_with(row.name)) {
      continue;
    }
    const bool ends = rest.size() == row.name.size() || !IsOfWord(rest[row.name.size()]);
    if ((ends || row.name.ends_with(')')) &&
        (longest == nullptr || longest->name.size() < row.name.size())) {
      longest = &row;
    }
  }
  return longest;
}

std::string_view WordOf(const OptionWord& row, Language language) {
  struct LanguageRow {
    Language language;
    std::string_view OptionWord::*first;
    std::string_view OptionWord::*second;
  };

  constexpr LanguageRow kLanguages[] = {
      {Language::kPython, &OptionWord::python, &OptionWord::python},
      {Language::kPythonShapes, &OptionWord::python_shapes, &OptionWord::python},
      {Language::kC, &OptionWord::c, &OptionWord::c},
  };
  const LanguageRow& words = *std::ranges::find(kLanguages, language, &LanguageRow::language);
  for (const auto member : {words.first, words.second}) {
    if (!(row.*member).empty()) {
      return row.*member;
    }
  }
  return row.name.substr(row.name.starts_with(kDashes) ? kDashes.size() : 0);
}

}  // namespace

std::span<const OptionWord> AllOptionWords() {
  return kWords;
}

std::string InWordsOf(Language language, std::string_view sentence) {
  return WithWords(sentence,
                   [&](const OptionWord& row) { return std::string(WordOf(row, language)); });
}

std::string WithWords(std::string_view sentence,
                      const std::function<std::string(const OptionWord&)>& word_of) {
  std::string text;
  for (std::size_t at = 0; at < sentence.size();) {
    const bool begins = at == 0 || (!IsOfWord(sentence[at - 1]) && sentence[at - 1] != '-' &&
                                    sentence[at - 1] != '/');
    const std::string_view rest = sentence.substr(at);
    if (begins && BeginsCommand(rest)) {
      const std::size_t end =
          std::min(sentence.find_first_of(kEndsOfCommands, at), sentence.size());
      text += sentence.substr(at, end - at);
      at = end;
      continue;
    }
    if (const OptionWord* row = begins ? RowAt(rest) : nullptr) {
      text += word_of(*row);
      at += row->name.size();
      continue;
    }
    text += sentence[at++];
  }
  return text;
}

}  // namespace halftone
