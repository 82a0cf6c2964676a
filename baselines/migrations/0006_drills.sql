-- Drills: what came out when a known slowdown, or nothing, was planted into one side of two programs measured in one
-- session (`perfgate drill`). Rows are never changed. `drill_utc` is when the call began; `run` counts within it from 0,
-- and `place` says whether the trial was the first (0) or the second (1) of its run, an order that follows from `seed`.
-- `size_ratio` and `size_us` are 0 where nothing was planted. `change_ratio` is the measured change of the step time,
-- `finds_from_ratio` the slowdown that the gate itself said it finds; NULL = not known.
CREATE TABLE drills (
  id INTEGER PRIMARY KEY,
  workload_name TEXT NOT NULL,
  workload_digest TEXT NOT NULL,
  environment_key TEXT NOT NULL,
  measure_version INTEGER NOT NULL,
  instance TEXT NOT NULL,
  drill_utc TEXT NOT NULL,
  run INTEGER NOT NULL,
  place INTEGER NOT NULL CHECK (place IN (0, 1)),
  seed INTEGER NOT NULL,
  commit_id TEXT NOT NULL,
  planted TEXT NOT NULL CHECK (planted IN ('nothing', 'spin', 'host_delay')),
  size_ratio REAL NOT NULL,
  size_us REAL NOT NULL,
  step_ms REAL NOT NULL,
  outcome TEXT NOT NULL,
  change_ratio REAL,
  finds_from_ratio REAL,
  processes INTEGER NOT NULL,
  seconds REAL NOT NULL,
  UNIQUE (workload_digest, environment_key, instance, drill_utc, run, place)
) STRICT;
