#include "src/training/python_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/training/parameter_table.h"
#include "src/training/python_tokens.h"

namespace halftone {
namespace {

using Kind = PythonToken::Kind;

constexpr std::string_view kRunConfig = "NPURunConfig";
constexpr std::string_view kParameterMap = "parameter_map";
constexpr std::string_view kGlobalOptions = "global_options";
constexpr std::string_view kRewriteOptions = "rewrite_options";
constexpr std::string_view kKeepDtype = "keep_dtype";
constexpr int kMostCalls = 8;  // around a literal

// An expression as far as it was read.
struct Expression {
  SettingsNode value;    // of a literal; a dotted name as text
  bool literal = false;  // a string, a number, True, False, None
  std::size_t end = 0;   // index of the token behind it
};

// A scalar, or a map of one.
bool IsSameValue(const SettingsNode& a, const SettingsNode& b) {
  if (a.kind == SettingsNode::Kind::kMap && b.kind == a.kind) {
    return a.members[0].name == b.members[0].name &&
           IsSameValue(a.members[0].value, b.members[0].value);
  }
  return a.kind == b.kind && a.quoted == b.quoted && a.scalar == b.scalar;
}

// Parameters that count, and names that may be misspelt ones. A script sets much else.
bool IsOfInterest(const std::string& name) {
  if (FindParameter(name) != nullptr || name == kKeepDtype) {
    return true;
  }
  std::vector<std::string> names;
  for (const ParameterRow& row : AllParameters()) {
    names.emplace_back(row.name);
  }
  return !ClosestNames(name, names).empty();
}

class PythonReader {
 public:
  PythonReader(std::vector<PythonToken> tokens, std::string_view where)
      : tokens_(std::move(tokens)), where_(where) {}

  SettingsNode Read() {
    for (at_ = 0; at_ + 1 < tokens_.size(); ++at_) {
      if (StartsRunConfig()) {
        ReadRunConfig();
      } else if (StartsParameter()) {
        ReadParameter();
      } else if (StartsGlobalOption()) {
        ReadAssignment(kGlobalOptions, at_ + 4);
      } else if (StartsRewriteOption()) {
        ReadAssignment(kRewriteOptions, at_ + 1);
      }
    }
    return std::move(root_);
  }

  [[nodiscard]] bool HasForm() {
    for (at_ = 0; at_ + 1 < tokens_.size(); ++at_) {
      if (StartsRunConfig() || StartsParameter() || StartsGlobalOption()) {
        return true;
      }
    }
    return false;
  }

 private:
  [[nodiscard]] const PythonToken& Token(std::size_t index) const {
    return tokens_[std::min(index, tokens_.size() - 1)];
  }

  [[nodiscard]] bool IsText(std::size_t index, std::string_view text) const {
    return Token(index).Is(text);
  }

  [[nodiscard]] bool StartsRunConfig() const {
    return IsText(at_, kRunConfig) && IsText(at_ + 1, "(");
  }

  // parameter_map["precision_mode"].s =
  [[nodiscard]] bool StartsParameter() const {
    return IsText(at_, kParameterMap) && IsText(at_ + 1, "[") &&
           Token(at_ + 2).kind == Kind::kString && IsText(at_ + 3, "]") && IsText(at_ + 4, ".") &&
           Token(at_ + 5).kind == Kind::kName && IsText(at_ + 6, "=");
  }

  // global_options().precision_mode =
  [[nodiscard]] bool StartsGlobalOption() const {
    return IsText(at_, kGlobalOptions) && IsText(at_ + 1, "(") && IsText(at_ + 2, ")") &&
           IsText(at_ + 3, ".") && Token(at_ + 4).kind == Kind::kName && IsText(at_ + 5, "=");
  }

  // .remapping =
  [[nodiscard]] bool StartsRewriteOption() const {
    return IsText(at_, ".") &&
           (IsText(at_ + 1, "remapping") || IsText(at_ + 1, "memory_optimization")) &&
           IsText(at_ + 2, "=");
  }

  // Keyword arguments, up to the parenthesis that closes the call.
  void ReadRunConfig() {
    SettingsNode& form = Form(kRunConfig);
    int depth = 1;
    for (at_ += 2; at_ + 1 < tokens_.size(); ++at_) {
      const PythonToken& token = Token(at_);
      if (token.Is("(") || token.Is("[") || token.Is("{")) {
        ++depth;
      } else if (token.Is(")") || token.Is("]") || token.Is("}")) {
        if (--depth == 0) {
          return;
        }
      } else if (depth == 1 && token.kind == Kind::kName && IsText(at_ + 1, "=") &&
                 (IsText(at_ - 1, "(") || IsText(at_ - 1, ","))) {
        Expression value = ExpressionAt(at_ + 2);
        value.literal = value.literal && (IsText(value.end, ",") || IsText(value.end, ")"));
        AddParameter(form, token.text, std::move(value), token.line);
      }
    }
  }

  void ReadParameter() {
    const PythonToken& name = Token(at_ + 2);
    Expression value = AssignedAt(at_ + 7);
    if (value.literal) {
      SettingsNode field{.kind = SettingsNode::Kind::kMap, .line = value.value.line};
      field.members.push_back({Token(at_ + 5).text, std::move(value.value)});
      value.value = std::move(field);
    }
    AddParameter(Form(kParameterMap), name.text, std::move(value), name.line);
  }

  // `name`: index of the token with the name, "=" behind it.
  void ReadAssignment(std::string_view form, std::size_t name) {
    Expression value = AssignedAt(name + 2);
    const PythonToken& token = Token(name);
    if (form == kRewriteOptions) {
      AddMember(Form(form), token.text, std::move(value.value));
    } else {
      AddParameter(Form(form), token.text, std::move(value), token.line);
    }
  }

  // The literal of an assignment; what goes on with an operator on its line is none.
  [[nodiscard]] Expression AssignedAt(std::size_t index) const {
    constexpr std::string_view kGoesOn[] = {"+", "-", "*",  "/",  "%",   "[", "(",
                                            ".", ",", "if", "or", "and", "=", "=="};
    Expression value = ExpressionAt(index);
    const PythonToken& next = Token(value.end);
    const bool goes_on =
        std::ranges::any_of(kGoesOn, [&](std::string_view text) { return next.Is(text); });
    value.literal = value.literal && !(goes_on && next.line == Token(value.end - 1).line);
    return value;
  }

  [[nodiscard]] Expression ExpressionAt(std::size_t index, int calls = 0) const {
    const PythonToken& first = Token(index);
    Expression read{.value = {.line = first.line}, .literal = true, .end = index + 1};
    switch (first.kind) {
      case Kind::kString:
        read.value.quoted = true;
        read.value.scalar = first.text;
        for (; Token(read.end).kind == Kind::kString; ++read.end) {
          read.value.scalar += Token(read.end).text;  // "a" "b" is "ab"
        }
        if (IsText(read.end, ".") && IsText(read.end + 1, "encode") && IsText(read.end + 2, "(")) {
          read.end += Token(read.end + 3).kind == Kind::kString ? 5 : 4;
        }
        return read;
      case Kind::kNumber:
        read.value.scalar = first.text;
        return read;
      case Kind::kOperator:
        if (first.Is("-") && Token(index + 1).kind == Kind::kNumber) {
          read.value.scalar = "-" + Token(index + 1).text;
          ++read.end;
          return read;
        }
        break;
      case Kind::kName:
        return NamedAt(index, calls);
      case Kind::kEnd:
        break;
    }
    read.literal = false;
    read.value.scalar = first.text;
    return read;
  }

  // True, False, None, a dotted name, or tf.compat.as_bytes(...) of a literal.
  [[nodiscard]] Expression NamedAt(std::size_t index, int calls) const {
    const PythonToken& first = Token(index);
    Expression read{.value = {.line = first.line, .scalar = first.text}, .end = index + 1};
    while (IsText(read.end, ".") && Token(read.end + 1).kind == Kind::kName) {
      read.value.scalar += "." + Token(read.end + 1).text;
      read.end += 2;
    }
    if (first.Is("True") || first.Is("False") || first.Is("None")) {
      read.literal = read.end == index + 1;
      if (first.Is("None")) {
        read.value.scalar.clear();
      }
      return read;
    }
    constexpr std::string_view kSameValue[] = {"as_bytes", "as_str", "as_text", "bytes", "str"};
    const std::string& last = Token(read.end - 1).text;
    if (IsText(read.end, "(") && calls < kMostCalls &&
        std::ranges::find(kSameValue, last) != std::end(kSameValue)) {
      Expression inner = ExpressionAt(read.end + 1, calls + 1);
      if (inner.literal && IsText(inner.end, ",") && Token(inner.end + 1).kind == Kind::kString) {
        inner.end += 2;  // the encoding
      }
      if (inner.literal && IsText(inner.end, ")")) {
        ++inner.end;
        return inner;
      }
    }
    return read;
  }

  SettingsNode& Form(std::string_view name) {
    for (SettingsMember& member : root_.members) {
      if (member.name == name) {
        return member.value;
      }
    }
    root_.members.push_back(
        {std::string(name), {.kind = SettingsNode::Kind::kMap, .line = Token(at_).line}});
    return root_.members.back().value;
  }

  void AddParameter(SettingsNode& form, const std::string& name, Expression value, int line) {
    if (!IsOfInterest(name)) {
      return;
    }
    if (!value.literal) {
      const ParameterRow* row = FindParameter(name);
      if (row != nullptr && !row->note.empty()) {
        return;  // it decides nothing about precision
      }
      throw Error(
          ErrorKind::kUsage,
          fmt::format("{}:{}: {}: expected a literal, found {}; a script is not executed: "
                      "write the value in its place, or type --{}",
                      where_, line, name, fmt::format("'{}'", Shown(value.value.scalar)), name));
    }
    AddMember(form, name, std::move(value.value));
  }

  void AddMember(SettingsNode& form, const std::string& name, SettingsNode value) const {
    const SettingsNode* before = form.Find(name);
    if (before == nullptr) {
      form.members.push_back({name, std::move(value)});
    } else if (!IsSameValue(*before, value)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}:{}: {} has another value in line {}; leave the one that counts",
                              where_, value.line, Shown(name), before->line));
    }
  }

  std::vector<PythonToken> tokens_;
  std::string_view where_;
  std::size_t at_ = 0;
  SettingsNode root_{.kind = SettingsNode::Kind::kMap};
};

}  // namespace

bool IsPythonScript(std::string_view text, std::string_view where) {
  return where.ends_with(".py") ||
         (text.size() <= kMostSettingsBytes && PythonReader(PythonTokensOf(text), where).HasForm());
}

SettingsNode ParsePythonScript(std::string_view text, std::string_view where) {
  if (text.size() > kMostSettingsBytes) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: a script of {} bytes, expected at most {}",
                                               where, text.size(), kMostSettingsBytes));
  }
  PythonReader reader(PythonTokensOf(text), where);
  if (!reader.HasForm()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: expected a script that calls {}() or assigns to {}[...] or {}(), "
                            "found none of them",
                            where, kRunConfig, kParameterMap, kGlobalOptions));
  }
  return reader.Read();
}

}  // namespace halftone
