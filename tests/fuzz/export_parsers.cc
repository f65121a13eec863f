// Files of other tools that export patches.
#include "src/export/mnn_compression.h"
#include "src/export/ncnn_param.h"
#include "src/export/openvino_ir.h"
#include "src/export/rknn_config.h"
#include "tests/fuzz/fuzz.h"

namespace halftone::testing {
namespace {

template <typename Patch>
void PatchesOnce(std::string_view bytes, const Patch& patch) {
  const auto once = ValueOrError([&] { return patch(bytes); });
  if (once) {
    Require(patch(once->text).text == once->text, "patching twice differs from patching once");
  }
}

std::vector<PlannedNode> Plan() {
  return {{.name = "conv",
           .type = "Conv",
           .output = "conv_out",
           .compute = *NumericFormat::Named("qint8")},
          {.name = "soft", .type = "Softmax", .output = "soft: x_out", .compute = DType::kFloat32}};
}

void MnnCompression(std::string_view bytes) {
  const auto nodes = Plan();
  PatchesOnce(bytes, [&](auto text) { return PatchMnnCompression(text, "p.json", nodes); });
}

void NcnnParam(std::string_view bytes) {
  const std::vector<NcnnMask> masks = {
      {.name = "conv", .output = "conv_out", .asked = {}, .bits = 7},
      {.name = "", .output = "act_out", .asked = DType::kFloat16, .bits = 12}};
  PatchesOnce(bytes, [&](auto text) { return PatchNcnnParam(text, "n.param", masks); });
}

void OpenVinoIr(std::string_view bytes) {
  const OpenVinoMarks marks{.float32 = {"c", "a,b"}, .all = {"x", "c", "r", "a,b"}};
  PatchesOnce(bytes, [&](auto text) { return PatchOpenVinoIr(text, "n.xml", marks); });
}

void RknnConfig(std::string_view bytes) {
  const auto nodes = Plan();
  PatchesOnce(bytes, [&](auto text) { return PatchRknnConfig(text, "n.cfg", nodes); });
}

const FuzzedParsers kExportParsers = {
    {"mnn_compression", MnnCompression},
    {"ncnn_param", NcnnParam},
    {"openvino_ir", OpenVinoIr},
    {"rknn_config", RknnConfig},  // the quantization.cfg of RKNN-Toolkit
};

}  // namespace
}  // namespace halftone::testing
