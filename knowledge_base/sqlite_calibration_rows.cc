#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "knowledge_base/checksum.h"
#include "knowledge_base/sqlite_rows.h"
#include "knowledge_base/storable.h"
#include "src/base/error.h"

namespace halftone {
namespace {

constexpr const char* kCalibrationColumns =
    "id, key, model_hash, operators, isa, kernel_table_hash, tool_version, cut, had_s, "
    "recorded_at, checksum, length(quantization), length(histograms), quantization, histograms";

constexpr const char* kCalibrationDamage = "the file was damaged, restore it from a copy";

// The blob in `column`, whose length in the column `length` is checked before it is read.
std::string LongTextOf(SQLite::Statement& row, int length, int column) {
  const std::int64_t bytes = row.getColumn(length).getInt64();
  if (bytes > kMostCalibrationBytes) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("calibration {} has {} bytes of {}, at most {} are read: {}",
                            row.getColumn(0).getInt64(), bytes, row.getColumn(column).getName(),
                            kMostCalibrationBytes, kCalibrationDamage));
  }
  return row.getColumn(column).getString();
}

// `row` stands on a row of kCalibrationColumns.
CalibrationRow CalibrationOf(SQLite::Statement& row) {
  CalibrationRow read{
      .recorded_at = row.getColumn(9).getString(),
      .calibration = {.key = HashFromText(row.getColumn(1).getString()),
                      .model_hash = HashFromText(row.getColumn(2).getString()),
                      .operators = row.getColumn(3).getString(),
                      .kernels = {.isa = row.getColumn(4).getString(),
                                  .kernel_table_hash = HashFromText(row.getColumn(5).getString()),
                                  .tool_version = row.getColumn(6).getString(),
                                  .cpu = {}},
                      .quantization = LongTextOf(row, 11, 13),
                      .histograms = LongTextOf(row, 12, 14),
                      .cut = row.getColumn(7).getString(),
                      .had_s = row.getColumn(8).getDouble()}};
  if (HashFromText(row.getColumn(10).getString()) !=
      RowChecksum(ChecksumOf(read.calibration), read.recorded_at)) {
    throw Error(ErrorKind::kDatabase, fmt::format("calibration {} does not match its checksum: {}",
                                                  row.getColumn(0).getInt64(), kCalibrationDamage));
  }
  return read;
}

void BindLongText(SQLite::Statement& insert, int parameter, const std::string& text) {
  insert.bind(parameter, text.data(), static_cast<int>(text.size()));  // a blob
}

}  // namespace

void InsertCalibration(SQLite::Database& connection, const std::string& recorded_at,
                       const BankCalibration& calibration) {
  SQLite::Statement insert(
      connection,
      "INSERT INTO calibration(key, model_hash, operators, isa, kernel_table_hash, tool_version, "
      "cut, had_s, recorded_at, checksum, quantization, histograms) VALUES (?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?)");
  insert.bind(1, calibration.key.ToHex());
  insert.bind(2, calibration.model_hash.ToHex());
  insert.bind(3, calibration.operators);
  insert.bind(4, calibration.kernels.isa);
  insert.bind(5, calibration.kernels.kernel_table_hash.ToHex());
  insert.bind(6, calibration.kernels.tool_version);
  insert.bind(7, calibration.cut);
  insert.bind(8, calibration.had_s);
  insert.bind(9, recorded_at);
  insert.bind(10, RowChecksum(ChecksumOf(calibration), recorded_at).ToHex());
  BindLongText(insert, 11, calibration.quantization);
  BindLongText(insert, 12, calibration.histograms);
  insert.exec();
}

std::optional<BankCalibration> SelectCalibration(SQLite::Database& connection,
                                                 const Hash128& model_hash, const Hash128& key) {
  SQLite::Statement row(connection,
                        fmt::format("SELECT {} FROM calibration WHERE model_hash = ? AND key = ? "
                                    "ORDER BY {}",
                                    kCalibrationColumns, kBestCalibrationFirst));
  row.bind(1, model_hash.ToHex());
  row.bind(2, key.ToHex());
  std::exception_ptr damage;  // of the first row
  while (row.executeStep()) {
    try {
      return CalibrationOf(row).calibration;
    } catch (const Error&) {
      if (!damage) {
        damage = std::current_exception();
      }
    }
  }
  if (damage) {
    std::rethrow_exception(damage);
  }
  return std::nullopt;
}

CalibrationRow SelectCalibrationRow(SQLite::Database& connection, std::int64_t id) {
  SQLite::Statement row(
      connection, fmt::format("SELECT {} FROM calibration WHERE id = ?", kCalibrationColumns));
  row.bind(1, id);
  Check(row.executeStep(), "reading a calibration that is not there");
  return CalibrationOf(row);
}

std::vector<CalibrationHead> SelectCalibrationHeads(SQLite::Database& connection) {
  SQLite::Statement row(connection,
                        "SELECT id, model_hash, operators, isa, kernel_table_hash, tool_version, "
                        "recorded_at, length(quantization) + length(histograms) FROM calibration "
                        "ORDER BY recorded_at, id");
  std::vector<CalibrationHead> heads;
  while (row.executeStep()) {
    heads.push_back(
        {.id = row.getColumn(0).getInt64(),
         .operators = row.getColumn(2).getString(),
         .summary = {.kernels = {.isa = row.getColumn(3).getString(),
                                 .kernel_table_hash = HashFromText(row.getColumn(4).getString()),
                                 .tool_version = row.getColumn(5).getString(),
                                 .cpu = {}},
                     .model_hash = HashFromText(row.getColumn(1).getString()),
                     .bytes = row.getColumn(7).getInt64(),
                     .recorded_at = row.getColumn(6).getString()}});
  }
  return heads;
}

std::vector<std::int64_t> SelectSupersededCalibrations(SQLite::Database& connection) {
  SQLite::Statement row(connection,
                        fmt::format("SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY "
                                    "model_hash, key ORDER BY {}) AS place FROM calibration) WHERE "
                                    "place > 1 ORDER BY id",
                                    kBestCalibrationFirst));
  std::vector<std::int64_t> ids;
  while (row.executeStep()) {
    ids.push_back(row.getColumn(0).getInt64());
  }
  return ids;
}

std::vector<CalibrationSummary> SelectCalibrationSummaries(SQLite::Database& connection) {
  const std::vector<std::int64_t> superseded = SelectSupersededCalibrations(connection);
  std::vector<CalibrationSummary> summaries;
  for (CalibrationHead& head : SelectCalibrationHeads(connection)) {
    if (!std::ranges::binary_search(superseded, head.id)) {
      summaries.push_back(std::move(head.summary));
    }
  }
  return summaries;
}

}  // namespace halftone
