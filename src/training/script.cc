#include "src/training/script.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/training/parameter_table.h"
#include "src/training/python_script.h"
#include "src/training/scalars.h"

namespace halftone {
namespace {

struct FormRow {
  std::string_view name;
  ParameterForms form;
};

constexpr FormRow kForms[] = {
    {"NPURunConfig", kInRunConfig},
    {"parameter_map", kInParameterMap},
    {"global_options", kInGlobalOptions},
};
constexpr std::string_view kRewriteOptions = "rewrite_options";
constexpr std::string_view kLossScaleManager = "loss_scale_manager";
constexpr std::string_view kLossScaleOptimizer = "NPULossScaleOptimizer";
constexpr std::string_view kDistributed = "distributed";

// Setting that replaces ATC's file in a training flow.
constexpr std::string_view kKeepDtype = "keep_dtype";

std::string FormNames() {
  std::vector<std::string> names;
  for (const FormRow& row : kForms) {
    names.emplace_back(row.name);
  }
  return Join(names, ", ");
}

std::string_view KindWord(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kText:
      return "a text (s)";
    case ParameterKind::kInteger:
      return "an integer (i)";
    case ParameterKind::kBoolean:
      return "true or false (b)";
  }
  return "?";
}

class ScriptReader {
 public:
  explicit ScriptReader(std::string_view where) : where_(where) {}

  TrainingScript Read(const SettingsNode& root) {
    if (root.kind != SettingsNode::Kind::kMap) {
      Throw(root, fmt::format("expected a map with one of {}, found {}", FormNames(),
                              YamlKindName(root.kind)));
    }
    const auto& [form, parameters] = FormOf(root);
    script_.arguments.graph_run_mode = "1";
    ReadParameters(*form, *parameters);
    CheckModes(*parameters);
    if (form->form == kInParameterMap) {
      CheckSession(root, *parameters);
    }
    ReadLossScale(root);
    WarnOfOthers(root);
    return std::move(script_);
  }

 private:
  [[noreturn]] void Throw(const SettingsNode& at, std::string_view what) const {
    throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", where_, at.line, what));
  }

  void Warn(const SettingsNode& at, std::string_view what) {
    script_.warnings.push_back(fmt::format("{}:{}: {}", where_, at.line, what));
  }

  [[nodiscard]] std::pair<const FormRow*, const SettingsNode*> FormOf(
      const SettingsNode& root) const {
    std::pair<const FormRow*, const SettingsNode*> found{nullptr, nullptr};
    for (const FormRow& row : kForms) {
      const SettingsNode* node = root.Find(row.name);
      if (node == nullptr) {
        continue;
      }
      if (found.first != nullptr) {
        Throw(*node, fmt::format("{} and {} are different kinds of script; keep one of them",
                                 found.first->name, row.name));
      }
      found = {&row, node};
    }
    if (found.first == nullptr) {
      Throw(root, fmt::format("expected one of {}, found none of them", FormNames()));
    }
    if (!IsNull(*found.second) && found.second->kind != SettingsNode::Kind::kMap) {
      Throw(*found.second, fmt::format("{}: expected a map of parameters, found {}",
                                       found.first->name, YamlKindName(found.second->kind)));
    }
    return found;
  }

  void ReadParameters(const FormRow& form, const SettingsNode& parameters) {
    for (const auto& [name, value] : parameters.members) {
      const ParameterRow* row = FindParameter(name);
      if (row == nullptr) {
        WarnUnknown(name, value);
      } else if ((row->forms & form.form) == 0) {
        Throw(value, fmt::format("{} has no parameter {}", form.name, name));
      } else {
        ReadParameter(form, *row, value);
      }
    }
  }

  void WarnUnknown(const std::string& name, const SettingsNode& value) {
    if (name == kKeepDtype) {
      Warn(
          value,
          "training has no keep_dtype file and it has no effect: use keep_dtype_scope() around the "
          "operators");
      return;
    }
    std::vector<std::string> names;
    for (const ParameterRow& row : AllParameters()) {
      names.emplace_back(row.name);
    }
    const auto near = ClosestNames(name, names);
    Warn(value, fmt::format("the parameter '{}' is not known here and has no effect{}", Shown(name),
                            near.empty() ? "" : fmt::format("; did you mean {}?", near.front())));
  }

  // The value itself: in a parameter_map it may stand in a map {s: ...}, {i: ...} or {b: ...}.
  [[nodiscard]] const SettingsNode& ValueOf(const FormRow& form, const ParameterRow& row,
                                            const SettingsNode& value) const {
    if (value.kind == SettingsNode::Kind::kScalar) {
      return value;
    }
    const bool may_have_kind = form.form == kInParameterMap &&
                               value.kind == SettingsNode::Kind::kMap && value.members.size() == 1;
    if (!may_have_kind) {
      Throw(value, fmt::format("{}: expected {}, found {}", row.name, KindWord(row.kind),
                               YamlKindName(value.kind)));
    }
    const auto& [kind, inner] = value.members.front();
    if (kind != std::string(1, static_cast<char>(row.kind)) ||
        inner.kind != SettingsNode::Kind::kScalar) {
      Throw(value, fmt::format("{}: expected {}, found {}", row.name, KindWord(row.kind),
                               inner.kind == SettingsNode::Kind::kScalar
                                   ? fmt::format("the field '{}'", Shown(kind))
                                   : std::string(YamlKindName(inner.kind))));
    }
    return inner;
  }

  void ReadParameter(const FormRow& form, const ParameterRow& row, const SettingsNode& given) {
    const SettingsNode& value = ValueOf(form, row, given);
    if (IsNull(value)) {
      return;  // None is the default of every parameter
    }
    CheckValue(row, value);
    if (row.argument != nullptr) {
      script_.arguments.*row.argument = value.scalar;
      script_.lines.emplace(row.name, given.line);
    } else if (!row.note.empty()) {
      script_.notes.push_back(fmt::format("{}:{}: {} decides nothing about precision: {}", where_,
                                          given.line, row.name, row.note));
    }
  }

  void CheckValue(const ParameterRow& row, const SettingsNode& value) const {
    const std::string shown = Shown(value.scalar);
    if (row.kind == ParameterKind::kBoolean && !BooleanOf(value)) {
      Throw(value, fmt::format("{}: expected true or false (b), found '{}'", row.name, shown));
    }
    if (row.kind == ParameterKind::kInteger) {
      const std::optional<double> number = NumberOf(value);
      const bool digits = value.scalar.find_first_not_of("-0123456789") == std::string::npos;
      if (!number || !digits) {
        Throw(value, fmt::format("{}: expected an integer (i), found '{}'", row.name, shown));
      }
      if (*number < 0 || *number > static_cast<double>(row.most)) {
        Throw(value, fmt::format("E10001: {}={}: expected an integer from 0 to {}", row.name, shown,
                                 row.most));
      }
    }
    if (row.kind == ParameterKind::kText) {
      const auto choices = Split(row.choices, ',');
      const bool legal = row.choices.empty() ||
                         std::find(choices.begin(), choices.end(), value.scalar) != choices.end();
      if (!legal) {
        Throw(value,
              fmt::format("E10001: {}={}: expected one of {}", row.name, shown, row.choices));
      }
    }
  }

  void CheckModes(const SettingsNode& parameters) const {
    if (!script_.arguments.precision_mode.empty() && !script_.arguments.precision_mode_v2.empty()) {
      Throw(*parameters.Find("precision_mode_v2"),
            "E10056: precision_mode and precision_mode_v2 exclude each other; keep one of them");
    }
  }

  // A session whose graph does not reach the device as it is: nothing else of the file would count.
  void CheckSession(const SettingsNode& root, const SettingsNode& parameters) {
    const SettingsNode* offline = parameters.Find("use_off_line");
    const SettingsNode* value =
        offline != nullptr && !offline->members.empty() ? &offline->members.front().value : offline;
    if (value == nullptr || !BooleanOf(*value).value_or(false)) {
      Throw(value != nullptr ? *value : parameters,
            "the session does not run on the device: expected use_off_line to be true in "
            "parameter_map");
    }
    const SettingsNode* rewrite = root.Find(kRewriteOptions);
    if (!IsOff(rewrite, "remapping")) {
      Throw(rewrite != nullptr ? *rewrite : root,
            "the session's remapping is not switched off: expected rewrite_options: {remapping: "
            "OFF}");
    }
    if (rewrite->Find("memory_optimization") != nullptr && !IsOff(rewrite, "memory_optimization")) {
      Warn(*rewrite->Find("memory_optimization"),
           "newer releases expect rewrite_options: {memory_optimization: OFF} too");
    }
  }

  static bool IsOff(const SettingsNode* rewrite, std::string_view name) {
    const SettingsNode* value = rewrite == nullptr ? nullptr : rewrite->Find(name);
    return value != nullptr && (value->scalar == "OFF" || value->scalar == "RewriterConfig.OFF" ||
                                BooleanOf(*value) == false);
  }

  void ReadLossScale(const SettingsNode& root) {
    const SettingsNode* manager = root.Find(kLossScaleManager);
    if (manager != nullptr && !IsNull(*manager)) {
      script_.loss_scaling = ReadLossScaling(*manager, where_, script_.warnings);
    }
    const bool distributed = Flag(root, kDistributed);
    const SettingsNode* optimizer = root.Find(kLossScaleOptimizer);
    if (optimizer != nullptr && optimizer->kind != SettingsNode::Kind::kMap) {
      Throw(*optimizer, fmt::format("{}: expected a map, found {}", kLossScaleOptimizer,
                                    YamlKindName(optimizer->kind)));
    }
    const bool reduces = optimizer != nullptr && Flag(*optimizer, "is_distributed");
    if (distributed && !reduces && (script_.loss_scaling || optimizer != nullptr)) {
      Throw(optimizer != nullptr ? *optimizer : *manager,
            "devices would diverge: loss scaling on several devices needs NPULossScaleOptimizer: "
            "{is_distributed: true}");
    }
  }

  [[nodiscard]] bool Flag(const SettingsNode& node, std::string_view name) const {
    const SettingsNode* value = node.Find(name);
    if (value == nullptr || IsNull(*value)) {
      return false;
    }
    if (!BooleanOf(*value)) {
      Throw(*value, fmt::format("{}: expected true or false", name));
    }
    return *BooleanOf(*value);
  }

  void WarnOfOthers(const SettingsNode& root) {
    std::vector<std::string> names = {std::string(kRewriteOptions), std::string(kLossScaleManager),
                                      std::string(kLossScaleOptimizer), std::string(kDistributed)};
    for (const FormRow& row : kForms) {
      names.emplace_back(row.name);
    }
    for (const auto& [name, value] : root.members) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        const auto near = ClosestNames(name, names);
        Warn(value,
             fmt::format("the section '{}' is not known here and has no effect{}", Shown(name),
                         near.empty() ? "" : fmt::format("; did you mean {}?", near.front())));
      }
    }
  }

  std::string_view where_;
  TrainingScript script_;
};

}  // namespace

TrainingScript ParseTrainingScript(std::string_view text, std::string_view where) {
  return ScriptReader(where).Read(IsPythonScript(text, where) ? ParsePythonScript(text, where)
                                                              : ParseSettings(text, where));
}

}  // namespace halftone
