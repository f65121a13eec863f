#include "src/onnx/tensor_proto.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <string>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/onnx/initializer.h"
#include "src/onnx/parse_file.h"

namespace halftone {

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
