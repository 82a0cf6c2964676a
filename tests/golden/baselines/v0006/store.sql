-- A store of schema 6 as it was written then. Never rewritten: every later schema must migrate it.
BEGIN TRANSACTION;
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
INSERT INTO calibrations VALUES(1,'decode-digest','6689e14d36beb0c934b26e713779c324a31af449a6716c2f2435aa206644700b','step_time_p50',0.0005000000000000000104,4,'2025-11-01T00:00:00Z');
CREATE TABLE captures (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  process INTEGER NOT NULL,
  path TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (run, process, path)
) STRICT, WITHOUT ROWID;
INSERT INTO captures VALUES(1,0,'captures/1-2.pgcap','c0ffee');
INSERT INTO captures VALUES(2,0,'captures/1-2.pgcap','c0ffee');
INSERT INTO captures VALUES(3,0,'captures/1-2.pgcap','c0ffee');
CREATE TABLE fingerprint_fields (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('environment', 'subject', 'instance')),
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, role, field)
) STRICT, WITHOUT ROWID;
INSERT INTO fingerprint_fields VALUES(1,'environment','driver','580.65');
INSERT INTO fingerprint_fields VALUES(1,'environment','gpu','NVIDIA H200');
INSERT INTO fingerprint_fields VALUES(1,'instance','gpu_uuid','GPU-1');
INSERT INTO fingerprint_fields VALUES(1,'subject','cuda','13.0');
INSERT INTO fingerprint_fields VALUES(2,'environment','driver','580.65');
INSERT INTO fingerprint_fields VALUES(2,'environment','gpu','NVIDIA H200');
INSERT INTO fingerprint_fields VALUES(2,'instance','gpu_uuid','GPU-1');
INSERT INTO fingerprint_fields VALUES(2,'subject','cuda','13.0');
INSERT INTO fingerprint_fields VALUES(3,'environment','driver','580.65');
INSERT INTO fingerprint_fields VALUES(3,'environment','gpu','NVIDIA H200');
INSERT INTO fingerprint_fields VALUES(3,'instance','gpu_uuid','GPU-1');
INSERT INTO fingerprint_fields VALUES(3,'subject','cuda','13.0');
CREATE TABLE level_marks (
  id INTEGER PRIMARY KEY,
  first_run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  metric TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('change', 'accept', 'pin', 'environment')),
  reason TEXT NOT NULL,
  set_utc TEXT NOT NULL,
  UNIQUE (first_run, metric, kind, reason, set_utc)
) STRICT;
INSERT INTO level_marks VALUES(1,3,'gpu_idle_ms','accept','new cache','2025-11-02T00:00:00Z');
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
INSERT INTO metrics VALUES(1,1,'step_time_p50','timed','ms','lower',4.2699999999999995736);
INSERT INTO metrics VALUES(2,1,'control/read_stream','timed','bytes/s','higher',4605000000000.0);
INSERT INTO metrics VALUES(3,2,'step_time_p50','timed','ms','lower',4.2709999999999999076);
INSERT INTO metrics VALUES(4,2,'control/read_stream','timed','bytes/s','higher',4605000000000.0);
INSERT INTO metrics VALUES(5,3,'step_time_p50','timed','ms','lower',4.2719999999999993534);
INSERT INTO metrics VALUES(6,3,'control/read_stream','timed','bytes/s','higher',4605000000000.0);
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
INSERT INTO noise_runs VALUES(1,'decode-digest','6689e14d36beb0c934b26e713779c324a31af449a6716c2f2435aa206644700b',1,'GPU-1','2025-11-01T00:00:00Z',0,'commit2','step_time_p50','timed','ms',4.2699999999999995736,'[4.27,4.27,4.27]');
INSERT INTO noise_runs VALUES(2,'decode-digest','6689e14d36beb0c934b26e713779c324a31af449a6716c2f2435aa206644700b',1,'GPU-1','2025-11-01T00:00:00Z',1,'commit2','step_time_p50','timed','ms',4.2750000000000003552,'[4.275,4.275,4.275]');
CREATE TABLE pins (
  id INTEGER PRIMARY KEY,
  workload_digest TEXT NOT NULL,
  environment_key TEXT NOT NULL,
  metric TEXT NOT NULL,
  level REAL NOT NULL,
  reason TEXT NOT NULL,
  set_utc TEXT NOT NULL, run_digest TEXT NOT NULL DEFAULT '',
  UNIQUE (workload_digest, environment_key, metric, level, reason, set_utc)
) STRICT;
INSERT INTO pins VALUES(1,'decode-digest','6689e14d36beb0c934b26e713779c324a31af449a6716c2f2435aa206644700b','step_time_p50',4.2699999999999995736,'accepted','2025-11-01T00:00:00Z','8aa8b4c9352765ebbfd8adab6e8edd6089c1df2580291e09c1da010a5bc54951');
CREATE TABLE process_steps (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  process INTEGER NOT NULL,
  step_ms BLOB NOT NULL,
  PRIMARY KEY (run, process)
) STRICT, WITHOUT ROWID;
INSERT INTO process_steps VALUES(1,0,X'14ae47e17a14114038d6c56d34401140');
INSERT INTO process_steps VALUES(2,0,X'2fdd24068115114070b6b9313d411140');
INSERT INTO process_steps VALUES(3,0,X'490c022b87161140a696adf545421140');
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
  traced_over_untraced REAL, git_branch TEXT NOT NULL DEFAULT '', dirty INTEGER NOT NULL DEFAULT 0
, work_tokens REAL, work_weights_bytes REAL, work_kv_bytes REAL, work_flops REAL, work_output_hash TEXT, work_digest TEXT) STRICT;
INSERT INTO runs VALUES(1,'8aa8b4c9352765ebbfd8adab6e8edd6089c1df2580291e09c1da010a5bc54951','org/model','main','commit0','run0',1,'2025-10-10T00:00:00Z','0.1.0',1,'measured','decode_8b','decode-digest','6689e14d36beb0c934b26e713779c324a31af449a6716c2f2435aa206644700b','GPU-1','pass','valid',1.0140000000000000124,'',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO runs VALUES(2,'c2616e0b385387031e283d857d81b13dcb2b957380d6bd93794c0ad65afa9e74','org/model','main','commit1','run1',1,'2025-10-11T00:00:00Z','0.1.0',1,'measured','decode_8b','decode-digest','6689e14d36beb0c934b26e713779c324a31af449a6716c2f2435aa206644700b','GPU-1','pass','valid',1.0140000000000000124,'',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO runs VALUES(3,'8d06bd6e59dfbf989b5069176904495f8295e2cf3c956ba71b7a3ff799cb89c2','org/model','main','commit2','run2',1,'2025-10-12T00:00:00Z','0.1.0',1,'measured','decode_8b','decode-digest','6689e14d36beb0c934b26e713779c324a31af449a6716c2f2435aa206644700b','GPU-1','pass','valid',1.0140000000000000124,'',0,16.0,1024.4999999999999999,NULL,NULL,'9f3a','0af1edd02380fa90574b35add4828554b67e47fa60587b54245b95277f856078');
CREATE TABLE samples (
  metric INTEGER NOT NULL REFERENCES metrics (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (metric, position)
) STRICT, WITHOUT ROWID;
INSERT INTO samples VALUES(1,0,4.2689999999999992397);
INSERT INTO samples VALUES(1,1,4.2699999999999995736);
INSERT INTO samples VALUES(1,2,4.2709999999999999076);
INSERT INTO samples VALUES(2,0,4600000000000.0);
INSERT INTO samples VALUES(2,1,4610000000000.0);
INSERT INTO samples VALUES(3,0,4.2699999999999995736);
INSERT INTO samples VALUES(3,1,4.2709999999999999076);
INSERT INTO samples VALUES(3,2,4.2720000000000002415);
INSERT INTO samples VALUES(4,0,4600000000000.0);
INSERT INTO samples VALUES(4,1,4610000000000.0);
INSERT INTO samples VALUES(5,0,4.2709999999999990194);
INSERT INTO samples VALUES(5,1,4.2719999999999993534);
INSERT INTO samples VALUES(5,2,4.2729999999999996873);
INSERT INTO samples VALUES(6,0,4600000000000.0);
INSERT INTO samples VALUES(6,1,4610000000000.0);
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
INSERT INTO drills VALUES(1,'decode_8b','decode-digest','6689e14d36beb0c934b26e713779c324a31af449a6716c2f2435aa206644700b',1,'GPU-1','2025-11-02T00:00:00.000000Z',0,0,8817,'commit2','spin',0.010000000000000000208,42.70000000000000284,4.2699999999999995736,'fail',0.010200000000000000732,0.0041000000000000003455,42,88.500000000000000003);
INSERT INTO drills VALUES(2,'decode_8b','decode-digest','6689e14d36beb0c934b26e713779c324a31af449a6716c2f2435aa206644700b',1,'GPU-1','2025-11-02T00:00:00.000000Z',0,1,8817,'commit2','nothing',0.0,0.0,4.2699999999999995736,'pass',0.00010000000000000000479,NULL,10,21.0);
CREATE INDEX runs_by_series
  ON runs (workload_digest, environment_key, branch, started_utc, id);
CREATE INDEX runs_by_name ON runs (workload_name, branch, started_utc, id);
COMMIT;
PRAGMA user_version = 6;
PRAGMA application_id = 1885823348;
