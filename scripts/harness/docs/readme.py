#!/usr/bin/env python3
"""Recomputes every figure and sentence of README.md's results from the records that it names, independently of the harness.

Only the trials of a record are read, not its summary; the model is the one that ranking.md describes. Prints what differs, and exits
with 1 if anything does. Usage: readme.py [README.md]
"""
import gzip, json, math, re, sys
from pathlib import Path
from statistics import median

FAILED = {"environment_failed", "contract_failed", "crashed", "build_failed"}
PRIOR, NOISY, KNOWN_FROM = 2, 3, 5
README = Path(sys.argv[1] if len(sys.argv) > 1 else "README.md")
wrong = []


def document(path):
    return json.loads(gzip.decompress(path.read_bytes()))


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

    def __init__(self, rows):
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
            prior = median(squares[n] / self.df[n] for n in rows if self.df[n] > 1e-6)
            drawn = {n: 0 if self.df[n] > 1e-6 and squares[n] / self.df[n] > NOISY * prior else PRIOR for n in rows}
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

    def difference(self, a, b):
        """Estimate, standard error, degrees of freedom (Satterthwaite)."""
        c = lambda x, y: self.cov.get((x, y), 0.0)
        error = math.sqrt(max(c(a, a) + c(b, b) - 2 * c(a, b), 0))
        va, vb = self.var[a], self.var[b]
        return self.level[a] - self.level[b], error, (va + vb) ** 2 / (va * va / self.df[a] + vb * vb / self.df[b])

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
                pairs.append((2 * tail(abs(estimate) / error, df), *((a, b) if estimate > 0 else (b, a))))
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


def three(x):
    """Three significant digits, with thousands separators."""
    digits = max(0, 2 - math.floor(math.log10(float("%.2e" % x))))
    return f"{float('%.2e' % x):,.{digits}f}"


def check(what, said, made):
    if said != made:
        wrong.append(f"{what}: README says {said!r}, and the record gives {made!r}")


def some(names):
    names = names if len(names) <= 4 else names[:3] + [f"{len(names) - 3} others"]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def found(names, ranked, behind_all):
    """What is said where these were behind nobody, and so many behind all of them."""
    rest = ranked - len(names)
    if not rest:
        return f"in this session the {len(names)} frameworks cannot be told apart."
    if len(names) == 1:
        return f"in this session {names[0]} needed the least CPU time, ahead of all {rest} others."
    both, one = ("both", "one") if len(names) == 2 else ("all of them", "one of them")
    if not behind_all:
        who = "the other one was" if rest == 1 else f"each of the other {rest} was"
        what = f"behind {one}" + ("" if rest == 1 else f", none behind {both}")
    else:
        who = f"the other {rest}" if behind_all == rest else f"{behind_all} of the other {rest}"
        who, what = f"{who} {'was' if behind_all == 1 else 'were'}", f"behind {both}"
    return f"{some(names)} may each need the least CPU time; in this session {who} {what}."


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

    ratios, ranks, leaders = {}, {}, []
    costs = {s: of(s, reference, "server_cpu_us_per_request") for s in scenarios}
    moved = [s for s in scenarios if max(costs[s]) > 1.3 * min(costs[s])]
    if 2 * len(moved) >= len(scenarios):
        moved = scenarios
    for s in scenarios:
        field = Field({n: {t["round"]: math.log(t["server_cpu_us_per_request"]) for t in use(s, n)} for n in apps})
        for n in (n for n in apps if sound(s, n)):
            ratios[s, n] = field.ratio(n, reference)
        sentence = "no ranks."
        for tier in {a["tier"] for a in apps.values()} if s not in moved else ():
            group = [n for n, a in apps.items() if a["role"] == "framework" and a["tier"] == tier and sound(s, n) and len(use(s, n)) >= 5]
            behind = field.behind(group)
            for n in group:
                best, worst = 1 + len(behind[n]), len(group) - sum(n in other for other in behind.values())
                ranks[s, n] = str(best) if best == worst else f"{best}–{worst}"
            if tier == "maintained":
                leading = sorted((n for n in group if not behind[n]), key=lambda n: ratios[s, n][0])
                leaders.append(leading)
                sentence = found([apps[n]["name"] for n in leading], len(group), sum(set(leading) <= behind[n] for n in group))
        check(f"sentence of {s}", re.search(rf"- \*\*{s}\*\* .*?`\): (.*)", text)[1], sentence)
    times = {n: sum(n in leading for leading in leaders) for leading in leaders for n in leading}
    most = max(times.values(), default=0)
    first_names = some([apps[n]["name"] for n in times if times[n] == most])
    are = "is" if list(times.values()).count(most) == 1 else "are"
    sentence = f"In this session no framework is unbeaten in all {len(leaders)} scenarios; {first_names} {are} in {most} of them."
    if most == len(leaders):
        sentence = f"In all {most} scenarios of this session, no framework was ahead of {first_names}."
    if len(leaders) > 1:
        check("first sentence", re.search(r"^\*\*(In .*?)\*\*$", text, re.M)[1], sentence)

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
                made += f" ±{half:.1f} %" if half < 9.95 else f" ±{half:.0f} %"
            small = [f"rank {ranks[s, n]}"] if (s, n) in ranks else []
            small.append(three(median(of(s, n, "server_cpu_us_per_request"))) + " µs")
            small += [f"database {three(median(x))} µs" for x in [of(s, n, "database_cpu_us_per_request")] if x]
            small += [] if limit(s, n) else [three(median(of(s, n, "goodput_rps"))) + " req/s"]
            small += [f"{len(use(s, n))} of {record['harness']['rounds']} rounds"] if len(use(s, n)) < record["harness"]["rounds"] else []
            check(f"{name} in {s}", cell, f"{made}<br><sub>{' · '.join(small)}</sub>")
        mean = math.exp(sum(math.log(ratios[s, n][0]) for s in scenarios) / len(scenarios))
        check(f"mean of {name}", row[len(scenarios) + 1], f"{mean:.3f}")
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
        if trial["verdict"] not in FAILED and trial["variant"] == "default":
            rows = levels.setdefault(trial["scenario"], {}).setdefault(trial["app"], {})
            rows[trial["round"]] = math.log(trial["server_cpu_us_per_request"])
    fields = {s: Field(rows) for s, rows in levels.items()}
    return lambda s, n: fields[s].ratio(n, "reference")


def says(sentence):
    if sentence not in " ".join(text.split()):
        wrong.append(f"README does not say: {sentence}")


text = README.read_text()
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
sessions = [session(path) for path in re.findall(r"\((bench-results/local/.*?json.gz)\)", covers)]
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
