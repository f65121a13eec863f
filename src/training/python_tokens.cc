#include "src/training/python_tokens.h"

#include <algorithm>
#include <cctype>

namespace halftone {
namespace {

bool IsOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

char Unescaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    default:
      return c;
  }
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  std::vector<PythonToken> Run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\\') {
        Advance();
      } else if (c == '"' || c == '\'') {
        AddString(false);
      } else if (IsOfName(c)) {
        AddWord();
      } else {
        AddOperator();
      }
    }
    tokens_.push_back({.kind = PythonToken::Kind::kEnd, .text = {}, .line = line_});
    return std::move(tokens_);
  }

 private:
  void Advance() {
    line_ += text_[at_] == '\n' ? 1 : 0;
    ++at_;
  }

  void Add(PythonToken::Kind kind, std::string text, int line) {
    tokens_.push_back({.kind = kind, .text = std::move(text), .line = line});
  }

  void AddOperator() {
    constexpr std::string_view kDouble[] = {"==", "!=", "<=", ">=", "**", "->", ":="};
    const std::string_view two = text_.substr(at_, 2);
    const std::size_t size = std::ranges::find(kDouble, two) == std::end(kDouble) ? 1 : 2;
    Add(PythonToken::Kind::kOperator, std::string(text_.substr(at_, size)), line_);
    at_ += size;
  }

  // A name, a number, or the prefix of a string.
  void AddWord() {
    const std::size_t begin = at_;
    const bool number = std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
    while (at_ < text_.size() &&
           (IsOfName(text_[at_]) || (number && IsOfNumber(begin, text_[at_])))) {
      ++at_;
    }
    const std::string word(text_.substr(begin, at_ - begin));
    const bool quote = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
    if (quote && word.size() <= 2 && word.find_first_not_of("rbufRBUF") == std::string::npos) {
      if (word.find_first_of("fF") != std::string::npos) {
        Add(PythonToken::Kind::kOperator, "f", line_);
      }
      AddString(word.find_first_of("rR") != std::string::npos);
      return;
    }
    Add(number ? PythonToken::Kind::kNumber : PythonToken::Kind::kName, word, line_);
  }

  // A point, or the sign of an exponent.
  [[nodiscard]] bool IsOfNumber(std::size_t begin, char c) const {
    const char before = at_ > begin ? text_[at_ - 1] : ' ';
    return c == '.' || ((c == '-' || c == '+') && (before == 'e' || before == 'E'));
  }

  void AddString(bool raw) {
    const int line = line_;
    const std::string_view three = text_.substr(at_, 3);
    const bool triple = three == R"(""")" || three == "'''";
    const std::string_view quote = text_.substr(at_, triple ? 3 : 1);
    at_ += quote.size();
    std::string value;
    while (at_ < text_.size() && text_.substr(at_, quote.size()) != quote) {
      if (!triple && text_[at_] == '\n') {
        break;  // it does not end
      }
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        if (raw) {
          value += text_[at_];
        }
        Advance();
        value += raw ? text_[at_] : Unescaped(text_[at_]);
      } else {
        value += text_[at_];
      }
      Advance();
    }
    at_ = std::min(at_ + quote.size(), text_.size());
    Add(PythonToken::Kind::kString, std::move(value), line);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<PythonToken> tokens_;
};

}  // namespace

std::vector<PythonToken> PythonTokensOf(std::string_view text) {
  return Tokenizer(text).Run();
}

}  // namespace halftone
