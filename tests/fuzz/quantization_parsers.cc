// Tables of scales, ranges and layers.
#include "src/quantization/files/amct_config.h"
#include "src/quantization/files/compression_config.h"
#include "src/quantization/files/custom_io.h"
#include "src/quantization/files/glow_names.h"
#include "src/quantization/files/glow_profile.h"
#include "src/quantization/files/histogram_file.h"
#include "src/quantization/files/input_list.h"
#include "src/quantization/files/node_precision.h"
#include "src/quantization/files/quantization_file.h"
#include "src/quantization/files/range_table.h"
#include "tests/fuzz/fuzz.h"

namespace halftone::testing {
namespace {

void CompressionFile(std::string_view bytes) {
  const auto parse = [](std::string_view text) { return ParseCompressionConfig(text, "c.cfg"); };
  ReadsBack(bytes, parse, WriteCompressionConfig);
  RequireReadable(Error(ErrorKind::kUsage, "x" + RefusesCalibration({.op_precision_mode = bytes})));
}

void CustomIoList(std::string_view bytes) {
  const auto parse = [](std::string_view text) { return ParseCustomIo(text, "f.yaml"); };
  const auto entries = ReadsBackIfWritten(bytes, parse, WriteCustomIo);
  if (entries) {
    ValueOrError([&] {
      CheckCustomIo(*entries, std::vector<IoTensor>{{.name = "a", .rank = 3, .precision = {}}},
                    "f.yaml");
      return 0;
    });
  }
}

// The profile, and the names in it.
void Glow(std::string_view bytes) {
  const auto profile = ValueOrError([&] { return ParseGlowProfile(bytes, "p.yaml"); });
  if (!profile) {
    return;
  }
  const auto text = ValueOrError([&] { return WriteGlowProfile(*profile); });  // or not UTF-8
  if (text) {
    const GlowProfile again = ParseGlowProfile(*text, "p.yaml");
    Require(WriteGlowProfile(again) == *text, "the profile read back differs");
    Require(again.Hash() == profile->Hash(), "the hash differs");
  }
  std::vector<std::string> names;
  std::vector<GlowCandidate> candidates;
  for (const GlowRecord& record : profile->records) {
    names.push_back(record.name);
    candidates.push_back({.name = record.name, .results = 2});
  }
  Require(MatchGlowRecords(names, candidates).targets.size() == names.size(),
          "a record was dropped");
}

void InputList(std::string_view bytes) {
  const auto samples = ValueOrError([&] { return ParseInputList(bytes, "list.txt"); });
  if (samples) {
    for (const auto& files : *samples) {
      Require(files.size() == samples->front().size(), "samples of several lengths");
    }
  }
}

void NodePrecisionInfo(std::string_view bytes) {
  const auto parse = [](std::string_view text) { return ParseNodePrecision(text, "f.yaml"); };
  ReadsBackIfWritten(bytes, parse, [](const auto& names) { return WriteNodePrecision(names); });
}

void Scales(std::string_view bytes) {
  const auto parse = [](std::string_view text) { return ParseQuantization(text, "q.json"); };
  if (const auto file = ReadsBack(bytes, parse, WriteQuantization)) {
    Require(parse(WriteQuantization(*file)).quantization.Digest() == file->quantization.Digest(),
            "the digest differs");
  }
}

// Every name is in the text or in a note; the text reads back to a table that writes the same.
void TryWriter(const RangeTable& table, std::string_view kind,
               WrittenTable (*write)(const RangeTable&)) {
  const auto written = ValueOrError([&] { return write(table); });  // or a name is not UTF-8
  if (!written) {
    return;
  }
  RequireReadable(written->notes);
  // A table of lines whose first name looks like another format is read as that.
  const auto again = ValueOrError([&] { return ParseRangeTable(written->text, "again"); });
  if (again && again->kind == kind) {
    Require(write(*again).text == written->text, "the table read back differs");
  }
}

void Ranges(std::string_view bytes) {
  const auto table = ValueOrError([&] { return ParseRangeTable(bytes, "table"); });
  if (!table) {
    return;
  }
  RequireReadable(table->notes);
  for (const auto& [name, entry] : table->entries) {
    Require(entry.scales.size() == entry.zero_points.size(), "lists of several lengths");
    Require(entry.range || entry.grid == TableEntry::Grid::kFloat, "neither range nor float");
    Require(!entry.range || entry.range->low <= entry.range->high, "a range of no numbers");
    ActivationScaleOf(entry);
    WeightScalesOf(entry);
  }
  TryWriter(*table, "onnxruntime json", WriteOrtJson);
  TryWriter(*table, "onnxruntime cache", WriteOrtCache);
  TryWriter(*table, "tensorrt", [](const RangeTable& t) { return WriteTensorRtCache(t); });
  TryWriter(*table, "aimet", [](const RangeTable& t) { return WriteAimet(t, AimetVersion::k061); });
  TryWriter(*table, "aimet", [](const RangeTable& t) { return WriteAimet(t, AimetVersion::k100); });
}

const FuzzedParsers kQuantizationParsers = {
    {"amct_config", FileReadsBack<ParseAmctConfig, WriteAmctConfig>},  // AMCT, text form
    {"compression_config", CompressionFile},  // --compression_optimize_conf
    {"custom_io", CustomIoList},              // -custom-IO-list-file
    {"glow_profile", Glow},
    {"histogram_file", FileReadsBack<ParseHistograms, WriteHistograms>},
    {"input_list", InputList},              // -input-list-file
    {"node_precision", NodePrecisionInfo},  // -node-precision-info
    {"quantization_file", Scales},
    {"range_table", Ranges},  // of all kinds
};

}  // namespace
}  // namespace halftone::testing
