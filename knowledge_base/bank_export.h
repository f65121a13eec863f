// Export format of banks, which `halftone bank export` writes and `import` reads: JSON lines. The
// first line names the format and the last the number of rows, so that truncation is noticed.
//
//   {"format":1,"halftone_bank":"export"}
//   {"row":"workload","key":"...","recorded_at":"...",...}
//   {"row":"trial","workload":"...",...,"checksum":"..."}
//   {"row":"end","rows":2}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "knowledge_base/bank_records.h"

namespace halftone {

// Raised when a field changes its meaning or goes away.
inline constexpr int kBankExportFormat = 1;

// First and last line, without line ends; RecordToJson() makes those between.
std::string ExportHeader();
std::string ExportEnd(std::int64_t rows);

// Reads the lines of one export in order.
class ExportReader {
 public:
  // The record of a line; empty for the header and the end. Error kDatabase: not an export, another
  // format, a line behind the end, and as RecordFromJson().
  std::optional<BankRecord> Read(std::string_view line);

  // Error kDatabase unless the last line was read.
  void Finish() const;

 private:
  bool begun_ = false;
  bool ended_ = false;
  std::int64_t rows_ = 0;
};

}  // namespace halftone
