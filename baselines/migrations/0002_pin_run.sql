-- Which run a pin was set at, by digest, so that the run is shown and kept; '' = not known (an older pin whose
-- level no run has). No reference: the level stays when its run is removed.
ALTER TABLE pins ADD COLUMN run_digest TEXT NOT NULL DEFAULT '';
UPDATE pins SET run_digest = coalesce((
  SELECT r.digest FROM runs r JOIN metrics m ON m.run = r.id AND m.metric = pins.metric
  WHERE r.workload_digest = pins.workload_digest AND r.environment_key = pins.environment_key
    AND m.value = pins.level AND r.started_utc <= pins.set_utc
  ORDER BY r.started_utc DESC, r.id DESC LIMIT 1), '');
