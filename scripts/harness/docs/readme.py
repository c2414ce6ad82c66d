#!/usr/bin/env python3
"""Recomputes the figures in README.md's table from the records that it names and other sessions of their kind, independently of the harness.

Only the trials of a record are read, not its summary; the model is the one that ranking.md describes. Records of a lane are on
gh-pages: where that was not fetched, what was not checked is said. Prints what differs, and exits with 1 if anything does. What else
README.md's results say is compared with what the harness writes by a test.
Usage: readme.py [README.md]
"""
import functools, gzip, json, math, re, subprocess, sys
from pathlib import Path
from statistics import median
from estimates import Field, inverse

CPU = "server_cpu_us_per_request"
MAINTAINED = ("framework", "maintained")
README = Path(sys.argv[1] if len(sys.argv) > 1 else "README.md")
WORDS = json.loads((Path(__file__).parent / "published/words.json").read_text())["verdicts"]
VERDICTS = [verdict["id"] for verdict in WORDS]  # from the best to the worst
NOT_CARRIED_OUT = VERDICTS.index("environment_failed")
UNANSWERED = re.compile(r"^the load did not end within |: expected an answer, got nothing within \d+ s$")
wrong = []


class NotHere(Exception):
    """gh-pages was not fetched, or has not, or no longer, what README.md names."""


def pages(*command):
    shown = subprocess.run(["git", *command], cwd=README.resolve().parent, capture_output=True)
    if shown.returncode:
        raise NotHere(" ".join(command))
    return shown.stdout


@functools.cache
def document(place):
    """A file of the tree, or of gh-pages by its address there."""
    _, _, published = str(place).partition("/gh-pages/")
    record = json.loads(gzip.decompress(pages("show", f"origin/gh-pages:{published}") if published else (README.parent / place).read_bytes()))
    for scenario in record.get("scenarios", []):
        trials = record["trials"] + [t for control in record.get("controls", []) for t in control["trials"]]
        settle([t for t in trials if t["scenario"] == scenario["id"] and t.get("slices")])
    return record


def middle_half(values):
    values = sorted(values)
    kept = values[len(values) // 4:len(values) - len(values) // 4]
    return sum(kept) / len(kept)


def settle(trials):
    """Figures from the sub-rounds in a good state of the machine, as rounds.md describes them."""
    last, latest = {}, {}
    for t in trials:
        latest[t["round"]] = max(latest.get(t["round"], 0), t["attempt"])
    for t in trials:
        if t["attempt"] == latest[t["round"]]:
            last.setdefault(t["round"], {})[t["app"], t["variant"]] = t

    def logs(t, figure):
        s = t["slices"]
        top, low, scale = {"cpu": ("server_cpu_us", "answers", 1), "db": ("database_cpu_us", "answers", 1), "rps": ("answers", "length_us", 1e6)}[figure]
        pairs = zip(s["sub_round"], s.get(top, []), s[low])
        return {n: math.log(scale * a / b) for n, a, b in pairs if a and b}

    above = {}
    for r, servers in last.items():
        for n, t in servers.items():
            for sub, log in logs(t, "cpu").items() if not t.get("apart") else ():
                above.setdefault(n, {})[r, sub] = log
    above = {n: {at: log - median(row.values()) for at, log in row.items()} for n, row in above.items()}
    if len(above) < 4:
        return

    def good(without):
        states = {}
        for n, row in above.items():
            for at, log in row.items() if n not in without else ():
                states.setdefault(at, []).append(log)
        states = {at: sum(logs) / len(logs) for at, logs in states.items() if len(logs) >= 2}
        values = sorted(states.values())
        limit = max(values[int(0.05 * len(values))] + 0.05, median(values))
        return {at for at, state in states.items() if state <= limit}, states, values

    (counted, states, values), chosen = good(()), {}
    slowness = math.exp(sum(states[at] for at in counted) / len(counted) - values[int(0.05 * len(values))])
    for r, servers in last.items():
        of = max(max(t["slices"]["sub_round"]) for t in servers.values())
        enough = sum(at[0] == r for at in counted) >= min(4, -(-of // 4))
        old = {n: (t["server_cpu_us_per_request"], t["goodput_rps"]) for n, t in servers.items()}
        for figure, key in ("cpu", "server_cpu_us_per_request"), ("db", "database_cpu_us_per_request"), ("rps", "goodput_rps"):
            rows = {n: logs(t, figure) for n, t in servers.items() if not t.get("apart")}
            names = [n for n, row in rows.items() if row]
            laplace, right = [[0.0] * len(names) for _ in names], [0.0] * len(names)
            for i, a in enumerate(names):
                for j, b in enumerate(names[i + 1:], i + 1):
                    if (a, b) not in chosen:
                        chosen[a, b] = chosen[b, a] = good((a, b))[0]
                    both = [rows[a][sub] - rows[b][sub] for sub in rows[a] if sub in rows[b] and (r, sub) in chosen[a, b]]
                    if both:
                        for x, y, sign in (i, j, 1), (j, i, -1):
                            laplace[x][x] += len(both)
                            laplace[x][y] -= len(both)
                            right[x] += sign * len(both) * middle_half(both)
            kept = [i for i, row in enumerate(laplace) if row[i]]
            names, right, laplace = [names[i] for i in kept], [right[i] for i in kept], [[laplace[i][j] for j in kept] for i in kept]
            solved = inverse([row[1:] for row in laplace[1:]]) if names else []
            level = dict(zip(names, [0.0] + [sum(x * y for x, y in zip(row, right[1:])) for row in solved]))
            effects = [[rows[n][sub] - level[n] for n in level if sub in rows[n]] for sub in range(1, of + 1) if (r, sub) in counted]
            height = median([median(x) for x in effects if x] or [0.0])
            for n, t in servers.items():
                if not t.get("apart") and t.get(key):
                    t[key] = math.exp(level[n] + height) if enough and n in level else None
        for at, key in (0, "server_cpu_us_per_request"), (1, "goodput_rps"):
            moved = [servers[n][key] / old[n][at] for n in servers if servers[n].get(key) and old[n][at] and not servers[n].get("apart")]
            for n, t in servers.items():
                if t.get("apart") and t.get(key):
                    t[key] = math.exp(median(map(math.log, moved))) * t[key] if moved else None
        for t in servers.values():
            t["slowness"], t["bad"] = slowness, not enough


def kind(record):
    """What sessions of one kind have in common."""
    e, cpu = record["environment"], record["environment"].get("cpu")
    machine = e["cpu_model"], cpu and [cpu.get(key) for key in ("vendor", "family", "model")], e["logical_cpus"], len(e["server_cpus"])
    profile = "weekly" if record["profile"] == "quick" else record["profile"]
    return *machine, len(e["generator_cpus"]), e.get("server_cpu_quota"), len(e.get("load_machines", [])), record["harness"]["cargo_profile"], profile


def siblings(path):
    """Other records of the lane, with its sessions."""
    folder, _, name = str(path).rpartition("/")
    _, _, published = folder.partition("/gh-pages/")
    if published:
        found = pages("ls-tree", "--name-only", f"origin/gh-pages:{published}").decode().split()
    else:
        found = [str(p.relative_to(README.parent / folder)) for p in (README.parent / folder).glob("**/*.json.gz") if len(p.relative_to(README.parent / folder).parts) == 1 or p.parent == README.parent / folder / "sessions"]
    return [f"{folder}/{other}" for other in found if other.endswith(".json.gz") and other != name]


def essence(record, scenario):
    kept = [s for s in record["scenarios"] if s["id"] == scenario]
    return [{k: v for k, v in s.items() if k not in ("title", "stands_for", "seconds", "warmup_seconds")} for s in kept]


def is_steady(record, scenario):
    """Whether ranks are claimed in it: the machine was in a good state there, and in most scenarios."""
    slow = {t["scenario"]: t["slowness"] > 1.1 for t in record["trials"] if "slowness" in t}
    return not slow.get(scenario) and 2 * sum(slow.values()) < max(len(slow), 1)


def logs(record, scenario):
    """Of each app, the figures that count by round."""
    last = {}
    for t in sorted(record["trials"], key=lambda t: t["attempt"]):
        if (t["scenario"], t["variant"]) == (scenario, "default"):
            last.setdefault(t["app"], {})[t["round"]] = t
    rank = lambda t: VERDICTS.index(t["verdict"])
    return last, {n: {r: math.log(t[CPU]) for r, t in of.items() if rank(t) < NOT_CARRIED_OUT and t[CPU]} for n, of in last.items()}


def over_sessions(path, scenario, level):
    """Levels as means over the sessions of a kind, where there are four or more of them; an app's are those of one program. With them, how far a
    figure may be off: the harness weighs sessions by how an app varies, and this does not."""
    record = document(path)
    programs = lambda r: {a["id"]: (a["framework_version"], a["lockfile_hash"]) for a in r["apps"] if a["variant"] == "default"}
    own, sessions = programs(record), [level]
    alike = [other for other in map(document, siblings(path)) if kind(other) == kind(record) and essence(other, scenario) == essence(record, scenario)]
    for other in alike if is_steady(record, scenario) else ():
        if is_steady(other, scenario):
            known = {n: row for n, row in logs(other, scenario)[1].items() if len(row) >= 5}
            sessions.append({n: v for n, v in Field(known).level.items() if programs(other)[n] == own.get(n)})
    if len(sessions) < 4:
        return level, 0.0
    mean, moved = dict(level), [0.0] * len(sessions)
    for _ in range(300):
        mean = {n: sum(s[n] - m for s, m in zip(sessions, moved) if n in s) / sum(n in s for s in sessions) for n in level}
        moved = [sum(s[n] - mean[n] for n in s if n in mean) / max(1, sum(n in mean for n in s)) for s in sessions]
    return mean, 1.0


def cells(path, scenario):
    """What the table says of each app of a record in a scenario: its own work, or its CPU time above the cheapest framework's."""
    record = document(path)
    apps = {a["id"]: a for a in record["apps"] if a["variant"] == "default"}
    last, of = logs(record, scenario)
    rank = lambda t: VERDICTS.index(t["verdict"])
    within = Field(of).level
    sound = [n for n in within if "withdrawn" not in apps[n] and all(rank(t) <= NOT_CARRIED_OUT for t in last[n].values())]
    level, room = over_sessions(path, scenario, {n: within[n] for n in within if len(of[n]) >= 5})
    cpu = {n: math.exp(level[n]) for n in sound if n in level}
    low, high = cpu.get("ceiling"), cpu.get("rocket") if apps.get("rocket", {}).get("framework_version") == "0.5.2" else None
    cheapest = min(cpu[n] for n in cpu if (apps[n]["role"], apps[n]["tier"]) == MAINTAINED)
    spared = lambda t: rank(t) <= NOT_CARRIED_OUT or t["verdict"] == "contract_failed" and all(map(UNANSWERED.search, t["reasons"]))
    partly = [n for n in within if n not in sound and "known_fault" in apps[n] and len(of[n]) >= 3 and all(map(spared, last[n].values()))]
    cpu |= {n: math.exp(within[n] - within["reference"] + level["reference"]) for n in partly}
    name = lambda a: f"{a['name']} {a['framework_version']}" if a["role"] == "framework" else f"*{a['name']}*"
    if low and high and high > 1.5 * low:
        return {name(apps[n]): (100 * (cpu[n] - low) / (high - low), room) for n in cpu}
    return {name(apps[n]): (100 * (cpu[n] / cheapest - 1), room) for n in cpu}


def is_it(said, found, room):
    """Whether a cell says a figure."""
    said = said.strip("~").split(" ±")[0].removesuffix(" %").replace("−", "-")
    return abs((0.0 if said == "best" else float(said)) - found) <= room + (0.051 if "." in said else 0.51)


text = README.read_text()
reading = (README.parent / "scripts/harness/docs/reading.md").read_text()
for verdict in WORDS:
    if f"\n| `{verdict['id']}` | {verdict['happened']} | {verdict['counts']} |\n" not in reading:
        wrong.append(f"the row of the verdict `{verdict['id']}` in reading.md is not that of published/words.json")
part = text.split("<!-- results:begin -->")[1].split("<!-- results:end -->")[0]
records = dict(re.findall(r"\[(\w+)\]\((\S+?\.json\.gz)\)", part))
try:
    known = [cells(records[column], scenario) for column, scenario in (("JSON", "hello"), ("PostgreSQL", "db"))]
    shown = 0
    for line in part.splitlines():
        row = [cell.strip().replace("\u202f", " ").replace("\\", "") for cell in line.strip("|").split(" | ")]
        at = next((at for at, cell in enumerate(row[:2]) if cell in known[0]), None) if line.startswith("|") else None
        if at is not None:
            shown += 1
            for said, of in zip(row[at + 1:at + 3], known):
                found = of.get(row[at])
                if (said == "–") != (found is None) or found and not is_it(said, *found):
                    wrong.append(f"row of {row[at]}: README says {said}, and the records give {found}")
    if not shown:
        wrong.append("the table has no row of an app of its records")
except NotHere as missing:
    print(f"not checked: the results block, because its records are on gh-pages: `git {missing}` fails; git fetch origin gh-pages:refs/remotes/origin/gh-pages")
print("\n".join(wrong) or "README.md says what its records say")
sys.exit(bool(wrong))
