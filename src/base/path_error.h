// Sentences for errors of std::filesystem.
#pragma once

#include <exception>
#include <filesystem>
#include <string>

namespace halftone {

// Returns "cannot use '<path>': <reason>" with the first path of the error and the system's reason.
std::string SentenceOf(const std::filesystem::filesystem_error& error);

// Returns the sentence above for a filesystem_error, what() for any other exception.
std::string SentenceOf(const std::exception& error);

}  // namespace halftone
