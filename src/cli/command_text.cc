#include "src/cli/command_text.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "src/base/text.h"

namespace halftone {
namespace {

struct GroupRow {
  std::string_view heading;
  std::string_view options;  // long names without dashes
};

// In the order of --help-all; an option belongs to one group in every command. At most ten each.
constexpr GroupRow kGroups[] = {
    {"Arguments", ""},
    {"Program", "help help-all version config quiet verbose"},
    {"Network",
     "model input_shape dynamic_batch_size dynamic_image_size dynamic_dims "
     "shape_weights fusion_switch_file max_memory"},
    {"Target", "soc_version target ops_info"},
    {"Samples",
     "inputs image state sequence_length labels max_samples draw_samples heldout_inputs "
     "heldout_labels heldout_share"},
    {"Precision",
     "precision_mode precision_mode_v2 output_type input_fp16_nodes is_weight_clip "
     "status_check graph_run_mode"},
    {"Precision of single operators",
     "modify_mixlist keep_dtype customize_dtypes op_precision_mode op_select_implmode "
     "optypelist_for_implmode allow_hf32"},
    {"Quantisation", "quantize calibration_inputs calibration_method bias_correction quantization"},
    {"Options from elsewhere", "front point histograms npu_config diff"},
    {"Search",
     "goal budget strategy max_trials time_limit search_again verify no_search "
     "confidence"},
    {"Bounds",
     "min_sqnr_db max_rel_l2 max_top1_drop min_agreement min_metric max_metric "
     "max_latency_ratio max_slowdown"},
    {"Measuring",
     "threads seed no_latency metric metric_better metric_timeout operator_tuning "
     "operator_budget"},
    {"Measuring elsewhere", "measure measure_format measure_timeout measure_inputs"},
    {"Knowledge base", "op_bank_path mdl_bank_path no_bank seed_bank from_bank select"},
    {"What to show",
     "explain profile profile_output node steps machine tensor tensors format "
     "unknown_names_are_warnings"},
    {"Checks", "check rtol atol fail_if junit annotations"},
    {"Output", "to file output export write_v2 load_profile save progress_file color"},
};
constexpr std::string_view kOtherGroup = "Options";

struct CommonRow {
  std::string_view command;
  std::string_view options;
};

// What most users of a command need.
constexpr CommonRow kCommon[] = {
    {"tune", "help model inputs labels heldout_inputs soc_version goal budget op_bank_path output"},
    {"retune", "help model inputs heldout_inputs front point no_search budget op_bank_path output"},
    {"run", "help model inputs labels precision_mode keep_dtype point op_bank_path profile check"},
    {"explain", "help model soc_version precision_mode keep_dtype point node steps diff output"},
    {"export", "help model soc_version precision_mode keep_dtype point to output"},
};

bool Lists(std::string_view names, std::string_view name) {
  const auto all = Split(names, ' ');
  return std::find(all.begin(), all.end(), name) != all.end();
}

// The place of its group in kGroups; one that no group names comes last.
std::size_t GroupOf(std::string_view name) {
  const auto* const row = std::ranges::find_if(
      kGroups, [&](const GroupRow& group) { return Lists(group.options, name); });
  return static_cast<std::size_t>(row - std::begin(kGroups));
}

std::string ValueOf(const CLI::Option& option) {
  if (option.get_type_size() == 0 || option.get_items_expected_max() == 0) {
    return "";
  }
  std::string value = option.get_type_name();
  if (!option.get_default_str().empty()) {
    value += "=" + option.get_default_str();
  }
  if (option.get_items_expected_min() > 1) {
    value += fmt::format(" x {}", option.get_items_expected_min());
  }
  return value;
}

}  // namespace

std::string_view OptionHelp::long_name() const {
  const std::string_view all = names;
  const std::size_t comma = all.rfind(',');
  return comma == std::string_view::npos ? all : all.substr(comma + 1);
}

CommandHelp DescribeCommand(const CLI::App& command) {
  CommandHelp text{.name = command.get_name(),
                   .meaning = command.get_description(),
                   .footer = command.get_footer(),
                   .options = {},
                   .commands = {}};
  const auto* const common = std::ranges::find(kCommon, text.name, &CommonRow::command);
  std::vector<std::size_t> groups;
  for (const CLI::Option* option : command.get_options()) {
    OptionHelp row{.names = option->get_name(option->get_positional(), true),
                   .value = ValueOf(*option),
                   .meaning = option->get_description(),
                   .group = {},
                   .required = option->get_required()};
    const std::string_view name = row.long_name();
    const std::string_view bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
    const std::size_t group = option->get_positional() ? 0 : GroupOf(bare);
    row.group = group < std::size(kGroups) ? kGroups[group].heading : kOtherGroup;
    row.common = common != std::end(kCommon) && Lists(common->options, bare);
    const auto place = std::upper_bound(groups.begin(), groups.end(), group);
    text.options.insert(text.options.begin() + (place - groups.begin()), std::move(row));
    groups.insert(place, group);
  }
  for (const CLI::App* inner : command.get_subcommands([](const CLI::App*) { return true; })) {
    text.commands.push_back(DescribeCommand(*inner));
  }
  return text;
}

}  // namespace halftone
