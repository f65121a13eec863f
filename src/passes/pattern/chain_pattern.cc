#include "src/passes/pattern/chain_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "src/base/error.h"

namespace halftone {
namespace {

using Term = ChainPattern::Term;
using Kind = Term::Kind;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<Term> Parse() {
    std::size_t last = Expression();
    while (Skip('=')) {
      Require(terms_[last].kind == Kind::kValue, "a name before '='");
      const std::string name = terms_[last].name;
      definitions_[name] = Expression();
      Require(Skip(';'), "';'");
      last = Expression();
    }
    Require(text_.empty(), "the end");
    if (last + 1 != terms_.size()) {
      terms_.push_back(terms_[last]);
    }
    return std::move(terms_);
  }

 private:
  std::size_t Expression() {
    const std::size_t first = Operand();
    if (!Skip('|')) {
      return first;
    }
    Term either{.kind = Kind::kEither, .name = "", .operands = {first}};
    do {
      either.operands.push_back(Operand());
    } while (Skip('|'));
    return Add(std::move(either));
  }

  std::size_t Operand() {
    SkipBlanks();
    const char first = text_.empty() ? '\0' : text_.front();
    if (first == '$' || first == '@' || first == '?') {
      text_.remove_prefix(1);
      return Add({.kind = first == '$'   ? Kind::kScalar
                          : first == '@' ? Kind::kTensor
                                         : Kind::kAny,
                  .name = std::string(1, first).append(Word())});
    }
    if (first == '-' || (first >= '0' && first <= '9')) {
      return Number();
    }
    const std::string_view word = Word();
    if (Skip('(')) {
      return Call(word);
    }
    if (const auto known = definitions_.find(word); known != definitions_.end()) {
      return known->second;
    }
    return Add({.kind = Kind::kValue, .name = std::string(word)});
  }

  std::size_t Call(std::string_view type) {
    const OpInfo* info = FindOp(type);
    Require(info != nullptr, "an operator");
    Term node{.kind = Kind::kNode, .op = info->kind, .name = std::string(type)};
    do {
      node.operands.push_back(Expression());
    } while (Skip(','));
    Require(Skip(')'), "')'");
    return Add(std::move(node));
  }

  std::size_t Number() {
    Term term{.kind = Kind::kNumber, .name = ""};
    const auto [end, error] =
        std::from_chars(text_.data(), text_.data() + text_.size(), term.number);
    Require(error == std::errc(), "a number");
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return Add(std::move(term));
  }

  std::string_view Word() {
    const auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    const auto end = std::find_if_not(text_.begin(), text_.end(), is_letter);
    const std::string_view word = text_.substr(0, static_cast<std::size_t>(end - text_.begin()));
    Require(!word.empty(), "a name");
    text_.remove_prefix(word.size());
    return word;
  }

  void SkipBlanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) {
      text_.remove_prefix(1);
    }
  }

  bool Skip(char c) {
    SkipBlanks();
    const bool there = !text_.empty() && text_.front() == c;
    text_.remove_prefix(there ? 1 : 0);
    return there;
  }

  void Require(bool condition, std::string_view expected) const {
    Check(condition, fmt::format("pattern: expected {} before '{}'", expected, text_));
  }

  std::size_t Add(Term term) {
    terms_.push_back(std::move(term));
    return terms_.size() - 1;
  }

  std::string_view text_;
  std::vector<Term> terms_;
  std::map<std::string, std::size_t, std::less<>> definitions_;
};

// Half the distance from 1 to the next number; 0 for integers, which are exact.
double UnitRoundoff(DType dtype) {
  return dtype == DType::kFloat32    ? 0x1p-24
         : dtype == DType::kFloat16  ? 0x1p-11
         : dtype == DType::kBFloat16 ? 0x1p-8
                                     : 0;
}

bool Commutes(OpKind op) {
  return op == OpKind::kAdd || op == OpKind::kMul || op == OpKind::kMax || op == OpKind::kMin;
}

class Matcher {
 public:
  Matcher(const Graph& graph, const std::vector<NodeId>& producers, const std::vector<Term>& terms)
      : graph_(graph), producers_(producers), terms_(terms) {}

  // Appends to `found` each way in which `so_far` can be continued.
  void Match(std::size_t term_index, ValueId id, const ChainMatch& so_far,
             std::vector<ChainMatch>& found) const {
    const Term& term = terms_[term_index];
    if (id == kNoValue) {
      return;
    }
    const Value& value = graph_.value(id);
    switch (term.kind) {
      case Kind::kNode:
        MatchNode(term, id, so_far, found);
        return;
      case Kind::kEither:
        for (const std::size_t operand : term.operands) {
          Match(operand, id, so_far, found);
        }
        return;
      case Kind::kNumber:
        if (IsNumber(value, term.number)) {
          found.push_back(so_far);
        }
        return;
      case Kind::kValue:
        Bind(term.name, id, !value.constant, so_far, found);
        return;
      case Kind::kAny:
        Bind(term.name, id, true, so_far, found);
        return;
      case Kind::kScalar:
        Bind(term.name, id, value.constant && value.constant->ElementCount() == 1, so_far, found);
        return;
      case Kind::kTensor:
        Bind(term.name, id, value.constant.has_value(), so_far, found);
    }
  }

 private:
  static void Bind(const std::string& name, ValueId id, bool fits, const ChainMatch& so_far,
                   std::vector<ChainMatch>& found) {
    const auto bound = so_far.values.find(name);
    if (fits && (bound == so_far.values.end() || bound->second == id)) {
      found.push_back(so_far);
      found.back().values.emplace(name, id);
    }
  }

  void MatchNode(const Term& term, ValueId id, const ChainMatch& so_far,
                 std::vector<ChainMatch>& found) const {
    const NodeId producer = producers_[static_cast<std::size_t>(id)];
    if (producer == kNoNode) {
      return;
    }
    const Node& node = graph_.node(producer);
    if (node.op != term.op || node.outputs.size() != 1 ||
        node.inputs.size() != term.operands.size()) {
      return;
    }
    ChainMatch with = so_far;
    const auto place = std::lower_bound(with.nodes.begin(), with.nodes.end(), producer);
    if (place == with.nodes.end() || *place != producer) {
      with.nodes.insert(place, producer);
    }
    MatchOperands(term, node.inputs, with, found);
    if (Commutes(term.op) && node.inputs[0] != node.inputs[1]) {
      MatchOperands(term, {node.inputs[1], node.inputs[0]}, with, found);
    }
  }

  void MatchOperands(const Term& term, const std::vector<ValueId>& inputs, const ChainMatch& with,
                     std::vector<ChainMatch>& found) const {
    std::vector<ChainMatch> matches = {with};
    for (std::size_t i = 0; i < inputs.size() && !matches.empty(); ++i) {
      std::vector<ChainMatch> longer;
      for (const ChainMatch& match : matches) {
        Match(term.operands[i], inputs[i], match, longer);
      }
      matches = std::move(longer);
    }
    found.insert(found.end(), matches.begin(), matches.end());
  }

  const Graph& graph_;
  const std::vector<NodeId>& producers_;
  const std::vector<Term>& terms_;
};

}  // namespace

bool IsNumber(const Value& value, double number) {
  if (!value.constant || value.constant->ElementCount() != 1) {
    return false;
  }
  const DType dtype = value.constant->dtype();
  const double found = DoubleAt(dtype, value.constant->data(), 0);
  return std::abs(found - number) <= 2 * UnitRoundoff(dtype) * std::abs(number);
}

ChainPattern::ChainPattern(std::string_view text) : terms_(Parser(text).Parse()) {}

std::vector<ChainMatch> ChainPattern::Match(const Graph& graph,
                                            const std::vector<NodeId>& producers,
                                            ValueId value) const {
  std::vector<ChainMatch> found;
  Matcher(graph, producers, terms_).Match(terms_.size() - 1, value, {}, found);
  return found;
}

}  // namespace halftone
