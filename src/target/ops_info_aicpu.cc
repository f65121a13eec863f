#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/ir/ir_type.h"
#include "src/target/ini_file.h"
#include "src/target/library_json.h"
#include "src/target/ops_info.h"

namespace halftone {
namespace {

// "DT_FLOAT16" -> "float16"
std::string NameOfDType(std::string_view text) {
  std::string name(text);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name == "bf16" ? "bfloat16" : name;
}

DTypeSet ParseSet(const LibraryEntry& entry, const std::string& key) {
  constexpr std::string_view kPrefix = "DT_";
  const std::string* text = entry.Find(key, "type");
  if (text == nullptr) {
    entry.Throw(key + ".type", "op library corrupt: it is missing");
  }
  DTypeSet dtypes;
  for (const std::string_view part : Split(*text, ',')) {
    const std::string_view word = Trim(part);
    const std::string name =
        word.starts_with(kPrefix) ? NameOfDType(word.substr(kPrefix.size())) : std::string();
    const auto dtype = DTypeFromName(name);
    if (!dtype && !IsForeignDType(name)) {
      entry.Throw(key + ".type", fmt::format("expected DT_* names, found {}", Quoted(word)));
    }
    if (dtype) {
      dtypes.Add(*dtype);
    }
  }
  return dtypes;
}

struct Side {
  std::vector<DTypeSet> sets;
  bool repeat = false;
};

Side ParseSide(const LibraryEntry& entry, bool inputs) {
  const std::string plain = inputs ? "input" : "output";
  const std::string dynamic = "dynamic_" + plain;
  Side in_ir_order;
  for (const std::string& key : NumberedItems(entry, {plain, dynamic})) {
    in_ir_order.sets.push_back(ParseSet(entry, key));
    in_ir_order.repeat = key.starts_with(dynamic);
  }
  const OpInfo* onnx = OnnxOperatorOf(entry.type());
  if (onnx == nullptr) {
    return in_ir_order;
  }
  Side side;
  const auto items = ParseSignature(inputs ? onnx->inputs : onnx->outputs);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto index = inputs ? IrInputOf(entry.type(), i) : i;
    // An operand that is an attribute there does not restrict anything.
    side.sets.push_back(index && *index < in_ir_order.sets.size() ? in_ir_order.sets[*index]
                                                                  : kAllDTypes);
    side.repeat = items[i].repeated;
  }
  return side;
}

}  // namespace

AiCpuLibrary ParseAiCpuKernels(std::string_view text, std::string_view where,
                               std::string_view library) {
  AiCpuLibrary kernels;
  for (const LibraryEntry& entry : ReadLibraryJson(text, where)) {
    const std::string* flag = entry.Find("opInfo", "opsFlag");
    if (flag != nullptr && *flag == "OPS_FLAG_CLOSE") {
      continue;
    }
    Side inputs = ParseSide(entry, true);
    Side outputs = ParseSide(entry, false);
    AiCpuOp op{.inputs = std::move(inputs.sets),
               .outputs = std::move(outputs.sets),
               .inputs_repeat = inputs.repeat,
               .outputs_repeat = outputs.repeat};
    const std::string* own = entry.Find("opInfo", "opKernelLib");
    op.library = own != nullptr ? *own : std::string(library);
    kernels.insert_or_assign(entry.type(), std::move(op));
  }
  return kernels;
}

}  // namespace halftone
