#!/usr/bin/env python3
"""Recomputes the tables and the sentences of README.md from the records that it names, independently of the harness.

Only the trials of a record are read, not its summary; the model is the one that ranking.md describes. Records of a lane are on
gh-pages: where that was not fetched, what was not checked is said. Prints what differs, and exits with 1 if anything does.
Usage: readme.py [--block] [README.md]; with --block only the results block is checked, and not what the rest quotes.
"""
import datetime, functools, gzip, itertools, json, math, re, subprocess, sys
from pathlib import Path
from statistics import mean, median, variance

FAILED = {"environment_failed", "contract_failed", "crashed", "build_failed"}
PRIOR, PRIOR_OF_SESSIONS, NOISY, KNOWN_FROM, MOST_SESSIONS = 2, 8, 3, 5, 12
CPU, DATABASE = "server_cpu_us_per_request", "database_cpu_us_per_request"
MAINTAINED, BEST_KNOWN = ("framework", "maintained"), {"actix-web", "axum", "rocket"}
ONLY_BLOCK = "--block" in sys.argv
README = Path(next((each for each in sys.argv[1:] if each != "--block"), "README.md"))
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


def tail(t, df):
    """P(T > t) of Student's t, by Simpson's rule over its density with t = sqrt(df) tan(angle)."""
    low, n = math.atan(t / math.sqrt(df)), 2000
    step = (math.pi / 2 - low) / n
    at = [math.cos(low + i * step) ** (df - 1) if i < n else 0.0 ** (df - 1) for i in range(n + 1)]
    total = at[0] + at[-1] + 4 * sum(at[1:-1:2]) + 2 * sum(at[2:-1:2])
    return math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi) * total * step / 3


@functools.cache
def quantile(df):
    low, high = 0.0, 700.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle, df) > 0.025 else (low, middle)
    return low


def inverse(m):
    m = [row + [float(i == j) for j in range(len(m))] for i, row in enumerate(m)]
    for i in range(len(m)):
        m[i] = [x / m[i][i] for x in m[i]]
        for j in range(len(m)):
            if j != i:
                m[j] = [x - m[j][i] * y for x, y in zip(m[j], m[i])]
    return [row[len(m):] for row in m]


class Field:
    """rows: name -> {round: log of the figure}; level + round + noise, each row with its own variance."""

    def __init__(self, rows, weight=PRIOR):
        self.rows = rows = {name: row for name, row in rows.items() if row}
        rounds = sorted({r for row in rows.values() for r in row})
        self.level, self.var = {n: median(row.values()) for n, row in rows.items()}, dict.fromkeys(rows, 1.0)
        for _ in range(8):  # as many passes as the model has
            whole = {r: sum(1 / self.var[n] for n in rows if r in rows[n]) for r in rounds}
            effect = {r: sum((rows[n][r] - self.level[n]) / self.var[n] for n in rows if r in rows[n]) / whole[r] for r in rounds}
            left = {n: [row[r] - effect[r] for r in row] for n, row in rows.items()}
            self.level = {n: sum(x) / len(x) for n, x in left.items()}
            self.df = {n: max(0, sum(1 - 1 / self.var[n] / whole[r] for r in rows[n]) * (len(rows[n]) - 1) / len(rows[n])) for n in rows}
            squares = {n: sum((x - self.level[n]) ** 2 for x in left[n]) for n in rows}
            self.prior = prior = median(squares[n] / self.df[n] for n in rows if self.df[n] > 1e-6)
            drawn = {n: 0 if self.df[n] > 1e-6 and squares[n] / self.df[n] > NOISY * prior else weight for n in rows}
            self.var = {n: max((drawn[n] * prior + squares[n]) / (drawn[n] + self.df[n]), 1e-12) for n in rows}
        # Generalized least squares: the rounds' effects eliminated, the first row's level fixed.
        names, w = list(rows), {n: 1 / v for n, v in self.var.items()}
        whole = {r: sum(w[n] for n in rows if r in rows[n]) for r in rounds}
        info = [[sum(w[a] * ((a == b) - w[b] / whole[r]) for r in rows[a] if r in rows[b]) for b in names[1:]] for a in names[1:]]
        cov = inverse(info)
        self.cov = {(a, b): cov[i][j] for i, a in enumerate(names[1:]) for j, b in enumerate(names[1:])}
        if any(len(row) < len(rounds) for row in rows.values()):
            mean = {r: sum(w[n] * rows[n][r] for n in rows if r in rows[n]) / whole[r] for r in rounds}
            right = [w[n] * sum(rows[n][r] - mean[r] for r in rows[n]) for n in names[1:]]
            self.level = {n: sum(x * y for x, y in zip(row, right)) for n, row in zip(names[1:], cov)} | {names[0]: 0.0}
        for n in rows:
            self.df[n] += drawn[n] * max(0, 1 - KNOWN_FROM / len(rows))

    sessions = None  # the same model of the levels of sessions, where four or more are known

    def difference(self, a, b):
        """Estimate, standard error, degrees of freedom (Satterthwaite)."""
        c = lambda x, y: self.cov.get((x, y), 0.0)
        error, spread = math.sqrt(max(c(a, a) + c(b, b) - 2 * c(a, b), 0)), self.sessions or self
        va, vb = spread.var[a], spread.var[b]
        if self.sessions:
            error = max(error, math.sqrt(2 * (va + vb)))
        return self.level[a] - self.level[b], error, (va + vb) ** 2 / (va * va / spread.df[a] + vb * vb / spread.df[b])

    def ratio(self, a, b):
        """Ratio, and the longer half of its 95 % interval in %."""
        estimate, error, df = self.difference(a, b) if a != b else (0.0, 0.0, 1.0)
        return math.exp(estimate), 100 * math.expm1(quantile(df) * error)

    def behind(self, group):
        """Holm's procedure over all pairs, and what follows from two of them: name -> those that are better (less)."""
        pairs = []
        for i, a in enumerate(group):
            for b in group[i + 1:]:
                estimate, error, df = self.difference(a, b)
                beyond = max(0, abs(estimate) - 0.01) if self.sessions else abs(estimate)
                pairs.append((2 * tail(beyond / error, df), *((a, b) if estimate > 0 else (b, a))))
        behind = {n: set() for n in group}
        for left, (p, worse, better) in zip(range(len(pairs), 0, -1), sorted(pairs)):
            if p > 0.05 / left:
                break
            behind[worse].add(better)
        for middle in group:
            for n in group:
                if middle in behind[n]:
                    behind[n] |= behind[middle]
        return behind


def three(x, last=2):
    """Three significant digits, or one more than `last`, with thousands separators."""
    digits = max(0, last - math.floor(math.log10(float(f"{x:.{last}e}"))))
    return f"{float(f'{x:.{last}e}'):,.{digits}f}"


def two(x):
    return three(x, 1)


def size(factor):
    more = abs(factor - 1) * 100
    return f"{more:.{int(more < 0.95)}f} %"


def percent(factor):
    return f"{'−' if factor < 1 else '+'}{size(factor)}"


def check(what, said, made):
    if said != made:
        wrong.append(f"{what}: README says {said!r}, and the record gives {made!r}")


def listed(names):
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def unranked(record, reference, scenarios):
    """The scenarios without ranks: the machine was too far from one good state."""
    def is_far(s):
        trials = [t for t in record["trials"] if t["scenario"] == s]
        slowness = next((t["slowness"] for t in trials if "slowness" in t), None) or next((t["state"]["slowness"] for t in trials if t.get("state")), None)
        costs = [t["server_cpu_us_per_request"] for t in trials if t["app"] == reference and t["verdict"] not in FAILED]
        return slowness > 1.1 if slowness else len(costs) > 4 and max(costs) > 1.3 * min(costs)

    closed = [s["id"] for s in record["scenarios"] if s["load"]["model"] == "closed"]
    far = [s for s in closed if is_far(s)]
    return scenarios if 2 * len(far) >= len(closed) and far else far


def logs_of(record, scenario):
    """App -> {round: log of its CPU time}, each of its last attempt."""
    last, logs = {}, {}
    for t in sorted((t for t in record["trials"] if (t["scenario"], t["variant"]) == (scenario, "default")), key=lambda t: t["attempt"]):
        last[t["app"], t["round"]] = t
    for (n, r), t in last.items():
        if t["verdict"] not in FAILED and t["server_cpu_us_per_request"]:
            logs.setdefault(n, {})[r] = math.log(t["server_cpu_us_per_request"])
    return logs


def field_of(record, scenario, known={}):
    key = record["id"], scenario
    if key not in known:
        known[key] = Field(logs_of(record, scenario))
    return known[key]


def kind(record):
    """Sessions of one kind are alike in this."""
    of = record["environment"]
    cpus = [of[key] if isinstance(of[key], int) else len(of[key]) for key in ("logical_cpus", "server_cpus", "generator_cpus")]
    return of["cpu_model"], cpus, len(of.get("load_machines") or []), of.get("server_cpu_quota") is not None, record["harness"]["cargo_profile"], record["profile"]


def deviations(record, scenario, reference, others):
    """The field of sessions; `None` with fewer than four."""
    at = lambda one: datetime.datetime.fromisoformat(one["started_at"][:19])
    cpus = lambda one: {json.dumps(each["environment"]["cpu"]) for each in (one, record) if each["environment"].get("cpu")}
    asks = lambda one: next(({k: v for k, v in s.items() if k not in ("title", "stands_for", "seconds")} for s in one["scenarios"] if s["id"] == scenario), None)
    others = (one for one in others if kind(one) == kind(record) and len(cpus(one)) < 2)
    others = sorted(others, key=lambda one: abs(at(one) - at(record)))[:MOST_SESSIONS]
    version = lambda one: {a["id"]: a["framework_version"] for a in one["apps"] if a["variant"] == "default"}
    rows, known = {}, 0
    for number, one in enumerate(others + [record]):
        if asks(one) != asks(record) or scenario in unranked(one, reference, [scenario]):
            continue
        field, known = field_of(one, scenario), known + 1
        for n, level in field.level.items():
            if len(field.rows[n]) >= 5 and version(one).get(n) == version(record).get(n):
                rows.setdefault(n, {})[number] = level
    if known < 4 or all(len(row) < 3 for row in rows.values()):
        return None
    field = Field({n: row for n, row in rows.items() if len(row) >= 3}, PRIOR_OF_SESSIONS)
    for n in rows:  # what two sessions show of an app is little
        field.var.setdefault(n, field.prior)
        field.df[n] = max(5, field.df.get(n, PRIOR_OF_SESSIONS * (1 - KNOWN_FROM / len(field.rows))))
    return field


class Judged:
    """One scenario of a record: ratios to the reference, ranks and figures, by the name, role and tier of an app."""

    def __init__(self, path, scenario):
        self.record = record = document(path)
        apps = {a["id"]: a for a in record["apps"] if a["variant"] == "default"}
        key = lambda n: (apps[n]["name"], apps[n]["role"], apps[n]["tier"])
        self.apps = {key(n): a for n, a in apps.items()}
        cells = {n: {} for n in apps}
        for trial in record["trials"]:
            if trial["scenario"] == scenario:
                kept = cells[trial["app"]]
                if trial["attempt"] >= kept.get(trial["round"], trial)["attempt"]:
                    kept[trial["round"]] = trial
        use = lambda n: [t for t in cells[n].values() if t["verdict"] not in FAILED]
        of = lambda n, figure: [t[figure] for t in use(n) if t.get(figure)]
        sound = [n for n in apps if use(n) and "withdrawn" not in apps[n] and all(t["verdict"] not in FAILED - {"environment_failed"} for t in cells[n].values())]
        reference = next(n for n in apps if apps[n]["role"] == "reference")
        field = Field({n: {t["round"]: math.log(t["server_cpu_us_per_request"]) for t in use(n) if t["server_cpu_us_per_request"]} for n in apps})
        is_far = scenario in unranked(record, reference, [s["id"] for s in record["scenarios"]])
        field.sessions = None if is_far else deviations(record, scenario, reference, sessions_of(path))
        self.is_wide, self.ranks = bool(field.sessions), {}
        self.ratios = {key(n): field.ratio(n, reference)[0] for n in sound}
        self.median = lambda k, figure: median(of(next(n for n in apps if key(n) == k), figure))
        self.memory = lambda k: median(t["rss_bytes"]["peak"] for t in use(next(n for n in apps if key(n) == k)) if t["rss_bytes"]) / 2**20
        for tier in {a["tier"] for a in apps.values()} if not is_far else ():
            group = [n for n in sound if apps[n]["role"] == "framework" and apps[n]["tier"] == tier and len(of(n, CPU)) >= 5]
            behind = field.behind(group)
            for n in group:
                best, worst = 1 + len(behind[n]), len(group) - sum(n in other for other in behind.values())
                self.ranks[key(n)] = str(best) if best == worst else f"{best}–{worst}"
        self.cheapest = min(x for k, x in self.ratios.items() if k[1:] == MAINTAINED)

    def above(self, k):
        return self.ratios[k] / self.cheapest if k in self.ratios else None

    def is_best(self, k):
        return k[1:] == MAINTAINED and self.ranks.get(k, "").split("–")[0] == "1"

    def cell(self, k):
        said = "–" if k not in self.ratios else "best" if self.is_best(k) and self.above(k) == 1 else percent(self.above(k))
        return f"**{said}**" if self.is_best(k) else said


@functools.cache
def sessions_of(place):
    """The records among which the one at a place was read: of this repository's own, or of its lane, as far as it was published when README.md
    was written, with the figures of its newest runs."""
    lane, _, newest = str(place).rpartition("/")
    address, _, folder = lane.partition("/gh-pages/")
    if folder:
        figures = (README.parent / "bench-results" / Path(folder).name).rglob("figures.json")
        last = max([newest, *(json.loads(file.read_text())["run"]["runs"][0]["id"] + ".json.gz" for file in figures)])
        files = pages("ls-tree", "--name-only", "origin/gh-pages", f"{folder}/").decode().split()
        files = [file for file in files if Path(file).name <= last and Path(file).name != newest]
        return [document(f"{address}/gh-pages/{file}") for file in files[-5 * MOST_SESSIONS:]]  # some five kinds of run
    local = README.parent / "bench-results/local"
    files = sorted([*local.glob("2*.gz"), *local.glob("sessions/2*.gz")], key=lambda file: file.name)
    return [document(file.relative_to(README.parent)) for file in files if file.name != newest]


def probed():
    """The newest probes of all cases, of the day that the committed summary names: next to it, or on gh-pages."""
    folder = README.parent / "bench-results/probes"
    day = re.search(r"probed on (\S+) ", (folder / "summary.md").read_text())[1].replace("-", "")
    files = [file.relative_to(README.parent) for file in folder.glob(f"{day}*.json.gz")]
    if not files:
        files = pages("ls-tree", "--name-only", "origin/gh-pages", "runs/probes/").decode().split()
        files = [f"/gh-pages/{file}" for file in files if Path(file).name.startswith(day)]
    of_all = [one for one in map(document, sorted(files, key=str)) if one["origin"].get("whole", True)]
    if not of_all:
        raise NotHere(f"probes of {day}")
    return of_all[-1]


def block(text):
    records = dict(re.findall(r"\[(\w+)\]\((\S+?\.json\.gz)\)", text))
    json_, row = Judged(records["JSON"], "hello"), Judged(records["PostgreSQL"], "db")
    table = [[c.strip().replace("\u202f", " ").replace("\\", "") for c in line.strip("|").split(" | ")] for line in text.splitlines() if line.startswith("|")]
    versions = {k: " ".join(filter(None, (k[0], a["framework_version"]))) if k[1] == "framework" else f"*{k[0]}*" for k, a in json_.apps.items()}
    rows = {cell: cells for cells in table for cell in cells[:2] if cell in versions.values()}
    shown = [k for k in json_.apps if k in json_.ratios or k in row.ratios]
    for k in shown:
        app, cells = json_.apps[k], rows.get(versions[k], ["no row"])
        cells = cells if k[1:] == MAINTAINED else ["", *cells]
        made = [json_.ranks.get(k, "–") if k[1:] == MAINTAINED else "", versions[k], json_.cell(k), row.cell(k)]
        made += [f"{1e3 / json_.median(k, CPU):.0f}k", two(json_.memory(k)) + " MiB", broken(app["id"])] if k in json_.ratios else ["–", "–", broken(app["id"])]
        check(f"row of {k[0]}", cells, made)
    maintained = sorted((k for k in shown if k[1:] == MAINTAINED), key=lambda k: json_.ratios.get(k, math.inf))
    check("order", list(rows)[: len(maintained)], [versions[k] for k in maintained])
    check("rows", len(rows), len(shown))
    for k in json_.apps:
        if k[1:] == MAINTAINED and k not in shown:
            says(f"**{k[0]}**")

    known = [k for k in maintained[1:] if json_.apps[k]["id"] in BEST_KNOWN]
    more = "".join(f", {k[0]} {size(json_.above(k))}{'' if i else ' more'}" for i, k in enumerate(known))
    as_cheap = sum(json_.is_best(k) for k in maintained[1:])
    others = f"{as_cheap} of the others"
    here, may = ("", f"; in another session, {others} may be cheapest") if json_.is_wide else ("in this session ", f"; {others} may be as cheap")
    says(f"- For a small JSON answer, {here}**{maintained[0][0]}** needed the least CPU time{more}{may if as_cheap else ''}.")
    near = lambda of: sum(of.above(k) <= 1.1 for k in maintained if k in of.ratios)
    cheapest = min((k for k in maintained if k in row.ratios), key=row.above)
    took = lambda figure: two(row.median(cheapest, figure)) + " µs"
    says(f"- With one PostgreSQL row behind it, {near(row)} of {sum(k in row.ratios for k in maintained)} frameworks need at most 10 % more than the cheapest"
         f" ({near(json_)} without it), and PostgreSQL itself takes {took(DATABASE)} of CPU time for the row, {cheapest[0]} {took(CPU)}.")
    said = [f"{maintained[0][0]} breaks {broken(json_.apps[maintained[0]]['id'])}"] + [f"{k[0]} {broken(json_.apps[k]['id'])}" for k in known]
    says(f"- Of the HTTP rules that a server must keep, {listed(said)}.")
    says(f"**{sum(k[1:] == MAINTAINED for k in json_.apps)} Rust web frameworks,")
    for name, of in ("JSON", json_), ("PostgreSQL", row):
        if not re.search(rf"{name}(?: and \w+)? for " + (r"another session and build on this kind of machine \(by \d+ sessions\)" if of.is_wide else "this session only"), text):
            wrong.append(f"README does not say what the intervals of {name} cover")


def session(path):
    """Ratio to the reference, by scenario and app."""
    record = document(path)
    fields = {s["id"]: field_of(record, s["id"]) for s in record["scenarios"]}
    return lambda s, n: fields[s].ratio(n, "reference")


def left_out(records, apart=lambda one, other: one is not other):
    """Forecasts of each session by another one and all that know as much: those `apart` from it."""
    for one, other in itertools.permutations(records, 2):
        if apart(one, other):
            yield one, other, [each for each in records if each is not one and apart(each, other)]


def held(forecasts):
    """Ratios with an interval for another session; how many that one found within; and within the first session's own interval."""
    within, alone = [], []
    for one, other, known in forecasts:
        for s in {s["id"] for s in one["scenarios"]} & {s["id"] for s in other["scenarios"]}:
            first, second = field_of(one, s), field_of(other, s)
            wide = None if s in unranked(other, "reference", [s]) + unranked(one, "reference", [s]) else deviations(one, s, "reference", known)
            for n in first.level if wide else ():
                if n != "reference" and n in second.level and n in wide.var:
                    again = second.difference(n, "reference")[0]
                    for sessions, found in (wide, within), (None, alone):
                        first.sessions = sessions
                        estimate, error, df = first.difference(n, "reference")
                        found.append(abs(again - estimate) <= quantile(round(df, 2)) * error)
    return len(within), sum(within), sum(alone)


def broken(app):
    """`3 of 242`: of the mandatory cases that apply to an app, those that it fails."""
    outcomes = [one["outcome"] for one in probes["results"] if (one["app"], one["variant"]) == (app, "default") and one["case"] in must]
    return f"{outcomes.count('failed')} of {outcomes.count('failed') + outcomes.count('passed')}"


def five_and_five(metric, planted):
    """A row of README's table and a sentence: any five loads of one side of a self-test, so of one program, and the five after them."""
    cells, spans = [], []
    for scenario in "plaintext", "simple":
        loads = [[p["base"] for p in s["pairs"]] for test in self_tests for s in test["series"] if (s["scenario"], s["metric"]) == (scenario, metric)]
        pairs = [(row[i:i + 5], row[i + 5:i + 10]) for row in loads for i in range(len(row) - 9)]
        ratios = [mean(after) / mean(before) for before, after in pairs]
        by_t = [abs(mean(b) - mean(a)) > quantile(8) * math.sqrt((variance(a) + variance(b)) / 5) for a, b in pairs]
        seen = [(planted * ratio - 1) * (1 if planted > 1 else -1) > 0.02 for ratio in ratios]
        found = [abs(ratio - 1) > 0.02 for ratio in ratios], [abs(ratio - 1) > 0.03 for ratio in ratios], by_t, seen
        cells.append([f"{100 * mean(share):.0f}" for share in found])
        spans.append(max(map(max, loads)) / min(map(min, loads)))
    return " | ".join(f"{one}, {other} %" for one, other in zip(*cells)), "by {:.2f} and {:.2f} times".format(*spans)


def says(sentence, text=None):
    if sentence not in " ".join((text or README.read_text()).split()):
        wrong.append(f"README or its docs do not say: {sentence}")


def ended():
    print("\n".join(wrong) or "README.md says what its records say")
    sys.exit(bool(wrong))


text = README.read_text()
docs = {name: (README.parent / f"scripts/harness/docs/{name}.md").read_text() for name in ("reading", "database", "services", "compare")}
part = text.split("<!-- results:begin -->")[1].split("<!-- results:end -->")[0]
for verdict in json.loads((Path(__file__).parent / "published/words.json").read_text())["verdicts"]:
    if f"\n| `{verdict['id']}` | {verdict['happened']} | {verdict['counts']} |\n" not in docs["reading"]:
        wrong.append(f"the row of the verdict `{verdict['id']}` in reading.md is not that of published/words.json")
try:
    probes = probed()
    must = {c["id"] for c in probes["cases"] if c["level"] == "must"}
    block(part)
except NotHere as missing:
    print(f"not checked: the results block, because its records are on gh-pages: `git {missing}` fails; git fetch origin gh-pages:refs/remotes/origin/gh-pages")
if ONLY_BLOCK:
    ended()

found = re.search(r"(bench-results/local/\S+gz)\), Intel", docs["database"])[1]
db, fortunes, orders = (Judged(found, s) for s in ("db", "fortunes", "orders"))
ratio = lambda of: {k[0]: x for k, x in of.ratios.items() if k[1:] == MAINTAINED}
near = lambda of: sorted(x for n, x in ratio(of).items() if n != "Rocket")
before = Judged(re.search(r"bench-results/local/\S+gz(?=\), AMD)", docs["database"])[0], "fortunes")
of_engines = lambda of: [ratio(of)[n] for n in ("warp", "Poem", "Silent")]
reference = lambda of, figure: three(of.median(next(k for k in of.apps if k[1] == "reference"), figure))
for sentence in (
    f"{len(near(db))} of {len(ratio(db))} cost {near(db)[0]:.2f} to {near(db)[-1]:.2f} times the reference in `db`, and Rocket {ratio(db)['Rocket']:.2f}",
    f"`fortunes`, with one template engine for all, {near(fortunes)[0]:.2f} to {near(fortunes)[-1]:.2f} and {ratio(fortunes)['Rocket']:.2f}",
    "{:.2f} times the reference with Handlebars (warp), {:.2f} and {:.2f} with Tera (Poem, Silent)".format(*of_engines(before)),
    "with Askama for all, they cost {:.2f}, {:.2f} and {:.2f}".format(*of_engines(fortunes)),
    f"takes {reference(db, DATABASE)} µs of CPU time for a row, where the reference takes {reference(db, CPU)}",
    f"{reference(orders, DATABASE)} µs for a new order, where the reference takes {reference(orders, CPU)}",
):
    says(sentence, docs["database"])
covers = docs["reading"].split("## What an interval covers")[1]
paths = re.findall(r"\(../../../(bench-results/local/.*?json.gz)\)", covers)
sessions = [session(path) for path in paths[:4]]
local = README.parent / "bench-results/local"
of_a_day = sorted([*local.glob("20261128T*.json.gz"), *local.glob("sessions/20261128T*.json.gz")], key=lambda path: path.name)
epyc, intel = ([document(path) for path in of] for of in ([README.parent / path for path in paths[:6]], of_a_day))
in_all = lambda s, n: [f"{ratio(s, n)[0]:.3f}" for ratio in sessions]
listed_in_all = lambda s, n: "{}, {}, {} and {}".format(*in_all(s, n))
half = lambda s, n: f"±{sessions[1](s, n)[1]:.1f} %"
rocket, actix = in_all("plaintext", "rocket"), sorted(in_all("plaintext", "actix-web"))
for sentence in (
    f"Rocket cost {listed_in_all('plaintext', 'rocket')} times the reference in `plaintext`",
    f"the second says {rocket[1]} {half('plaintext', 'rocket')}",
    f"Axum {listed_in_all('simple', 'axum')} times in `simple` ({half('simple', 'axum')})",
    f"between {actix[0]} and {actix[-1]} in `plaintext`",
    "held for {1} of {0} ratios in `hello`, `simple` and `bcrypt`, a session's own for {2}".format(*held(left_out(epyc, lambda one, other: one["id"][:8] != other["id"][:8]))),
    "held for {1} of the {0} ratios of the one left out".format(*held(left_out(intel))),
    "README's held for {1} of {0} on the other cpu".format(*held((intel[1], other, intel[:1] + intel[2:]) for other in epyc)),
):
    says(sentence, docs["reading"])
folder = README.parent / "bench-results/local"
self_tests = [json.loads(path.read_text()) for path in (folder / "compare-live/self-test").glob("*.json")]
judged = json.loads((folder / "self-test.json").read_text())
(rps, _), (cpu, _) = five_and_five("goodput_rps", 0.97), five_and_five(CPU, 1.03)
found = [f"{100 * power['found']['3']:.0f}" for power in judged["power"] if power["metric"] == CPU]
says(f"| req/s | {rps} | | CPU per request | {cpu} |")
says(f"| `bench compare` | {judged['drawn']['named']} of {judged['drawn']['comparisons']:,} | | | {', '.join(found)} % |")
measured = docs["services"].split("## What was found")[1]
paths = re.findall(r"\(../../../(bench-results/local/services/.*?json.gz)\)", measured.split("\n\n")[1])
of_services = {of["id"]: path for path in paths for of in document(Path(path))["scenarios"]}
for head in re.findall(r"^\| \| .*", measured, re.M):
    cells = [ratio(Judged(of_services[scenario], scenario)) for scenario in re.findall("`(.*?)`", head)]
    for name in sorted(set().union(*cells), key=str.lower):
        figures = " | ".join(f"{of[name]:.2f}" if name in of else "–" for of in cells)
        if f"\n| {name} | {figures} |\n" not in measured:
            wrong.append(f"services.md lacks: | {name} | {figures} |")
ended()
