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

// Fills `message` from `file`, which is read piece by piece: there is no second copy of the large
// fields. Error kIo: missing, a folder, not readable; error kUnsupported: more than 2 GiB, the
// limit of protobuf.
ParsedFile ParseFile(const std::filesystem::path& file, google::protobuf::MessageLite& message);

}  // namespace halftone
