#!/usr/bin/env python3
"""Prints how the commands that read records grow with their number, and exits with 1 if one grows faster than it may.

Makes published records of README's run, each with noise of its own, and prints user seconds and peak memory of each command and the
exponents between. User seconds are those of the build that is named. Usage: scale.py BENCH [COUNT...]
"""
import gzip, json, math, os, random, subprocess, sys, tempfile
from datetime import datetime, timedelta
from pathlib import Path

BENCH, COUNTS = sys.argv[1], [int(count) for count in sys.argv[2:]] or [50, 200, 1000]
LIKE = Path(__file__).parents[3] / "bench-results/local/20261128T081510Z-75cf.json.gz"
FIRST = datetime(2026, 1, 1)
NOW = FIRST + timedelta(hours=8 * (COUNTS[-1] + 1))  # less than a year for 1,000: nothing is pruned
# Where user seconds are few, what each call costs is most of them.
MOST_EXPONENT, LEAST_SECONDS, MOST_MIB_PER_RECORD = 1.2, 0.2, 1.0


def make(folder, count):
    """In a process of its own: what it needs would count as memory of the programs that are started."""
    record, noise = json.loads(gzip.decompress(LIKE.read_bytes())), random.Random(1)
    trials = record["trials"] + [trial for control in record["controls"] for trial in control["trials"]]
    cpu = [trial["server_cpu_us_per_request"] for trial in trials]
    for trial in trials:
        trial.pop("slices", None)
    for number in range(count):
        at = FIRST + timedelta(hours=8 * number)
        record["id"] = f"{at:%Y%m%dT%H%M%SZ}-{number:x}"
        record["started_at"], record["finished_at"] = f"{at:%FT%TZ}", f"{at + timedelta(hours=1):%FT%TZ}"
        common = noise.gauss(1, 0.03)
        apps = {trial["app"] + trial["variant"]: noise.gauss(common, 0.01) for trial in trials}
        for trial, known in zip(trials, cpu):
            figure = known and known * apps[trial["app"] + trial["variant"]] * noise.gauss(1, 0.005)
            trial["server_cpu_us_per_request"] = figure
        path = folder / "local" / f"{record['id']}.json.gz"
        path.write_bytes(gzip.compress(json.dumps(record, separators=(",", ":")).encode(), 1))


def call(line):
    program = subprocess.Popen([BENCH, "--now", f"{NOW:%FT%TZ}", *line.split()], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(program.pid, 0)
    if status != 0:
        sys.exit(f"bench {line}: status {status}")
    return usage.ru_utime, usage.ru_maxrss / 1024


def measured(all_records, pages, count):
    """The commands with the first `count` records; the last of them is new to the site."""
    runs, site = pages / "runs", pages.with_name("site")
    folder = runs / "local"
    folder.mkdir(parents=True, exist_ok=True)
    for path in all_records[:count - 1]:
        if not (folder / path.name).exists():
            os.link(path, folder / path.name)
    made = call(f"site --pages {pages} --out {site}")
    newest = folder / all_records[count - 1].name
    os.link(all_records[count - 1], newest)
    return {
        "site, what is new": made,
        "site, one more": call(f"site --pages {pages} --out {site}"),
        "report latest": call(f"report latest --results {runs}"),
        "report PATH": call(f"report {newest} --results {runs} --format table"),
        "report --pair": call(f"report --pair axum,actix-web --results {runs}"),
        "history": call(f"history --results {runs} --lane local"),
        "prune": call(f"prune --pages {pages}"),
    }


def exponent(one, other, counts):
    one, other = max(one, LEAST_SECONDS), max(other, LEAST_SECONDS)
    return math.log(other / one) / math.log(counts[1] / counts[0])


with tempfile.TemporaryDirectory() as folder:
    folder, failed = Path(folder), False
    (folder / "local").mkdir()
    if os.fork() == 0:
        make(folder, COUNTS[-1])
        os._exit(0)
    assert os.wait()[1] == 0
    records = sorted((folder / "local").iterdir())
    found = [measured(records, folder / "pages", count) for count in COUNTS]
    print(f"{'command':18}" + "".join(f"{count:>10} records" for count in COUNTS) + "  exponents, MiB a record")
    for command in found[0]:
        figures = [of[command] for of in found]
        exponents = [exponent(*(seconds for seconds, _ in pair), counts)
                     for pair, counts in zip(zip(figures, figures[1:]), zip(COUNTS, COUNTS[1:]))]
        growth = (figures[-1][1] - figures[0][1]) / (COUNTS[-1] - COUNTS[0])
        cells = "".join(f"{seconds:8.2f} s {mib:4.0f} MiB" for seconds, mib in figures)
        print(f"{command:18}{cells}  {' '.join(f'{power:.2f}' for power in exponents)}, {growth:.2f}")
        # What is new is another number of records each time.
        failed |= growth > MOST_MIB_PER_RECORD or command != "site, what is new" and max(exponents) > MOST_EXPONENT
    sys.exit(failed)
