#include "knowledge_base/bank_export.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "knowledge_base/record_json.h"
#include "src/base/error.h"

namespace halftone {
namespace {

using nlohmann::json;

// The last line has two short fields; only lines up to this length are looked at for it.
constexpr std::size_t kLongestEnd = 200;

[[noreturn]] void Throw(std::string message) {
  throw Error(ErrorKind::kDatabase, std::move(message));
}

void CheckHeader(std::string_view text) {
  const json line = json::parse(text, nullptr, false);
  if (!line.is_object() || line.value("halftone_bank", json()) != "export" ||
      !line.value("format", json()).is_number_integer()) {
    Throw(
        "expected the first line of `halftone bank export`: {\"format\":1,\"halftone_bank\":"
        "\"export\"}");
  }
  if (const int format = line.at("format").get<int>(); format != kBankExportFormat) {
    Throw(
        fmt::format("the export has format {}, this halftone knows {}: use the halftone that "
                    "wrote it, or a newer one",
                    format, kBankExportFormat));
  }
}

// The number of rows that the last line tells; empty for other lines.
std::optional<std::int64_t> RowsOfEnd(std::string_view text) {
  if (text.size() > kLongestEnd) {
    return std::nullopt;
  }
  const json line = json::parse(text, nullptr, false);
  if (!line.is_object() || line.value("row", json()) != "end" ||
      !line.value("rows", json()).is_number_integer()) {
    return std::nullopt;
  }
  return line.at("rows").get<std::int64_t>();
}

}  // namespace

std::string ExportHeader() {
  return json{{"halftone_bank", "export"}, {"format", kBankExportFormat}}.dump();
}

std::string ExportEnd(std::int64_t rows) {
  return json{{"row", "end"}, {"rows", rows}}.dump();
}

std::optional<BankRecord> ExportReader::Read(std::string_view line) {
  if (ended_) {
    Throw("a line stands behind the end of the export: the file was changed");
  }
  if (!begun_) {
    CheckHeader(line);
    begun_ = true;
    return std::nullopt;
  }
  if (const auto rows = RowsOfEnd(line)) {
    if (*rows != rows_) {
      Throw(fmt::format("the export has {} rows, its last line says {}: the file was changed",
                        rows_, *rows));
    }
    ended_ = true;
    return std::nullopt;
  }
  ++rows_;
  return RecordFromJson(line);
}

void ExportReader::Finish() const {
  if (!ended_) {
    Throw(begun_ ? "the export is cut short: its last line, {\"row\":\"end\",...}, is missing"
                 : "the export is empty");
  }
}

}  // namespace halftone
