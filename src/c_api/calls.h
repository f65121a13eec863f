// Helpers of all functions of the C interface: errors become a status and a sentence, null
// arguments are refused.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "halftone/c_api.h"
#include "halftone/error.h"

namespace halftone {

// halftone_last_error() of this thread.
const char* LastError() noexcept;

// Keeps the sentence of a call that failed, in words of C, and returns its status.
halftone_status Failed(ErrorKind kind, const char* sentence) noexcept;
halftone_status FailedForMemory() noexcept;

// Runs the body of a function of the interface; no exception leaves it.
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

// Text of an argument; "" for null.
std::string TextOf(const char* text);

// A copy that halftone_text_free() frees. std::bad_alloc.
char* NewText(const std::string& text);

// 32 hexadecimal digits and a zero byte.
void WriteDigest(const std::string& digest, char* text);

// Error kUsage: the argument is null.
void Require(const void* pointer, const char* name);

}  // namespace halftone
