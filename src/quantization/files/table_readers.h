// Readers of ReadRangeTable(), one row each in range_table.cc and one file each. Internal.
#pragma once

#include <optional>
#include <string_view>

#include "src/quantization/files/json_place.h"
#include "src/quantization/files/range_table.h"

namespace halftone {

// A text to be recognised, and for messages the name of its file.
struct TableText {
  std::string_view text;
  std::string_view where;
  const nlohmann::json* document = nullptr;  // of a text that is JSON
};

// Pairs of functions: whether a text is of this kind, given that no row above recognises it; its
// entries and notes. Errors kUsage.
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

// ---- What several of them need

// A finite number that is all of `text`.
std::optional<double> NumberOf(std::string_view text);

// Entry of a tensor of which only the largest magnitude is known.
TableEntry EntryOfMagnitude(double magnitude);

// Adds an entry. Error kUsage, "<place>: ...", for a name that is already there.
void AddEntry(RangeTable& table, std::string_view name, TableEntry entry, std::string_view place);

// The largest magnitude that an entry holds. Empty: it says neither range nor scales.
std::optional<double> MagnitudeOf(const TableEntry& entry);

// Loss of an entry in a table with one magnitude for each tensor; empty: nothing.
std::string LostInMagnitude(const std::string& name, const TableEntry& entry);

// True if a name cannot stand in a line of a text.
bool IsNoLine(std::string_view name);

// Note on tables of ONNX Runtime that hold one number for a tensor. Source: its issue 25621.
inline constexpr std::string_view kOrtMagnitudeNote =
    "ONNX Runtime from 1.20 on writes the highest value of a tensor here, older versions its "
    "largest magnitude: values below the negative of it are clipped; calibration.json has both "
    "ends";

}  // namespace halftone
