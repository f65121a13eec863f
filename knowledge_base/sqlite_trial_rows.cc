#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <span>

#include "knowledge_base/candidate_json.h"
#include "knowledge_base/checksum.h"
#include "knowledge_base/runtime_json.h"
#include "knowledge_base/sqlite_rows.h"
#include "knowledge_base/storable.h"
#include "src/base/error.h"

namespace halftone {
namespace {

static_assert(std::endian::native == std::endian::little, "sample blobs are little-endian");

// Columns in the order of kTrialColumns, which insert and select share.
constexpr const char* kTrialColumns =
    "recorded_at, plan_digest, candidate, low_precision_nodes, kept_nodes, rejection, ratio, "
    "ratio_low, ratio_high, median_s, anchor_median_s, candidate_samples_s, anchor_samples_s, "
    "peak_arena_bytes, confirmed, checksum, other_cores, runtime";

void BindSamples(SQLite::Statement& insert, int index, std::span<const double> samples) {
  // A null pointer would be stored as NULL, so an empty blob gets a pointer to something.
  static constexpr double kNothing = 0;
  insert.bind(index, samples.empty() ? &kNothing : samples.data(),
              static_cast<int>(samples.size() * sizeof(double)));
}

std::vector<double> SamplesOf(const SQLite::Column& column) {
  const auto size = static_cast<std::size_t>(column.getBytes());
  if (size % sizeof(double) != 0) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("a list of numbers has {} bytes, which are no whole numbers of 8: the "
                            "file was damaged, restore it from a copy",
                            size));
  }
  std::vector<double> samples(size / sizeof(double));
  if (!samples.empty()) {
    std::memcpy(samples.data(), column.getBlob(), samples.size() * sizeof(double));
  }
  return samples;
}

void InsertMetrics(SQLite::Statement& insert, std::int64_t trial_id,
                   const Measurement& measurement) {
  std::int64_t position = 0;
  for (const MetricValue& metric : measurement.accuracy.metrics) {
    insert.reset();
    insert.bind(1, trial_id);
    insert.bind(2, position++);
    insert.bind(3, metric.name);
    insert.bind(4, metric.mean);
    insert.bind(5, metric.worst);
    insert.bind(6, metric.worst_sample);
    const std::span<const double> values = StoredValues(measurement, metric);
    if (values.empty()) {
      insert.bind(7);
    } else {
      BindSamples(insert, 7, values);
    }
    insert.exec();
  }
}

void BindMeasurement(SQLite::Statement& insert, const Measurement& measurement) {
  const Latency& latency = measurement.latency;
  insert.bind(9, latency.ratio);
  insert.bind(10, latency.ratio_interval.low);
  insert.bind(11, latency.ratio_interval.high);
  insert.bind(12, latency.median_s);
  insert.bind(13, latency.anchor_median_s);
  BindSamples(insert, 14, latency.candidate_samples_s);
  BindSamples(insert, 15, latency.anchor_samples_s);
  insert.bind(16, measurement.peak_arena_bytes);
  insert.bind(17, static_cast<std::int64_t>(StateOf(measurement)));
  if (latency.other_cores) {
    insert.bind(19, *latency.other_cores);
  }
  if (measurement.runtime) {
    insert.bind(20, RuntimeRunToJson(*measurement.runtime).dump());
  }
}

Accuracy SelectMetrics(SQLite::Statement& select, std::int64_t trial_id) {
  Accuracy accuracy;
  select.tryReset();
  select.bind(1, trial_id);
  while (select.executeStep()) {
    accuracy.metrics.push_back({.name = select.getColumn(0).getString(),
                                .mean = select.getColumn(1).getDouble(),
                                .worst = select.getColumn(2).getDouble(),
                                .worst_sample = select.getColumn(3).getInt64(),
                                .values = SamplesOf(select.getColumn(4))});
  }
  return accuracy;
}

// `row` stands on a row of: id, then kTrialColumns.
Measurement MeasurementOf(SQLite::Statement& row, SQLite::Statement& metrics) {
  Measurement measurement;
  Latency& latency = measurement.latency;
  latency.ratio = row.getColumn(7).getDouble();
  latency.ratio_interval = {row.getColumn(8).getDouble(), row.getColumn(9).getDouble()};
  latency.median_s = row.getColumn(10).getDouble();
  latency.anchor_median_s = row.getColumn(11).getDouble();
  latency.candidate_samples_s = SamplesOf(row.getColumn(12));
  latency.anchor_samples_s = SamplesOf(row.getColumn(13));
  measurement.peak_arena_bytes = row.getColumn(14).getInt64();
  const auto state = static_cast<LatencyState>(row.getColumn(15).getInt64());
  measurement.confirmed = state == LatencyState::kConfirmed;
  latency.raced = state == LatencyState::kRaced;
  if (const SQLite::Column other_cores = row.getColumn(17); !other_cores.isNull()) {
    latency.other_cores = other_cores.getDouble();
  }
  if (const SQLite::Column runtime = row.getColumn(18); !runtime.isNull()) {
    measurement.runtime = RuntimeRunFromText(runtime.getString());
  }
  measurement.accuracy = SelectMetrics(metrics, row.getColumn(0).getInt64());
  return measurement;
}

StoredTrial TrialOf(SQLite::Statement& row, SQLite::Statement& metrics) {
  StoredTrial stored;
  stored.id = row.getColumn(0).getInt64();
  stored.recorded_at = row.getColumn(1).getString();
  stored.trial.plan_digest = HashFromText(row.getColumn(2).getString());
  const TrialTexts texts = {.candidate = row.getColumn(3).getString(),
                            .low_precision_nodes = row.getColumn(4).getString(),
                            .kept_nodes = row.getColumn(5).getString()};
  stored.trial.candidate = CandidateFromJson(texts.candidate);
  stored.trial.low_precision_nodes = NamesFromJson(texts.low_precision_nodes);
  stored.trial.kept_nodes = NamesFromJson(texts.kept_nodes);
  if (row.getColumn(6).isNull()) {
    stored.trial.outcome = MeasurementOf(row, metrics);
  } else {
    stored.trial.outcome = Rejection{row.getColumn(6).getString()};
  }
  if (HashFromText(row.getColumn(16).getString()) !=
      RowChecksum(ChecksumOf(stored.trial, texts), stored.recorded_at)) {
    throw Error(
        ErrorKind::kDatabase,
        fmt::format("trial {} does not match its checksum: the file was damaged, restore it "
                    "from a copy",
                    stored.id));
  }
  return stored;
}

constexpr const char* kSelectMetrics =
    "SELECT name, mean, worst, worst_sample, sample_values FROM metric WHERE trial_id = ? "
    "ORDER BY position";

// The trials that meet a condition with one parameter, oldest first.
std::vector<StoredTrial> TrialsWhere(SQLite::Database& connection, std::string_view condition,
                                     std::int64_t parameter) {
  SQLite::Statement row(connection,
                        fmt::format("SELECT id, {} FROM trial WHERE {} ORDER BY recorded_at, id",
                                    kTrialColumns, condition));
  SQLite::Statement metrics(connection, kSelectMetrics);
  row.bind(1, parameter);
  std::vector<StoredTrial> trials;
  while (row.executeStep()) {
    trials.push_back(TrialOf(row, metrics));
  }
  return trials;
}

}  // namespace

Hash128 HashFromText(const std::string& text) {
  const auto hash = Hash128::FromHex(text);
  if (!hash) {
    throw Error(
        ErrorKind::kDatabase,
        fmt::format("'{}' stands where a hash is expected: the file was damaged, restore it "
                    "from a copy",
                    text));
  }
  return *hash;
}

struct TrialInserter::Statements {
  explicit Statements(SQLite::Database& connection)
      : trial(connection,
              fmt::format("INSERT INTO trial(workload_id, identity, {}) VALUES "
                          "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                          kTrialColumns)),
        metric(connection,
               "INSERT INTO metric(trial_id, position, name, mean, worst, worst_sample, "
               "sample_values) VALUES (?, ?, ?, ?, ?, ?, ?)") {}

  SQLite::Statement trial;
  SQLite::Statement metric;
};

TrialInserter::TrialInserter(SQLite::Database& connection)
    : connection_(connection), statements_(std::make_unique<Statements>(connection)) {}

TrialInserter::~TrialInserter() = default;

std::int64_t TrialInserter::Insert(std::int64_t workload_id, const std::string& recorded_at,
                                   const Trial& trial) {
  SQLite::Statement& insert = statements_->trial;
  insert.reset();
  insert.clearBindings();
  insert.bind(1, workload_id);
  insert.bind(2, IdentityOf(trial));
  insert.bind(3, recorded_at);
  insert.bind(4, trial.plan_digest.ToHex());
  const TrialTexts texts = TextsOf(trial);
  insert.bind(5, texts.candidate);
  insert.bind(6, texts.low_precision_nodes);
  insert.bind(7, texts.kept_nodes);
  const Measurement* measurement = trial.measurement();
  if (measurement != nullptr) {
    BindMeasurement(insert, *measurement);
  } else {
    insert.bind(8, trial.rejection()->reason);
  }
  insert.bind(18, RowChecksum(ChecksumOf(trial, texts), recorded_at).ToHex());
  insert.exec();
  const std::int64_t id = connection_.getLastInsertRowid();
  if (measurement != nullptr) {
    InsertMetrics(statements_->metric, id, *measurement);
  }
  return id;
}

std::int64_t InsertTrial(SQLite::Database& connection, std::int64_t workload_id,
                         const std::string& recorded_at, const Trial& trial) {
  return TrialInserter(connection).Insert(workload_id, recorded_at, trial);
}

struct TrialReader::Statements {
  explicit Statements(SQLite::Database& connection)
      : trial(connection, fmt::format("SELECT id, {} FROM trial WHERE id = ?", kTrialColumns)),
        metrics(connection, kSelectMetrics) {}

  SQLite::Statement trial;
  SQLite::Statement metrics;
};

TrialReader::TrialReader(SQLite::Database& connection)
    : statements_(std::make_unique<Statements>(connection)) {}

TrialReader::~TrialReader() = default;

StoredTrial TrialReader::Read(std::int64_t id) {
  SQLite::Statement& row = statements_->trial;
  row.tryReset();  // what the last row threw was thrown already
  row.bind(1, id);
  Check(row.executeStep(), "reading a trial that is not there");
  return TrialOf(row, statements_->metrics);
}

std::vector<StoredTrial> SelectTrials(SQLite::Database& connection, std::int64_t workload_id,
                                      TrialRows rows) {
  return TrialsWhere(connection,
                     rows == TrialRows::kAll
                         ? "workload_id = ?"
                         : "id IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY "
                           "identity ORDER BY recorded_at DESC, id DESC) AS place FROM trial WHERE "
                           "workload_id = ?) WHERE place = 1)",
                     workload_id);
}

std::vector<StoredTrial> SelectTrialsOfPlan(SQLite::Database& connection, std::int64_t workload_id,
                                            const Hash128& plan_digest) {
  return TrialsWhere(connection,
                     fmt::format("workload_id = ? AND identity = '{}'", plan_digest.ToHex()),
                     workload_id);
}

StoredTrial SelectTrial(SQLite::Database& connection, std::int64_t id) {
  std::vector<StoredTrial> trials = TrialsWhere(connection, "id = ?", id);
  Check(!trials.empty(), "reading a trial that is not there");
  return std::move(trials.front());
}

}  // namespace halftone
