#include "src/c_api/calls.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "halftone/words.h"

namespace halftone {
namespace {

thread_local std::string last_error;

// halftone_last_error() where even the sentence found no memory.
thread_local bool error_is_memory = false;
constexpr const char* kNoMemory = "memory was refused; free some, or run fewer sessions";

halftone_status StatusOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return HALFTONE_USAGE;
    case ErrorKind::kModel:
      return HALFTONE_MODEL;
    case ErrorKind::kUnsupported:
      return HALFTONE_UNSUPPORTED;
    case ErrorKind::kIo:
      return HALFTONE_IO;
    case ErrorKind::kDatabase:
      return HALFTONE_DATABASE;
    case ErrorKind::kInternal:
      return HALFTONE_INTERNAL;
  }
  return HALFTONE_INTERNAL;
}

halftone_status Keep(halftone_status status, const char* sentence) noexcept {
  error_is_memory = status == HALFTONE_MEMORY;
  try {
    last_error = InWordsOf(Language::kC, sentence);
  } catch (const std::bad_alloc&) {
    error_is_memory = true;
  }
  return status;
}

}  // namespace

const char* LastError() noexcept {
  return error_is_memory ? kNoMemory : last_error.c_str();
}

halftone_status Failed(ErrorKind kind, const char* sentence) noexcept {
  return Keep(StatusOf(kind), sentence);
}

halftone_status FailedForMemory() noexcept {
  return Keep(HALFTONE_MEMORY, kNoMemory);
}

std::string TextOf(const char* text) {
  return text != nullptr ? text : "";
}

char* NewText(const std::string& text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) {
    throw std::bad_alloc();
  }
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

void Require(const void* pointer, const char* name) {
  if (pointer == nullptr) {
    throw Error(ErrorKind::kUsage,
                fmt::format("argument '{}': expected an address, found null", name));
  }
}

void WriteDigest(const std::string& digest, char* text) {
  std::memcpy(text, digest.c_str(), digest.size() + 1);
}

}  // namespace halftone
