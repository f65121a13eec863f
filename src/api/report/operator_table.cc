// Printed table of operator tuning.
#include <fmt/format.h>

#include <algorithm>

#include "src/api/halftone.h"
#include "src/api/operator_tuning.h"
#include "src/base/text.h"
#include "src/base/text_table.h"

namespace halftone {
namespace {

// "Conv: float32 1x56x56x64, 64x64x3x3 -> 1x56x56x64": the operator and its operands but for
// vectors (bias, bounds), with the dtype where it is another one than before. All of the signature
// is in the bank.
std::string ShortSignature(std::string_view signature) {
  const auto operands = signature.find(": ");
  if (operands == std::string_view::npos) {
    return std::string(signature);
  }
  std::string text(signature.substr(0, signature.find(' ')));
  std::string_view rest = signature.substr(operands + 2);
  rest = rest.substr(0, rest.find(';'));
  std::string_view separator = ": ";
  std::string_view dtype;
  while (!rest.empty()) {
    const auto arrow = rest.find(" -> ");
    const auto comma = rest.find(", ");
    const auto end = std::min(arrow, comma);
    std::string_view operand = rest.substr(0, end);
    if (operand.starts_with("const ")) {
      operand.remove_prefix(6);
    }
    const std::string_view its_dtype = operand.substr(0, operand.find(' '));
    const bool is_vector = operand.find('x', its_dtype.size()) == std::string_view::npos;
    if (!is_vector || separator != ", ") {
      text += fmt::format("{}{}", separator,
                          its_dtype == dtype && operand.size() > dtype.size()
                              ? operand.substr(its_dtype.size() + 1)
                              : operand);
      dtype = its_dtype;
    }
    separator = end == arrow ? " -> " : ", ";
    rest = end == std::string_view::npos ? "" : rest.substr(end + (end == arrow ? 4 : 2));
  }
  return text;
}

double SavedSeconds(const TunedOperator& op) {
  return op.timing.static_s * static_cast<double>(op.nodes.size()) * (1 - op.timing.ratio);
}

TextTable Table(std::vector<const TunedOperator*> tuned) {
  std::stable_sort(tuned.begin(), tuned.end(), [](const auto* a, const auto* b) {
    return SavedSeconds(*a) > SavedSeconds(*b);
  });
  TextTable table{.header = {"operator", "count", "kernel before", "kernel after", "us before",
                             "us after", "gain", "from"},
                  .rows = {}};
  for (const TunedOperator* op : tuned) {
    const OperatorTiming& timing = op->timing;
    table.rows.push_back(
        {ShortSignature(timing.signature), fmt::format("{}", op->nodes.size()),
         timing.static_kernel, timing.kernel, fmt::format("{:.1f}", 1e6 * timing.static_s),
         fmt::format("{:.1f}", 1e6 * timing.static_s * timing.ratio),
         fmt::format("{:.2f}%", 100 * (1 / timing.ratio - 1)), op->known ? "bank" : "measured"});
  }
  return table;
}

}  // namespace

double OperatorTuningResult::ratio() const {
  const bool tie =
      !network || (network->ratio_interval.low <= 1 && network->ratio_interval.high >= 1);
  return tie || dropped ? 1 : network->ratio;
}

std::string FormatOperatorTable(const OperatorTuningResult& result, std::size_t columns) {
  std::vector<const TunedOperator*> tuned;
  std::size_t known = 0;
  for (const TunedOperator& op : result.operators) {
    known += op.known ? 1 : 0;
    if (op.timing.tuned()) {
      tuned.push_back(&op);
    }
  }
  std::string text;
  if (!tuned.empty()) {
    text += AlignedTable(Table(tuned), columns);
  }
  text += fmt::format(
      "operator tuning: {} with a choice of kernels, {} known from the bank{}; {} faster with "
      "another kernel{}\n",
      Counted(static_cast<std::int64_t>(result.operators.size() + result.forecast.size() +
                                        result.undecided.size()),
              "operator"),
      known,
      result.forecast.empty() ? ""
                              : fmt::format(", {} by the machine profile", result.forecast.size()),
      tuned.size(),
      result.undecided.empty()
          ? ""
          : fmt::format("; interrupted with {} undecided", result.undecided.size()));
  if (result.network) {
    const OperatorTiming& network = *result.network;
    text += fmt::format("network: {} -> {} ({:.2f}%, 95 % interval {:.2f}% to {:.2f}%{})\n",
                        FormatSeconds(network.static_s),
                        FormatSeconds(network.static_s * network.ratio),
                        100 * (1 / network.ratio - 1), 100 * (1 / network.ratio_interval.high - 1),
                        100 * (1 / network.ratio_interval.low - 1),
                        result.ratio() == 1 && !result.dropped ? ", a tie" : "");
  }
  if (result.dropped) {
    text += "the network as a whole is slower with other kernels: the static order stays\n";
  }
  return text;
}

}  // namespace halftone
