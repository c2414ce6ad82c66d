#!/usr/bin/env python3
"""Checks that the tables of these pages are what committed records say, independently of the harness; with --write, makes them.

A table stands between `<!-- KIND WORDS RECORDS -->` and `<!-- end -->`, records as paths below bench-results/local:
  grid SCENARIO,… [mean=yes] [own=SCENARIO,…] [memory=SCENARIO,…] [by=SCENARIO]
      a row for each server, a column for each scenario: CPU time against the reference's of the same rounds; in order by the first, or `by`
  rows SCENARIO,… [with=COLUMN,…]
      a row for each server and scenario, a column for each figure
  variations SCENARIO,… as=SUFFIX,… [plain=TITLE] [with=memory]
      a row for each server and scenario, a column for each of its variations: CPU time against the plain one's, paired within the rounds
  builds
      what a server costs to build
Of all: apps=ID,… leaves out the others, first=ID,… puts these first, fold=TITLE folds it. Exits with 1 if a table is not what its records say.
Usage: tables.py [--write] [PAGE…]
"""
import functools, gzip, json, math, re, sys
from pathlib import Path
from statistics import median

from estimates import Field, interval, place, quantile

DOCS = Path(__file__).resolve().parent
LOCAL = DOCS.parents[2] / "bench-results/local"
VERDICTS = [verdict["id"] for verdict in json.loads((DOCS / "published/words.json").read_text())["verdicts"]]  # from the best to the worst
KEPT, FAILED = map(VERDICTS.index, ("incomplete", "environment_failed"))  # the first that count in part, and not at all
OF_SERVER = "build_failed", "crashed", "contract_failed"
CPU, NONE, MIB = "server_cpu_us_per_request", "–", 2**20
GREETING = len("Hello, World!")  # the body of GET /
GROUPS = [("maintained", None), ("engine", "Engines, no framework"), ("legacy", "Legacy, no longer maintained"), ("", "To compare with")]


def significant(value):
    if value is None:
        return NONE
    exponent = int(f"{value:.2e}".split("e")[1])
    return f"{float(f'{value:.2e}'):,.{min(4, max(0, 2 - exponent))}f}" if value else "0"


def spread(share):
    return f"±{100 * share:.{1 if share < 0.0995 else 0}f} %"


def ratio(value):
    return f"{value:.3f}" if value < 9.9995 else significant(value)


def joined(words):
    """`a, b and c`, each once."""
    *most, last = dict.fromkeys(words)
    return f"{', '.join(most)} and {last}" if most else last


def is_unanswered(trial):
    """Whether all that failed is that requests were never answered, as is known of some frameworks."""
    return bool(trial["reasons"]) and all(map(re.compile(r"^the load did not end within |: expected an answer, got nothing within \d+ s$").search, trial["reasons"]))


class Cell:
    """What one server did in one scenario: the last attempts of its rounds, those of them that count, and the verdict."""

    def __init__(self, app, trials):
        last = {}
        for trial in sorted(trials, key=lambda trial: trial["attempt"]):
            last[trial["round"]] = trial
        self.app, self.last = app, [last[r] for r in sorted(last)]
        self.usable = [trial for trial in self.last if VERDICTS.index(trial["verdict"]) < FAILED]
        of = [trial["verdict"] for trial in self.last]
        limits = [v for v in VERDICTS if v in of and v != "valid" and VERDICTS.index(v) < FAILED]
        self.verdict = next((v for v in OF_SERVER if v in of), None)
        failed = [trial for trial in self.last if trial["verdict"] in OF_SERVER]
        if app.get("build_error") or app.get("withdrawn"):
            self.verdict = "build_failed" if app.get("build_error") else "contract_failed"
        elif self.verdict == "contract_failed" and app.get("known_fault") and len(self.usable) >= 3 and all(map(is_unanswered, failed)):
            self.verdict = "incomplete"
        elif not self.verdict and 2 * (len(of) - len(self.usable)) >= len(of):
            self.verdict = "environment_failed"
        elif not self.verdict and "incomplete" in of:
            self.verdict = "incomplete"
        elif not self.verdict:
            limited = sum(of.count(v) for v in limits)
            self.verdict = max(limits, key=of.count) if limited and 2 * limited >= len(self.usable) else "valid"
            if self.verdict == "valid" and self.width("goodput_rps") > 0.5:
                self.verdict = "unstable"

    def figure(self, of, by=median):
        values = [value for value in map(of, self.usable) if value is not None]
        return by(values) if values else None

    def of(self, name, by=median):
        return self.figure(lambda trial: trial.get(name), by)

    def width(self, name):
        """Of the interval of a figure's median, as a share of it; 0 where there is none."""
        values = [trial[name] for trial in self.usable if trial.get(name)]
        low, high = interval(values) if len(values) >= 5 else (0, 0)
        return (high - low) / median(values or [1])

    def memory(self, when):
        bytes = self.figure(lambda trial: (trial.get("rss_bytes") or {}).get(when))
        return bytes and bytes / MIB

    def marked(self, text, stands=("valid",)):
        """A figure: in parentheses where the machine disturbed half of its rounds, struck through where its verdict does not let it stand."""
        if text == NONE:
            return NONE
        if VERDICTS.index(self.verdict) >= FAILED:
            return f"({text})"
        return text if self.verdict in stands else f"~~{text}~~"

    def cost(self, text):
        return self.marked(text, VERDICTS[:KEPT])

    def latency(self, name, by=median):
        value = self.figure(lambda trial: (trial.get("latency_ms") or {}).get(name), by)
        return NONE if value is None else self.marked(significant(value), ("valid", "unsaturated"))

    def why(self):
        """Why its figures are missing, in parentheses, or of a part of its rounds."""
        own = [trial for trial in self.last if trial["verdict"] == self.verdict]
        if self.verdict == "incomplete" and not own:
            few = "" if len(self.usable) >= 5 else f"; the {len(self.usable)} without it are too few for an interval"
            lost = sum(trial["verdict"] in OF_SERVER for trial in self.last)
            return f"requests were never answered in {lost} of {len(self.last)} trials, a known fault{few}"
        reason = self.app.get("withdrawn") or (own[0]["reasons"] or [""])[0] if own else self.app.get("build_error") or "not measured"
        share = f" in {len(own)} of {len(self.last)} trials" if own else ""
        return f"{self.verdict.replace('_', ' ')}{share}: {reason}".replace("_", "\\_")


class Record:
    def __init__(self, path):
        self.path, self.record = path, json.loads(gzip.decompress((LOCAL / path).read_bytes()))
        self.apps = {(app["id"], app["variant"]): app for app in self.record["apps"]}
        self.scenarios = {scenario["id"]: scenario for scenario in self.record["scenarios"]}
        trials = {}
        for trial in self.record.get("trials", ()):
            trials.setdefault((trial["scenario"], trial["app"], trial["variant"]), []).append(trial)
        self.cells = {at: Cell(self.apps[at[1:]], found) for at, found in trials.items() if at[1:] in self.apps}
        self.near_ceiling()

    def near_ceiling(self):
        """A server that comes near the smallest possible one was limited by the load generator, if that one was."""
        for scenario in self.scenarios:
            of = {at[1:]: cell for at, cell in self.cells.items() if at[0] == scenario}
            top = next((cell for cell in of.values() if cell.app["role"] == "ceiling" and cell.verdict == "client_bound"), None)
            for cell in of.values() if top else ():
                if cell.verdict in VERDICTS[:VERDICTS.index("unstable")] and (cell.of("goodput_rps") or 0) > 0.8 * top.of("goodput_rps"):
                    cell.verdict = "client_bound"

    @functools.cache
    def field(self, scenario):
        logs = lambda cell: {trial["round"]: math.log(trial[CPU]) for trial in cell.usable if trial.get(CPU)}
        return Field({at[1:]: logs(cell) for at, cell in self.cells.items() if at[0] == scenario})

    def the(self, role):
        return next((key for key, app in self.apps.items() if app["role"] == role and key[1] == "default"), None)

    def over_reference(self, scenario, key):
        """A server's CPU time against the reference's: estimate and half of the 95 % interval, as logarithms; None where there is none."""
        field, reference = self.field(scenario), self.the("reference")
        if key not in field.rows or reference not in field.rows:
            return None
        estimate, error, freedom = field.difference(key, reference) if key != reference else (0.0, None, None)
        return estimate, error and error * quantile(round(freedom, 6))

    def own_work(self, scenario, key):
        field, low, high = self.field(scenario), self.the("ceiling"), ("rocket", "default")
        version = self.apps.get(high, {}).get("framework_version")
        if not {low, high, key} <= field.rows.keys() or version != "0.5.2" or field.difference(high, low)[0] < math.log(1.5):
            return None
        if key in (low, high):
            return "0" if key == low else "100"
        at, half = place(field, key, low, high)
        margin = f" ±{math.ceil(math.hypot(6, 40 * at, 100 * half))}" if half is not None else ""
        return f"{100 * at:.0f}{margin}".replace("-", "−")

    def about(self, shown):
        """Where it is, and how the scenarios that are shown were measured."""
        link, loads = f"[{self.record['id']}](../../../bench-results/local/{self.path})", [self.scenarios[s] for s in shown if s in self.scenarios]
        if not loads or not self.record["trials"]:
            return link
        e, cpu = self.record["environment"], self.record["environment"].get("cpu") or {}
        divided = [s["id"] for s in loads if s.get("cpu_quota") and s.get("slice_seconds") and s["load"]["model"] == "closed" and not s.get("workers")]
        share = f" {100 * e['server_cpu_quota']:.0f} % of the time of" if e.get("server_cpu_quota") and divided else ""
        only = f" in {joined(divided)}" if share and len(divided) < len(loads) else ""
        lengths = joined(f"{s['requests']:,} requests" if s.get("requests") else f"{s['seconds']:g} s" for s in loads)
        ways, programs = joined("slices" if s.get("slice_seconds") else "one load" for s in loads), joined(s.get("generator", "oha") for s in loads)
        machine = f"{e['cpu_model']} {cpu.get('family', '?')}/{cpu.get('model', '?')}, servers on{share} {len(e['server_cpus'])} of {e['logical_cpus']} cpus{only}"
        return f"{link} ({machine}, {self.record['harness']['rounds']} rounds of {lengths} in {ways} by {programs})"


class Made:
    """One table: its rows in groups, and what has to be said below it."""

    def __init__(self, words):
        self.paths = [word for word in words if word.endswith(".json.gz")]
        self.records = [read(path) for path in self.paths]
        self.options = dict(word.split("=", 1) for word in words if "=" in word)
        self.scenarios = [s for word in words if word not in self.paths and "=" not in word for s in word.split(",")]
        self.notes = {}

    def list(self, name):
        return [word for word in self.options.get(name, "").split(",") if word]

    def record(self, scenario):
        found = next((record for record in self.records if scenario in record.scenarios), None)
        return found or sys.exit(f"none of {', '.join(self.paths)} has the scenario {scenario}")

    def cell(self, scenario, key):
        """None where there is nothing to show; then, or where not all rounds count, the reason is noted."""
        record = self.record(scenario)
        cell = record.cells.get((scenario, *key))
        if cell is None:
            if key in record.apps:
                offered = record.scenarios[scenario].get("protocol", "http1") in record.apps[key].get("protocols", ["http1"])
                self.note("not measured" if offered else "not offered", key, scenario)
            return None
        if VERDICTS.index(cell.verdict) >= KEPT:
            self.note(cell.why(), key, scenario)
        return cell if cell.usable and cell.verdict not in OF_SERVER else None

    def note(self, reason, key, scenario):
        self.notes.setdefault(reason, {}).setdefault(self.name(key), {})[scenario] = None

    def app(self, key):
        return next(record.apps[key] for record in self.records if key in record.apps)

    def name(self, key):
        app = self.app(key)
        name = app["name"].replace("_", "\\_") + ("" if key[1] == "default" else f"/{key[1]}")
        return f"{name} {app['framework_version']}" if app["role"] == "framework" else f"*{name}*"

    def keys(self, order):
        wanted = self.list("apps")
        measured = lambda record, key: any((s, *key) in record.cells for s in self.scenarios) or not self.scenarios
        keys = {key: None for record in self.records for key in record.apps if measured(record, key)}
        keys = [key for key in keys if not wanted or key[0] in wanted or "/".join(key) in wanted]
        group = lambda app: app["tier"] if app["role"] == "framework" else ""
        first = self.list("first")
        for tier, title in GROUPS:
            rank = lambda key: (first.index(key[0]) if key[0] in first else len(first), order(key))
            yield title, sorted((key for key in keys if group(self.app(key)) == tier), key=rank)

    def text(self, head, row, order):
        """Markdown of a table; `row` gives the cells of a server, or several rows of them."""
        rows = []
        for title, keys in self.keys(order):
            made = [[self.name(key) if at == 0 else "", *line] for key in keys for at, line in enumerate(row(key))]
            made = [line for line in made if any(cell != NONE and not cell.startswith("`") for cell in line[1:])]
            if made and title:
                rows.append([f"*{title}*"] + [""] * len(head))
            rows += made
        table = [["Server", *head], [":--"] + ["--:" if title else ":--" for title in head], *rows]
        lines = ["| " + " | ".join(line) + " |" for line in table]
        whose = lambda of: "; ".join(f"{name}, {', '.join(scenarios)}" for name, scenarios in of.items())
        notes = [f"- {whose(of)}: {reason}" for reason, of in self.notes.items()]
        lines += ["", *notes] if notes else []
        if "fold" in self.options:
            lines = ["<details>", f"<summary>{self.options['fold'].replace('_', ' ')}</summary>", "", *lines, "", "</details>"]
        lines += ["", f"By {'; '.join(record.about(self.scenarios) for record in self.records)}."]
        return "\n".join(lines)


@functools.cache
def read(path):
    return Record(path) if (LOCAL / path).is_file() else sys.exit(f"there is no record {LOCAL / path}")


def cost(made, scenario, key, more=""):
    """`1.182 ±4.8 %`, and µs below it."""
    cell = made.cell(scenario, key)
    found = cell and made.record(scenario).over_reference(scenario, key)
    if not cell or cell.of(CPU) is None:
        return NONE
    half = f" {spread(math.exp(found[1]) - 1)}" if found and found[1] else ""
    above = cell.cost(ratio(math.exp(found[0]))) + half + "<br>" if found else ""
    return f"{above}<sub>{cell.cost(f'{significant(cell.of(CPU))} µs')}{more}</sub>".replace(" ", "\u00a0")


def by_cost(made, scenario):
    def order(key):
        record = made.record(scenario)
        cell, found = record.cells.get((scenario, *key)), record.over_reference(scenario, key)
        return cell is None or VERDICTS.index(cell.verdict) >= KEPT, found[0] if found else math.inf

    return order


def grid(made):
    own, memory = made.list("own"), made.list("memory")
    head = [column for s in made.scenarios for column in [f"`{s}`"] + ["own work"] * (s in own)] + [f"`{s}`, MiB" for s in memory]

    def row(key):
        line = []
        for s in made.scenarios:
            cell = made.cell(s, key)
            line.append(cost(made, s, key, f", {cell.latency('mean')} ms" if cell and "mean" in made.options else ""))
            line += [cell.cost(made.record(s).own_work(s, key) or NONE) if cell else NONE] * (s in own)
        for s in memory:
            cell = made.cell(s, key)
            line.append(cell.cost(significant(cell.memory("peak"))) if cell else NONE)
        return [line]

    return made.text(head, row, by_cost(made, made.options.get("by", made.scenarios[0])))


def transferred(made, scenario, key):
    """MiB per second, computed: answers × the bytes of one, whose head the audit has."""
    app, cell = made.app(key), made.record(scenario).cells[(scenario, *key)]
    for record in made.records:
        audited = record.apps.get(key, {})
        for request in (audited.get("costs") or {}).get("requests", ()):
            head = (request.get("head") or {}).get("measured")
            if head and request["scenario"] == "plaintext" and audited["framework_version"] == app["framework_version"] and cell.of("goodput_rps"):
                return cell.marked(significant(cell.of("goodput_rps") * (head["bytes"] + GREETING) / MIB))
    return NONE


def errors(cell):
    wrong = sum(sum(trial["errors"].values()) + sum(n for status, n in trial["requests"].items() if status != "200") for trial in cell.last)
    return f"{wrong:,}"


COLUMNS = {
    "cpu": ("CPU ÷ reference", lambda made, s, key, cell: cost(made, s, key)),
    "rps": ("req/s", lambda made, s, key, cell: cell.marked(significant(cell.of("goodput_rps")))),
    "min": ("min", lambda made, s, key, cell: cell.latency("min", min)),
    "mean": ("mean", lambda made, s, key, cell: cell.latency("mean")),
    "p50": ("median", lambda made, s, key, cell: cell.latency("p50")),
    "p95": ("95 %", lambda made, s, key, cell: cell.latency("p95")),
    "p99": ("99 %", lambda made, s, key, cell: cell.latency("p99")),
    "p99_9": ("99.9 %", lambda made, s, key, cell: cell.latency("p99_9")),
    "max": ("max", lambda made, s, key, cell: cell.latency("max", max)),
    "requests": ("requests", lambda made, s, key, cell: f"{sum(trial['requests'].get('200', 0) for trial in cell.usable):,}"),
    "errors": ("errors", lambda made, s, key, cell: errors(cell)),
    "transfer": ("MiB/s", lambda made, s, key, cell: transferred(made, s, key)),
    "before": ("MiB before", lambda made, s, key, cell: significant(cell.memory("idle"))),
    "most": ("most", lambda made, s, key, cell: significant(cell.memory("peak"))),
    "after": ("after", lambda made, s, key, cell: significant(cell.memory("after"))),
    "startup": ("start-up, ms", lambda made, s, key, cell: significant(cell.of("startup_ms"))),
    "verdict": ("verdict", lambda made, s, key, cell: cell.verdict.replace("_", "-")),
}


def rows(made):
    columns = [COLUMNS[name] for name in made.list("with") or COLUMNS]
    several = len(made.scenarios) > 1

    def row(key):
        for s in made.scenarios:
            cell = made.cell(s, key)
            if cell:
                yield [f"`{s}`"] * several + [of(made, s, key, cell) for _, of in columns]

    return made.text([""] * several + [title for title, _ in columns], row, by_cost(made, made.scenarios[0]))


def variations(made):
    plain, suffixes, several = made.scenarios, made.list("as"), len(made.scenarios) > 1
    of = {s: [s, *(f"{s}-{suffix}" for suffix in suffixes)] for s in plain}
    made.scenarios = [name for names in of.values() for name in names]

    def figures(cell):
        return {trial["round"]: trial[CPU] for trial in cell.usable if trial.get(CPU)}

    def text(cell, base):
        more = f", {significant(cell.memory('peak'))} MiB" if "memory" in made.list("with") else ""
        below = f"<sub>{cell.cost(f'{significant(cell.of(CPU))} µs')}{more}</sub>"
        own = figures(cell)
        pairs = [own[r] / base[r] for r in own if r in base]
        if not pairs:
            return below
        ends = f" [{', '.join(map(ratio, interval(pairs)))}]" if len(pairs) >= 5 else ""
        return f"×{ratio(median(pairs))}{ends}<br>{below}"

    def row(key):
        for s, names in of.items():
            cells = [made.cell(name, key) for name in names]
            base = [{}] + [figures(cells[0]) if cells[0] else {}] * len(suffixes)
            texts = [text(cell, to).replace(" ", "\u00a0") if cell and cell.of(CPU) else NONE for cell, to in zip(cells, base)]
            yield [f"`{s}`"] * several + texts

    return made.text([""] * several + [made.options.get("plain", "plain"), *suffixes], row, by_cost(made, plain[0]))


def builds(made):
    measured = lambda of, name: (of.get(name) or {}).get("measured")

    def row(key):
        of = (made.app(key).get("costs") or {}).get("build") or {}
        seconds, again, stripped, crates = (measured(of, name) for name in ("clean_build_seconds", "incremental_build_seconds", "stripped_bytes", "dependencies"))
        show = lambda value: NONE if value is None else significant(value)
        yield [show(seconds), show(again and again["median"]), show(stripped and stripped / MIB), NONE if crates is None else str(crates["names"])]

    clean = lambda key: measured((made.app(key).get("costs") or {}).get("build") or {}, "clean_build_seconds") or math.inf
    return made.text(["clean build, s", "rebuild, s", "stripped, MiB", "crates"], row, clean)


KINDS = {"grid": grid, "rows": rows, "variations": variations, "builds": builds}
MARK = re.compile(rf"<!-- ((?:{'|'.join(KINDS)}) [^>]*) -->\n(.*?)<!-- end -->", re.S)


def remade(text):
    def table(found):
        kind, *words = found[1].split()
        return f"<!-- {found[1]} -->\n\n{KINDS[kind](Made(words))}\n\n<!-- end -->"

    return MARK.sub(table, text)


def main(words):
    wrong, write = 0, "--write" in words
    for page in [Path(word) for word in words if word != "--write"] or sorted(DOCS.glob("*.md")):
        text = page.read_text()
        made = remade(text)
        if write:
            page.write_text(made)
        elif made != text:
            wrong += 1
            lines = set(text.splitlines())
            print(f"{page.name}: its records say otherwise (tables.py --write mends it):", *[line for line in made.splitlines() if line not in lines][:5], sep="\n")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(sys.argv[1:])
