// What every parser promises, whatever bytes it is given: a value, or an Error that a user can
// read.
//
// A fuzzer is one file, <parser>_fuzz.cc, that defines LLVMFuzzerTestOneInput and reports a broken
// promise with Require(); see CONTRIBUTING.md, "Fuzzing".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "src/base/error.h"

namespace halftone::testing {

inline std::string_view TextOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Ends the program with `what` unless `ok`: a finding for libFuzzer, a failed test for the replay.
void Require(bool ok, std::string_view what);

// Requires what users are told to hold: not an internal error, one line, not empty, no byte that a
// terminal would act on.
void RequireReadable(const Error& error);

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

}  // namespace halftone::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
