// Parser of protobuf messages in files.
#pragma once

#include <cstdint>
#include <filesystem>

namespace google::protobuf {
class MessageLite;
}

namespace halftone {

struct ParsedFile {
  std::int64_t size_bytes = 0;
  bool is_message = false;  // false: cut short, of another format, too deep
};

// Fills `message` from `file`. The file is read in pieces, so memory holds large fields only once.
// Errors: kIo if the file is missing, not readable, or no regular file; kUnsupported beyond 2 GiB,
// the limit of protobuf.
ParsedFile ParseFile(const std::filesystem::path& file, google::protobuf::MessageLite& message);

}  // namespace halftone
