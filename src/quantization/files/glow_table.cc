// A profile of Glow as a table of ranges, by the names that stand in it (glow_names.h).
#include <fmt/format.h>

#include "src/quantization/files/glow_profile.h"
#include "src/quantization/files/table_readers.h"

namespace halftone {

bool IsGlowTable(const TableText& table) {
  return table.text.find("GraphPreLowerHash") != std::string_view::npos &&
         table.text.find("NodeOutputName") != std::string_view::npos;
}

RangeTable ReadGlowTable(const TableText& table) {
  const GlowProfile profile = ParseGlowProfile(table.text, table.where);
  RangeTable read;
  for (const GlowRecord& record : profile.records) {
    TableEntry entry;
    entry.range = ValueRange{record.min, record.max};
    AddEntry(read, record.name, std::move(entry), table.where);
  }
  read.notes.emplace_back(
      "tensors are named as Glow names nodes; histograms are read by the profile's own reader");
  return read;
}

}  // namespace halftone
