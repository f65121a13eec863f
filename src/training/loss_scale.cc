#include "src/training/loss_scale.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/training/scalars.h"

namespace halftone {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargestFloat16 = 65504;
constexpr double kKerasScale = 32768;  // 2^15

enum class ArgumentKind : std::uint8_t { kNumber, kInteger, kBoolean };

// One argument of a class. Numbers are at least `least` (above it when `open`) and below `below`.
struct ArgumentRow {
  std::string_view name;
  ArgumentKind kind;
  bool required = false;
  double least = 0;
  bool above_least = false;
  double below = kInfinity;
};

using Argument = ArgumentKind;

// Limits: specification "Precision modes in training", 3.2 to 3.4; where they are not exact there,
// the values with which the update rule makes sense.
constexpr ArgumentRow kFixedArguments[] = {
    {.name = "loss_scale", .kind = Argument::kNumber, .required = true, .least = 1},
    {.name = "enable_overflow_check", .kind = Argument::kBoolean},
};
constexpr ArgumentRow kExponentialArguments[] = {
    {.name = "init_loss_scale", .kind = Argument::kNumber, .required = true, .least = 1},
    {.name = "incr_every_n_steps", .kind = Argument::kInteger, .required = true, .least = 0},
    {.name = "decr_every_n_nan_or_inf", .kind = Argument::kInteger, .least = 0},
    {.name = "incr_ratio", .kind = Argument::kNumber, .least = 1, .above_least = true},
    {.name = "decr_ratio", .kind = Argument::kNumber, .least = 0, .above_least = true, .below = 1},
};
constexpr ArgumentRow kKerasArguments[] = {
    {.name = "dynamic", .kind = Argument::kBoolean},
    {.name = "initial_scale", .kind = Argument::kNumber, .least = 1},
    {.name = "dynamic_growth_steps", .kind = Argument::kInteger, .least = 1},
};

struct ManagerRow {
  std::string_view type;
  std::string_view short_type;
  LossScaling::Kind kind;
  std::span<const ArgumentRow> arguments;
};

constexpr ManagerRow kManagers[] = {
    {"FixedLossScaleManager", "Fixed", LossScaling::Kind::kFixed, kFixedArguments},
    {"ExponentialUpdateLossScaleManager", "ExponentialUpdate",
     LossScaling::Kind::kExponentialUpdate, kExponentialArguments},
    {"NpuLossScaleOptimizer", "Keras", LossScaling::Kind::kKeras, kKerasArguments},
};

class Reader {
 public:
  Reader(const SettingsNode& node, std::string_view where, std::vector<std::string>& warnings)
      : node_(node), where_(where), warnings_(warnings) {}

  LossScaling Read() {
    if (node_.kind != SettingsNode::Kind::kMap) {
      Throw(node_, fmt::format("loss_scale_manager: expected a map with a type, found {}",
                               YamlKindName(node_.kind)));
    }
    const ManagerRow& manager = Manager();
    ReadArguments(manager);
    LossScaling scaling{.kind = manager.kind};
    switch (manager.kind) {
      case LossScaling::Kind::kFixed:
        scaling.scale = *Number("loss_scale");
        scaling.overflow_check = Boolean("enable_overflow_check", true);
        break;
      case LossScaling::Kind::kExponentialUpdate:
        scaling.scale = *Number("init_loss_scale");
        scaling.dynamic = true;
        break;
      case LossScaling::Kind::kKeras:
        scaling.dynamic = Boolean("dynamic", true);
        if (!scaling.dynamic && !Number("initial_scale")) {
          Throw(node_, fmt::format("{}: dynamic=false needs an initial_scale", manager.type));
        }
        scaling.scale = Number("initial_scale").value_or(kKerasScale);
        break;
    }
    Warn(manager, scaling);
    return scaling;
  }

 private:
  [[noreturn]] void Throw(const SettingsNode& at, std::string_view what) const {
    throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", where_, at.line, what));
  }

  [[nodiscard]] const ManagerRow& Manager() const {
    const SettingsNode* type = node_.Find("type");
    const std::string expected =
        "FixedLossScaleManager (Fixed), ExponentialUpdateLossScaleManager (ExponentialUpdate) or "
        "NpuLossScaleOptimizer (Keras)";
    if (type == nullptr) {
      Throw(node_, fmt::format("loss_scale_manager: type is missing; expected {}", expected));
    }
    for (const ManagerRow& row : kManagers) {
      if (type->scalar == row.type || type->scalar == row.short_type) {
        return row;
      }
    }
    Throw(*type, fmt::format("loss_scale_manager: type '{}' is not known; expected {}",
                             Shown(type->scalar), expected));
  }

  void ReadArguments(const ManagerRow& manager) {
    for (const auto& [name, value] : node_.members) {
      if (name == "type") {
        continue;
      }
      if (name == "enable_overflow_check" && manager.kind != LossScaling::Kind::kFixed) {
        warnings_.push_back(fmt::format(
            "{}:{}: enable_overflow_check has no effect: only FixedLossScaleManager has it, a "
            "dynamic scale always checks",
            where_, value.line));
        continue;
      }
      ReadArgument(manager, name, value);
    }
    for (const ArgumentRow& row : manager.arguments) {
      if (row.required && !values_.contains(row.name)) {
        Throw(node_, fmt::format("{}: {} is missing", manager.type, row.name));
      }
    }
  }

  void ReadArgument(const ManagerRow& manager, const std::string& name, const SettingsNode& value) {
    std::vector<std::string> names;
    for (const ArgumentRow& row : manager.arguments) {
      if (row.name == name) {
        if (!IsNull(value)) {
          CheckArgument(manager, row, value);
          values_.emplace(row.name, &value);
        }
        return;
      }
      names.emplace_back(row.name);
    }
    const auto near = ClosestNames(name, names);
    Throw(value, fmt::format("{} has no argument '{}'; {}", manager.type, Shown(name),
                             near.empty() ? "it has " + Join(names, ", ")
                                          : fmt::format("did you mean {}?", near.front())));
  }

  void CheckArgument(const ManagerRow& manager, const ArgumentRow& row,
                     const SettingsNode& value) const {
    const std::string found = value.kind == SettingsNode::Kind::kScalar
                                  ? fmt::format("'{}'", Shown(value.scalar))
                                  : std::string(YamlKindName(value.kind));
    if (row.kind == ArgumentKind::kBoolean) {
      if (!BooleanOf(value)) {
        Throw(value, fmt::format("{}: {}: expected true or false, found {}", manager.type, row.name,
                                 found));
      }
      return;
    }
    const std::optional<double> number = NumberOf(value);
    const bool whole = number && *number == std::floor(*number);
    if (!number || (row.kind == ArgumentKind::kInteger && !whole)) {
      Throw(value,
            fmt::format("{}: {}: expected {}, found {}", manager.type, row.name,
                        row.kind == ArgumentKind::kInteger ? "an integer" : "a number", found));
    }
    const bool low = row.above_least ? *number <= row.least : *number < row.least;
    if (low || *number >= row.below) {
      const std::string most =
          std::isinf(row.below) ? "" : fmt::format(" and below {:g}", row.below);
      Throw(value,
            fmt::format("{}: {}={}: expected a value {} {:g}{}", manager.type, row.name,
                        value.scalar, row.above_least ? "above" : "of at least", row.least, most));
    }
  }

  [[nodiscard]] std::optional<double> Number(std::string_view name) const {
    const auto value = values_.find(name);
    return value == values_.end() ? std::nullopt : NumberOf(*value->second);
  }

  [[nodiscard]] bool Boolean(std::string_view name, bool otherwise) const {
    const auto value = values_.find(name);
    return value == values_.end() ? otherwise : BooleanOf(*value->second).value_or(otherwise);
  }

  void Warn(const ManagerRow& manager, const LossScaling& scaling) {
    if (!scaling.overflow_check) {
      warnings_.push_back(fmt::format(
          "{}:{}: enable_overflow_check=false: steps whose gradients overflowed are applied too, "
          "not skipped",
          where_, node_.line));
    }
    if (!scaling.dynamic && scaling.scale > kLargestFloat16) {
      warnings_.push_back(fmt::format(
          "{}:{}: {}: the fixed scale {:g} is above {:g}, the largest float16: a gradient of 1 "
          "overflows, so every such step is skipped and the scale never falls",
          where_, node_.line, manager.type, scaling.scale, kLargestFloat16));
    }
    if (manager.kind == LossScaling::Kind::kKeras && !scaling.dynamic &&
        values_.contains("dynamic_growth_steps")) {
      warnings_.push_back(
          fmt::format("{}:{}: dynamic_growth_steps has no effect with "
                      "dynamic=false",
                      where_, node_.line));
    }
  }

  const SettingsNode& node_;
  std::string_view where_;
  std::vector<std::string>& warnings_;
  std::map<std::string_view, const SettingsNode*> values_;
};

}  // namespace

LossScaling ReadLossScaling(const SettingsNode& node, std::string_view where,
                            std::vector<std::string>& warnings) {
  return Reader(node, where, warnings).Read();
}

}  // namespace halftone
