-- What one step did, as the program said it in the `work` line of its results file, so that a later run is not called
-- faster for doing less of it. NULL = not said, or a run that was recorded before this. `work_output_hash` stands only
-- where all untraced processes of the run gave the same output. `work_digest` is over the run and its work, so that a
-- damaged figure is noticed; `runs.digest` leaves the work out, so that a run is the same run with and without it.
ALTER TABLE runs ADD COLUMN work_tokens REAL;
ALTER TABLE runs ADD COLUMN work_weights_bytes REAL;
ALTER TABLE runs ADD COLUMN work_kv_bytes REAL;
ALTER TABLE runs ADD COLUMN work_flops REAL;
ALTER TABLE runs ADD COLUMN work_output_hash TEXT;
ALTER TABLE runs ADD COLUMN work_digest TEXT;
