#!/usr/bin/env python3
"""Recomputes every figure and sentence of README.md's results from the records that it names, independently of the harness.

Only the trials of a record are read, not its summary; the model is the one that ranking.md describes. Prints what differs, and exits
with 1 if anything does. Usage: readme.py [README.md]
"""
import gzip, json, math, re, sys
from pathlib import Path
from statistics import median

FAILED = {"environment_failed", "contract_failed", "crashed", "build_failed"}
PRIOR, PRIOR_OF_SESSIONS, NOISY, KNOWN_FROM = 2, 8, 3, 5
README = Path(sys.argv[1] if len(sys.argv) > 1 else "README.md")
wrong = []


def document(path):
    record = json.loads(gzip.decompress(path.read_bytes()))
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
            if not names or any(not laplace[i][i] for i in range(len(names))):
                level = {}
            else:
                solved = inverse([row[1:] for row in laplace[1:]])
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


def spread(half):
    return f" ±{half:.1f} %" if half < 9.95 else f" ±{half:.0f} %"


def check(what, said, made):
    if said != made:
        wrong.append(f"{what}: README says {said!r}, and the record gives {made!r}")


def some(names):
    names = names if len(names) <= 4 else names[:3] + [f"{len(names) - 3} others"]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def found(names, ranked, behind_all, here):
    """What is said where these were behind nobody, and so many behind all of them."""
    rest = ranked - len(names)
    if not rest:
        return f"{here}the {len(names)} frameworks cannot be told apart."
    if len(names) == 1:
        return f"{here}{names[0]} needed the least CPU time, ahead of all {rest} others."
    both, one = ("both", "one") if len(names) == 2 else ("all of them", "one of them")
    if not behind_all:
        who = "the other one was" if rest == 1 else f"each of the other {rest} was"
        what = f"behind {one}" + ("" if rest == 1 else f", none behind {both}")
    else:
        who = f"the other {rest}" if behind_all == rest else f"{behind_all} of the other {rest}"
        who, what = f"{who} {'was' if behind_all == 1 else 'were'}", f"behind {both}"
    return f"{some(names)} may each need the least CPU time; {here}{who} {what}."


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


def deviations(record, scenario, reference):
    """The field of sessions; `None` with fewer than four."""
    asks = lambda one: next(({k: v for k, v in s.items() if k not in ("title", "stands_for", "seconds")} for s in one["scenarios"] if s["id"] == scenario), None)
    version = lambda one: {a["id"]: a["framework_version"] for a in one["apps"] if a["variant"] == "default"}
    rows, known = {}, 0
    for number, one in enumerate(SESSIONS + [record]):
        if asks(one) != asks(record) or scenario in unranked(one, reference, [scenario]):
            continue
        last = {}
        for t in sorted((t for t in one["trials"] if t["scenario"] == scenario and t["variant"] == "default"), key=lambda t: t["attempt"]):
            last[t["app"], t["round"]] = t
        levels = {}
        for (n, r), t in last.items():
            if t["verdict"] not in FAILED and t["server_cpu_us_per_request"]:
                levels.setdefault(n, {})[r] = math.log(t["server_cpu_us_per_request"])
        field, known = Field(levels), known + 1
        for n, level in field.level.items():
            if len(levels[n]) >= 5 and version(one).get(n) == version(record).get(n):
                rows.setdefault(n, {})[number] = level
    if known < 4 or all(len(row) < 3 for row in rows.values()):
        return None
    field = Field({n: row for n, row in rows.items() if len(row) >= 3}, PRIOR_OF_SESSIONS)
    typical = median(field.var.values())
    for n in rows:  # what two sessions show of an app is little
        field.var.setdefault(n, typical)
        field.df[n] = max(5, field.df.get(n, 0))
    return field


def block(text, fails):
    path = re.search(r"\[The whole record\]\((.*?)\)", text)[1]
    record = document(README.parent / path)
    apps = {a["id"]: a for a in record["apps"] if a["variant"] == "default"}
    table = [[c.strip().replace("&nbsp;", " ") for c in line.strip("|").split(" | ")] for line in text.splitlines() if line.startswith("|")]
    scenarios = table[0][1:table[0].index("Mean")]
    reference = next(n for n, a in apps.items() if a["role"] == "reference")
    cells, first = {}, scenarios[0]
    for trial in record["trials"]:
        kept = cells.setdefault((trial["scenario"], trial["app"]), {})
        if trial["attempt"] >= kept.get(trial["round"], trial)["attempt"]:
            kept[trial["round"]] = trial
    use = lambda s, n: [t for t in cells.get((s, n), {}).values() if t["verdict"] not in FAILED]
    of = lambda s, n, figure: [t[figure] for t in use(s, n) if t.get(figure)]
    sound = lambda s, n: use(s, n) and "withdrawn" not in apps[n] and all(t["verdict"] not in FAILED - {"environment_failed"} for t in cells[s, n].values())

    def limit(s, n):
        """What limited a cell, if it was at least half of its trials or the ceiling's rate."""
        limits = [t["verdict"] for t in use(s, n) if t["verdict"] != "valid"]
        if 2 * len(limits) >= len(use(s, n)):
            return max(sorted(set(limits)), key=limits.count)
        ceiling = next((c for c, a in apps.items() if a["role"] == "ceiling" and sound(s, c)), n)
        near = median(of(s, n, "goodput_rps")) > 0.8 * median(of(s, ceiling, "goodput_rps"))
        return "client_bound" if ceiling != n and near and limit(s, ceiling) == "client_bound" else None

    ratios, ranks, leaders, wide = {}, {}, [], []
    costs = {s: of(s, reference, "server_cpu_us_per_request") for s in scenarios}
    moved = unranked(record, reference, scenarios)
    for s in scenarios:
        field = Field({n: {t["round"]: math.log(t["server_cpu_us_per_request"]) for t in use(s, n) if t["server_cpu_us_per_request"]} for n in apps})
        field.sessions = deviations(record, s, reference) if s not in moved else None
        wide += [s] if field.sessions else []
        for n in (n for n in apps if sound(s, n)):
            ratios[s, n] = field.ratio(n, reference)
        sentence = "no ranks."
        for tier in {a["tier"] for a in apps.values()} if s not in moved else ():
            group = [n for n, a in apps.items() if a["role"] == "framework" and a["tier"] == tier and sound(s, n) and len(of(s, n, "server_cpu_us_per_request")) >= 5]
            behind = field.behind(group)
            for n in group:
                best, worst = 1 + len(behind[n]), len(group) - sum(n in other for other in behind.values())
                ranks[s, n] = str(best) if best == worst else f"{best}–{worst}"
            if tier == "maintained":
                leading = sorted((n for n in group if not behind[n]), key=lambda n: ratios[s, n][0])
                leaders.append(leading)
                sentence = found([apps[n]["name"] for n in leading], len(group), sum(set(leading) <= behind[n] for n in group), "" if s in wide else "in this session ")
        check(f"sentence of {s}", re.search(rf"- \*\*{s}\*\* .*?`\): (.*)", text)[1], sentence)
    times = {n: sum(n in leading for leading in leaders) for leading in leaders for n in leading}
    most = max(times.values(), default=0)
    first_names = some([apps[n]["name"] for n in times if times[n] == most])
    are = "is" if list(times.values()).count(most) == 1 else "are"
    here = "N" if wide else "In this session n"
    sentence = f"{here}o framework is unbeaten in all {len(leaders)} scenarios; {first_names} {are} in {most} of them."
    if most == len(leaders):
        sentence = f"In all {most} scenarios{'' if wide else ' of this session'}, no framework was ahead of {first_names}."
    if len(leaders) > 1:
        check("first sentence", re.search(r"^\*\*((?:In|No) .*?)\*\*$", text, re.M)[1], sentence)

    def ends(n):
        """The ends of a mean's interval, as wide as if all ratios erred to the same side."""
        logs = [(math.log(ratio), math.log1p(half / 100)) for ratio, half in (ratios[s, n] for s in scenarios)]
        return [math.exp(sum(log + side * half for log, half in logs) / len(logs)) for side in (-1, 0, 1)]

    def mean_of(n):
        low, mean, high = ends(n)
        if n == reference:
            return f"{mean:.3f}"
        made = f"{mean:.3f}{spread(100 * (high / mean - 1))}"
        if apps[n]["role"] != "framework":
            return made
        others = [ends(o) for o, a in apps.items() if all(a[k] == apps[n][k] for k in ("role", "tier")) and all((s, o) in ratios for s in scenarios)]
        best, worst = 1 + sum(o[2] < low for o in others), len(others) - sum(o[0] > high for o in others)
        return f"{made}<br><sub>place {best if best == worst else f'{best}–{worst}'}</sub>"

    covers = r"\(by \d+ sessions\)" if wide else "covers this session only"
    if not re.search(covers, text):
        wrong.append(f"README does not say that an interval {covers}")
    shown = 0
    for row in table[2:]:
        name = re.search(r"\[(.*?)\]|\*(.*?)\*", row[0])
        name = (name[1] or name[2]).replace("\\", "")
        n = next((n for n, a in apps.items() if a["name"] == name), None)
        if n is None:
            continue
        shown += 1
        for s, cell in zip(scenarios, row[1:]):
            ratio, half = ratios[s, n]
            ratio = f"{ratio:.3f}"
            made = f"**{ratio}**" if ranks.get((s, n), "").split("–")[0] == "1" else ratio
            if n != reference:
                made += spread(half)
            small = [f"rank {ranks[s, n]}"] if (s, n) in ranks else []
            small.append(two(median(of(s, n, "server_cpu_us_per_request"))) + " µs")
            small += [f"database {two(median(x))} µs" for x in [of(s, n, "database_cpu_us_per_request")] if x]
            small += [] if limit(s, n) else [two(median(of(s, n, "goodput_rps"))) + " req/s"]
            bad = len({t["round"] for one in apps for t in use(s, one) if t.get("bad")})
            last = max(t["round"] for t in record["trials"] if t["scenario"] == s)
            made_rounds, rounds = min(record["harness"]["rounds"], last - bad), len(of(s, n, "server_cpu_us_per_request"))
            small += [f"{rounds} of {made_rounds} rounds"] if rounds < made_rounds else []
            check(f"{name} in {s}", cell, f"{made}<br><sub>{' · '.join(small)}</sub>")
        check(f"mean of {name}", row[len(scenarios) + 1].replace("\u00a0", " "), mean_of(n))
        memory = [median(t["rss_bytes"][what] for t in use(first, n) if t["rss_bytes"]) / 2**20 for what in ("idle", "peak")]
        check(f"memory of {name}", row[len(scenarios) + 2], " → ".join(map(three, memory)))
        if fails:
            check(f"fails of {name}", row[len(scenarios) + 3], str(fails.get(n, 0)))
    check("rows", shown, sum(any(sound(s, n) for s in scenarios) for n in apps))
    for count, of_all, s in re.findall(r"(\d+) of (\d+) in ([\w-]+)", text.split("Goodput is left out")[1].split("</sub>")[0]):
        limits = [limit(s, n) for n in apps if sound(s, n)]
        if int(count) not in {limits.count(kind) for kind in limits} or int(of_all) != len(limits):
            wrong.append(f"goodput left out: {count} of {of_all} in {s}, and the record gives {limits}")
    maintained = [n for n, a in apps.items() if a["role"] == "framework" and a["tier"] == "maintained" and sound(first, n)]
    return maintained, ratios, lambda s, figure: three(median(of(s, reference, figure)))


def session(path):
    """Ratios to the reference by scenario and app."""
    trials, levels = document(README.parent / path)["trials"], {}
    for trial in trials:
        if trial["verdict"] not in FAILED and trial["variant"] == "default" and trial["server_cpu_us_per_request"]:
            rows = levels.setdefault(trial["scenario"], {}).setdefault(trial["app"], {})
            rows[trial["round"]] = math.log(trial["server_cpu_us_per_request"])
    fields = {s: Field(rows) for s, rows in levels.items()}
    return lambda s, n: fields[s].ratio(n, "reference")


def says(sentence):
    if sentence not in " ".join(text.split()):
        wrong.append(f"README does not say: {sentence}")


text = README.read_text()
newest = re.search(r"\[The whole record\]\((bench-results/local/[^/]*?)\)", text)[1]
folder = README.parent / "bench-results/local"
SESSIONS = [document(path) for path in sorted([*folder.glob("2*.gz"), *folder.glob("sessions/2*.gz")], key=lambda path: path.name)]
SESSIONS = [one for one in SESSIONS if one["id"] != Path(newest).name.split(".")[0] and one["harness"]["cargo_profile"] == "release"]
for verdict in json.loads((Path(__file__).parent / "published/words.json").read_text())["verdicts"]:
    if f"\n| `{verdict['id']}` | {verdict['happened']} | {verdict['counts']} |\n" not in text:
        wrong.append(f"README's row of the verdict `{verdict['id']}` is not that of published/words.json")
probes = document(max((README.parent / "bench-results/probes").glob("2*.json.gz")))
must, fails = {c["id"] for c in probes["cases"] if c["level"] == "must"}, {}
for one in probes["results"]:
    if one["variant"] == "default" and one["outcome"] == "failed" and one["case"] in must:
        fails[one["app"]] = fails.get(one["app"], 0) + 1
parts = {kind: text.split(f"<!-- {kind}:begin -->")[1].split(f"<!-- {kind}:end -->")[0] for kind in ("results", "database-results")}
block(parts["results"], fails)
maintained, ratios, reference = block(parts["database-results"], None)
ratio = {s: {n.removesuffix("-postgres"): ratios[s, n][0] for n in maintained} for s in ("db", "fortunes")}
db = sorted(x for n, x in ratio["db"].items() if n != "rocket")
others = {"warp", "poem", "silent", "rocket"}
askama = sorted(x for n, x in ratio["fortunes"].items() if n not in others)
warp, poem, silent, rocket = (ratio["fortunes"][n] for n in ("warp", "poem", "silent", "rocket"))
says(f"{len(db)} of {len(db) + 1} cost {db[0]:.2f} to {db[-1]:.2f} times the reference in `db`, and Rocket {ratio['db']['rocket']:.2f}")
says(f"{warp:.2f} with Handlebars (warp), {poem:.2f} and {silent:.2f} with Tera (Poem, Silent), and {askama[0]:.2f} to {askama[-1]:.2f}")
says(f"with Askama for all but Rocket ({rocket:.2f})")
cpu, database = "server_cpu_us_per_request", "database_cpu_us_per_request"
says(f"takes {reference('db', database)} µs of CPU time for a row, where the reference takes {reference('db', cpu)}")
says(f"{reference('orders', database)} µs for a new order, where the reference takes {reference('orders', cpu)}")
covers = text.split("**What does an interval cover?**")[1].split("\n\n")[0]
sessions = [session(path) for path in re.findall(r"\((bench-results/local/.*?json.gz)\)", covers)[:4]]
in_all = lambda s, n: [f"{ratio(s, n)[0]:.3f}" for ratio in sessions]
listed = lambda s, n: "{}, {}, {} and {}".format(*in_all(s, n))
half = lambda s, n: f"±{sessions[1](s, n)[1]:.1f} %"
rocket, actix = in_all("plaintext", "rocket"), sorted(in_all("plaintext", "actix-web"))
says(f"Rocket cost {listed('plaintext', 'rocket')} times the reference in `plaintext`")
says(f"the second session alone says {rocket[1]} {half('plaintext', 'rocket')}")
says(f"Axum {listed('simple', 'axum')} times in `simple` ({half('simple', 'axum')})")
says(f"between {actix[0]} and {actix[-1]} in `plaintext`")
print("\n".join(wrong) or "README.md says what its records say")
sys.exit(bool(wrong))
