"""runs_of_commits.py FILE COMMIT...: exported baseline lines as if their newest runs were of these commits, all older ones of the first.

Recorded runs are of commits that no repository of a test has. A run's digest covers its commit, so it is formed anew, as
baselines/stored_run_digest.cpp does it: over the run's own text, without captures and outcome, its metrics by name.
"""
import hashlib
import re
import sys

lines = open(sys.argv[1], encoding="utf-8").readlines()
older = [sys.argv[2]] * (len(lines) - 2 - len(sys.argv[2:]))  # the first line and the last one are the frame
commits = iter(older + sys.argv[2:])
for line in lines:
    found = re.fullmatch(r'\{"digest":"\w+","run":(.*)\}\n', line)
    if not found:
        sys.stdout.write(line)
        continue
    run = re.sub(r'"commit":"\w*"', f'"commit":"{next(commits)}"', found[1], count=1)
    plain = re.sub(r'"captures":\[.*?\],"fingerprint"', '"captures":[],"fingerprint"', run, count=1)
    plain = re.sub(r'"outcome":"\w*"', '"outcome":""', plain, count=1)
    metrics = re.search(r'"metrics":\[(.*?)\],"outcome"', plain)[1]
    by_name = sorted(re.findall(r"\{[^{}]*\}", metrics), key=lambda metric: re.search(r'"id":"(.*?)"', metric)[1])
    plain = plain.replace(metrics, ",".join(by_name), 1)
    digest = hashlib.sha256(plain.encode()).hexdigest()
    print(f'{{"digest":"{digest}","run":{run}}}')
