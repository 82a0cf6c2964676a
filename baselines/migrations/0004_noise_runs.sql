-- A/A runs: what one metric was in one run of one occasion (a call of `perfgate calibrate --noise`), so that the SD
-- from run to run can be formed over all occasions, and anew when methods change. Rows are never changed. `run` counts
-- within the occasion from 0; `samples` is a JSON array with one value a process.
CREATE TABLE noise_runs (
  id INTEGER PRIMARY KEY,
  workload_digest TEXT NOT NULL,
  environment_key TEXT NOT NULL,
  measure_version INTEGER NOT NULL,
  instance TEXT NOT NULL,
  occasion_utc TEXT NOT NULL,
  run INTEGER NOT NULL,
  commit_id TEXT NOT NULL,
  metric TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('timed', 'counted', 'traced')),
  unit TEXT NOT NULL,
  value REAL NOT NULL,
  samples TEXT NOT NULL,
  UNIQUE (workload_digest, environment_key, instance, occasion_utc, run, metric)
) STRICT;
