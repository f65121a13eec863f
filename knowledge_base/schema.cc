#include "knowledge_base/schema.h"

namespace halftone {
namespace {

// Hashes are 32 hexadecimal digits, times UTC in ISO 8601, names of enumerators text; samples and
// values by sample are little-endian float64 in blobs. `confirmed` is a LatencyState. `checksum` is
// a hash of the row's content (with its metrics or members) and its time: SQLite itself does not
// notice a flipped bit in a number or a text.
//
// workload.kernel_choices is '' where operator tuning chose none, workload.cpu and
// operator_timing.cpu where the CPU is unknown, operator_timing.compared where every candidate was
// compared. trial.runtime is JSON (knowledge_base/runtime_json.h), NULL where halftone's kernels
// ran. Bounds of a front are NULL where it has none. sensitivity.content and
// operator_profile.content are JSON (sensitivity_json.h, profile_json.h).
//
// Metrics have row numbers: without them each row is a key of its table, and a long key spills to
// pages of its own, most of them empty. trial_by_identity has all that lists and merges ask of
// trials, so that neither reads the rows with their samples. The blobs of a calibration come last:
// the rest is read without them.
constexpr std::string_view kCreateTables = R"sql(
CREATE TABLE meta (
  key TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE workload (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  model_name TEXT NOT NULL,
  operators TEXT NOT NULL,
  model_hash TEXT NOT NULL,
  input_shapes TEXT NOT NULL,
  data_hash TEXT NOT NULL,
  target TEXT NOT NULL,
  cpu TEXT NOT NULL,
  isa TEXT NOT NULL,
  kernel_table_hash TEXT NOT NULL,
  kernel_choices TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  threads INTEGER NOT NULL,
  recorded_at TEXT NOT NULL,
  checksum TEXT NOT NULL
) STRICT;
CREATE INDEX workload_by_model ON workload(model_hash, target);

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
  other_cores REAL,
  runtime TEXT,
  checksum TEXT NOT NULL,
  CHECK ((rejection IS NULL) <> (ratio IS NULL))
) STRICT;
CREATE INDEX trial_by_identity ON trial(workload_id, identity, recorded_at, checksum);

CREATE TABLE metric (
  trial_id INTEGER NOT NULL REFERENCES trial(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  mean REAL NOT NULL,
  worst REAL NOT NULL,
  worst_sample INTEGER NOT NULL,
  sample_values BLOB
) STRICT;
CREATE UNIQUE INDEX metric_by_trial ON metric(trial_id, position);

CREATE TABLE front (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workload_id INTEGER NOT NULL REFERENCES workload(id) ON DELETE CASCADE,
  recorded_at TEXT NOT NULL,
  strategy TEXT NOT NULL,
  min_sqnr_db REAL,
  max_rel_l2 REAL,
  max_top1_drop REAL,
  min_agreement REAL,
  max_latency_ratio REAL,
  min_sqnr_db_share REAL,
  max_rel_l2_share REAL,
  min_metric REAL,
  max_metric REAL,
  reference_top1 REAL,
  chosen INTEGER,
  checksum TEXT NOT NULL
) STRICT;
CREATE INDEX front_by_workload ON front(workload_id, id);

CREATE TABLE front_member (
  front_id INTEGER NOT NULL REFERENCES front(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  plan_digest TEXT NOT NULL,
  measurement_hash TEXT NOT NULL,
  trial_id INTEGER NOT NULL REFERENCES trial(id),
  PRIMARY KEY (front_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX front_member_by_trial ON front_member(trial_id);

CREATE TABLE provenance (
  front_id INTEGER NOT NULL REFERENCES front(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (front_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE sensitivity (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workload_id INTEGER NOT NULL REFERENCES workload(id) ON DELETE CASCADE,
  decisions TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  content TEXT NOT NULL,
  checksum TEXT NOT NULL
) STRICT;
CREATE INDEX sensitivity_by_workload ON sensitivity(workload_id, decisions, id);

CREATE TABLE operator_timing (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  cpu TEXT NOT NULL,
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
  compared TEXT NOT NULL,
  checksum TEXT NOT NULL
) STRICT;
CREATE INDEX operator_timing_by_signature
  ON operator_timing(cpu, isa, kernel_table_hash, tool_version, signature, id);

CREATE TABLE operator_profile (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  cpu TEXT NOT NULL,
  isa TEXT NOT NULL,
  kernel_table_hash TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  op TEXT NOT NULL,
  threads INTEGER NOT NULL,
  recorded_at TEXT NOT NULL,
  content TEXT NOT NULL,
  checksum TEXT NOT NULL
) STRICT;
CREATE INDEX operator_profile_by_operator
  ON operator_profile(cpu, isa, kernel_table_hash, tool_version, op, threads, id);

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

CREATE TRIGGER trial_is_append_only BEFORE UPDATE ON trial
  BEGIN SELECT RAISE(ABORT, 'measurements are append-only'); END;
CREATE TRIGGER metric_is_append_only BEFORE UPDATE ON metric
  BEGIN SELECT RAISE(ABORT, 'measurements are append-only'); END;
CREATE TRIGGER front_is_append_only BEFORE UPDATE ON front
  BEGIN SELECT RAISE(ABORT, 'fronts are append-only'); END;
CREATE TRIGGER sensitivity_is_append_only BEFORE UPDATE ON sensitivity
  BEGIN SELECT RAISE(ABORT, 'measurements are append-only'); END;
CREATE TRIGGER operator_timing_is_append_only BEFORE UPDATE ON operator_timing
  BEGIN SELECT RAISE(ABORT, 'measurements are append-only'); END;
CREATE TRIGGER operator_profile_is_append_only BEFORE UPDATE ON operator_profile
  BEGIN SELECT RAISE(ABORT, 'measurements are append-only'); END;
CREATE TRIGGER calibration_is_append_only BEFORE UPDATE ON calibration
  BEGIN SELECT RAISE(ABORT, 'calibrations are append-only'); END;
)sql";

}  // namespace

std::string_view CreateTablesSql() {
  return kCreateTables;
}

}  // namespace halftone
