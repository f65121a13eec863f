// Readers of ReadRangeTable(). Each has a row in range_table.cc and a source file of its own.
#pragma once

#include <optional>
#include <string_view>

#include "src/quantization/files/json_place.h"
#include "src/quantization/files/range_table.h"

namespace halftone {

// The text of a file.
struct TableText {
  std::string_view text;
  std::string_view where;                    // name of the file, for messages
  const nlohmann::json* document = nullptr;  // the parsed text; null: the text is not JSON
};

// Two functions for each kind of table. Is...() returns true for a text of its kind; it assumes
// that the rows above its own in range_table.cc did not recognise the text. Read...() returns
// entries and notes. Error kUsage: a fault in the text.
bool IsOwnTable(const TableText& table);
RangeTable ReadOwnTable(const TableText& table);

bool IsAimet(const TableText& table);
RangeTable ReadAimet(const TableText& table);

bool IsOrtJson(const TableText& table);
RangeTable ReadOrtJson(const TableText& table);

bool IsTensorRtCache(const TableText& table);
RangeTable ReadTensorRtCache(const TableText& table);

bool IsGlowTable(const TableText& table);
RangeTable ReadGlowTable(const TableText& table);

bool IsOrtFlatbuffers(const TableText& table);
RangeTable ReadOrtFlatbuffers(const TableText& table);

bool IsOrtCache(const TableText& table);
RangeTable ReadOrtCache(const TableText& table);

// ---- Shared by several readers

// The finite number that is all of `text`; empty: `text` is something else.
std::optional<double> NumberOf(std::string_view text);

// Entry of a tensor for which only the largest magnitude is known: a symmetric range.
TableEntry EntryOfMagnitude(double magnitude);

// Adds an entry. Error kUsage, "<place>: ...": the table has an entry of this name.
void AddEntry(RangeTable& table, std::string_view name, TableEntry entry, std::string_view place);

// The largest magnitude in the range of an entry; empty: it has no range.
std::optional<double> MagnitudeOf(const TableEntry& entry);

// Reason, as a sentence, why a table of activation ranges leaves an entry out: it is a float tensor
// or a parameter. Empty: the entry stays.
std::string LostInMagnitude(const std::string& name, const TableEntry& entry);

// True if a name has a line break or a zero byte, so that no line of a text can hold it.
bool IsNoLine(std::string_view name);

// Note on tables of ONNX Runtime that hold one number for each tensor. Source: its issue 25621.
inline constexpr std::string_view kOrtMagnitudeNote =
    "ONNX Runtime from 1.20 on writes the highest value of a tensor here, older versions its "
    "largest magnitude: values below the negative of it are clipped; calibration.json has both "
    "ends";

}  // namespace halftone
