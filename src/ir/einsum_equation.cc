#include "src/ir/einsum_equation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr char kEllipsis = '.';

[[noreturn]] void ThrowModel(std::string_view message) {
  throw Error(ErrorKind::kModel, message);
}

// The letters of one term; an ellipsis is one kEllipsis.
std::string Letters(std::string_view term, std::string_view equation) {
  std::string letters;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (term[i] == ' ') {
      continue;
    }
    const bool letter = (term[i] >= 'a' && term[i] <= 'z') || (term[i] >= 'A' && term[i] <= 'Z');
    const bool dots = term.substr(i, 3) == "..." && letters.find(kEllipsis) == std::string::npos;
    if (!letter && !dots) {
      ThrowModel(
          fmt::format("attribute 'equation': '{}' has '{}', expected letters and one "
                      "ellipsis a term",
                      equation, term.substr(i, 1)));
    }
    letters += letter ? term[i] : kEllipsis;
    i += letter ? 0 : 2;
  }
  return letters;
}

class Labels {
 public:
  // `name` is a letter, or kEllipsis and the distance from the end of the ellipsis.
  int Of(const std::string& name) {
    const auto [found, is_new] = labels_.emplace(name, static_cast<int>(extents.size()));
    if (is_new) {
      extents.push_back(1);
    }
    return found->second;
  }

  std::vector<std::int64_t> extents;

 private:
  std::map<std::string, int> labels_;
};

std::string NameOf(char letter, int from_end) {
  return letter == kEllipsis ? fmt::format("{}{}", letter, from_end) : std::string(1, letter);
}

// The names of the axes of a term, `hidden` of them behind the ellipsis.
std::vector<std::string> AxisNames(const std::string& letters, int hidden) {
  std::vector<std::string> names;
  for (const char letter : letters) {
    for (int i = letter == kEllipsis ? hidden : 1; i > 0; --i) {
      names.push_back(NameOf(letter, i));
    }
  }
  return names;
}

std::string ImpliedOutput(const std::vector<std::string>& terms) {
  std::map<char, int> counts;
  for (const std::string& term : terms) {
    for (const char letter : term) {
      ++counts[letter];
    }
  }
  std::string output = counts.contains(kEllipsis) ? std::string(1, kEllipsis) : "";
  for (const auto& [letter, count] : counts) {
    output += count == 1 && letter != kEllipsis ? std::string(1, letter) : "";
  }
  return output;
}

}  // namespace

EinsumEquation ParseEinsum(std::string_view equation, const std::vector<Shape>& shapes) {
  const std::size_t arrow = equation.find("->");
  std::vector<std::string> terms;
  for (const std::string_view term : Split(equation.substr(0, arrow), ',')) {
    terms.push_back(Letters(term, equation));
  }
  if (terms.size() != shapes.size()) {
    ThrowModel(fmt::format("attribute 'equation': '{}' has {} terms for {} inputs", equation,
                           terms.size(), shapes.size()));
  }
  EinsumEquation result;
  Labels labels;
  int most_hidden = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool dots = terms[i].find(kEllipsis) != std::string::npos;
    const int hidden = shapes[i].rank() - static_cast<int>(terms[i].size()) + (dots ? 1 : 0);
    if (dots ? hidden < 0 : hidden != 0) {
      ThrowModel(
          fmt::format("attribute 'equation': a term of '{}' does not fit input {} of shape "
                      "{}",
                      equation, i, shapes[i].ToString()));
    }
    most_hidden = std::max(most_hidden, dots ? hidden : 0);
    std::vector<int>& axes = result.inputs.emplace_back();
    for (const std::string& name : AxisNames(terms[i], hidden)) {
      const int label = labels.Of(name);
      std::int64_t& extent = labels.extents[static_cast<std::size_t>(label)];
      const std::int64_t own = shapes[i][static_cast<int>(axes.size())];
      if (extent != 1 && own != 1 && own != extent) {
        ThrowModel(fmt::format("attribute 'equation': one label of '{}' has the extents {} and {}",
                               equation, extent, own));
      }
      extent = extent == 1 ? own : extent;
      axes.push_back(label);
    }
  }
  const std::string output = arrow == std::string_view::npos
                                 ? ImpliedOutput(terms)
                                 : Letters(equation.substr(arrow + 2), equation);
  const std::size_t known = labels.extents.size();
  for (const std::string& name : AxisNames(output, most_hidden)) {
    const int label = labels.Of(name);
    if (static_cast<std::size_t>(label) >= known ||
        std::find(result.output.begin(), result.output.end(), label) != result.output.end()) {
      ThrowModel(
          fmt::format("attribute 'equation': the output of '{}' has a label twice, or one "
                      "that no input has",
                      equation));
    }
    result.output.push_back(label);
  }
  result.extents = std::move(labels.extents);
  static_cast<void>(Shape(result.extents).ElementCount());  // throws when it overflows
  return result;
}

}  // namespace halftone
