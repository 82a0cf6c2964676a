-- The first schema. Migrations are append-only: a published file never changes, the next step is a new file.
-- STRICT tables keep a REAL a REAL. Unknown text is '', unknown numbers are NULL.

-- One measured run of one workload. `digest` is over the measured content, so that a result that is stored
-- twice is one row. `environment_key` is a digest of the environment fields: equal key, comparable runs.
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  repo TEXT NOT NULL,
  branch TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  started_utc TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  measure_version INTEGER NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('measured', 'replayed', 'imported')),
  workload_name TEXT NOT NULL,
  workload_digest TEXT NOT NULL,
  environment_key TEXT NOT NULL,
  instance TEXT NOT NULL,
  outcome TEXT NOT NULL,
  capture_validity TEXT NOT NULL,
  traced_over_untraced REAL
) STRICT;

-- Selection: one workload in one environment on one branch, newest first.
CREATE INDEX runs_by_series
  ON runs (workload_digest, environment_key, branch, started_utc, id);
-- What to name when only another environment or another version of the workload was measured.
CREATE INDEX runs_by_name ON runs (workload_name, branch, started_utc, id);

CREATE TABLE fingerprint_fields (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('environment', 'subject', 'instance')),
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, role, field)
) STRICT, WITHOUT ROWID;

CREATE TABLE metrics (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  metric TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('timed', 'counted', 'traced')),
  unit TEXT NOT NULL,
  better TEXT NOT NULL CHECK (better IN ('lower', 'higher')),
  value REAL NOT NULL,
  UNIQUE (run, metric)
) STRICT;

-- One value a process: the replicate is the process.
CREATE TABLE samples (
  metric INTEGER NOT NULL REFERENCES metrics (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (metric, position)
) STRICT, WITHOUT ROWID;

-- Raw step times of the untraced processes (little-endian float64), so that methods can change later.
CREATE TABLE process_steps (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  process INTEGER NOT NULL,
  step_ms BLOB NOT NULL,
  PRIMARY KEY (run, process)
) STRICT, WITHOUT ROWID;

-- Capture files lie beside the store, found by digest ('' = not kept).
CREATE TABLE captures (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  process INTEGER NOT NULL,
  path TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (run, process, path)
) STRICT, WITHOUT ROWID;

-- Accepted levels. The newest row of a metric counts.
CREATE TABLE pins (
  id INTEGER PRIMARY KEY,
  workload_digest TEXT NOT NULL,
  environment_key TEXT NOT NULL,
  metric TEXT NOT NULL,
  level REAL NOT NULL,
  reason TEXT NOT NULL,
  set_utc TEXT NOT NULL,
  UNIQUE (workload_digest, environment_key, metric, level, reason, set_utc)
) STRICT;

-- Where a new level begins: at `first_run`, for one metric or for all ('').
CREATE TABLE level_marks (
  id INTEGER PRIMARY KEY,
  first_run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  metric TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('change', 'accept', 'pin', 'environment')),
  reason TEXT NOT NULL,
  set_utc TEXT NOT NULL,
  UNIQUE (first_run, metric, kind, reason, set_utc)
) STRICT;

-- Run-to-run SD of the gate's statistic out of A/A runs, on the log scale. The newest row counts.
CREATE TABLE calibrations (
  id INTEGER PRIMARY KEY,
  workload_digest TEXT NOT NULL,
  environment_key TEXT NOT NULL,
  metric TEXT NOT NULL,
  sd_ratio REAL NOT NULL,
  occasions INTEGER NOT NULL,
  set_utc TEXT NOT NULL,
  UNIQUE (workload_digest, environment_key, metric, sd_ratio, occasions, set_utc)
) STRICT;
