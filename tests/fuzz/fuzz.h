// Parsers that are fuzzed, and what every one of them promises, whatever bytes it is given: a
// value, or an Error that a user can read.
//
// A parser is a function that tries one input and reports a broken promise with Require(), and a
// row of the table of its library, in a *_parsers.cc; see CONTRIBUTING.md, "Fuzzing".
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/error.h"

namespace halftone::testing {

struct FuzzedParser {
  std::string_view name;  // of its corpus, its dictionary and its test
  void (*try_input)(std::string_view bytes);
};

// The rows of one file: an object with static storage.
class FuzzedParsers {
 public:
  FuzzedParsers(std::initializer_list<FuzzedParser> rows);
};

// nullptr: no file of this program has such a row.
const FuzzedParser* FindParser(std::string_view name);

// Ends the program with `what` unless `ok`: a finding for libFuzzer, a failed test for the replay.
void Require(bool ok, std::string_view what);

// Requires what users are told to hold: not an internal error, one line, not empty, no byte that a
// terminal would act on.
void RequireReadable(const Error& error);
// The same of notes and warnings.
void RequireReadable(std::span<const std::string> sentences);

// The result of `parse`; nothing when it threw an Error, which is checked.
template <typename Parse>
auto ValueOrError(Parse&& parse) -> std::optional<decltype(parse())> {
  try {
    return std::forward<Parse>(parse)();
  } catch (const Error& error) {
    RequireReadable(error);
    return std::nullopt;
  }
}

// parse(bytes), required to be equal to what is parsed of the text that `write` makes of it;
// nothing when it threw.
template <typename Parse, typename Write>
auto ReadsBack(std::string_view bytes, const Parse& parse, const Write& write) {
  const auto value = ValueOrError([&] { return parse(bytes); });
  if (value) {
    Require(parse(write(*value)) == *value, "what was written reads back as another value");
  }
  return value;
}

// The same where `write` may refuse with an Error: a name that is not UTF-8, say.
template <typename Parse, typename Write>
auto ReadsBackIfWritten(std::string_view bytes, const Parse& parse, const Write& write) {
  const auto value = ValueOrError([&] { return parse(bytes); });
  const auto text = value ? ValueOrError([&] { return write(*value); }) : std::nullopt;
  if (text) {
    Require(parse(*text) == *value, "what was written reads back as another value");
  }
  return value;
}

// Campaign for a file that only has to read back: a parser of its text and its name, and a writer.
template <auto Parse, auto Write>
void FileReadsBack(std::string_view bytes) {
  ReadsBack(
      bytes, [](std::string_view text) { return Parse(text, "file"); }, Write);
}

}  // namespace halftone::testing
