#include "src/onnx/tensor_proto.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/wire_format_lite.h>
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/file_descriptor.h"
#include "src/onnx/initializer.h"
#include "src/onnx/parse_file.h"

namespace halftone {
namespace {

using google::protobuf::internal::WireFormatLite;

constexpr int kPieceBytes = 4096;  // there is little but the elements, which are skipped

// The fields of a TensorProto one after the other, without its elements.
class TensorProtoFields {
 public:
  explicit TensorProtoFields(google::protobuf::io::CodedInputStream& input) : input_(input) {}

  // False: the elements are not raw bytes, or the file of `file_bytes` is cut short or no
  // TensorProto.
  bool Read(std::int64_t file_bytes) {
    while (const std::uint32_t tag = input_.ReadTag()) {
      if (!ReadField(tag)) {
        return false;
      }
    }
    // A skip may pass the end of the file unnoticed.
    return input_.ConsumedEntireMessage() && input_.CurrentPosition() == file_bytes &&
           raw_bytes_ >= 0;
  }

  // data_type and dims.
  [[nodiscard]] const onnx::TensorProto& type() const { return type_; }

  [[nodiscard]] std::int64_t raw_offset() const { return raw_offset_; }

  [[nodiscard]] std::int64_t raw_bytes() const { return raw_bytes_; }

 private:
  bool ReadField(std::uint32_t tag) {
    switch (WireFormatLite::GetTagFieldNumber(tag)) {
      case onnx::TensorProto::kDimsFieldNumber:
        return ReadDims(tag);
      case onnx::TensorProto::kDataTypeFieldNumber: {
        std::uint64_t value = 0;
        const bool is_read =
            IsOf(tag, WireFormatLite::WIRETYPE_VARINT) && input_.ReadVarint64(&value);
        type_.set_data_type(static_cast<std::int32_t>(value));
        return is_read;
      }
      case onnx::TensorProto::kRawDataFieldNumber: {
        std::uint32_t bytes = 0;
        if (!IsOf(tag, WireFormatLite::WIRETYPE_LENGTH_DELIMITED) || !input_.ReadVarint32(&bytes)) {
          return false;
        }
        raw_offset_ = input_.CurrentPosition();
        raw_bytes_ = bytes;
        return bytes <= static_cast<std::uint32_t>(std::numeric_limits<int>::max()) &&
               input_.Skip(static_cast<int>(bytes));
      }
      case onnx::TensorProto::kNameFieldNumber:
      case onnx::TensorProto::kDocStringFieldNumber:
        return WireFormatLite::SkipField(&input_, tag);
      default:
        return false;
    }
  }

  // One number, or several behind each other.
  bool ReadDims(std::uint32_t tag) {
    if (IsOf(tag, WireFormatLite::WIRETYPE_VARINT)) {
      return ReadDim();
    }
    std::uint32_t bytes = 0;
    if (!IsOf(tag, WireFormatLite::WIRETYPE_LENGTH_DELIMITED) || !input_.ReadVarint32(&bytes)) {
      return false;
    }
    const auto limit = input_.PushLimit(static_cast<int>(bytes));
    while (input_.BytesUntilLimit() > 0) {
      if (!ReadDim()) {
        return false;
      }
    }
    input_.PopLimit(limit);
    return true;
  }

  bool ReadDim() {
    std::uint64_t value = 0;
    if (!input_.ReadVarint64(&value)) {
      return false;
    }
    type_.add_dims(static_cast<std::int64_t>(value));
    return true;
  }

  static bool IsOf(std::uint32_t tag, WireFormatLite::WireType type) {
    return WireFormatLite::GetTagWireType(tag) == type;
  }

  google::protobuf::io::CodedInputStream& input_;
  onnx::TensorProto type_;
  std::int64_t raw_offset_ = 0;
  std::int64_t raw_bytes_ = -1;
};

}  // namespace

std::optional<TensorPlace> LocateTensorProto(const std::filesystem::path& file) {
  const FileDescriptor descriptor = OpenForReading(file);
  google::protobuf::io::FileInputStream stream(descriptor.get(), kPieceBytes);
  google::protobuf::io::CodedInputStream input(&stream);
  TensorProtoFields fields(input);
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);
  const bool is_read = !error && fields.Read(static_cast<std::int64_t>(bytes));
  if (stream.GetErrno() != 0) {
    ThrowIo("read", file, stream.GetErrno());
  }
  if (!is_read || !DTypeFromOnnx(fields.type().data_type())) {
    return std::nullopt;
  }
  TensorType type =
      WithContext([&] { return fmt::format("reading the tensor '{}'", file.string()); },
                  [&] { return TypeOf(fields.type()); });
  if (type.size_bytes() != fields.raw_bytes()) {
    return std::nullopt;
  }
  return TensorPlace{std::move(type), fields.raw_offset()};
}

Tensor ReadTensorProto(const std::filesystem::path& file) {
  onnx::TensorProto proto;
  const ParsedFile parsed = ParseFile(file, proto);
  return WithContext(
      [&] { return fmt::format("reading the tensor '{}'", file.string()); },
      [&] {
        if (parsed.size_bytes == 0) {
          throw Error(ErrorKind::kModel, "expected a serialized TensorProto, the file is empty");
        }
        if (!parsed.is_message) {
          throw Error(
              ErrorKind::kModel,
              fmt::format("expected a serialized TensorProto, {} bytes do not parse as one: "
                          "cut short or of another format",
                          parsed.size_bytes));
        }
        return TensorOf(proto, file.parent_path());
      });
}

void WriteTensorProto(const std::filesystem::path& file, const Tensor& tensor,
                      std::string_view name) {
  onnx::TensorProto proto;
  proto.set_name(std::string(name));
  proto.set_data_type(RowOf(tensor.dtype()).onnx_type);
  for (const std::int64_t extent : tensor.shape().dims()) {
    proto.add_dims(extent);
  }
  proto.set_raw_data(tensor.data(), tensor.size_bytes());
  WriteFileAtomically(file, proto.SerializeAsString());
}

}  // namespace halftone
