#include "src/quantization/files/proto_text.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-' || c == '+';
}

// Escapes of one character, and what they stand for.
constexpr std::string_view kEscapes = "ntr\"'\\";
constexpr std::string_view kEscaped = "\n\t\r\"'\\";

class ProtoParser {
 public:
  ProtoParser(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  // Fields up to `close`; 0: the end of the file.
  std::vector<ProtoField> Fields(char close, int level) {
    if (level > kMostProtoTextLevels) {
      Throw(fmt::format("expected at most {} levels of nesting, found more", kMostProtoTextLevels));
    }
    std::vector<ProtoField> fields;
    while (!Takes(close)) {
      Field(fields, level);
      while (Takes(',') || Takes(';')) {
      }
    }
    return fields;
  }

 private:
  [[noreturn]] void Throw(std::string_view what) const {
    throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", where_, line_, what));
  }

  [[nodiscard]] std::string Here() const {
    return at_ == text_.size() ? "the end of the file"
                               : fmt::format("'{}'", Shown(text_.substr(at_, 1)));
  }

  void SkipBlanks() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size() - 1);
      }
      if (text_[at_] == '\n') {
        ++line_;
      } else if (c != ' ' && c != '\t' && c != '\r' && c != '#') {
        return;
      }
    }
  }

  // Whether `c` comes next, which is then behind; 0 is the end of the file.
  bool Takes(char c) {
    SkipBlanks();
    if (c == '\0') {
      return at_ == text_.size();
    }
    if (at_ == text_.size() || text_[at_] != c) {
      return false;
    }
    ++at_;
    return true;
  }

  std::string Word(std::string_view expected) {
    SkipBlanks();
    const std::size_t start = at_;
    while (at_ < text_.size() && IsWordByte(text_[at_])) {
      ++at_;
    }
    if (at_ == start) {
      Throw(fmt::format("expected {}, found {}", expected, Here()));
    }
    return std::string(text_.substr(start, at_ - start));
  }

  void Field(std::vector<ProtoField>& fields, int level) {
    ProtoField field;
    field.name = Word("the name of a field");
    field.line = line_;
    const bool colon = Takes(':');
    if (Takes('{')) {
      field.is_message = true;
      field.fields = Fields('}', level + 1);
      fields.push_back(std::move(field));
      return;
    }
    if (!colon) {
      Throw(fmt::format("expected ':' or '{{' behind '{}', found {}", Shown(field.name), Here()));
    }
    if (!Takes('[')) {
      Scalar(field);
      fields.push_back(std::move(field));
      return;
    }
    while (!Takes(']')) {
      ProtoField item = field;
      Scalar(item);
      fields.push_back(std::move(item));
      Takes(',');
    }
  }

  void Scalar(ProtoField& field) {
    SkipBlanks();
    field.line = line_;
    field.quoted = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
    if (!field.quoted) {
      field.text = Word(fmt::format("a value of '{}'", Shown(field.name)));
      return;
    }
    for (bool more = true; more;) {  // strings beside each other are one
      more = false;
      for (const char quote : {'"', '\''}) {
        if (Takes(quote)) {
          field.text += Rest(quote);
          more = true;
        }
      }
    }
  }

  // The rest of a string up to its closing quote.
  std::string Rest(char quote) {
    std::string text;
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return text;
      }
      if (text_[at_] != '\\') {
        text += text_[at_];
        continue;
      }
      const std::size_t escape =
          at_ + 1 < text_.size() ? kEscapes.find(text_[at_ + 1]) : std::string_view::npos;
      if (escape == std::string_view::npos) {
        Throw(fmt::format("expected \\n, \\t, \\r, \\\", \\' or \\\\ in a string, found '{}'",
                          Shown(text_.substr(at_, 2))));
      }
      ++at_;
      text += kEscaped[escape];
    }
    Throw(fmt::format("expected {} at the end of a string, found the end of the line", quote));
  }

  std::string_view text_;
  std::string_view where_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<ProtoField> ParseProtoText(std::string_view text, std::string_view where) {
  if (text.size() > kMostProtoTextBytes) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}:1: expected at most {} bytes of settings, found {}", where,
                            kMostProtoTextBytes, text.size()));
  }
  return ProtoParser(text, where).Fields('\0', 0);
}

std::string ProtoString(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const std::size_t escape = kEscaped.find(c);
    if (escape == std::string_view::npos || c == '\'') {
      quoted += c;
    } else {
      quoted += '\\';
      quoted += kEscapes[escape];
    }
  }
  return quoted + "\"";
}

}  // namespace halftone
