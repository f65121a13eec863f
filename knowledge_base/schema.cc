#include "knowledge_base/schema.h"

namespace halftone {
namespace {

// Hashes are 32 hexadecimal digits, times UTC in ISO 8601, names of enumerators text; samples are
// little-endian float64 in blobs, a pair per round. `confirmed` is a LatencyState. `checksum` is a
// hash of the row's content (with its metrics or members): SQLite itself does not notice a flipped
// bit in a number or a text.
constexpr std::string_view kCreateTables = R"sql(
CREATE TABLE meta (
  key TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
CREATE TABLE workload (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  model_name TEXT NOT NULL,
  model_hash TEXT NOT NULL,
  input_shapes TEXT NOT NULL,
  data_hash TEXT NOT NULL,
  target TEXT NOT NULL,
  isa TEXT NOT NULL,
  kernel_table_hash TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  threads INTEGER NOT NULL,
  recorded_at TEXT NOT NULL
) STRICT;
CREATE TABLE trial (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workload_id INTEGER NOT NULL REFERENCES workload(id) ON DELETE CASCADE,
  identity TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  plan_digest TEXT NOT NULL,
  candidate TEXT NOT NULL,
  low_precision_nodes TEXT NOT NULL,
  kept_nodes TEXT NOT NULL,
  rejection TEXT,
  ratio REAL,
  ratio_low REAL,
  ratio_high REAL,
  median_s REAL,
  anchor_median_s REAL,
  candidate_samples_s BLOB,
  anchor_samples_s BLOB,
  peak_arena_bytes INTEGER,
  confirmed INTEGER,
  checksum TEXT NOT NULL,
  CHECK ((rejection IS NULL) <> (ratio IS NULL))
) STRICT;
CREATE INDEX trial_by_identity ON trial(workload_id, identity, id);
CREATE TABLE metric (
  trial_id INTEGER NOT NULL REFERENCES trial(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  mean REAL NOT NULL,
  worst REAL NOT NULL,
  worst_sample INTEGER NOT NULL,
  PRIMARY KEY (trial_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE front (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workload_id INTEGER NOT NULL REFERENCES workload(id) ON DELETE CASCADE,
  recorded_at TEXT NOT NULL,
  strategy TEXT NOT NULL,
  min_sqnr_db REAL,
  max_top1_drop REAL,
  max_latency_ratio REAL,
  reference_top1 REAL,
  chosen INTEGER,
  checksum TEXT NOT NULL
) STRICT;
CREATE INDEX front_by_workload ON front(workload_id, id);
CREATE TABLE front_member (
  front_id INTEGER NOT NULL REFERENCES front(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  plan_digest TEXT NOT NULL,
  PRIMARY KEY (front_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE provenance (
  front_id INTEGER NOT NULL REFERENCES front(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (front_id, name)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER trial_is_append_only BEFORE UPDATE ON trial
  BEGIN SELECT RAISE(ABORT, 'measurements are append-only'); END;
CREATE TRIGGER metric_is_append_only BEFORE UPDATE ON metric
  BEGIN SELECT RAISE(ABORT, 'measurements are append-only'); END;
CREATE TRIGGER front_is_append_only BEFORE UPDATE ON front
  BEGIN SELECT RAISE(ABORT, 'fronts are append-only'); END;
)sql";

// A front names the measurement it was made of. NULL in older rows: the newest trial of the plan.
constexpr std::string_view kMeasurementOfMembers = R"sql(
ALTER TABLE front_member ADD COLUMN measurement_hash TEXT;
)sql";

// Operator tuning: which kernel is the fastest for an operator, and which choices a workload was
// measured with ('': none, as in all older rows).
constexpr std::string_view kOperatorTimings = R"sql(
CREATE TABLE operator_timing (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  isa TEXT NOT NULL,
  kernel_table_hash TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  signature TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  static_kernel TEXT NOT NULL,
  kernel TEXT NOT NULL,
  ratio REAL NOT NULL,
  ratio_low REAL NOT NULL,
  ratio_high REAL NOT NULL,
  rounds INTEGER NOT NULL,
  static_s REAL NOT NULL,
  checksum TEXT NOT NULL
) STRICT;
CREATE INDEX operator_timing_by_signature
  ON operator_timing(isa, kernel_table_hash, tool_version, signature, id);
CREATE TRIGGER operator_timing_is_append_only BEFORE UPDATE ON operator_timing
  BEGIN SELECT RAISE(ABORT, 'measurements are append-only'); END;
ALTER TABLE workload ADD COLUMN kernel_choices TEXT NOT NULL DEFAULT '';
)sql";

// Sensitivities of a workload from the probes of a search, as JSON
// (knowledge_base/sensitivity_json.h).
constexpr std::string_view kSensitivities = R"sql(
CREATE TABLE sensitivity (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workload_id INTEGER NOT NULL REFERENCES workload(id) ON DELETE CASCADE,
  decisions TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  content TEXT NOT NULL,
  checksum TEXT NOT NULL
) STRICT;
CREATE INDEX sensitivity_by_workload ON sensitivity(workload_id, decisions, id);
CREATE TRIGGER sensitivity_is_append_only BEFORE UPDATE ON sensitivity
  BEGIN SELECT RAISE(ABORT, 'measurements are append-only'); END;
)sql";

// A bound of a search that came later than the table.
constexpr std::string_view kBoundOnRelativeError = R"sql(
ALTER TABLE front ADD COLUMN max_rel_l2 REAL;
)sql";

// Load of the machine while a trial was measured. NULL in older rows, and where it is unknown.
constexpr std::string_view kLoadOfTrials = R"sql(
ALTER TABLE trial ADD COLUMN other_cores REAL;
)sql";

// Values of a metric per sample of a confirmed trial, stored like samples of latency. NULL in older
// rows, of other trials, and of metrics without values per sample.
constexpr std::string_view kValuesOfSamples = R"sql(
ALTER TABLE metric ADD COLUMN sample_values BLOB;
)sql";

// A member names its row, which no deletion can take from under it. NULL in older rows: the trial
// with the measurement_hash.
constexpr std::string_view kRowsOfMembers = R"sql(
ALTER TABLE front_member ADD COLUMN trial_id INTEGER REFERENCES trial(id);
CREATE INDEX front_member_by_trial ON front_member(trial_id);
)sql";

// Since this version the checksum of a row covers the time when it was recorded. Empty in older
// rows, and in rows that an older halftone adds which was running when the bank was upgraded.
constexpr std::string_view kChecksumsOfTimes = R"sql(
ALTER TABLE workload ADD COLUMN checksum TEXT NOT NULL DEFAULT '';
)sql";

// A bound of networks whose outputs are integers and booleans.
constexpr std::string_view kBoundOnAgreement = R"sql(
ALTER TABLE front ADD COLUMN min_agreement REAL;
)sql";

// Measurements hold for the kernels of the operators that a network has, so a workload names them.
// Empty in older rows, which were measured with kernels of which only all together are known.
constexpr std::string_view kOperatorsOfWorkloads = R"sql(
ALTER TABLE workload ADD COLUMN operators TEXT NOT NULL DEFAULT '';
)sql";

// Latencies hold for one model of CPU. Empty in older rows: unknown.
constexpr std::string_view kCpuOfMeasurements = R"sql(
ALTER TABLE workload ADD COLUMN cpu TEXT NOT NULL DEFAULT '';
ALTER TABLE operator_timing ADD COLUMN cpu TEXT NOT NULL DEFAULT '';
DROP INDEX operator_timing_by_signature;
CREATE INDEX operator_timing_by_signature
  ON operator_timing(cpu, isa, kernel_table_hash, tool_version, signature, id);
)sql";

// Machine profiles: how long the kernels of an operator take over a grid of shapes, as JSON
// (knowledge_base/profile_json.h). A timing names the kernels that were compared; '' in older rows:
// all candidates.
constexpr std::string_view kOperatorProfiles = R"sql(
CREATE TABLE operator_profile (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  isa TEXT NOT NULL,
  kernel_table_hash TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  cpu TEXT NOT NULL,
  op TEXT NOT NULL,
  threads INTEGER NOT NULL,
  recorded_at TEXT NOT NULL,
  content TEXT NOT NULL,
  checksum TEXT NOT NULL
) STRICT;
CREATE INDEX operator_profile_by_operator
  ON operator_profile(cpu, isa, kernel_table_hash, tool_version, op, threads, id);
CREATE TRIGGER operator_profile_is_append_only BEFORE UPDATE ON operator_profile
  BEGIN SELECT RAISE(ABORT, 'measurements are append-only'); END;
ALTER TABLE operator_timing ADD COLUMN compared TEXT NOT NULL DEFAULT '';
)sql";

// Bounds on a share of the samples in place of their mean. NULL: of the mean.
constexpr std::string_view kBoundsOnShares = R"sql(
ALTER TABLE front ADD COLUMN min_sqnr_db_share REAL;
ALTER TABLE front ADD COLUMN max_rel_l2_share REAL;
)sql";

// Bounds on the metric of the user's program.
constexpr std::string_view kBoundsOnOwnMetric = R"sql(
ALTER TABLE front ADD COLUMN min_metric REAL;
ALTER TABLE front ADD COLUMN max_metric REAL;
)sql";

// How a plan ran on a runtime outside halftone, as JSON (knowledge_base/runtime_json.h). NULL:
// halftone's kernels ran.
constexpr std::string_view kRuntimeOfTrials = R"sql(
ALTER TABLE trial ADD COLUMN runtime TEXT;
)sql";

// Metrics have values by sample: without a row number each row is a key of its table, and a long
// key spills to pages of its own, most of them empty. An index of all that lists and merges ask of
// trials, so that neither reads the rows with their samples; one for the workloads of a network.
constexpr std::string_view kBanksOfManyNetworks = R"sql(
DROP TRIGGER metric_is_append_only;
ALTER TABLE metric RENAME TO metric_of_before;
CREATE TABLE metric (
  trial_id INTEGER NOT NULL REFERENCES trial(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  mean REAL NOT NULL,
  worst REAL NOT NULL,
  worst_sample INTEGER NOT NULL,
  sample_values BLOB
) STRICT;
INSERT INTO metric(trial_id, position, name, mean, worst, worst_sample, sample_values)
  SELECT trial_id, position, name, mean, worst, worst_sample, sample_values
  FROM metric_of_before ORDER BY trial_id, position;
DROP TABLE metric_of_before;
CREATE UNIQUE INDEX metric_by_trial ON metric(trial_id, position);
CREATE TRIGGER metric_is_append_only BEFORE UPDATE ON metric
  BEGIN SELECT RAISE(ABORT, 'measurements are append-only'); END;
DROP INDEX trial_by_identity;
CREATE INDEX trial_by_identity ON trial(workload_id, identity, recorded_at, checksum);
CREATE INDEX workload_by_model ON workload(model_hash, target);
)sql";

// Scales of networks in 8 bits, as quantization.json and histograms.json say them. Blobs, whose
// length is known before they are read; last, so that the rest is read without them.
constexpr std::string_view kCalibrations = R"sql(
CREATE TABLE calibration (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL,
  model_hash TEXT NOT NULL,
  operators TEXT NOT NULL,
  isa TEXT NOT NULL,
  kernel_table_hash TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  cut TEXT NOT NULL,
  had_s REAL NOT NULL,
  recorded_at TEXT NOT NULL,
  checksum TEXT NOT NULL,
  quantization BLOB NOT NULL,
  histograms BLOB NOT NULL
) STRICT;
CREATE INDEX calibration_by_key ON calibration(model_hash, key, id);
CREATE TRIGGER calibration_is_append_only BEFORE UPDATE ON calibration
  BEGIN SELECT RAISE(ABORT, 'calibrations are append-only'); END;
)sql";

constexpr Migration kMigrations[] = {
    {1, kCreateTables},      {2, kMeasurementOfMembers},  {3, kOperatorTimings},
    {4, kSensitivities},     {5, kBoundOnRelativeError},  {6, kLoadOfTrials},
    {7, kValuesOfSamples},   {8, kRowsOfMembers},         {9, kChecksumsOfTimes},
    {10, kBoundOnAgreement}, {11, kOperatorsOfWorkloads}, {12, kCpuOfMeasurements},
    {13, kOperatorProfiles}, {14, kBoundsOnShares},       {15, kBoundsOnOwnMetric},
    {16, kRuntimeOfTrials},  {17, kBanksOfManyNetworks},  {18, kCalibrations},
};

}  // namespace

std::span<const Migration> AllMigrations() {
  return kMigrations;
}

int SchemaVersion() {
  return AllMigrations().back().version;
}

}  // namespace halftone
