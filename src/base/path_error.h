// Errors of std::filesystem as sentences.
#pragma once

#include <exception>
#include <filesystem>
#include <string>

namespace halftone {

// "cannot use '<path>': <what the system says>", with the path that the error names first.
std::string SentenceOf(const std::filesystem::filesystem_error& error);

// The same of such an error, and what() of any other.
std::string SentenceOf(const std::exception& error);

}  // namespace halftone
