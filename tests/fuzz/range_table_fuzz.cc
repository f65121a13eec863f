// Tables of ranges of all kinds.
#include "src/quantization/files/range_table.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

namespace {

// Every name is in the text or in a note; the text reads back to a table that writes the same.
void TryWriter(const RangeTable& table, std::string_view kind,
               WrittenTable (*write)(const RangeTable&)) {
  const auto written = ValueOrError([&] { return write(table); });  // or a name is not UTF-8
  if (!written) {
    return;
  }
  for (const std::string& note : written->notes) {
    RequireReadable(Error(ErrorKind::kUsage, note));
  }
  // A table of lines whose first name looks like another format is read as that.
  const auto again = ValueOrError([&] { return ParseRangeTable(written->text, "again"); });
  if (again && again->kind == kind) {
    Require(write(*again).text == written->text, "the table read back differs");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto table = ValueOrError([&] { return ParseRangeTable(TextOf(data, size), "table"); });
  if (!table) {
    return 0;
  }
  for (const std::string& note : table->notes) {
    RequireReadable(Error(ErrorKind::kUsage, note));
  }
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
  return 0;
}
