#include "src/onnx/parse_file.h"

#include <fmt/format.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/message_lite.h>

#include <limits>

#include "src/base/error.h"
#include "src/base/file_descriptor.h"

namespace halftone {
namespace {

constexpr int kPieceBytes = 256 * 1024;

}  // namespace

ParsedFile ParseFile(const std::filesystem::path& file, google::protobuf::MessageLite& message) {
  const FileDescriptor descriptor = OpenForReading(file);
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(file, code);
  const bool is_known = !code;  // it may have been removed by now
  if (is_known && size > std::numeric_limits<int>::max()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("'{}' is larger than 2 GiB, the limit of protobuf: store large tensors "
                            "as external data",
                            file.string()));
  }
  google::protobuf::io::FileInputStream stream(descriptor.get(), kPieceBytes);
  const bool is_message = message.ParseFromZeroCopyStream(&stream);
  if (stream.GetErrno() != 0) {
    ThrowIo("read", file, stream.GetErrno());
  }
  return {.size_bytes = is_known ? static_cast<std::int64_t>(size) : stream.ByteCount(),
          .is_message = is_message};
}

}  // namespace halftone
