// quantization.json as a table of ranges.
#include <nlohmann/json.hpp>

#include "src/quantization/files/quantization_file.h"
#include "src/quantization/files/table_readers.h"

namespace halftone {

bool IsOwnTable(const TableText& table) {
  return table.document != nullptr && table.document->contains("schema_version") &&
         table.document->contains("activations");
}

RangeTable ReadOwnTable(const TableText& table) {
  const QuantizationFile file = ParseQuantization(table.text, table.where);
  RangeTable read = TableOf(file.quantization);
  if (!file.quantization.bias_shifts.empty() || !file.operators.empty()) {
    read.notes.emplace_back(
        "bias shifts and operators of the file are no part of a table of ranges");
  }
  if (!file.quantization.channel_factors.empty()) {
    read.notes.emplace_back("channel factors of the file are no part of a table of ranges");
  }
  return read;
}

}  // namespace halftone
