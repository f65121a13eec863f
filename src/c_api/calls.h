// Helpers of the functions of the C interface, which turn errors into a status and a sentence and
// refuse null arguments.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "halftone/c_api.h"
#include "halftone/error.h"

namespace halftone {

// Result of halftone_last_error(): the sentence of the last failed call on this thread.
const char* LastError() noexcept;

// Stores the sentence for LastError(), with the option names of C, and returns the status.
halftone_status Failed(ErrorKind kind, const char* sentence) noexcept;
// Does the same for a failed allocation.
halftone_status FailedForMemory() noexcept;

// Runs the body of a function of the interface. Exceptions of the body become a status.
template <typename Body>
halftone_status Guarded(const Body& body) noexcept {
  try {
    body();
    return HALFTONE_OK;
  } catch (const Error& error) {
    return Failed(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    return FailedForMemory();
  } catch (const std::exception& error) {
    return Failed(ErrorKind::kInternal, error.what());
  } catch (...) {
    return Failed(ErrorKind::kInternal, "an exception of unknown type");
  }
}

// Converts a text argument; null becomes "".
std::string TextOf(const char* text);

// Copies a text for the caller, who frees it by halftone_text_free(). Throws std::bad_alloc.
char* NewText(const std::string& text);

// Copies a digest of 32 hexadecimal digits and a zero byte to `text`, which has 33 bytes.
void WriteDigest(const std::string& digest, char* text);

// Error kUsage if the argument `name` is null.
void Require(const void* pointer, const char* name);

}  // namespace halftone
