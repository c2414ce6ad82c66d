#!/usr/bin/env python3
"""What a run on one kind of machine says of another: the candidates of ranking.md's "Own work", held against each other.

Each candidate predicts the CPU time of every maintained framework's request on a machine of which only the smallest server, the reference and
Rocket 0.5.2 are known. Printed is the error that 95 % of the predictions stay within, in % of that CPU time, for each pair of machines; then how
far own work itself is from its place elsewhere, by place, and the pairs that are in another order there.
Last, half the 95 % interval of a ratio to the reference for another session, by sessions and rounds, on the kind with most sessions.
Usage: own-work.py RECORD...   [default: the committed sessions and, for instructions, the audit]
"""
import gzip, json, math, sys
from itertools import combinations, permutations
from pathlib import Path
from statistics import mean, median

LOCAL = Path(__file__).resolve().parents[3] / "bench-results/local"
SCENARIOS = "plaintext", "hello", "simple"
MARGIN = 6.0, 0.4
COUNTS = ("valid", "unsaturated", "client_bound")


def read(path):
    return json.loads(gzip.decompress(Path(path).read_bytes()))


def kind(record):
    e = record["environment"]
    cpu = e.get("cpu") or {}
    quota = "half of it" if e.get("server_cpu_quota") else "all of it"
    return f"{e['cpu_model']}, {cpu.get('family', 'family')} {cpu.get('model', 'unknown')}, {quota}"


def costs(record):
    """Median CPU time per request by scenario and app."""
    found = {}
    for t in record["trials"]:
        if t["variant"] == "default" and t.get("server_cpu_us_per_request") and t["verdict"] in COUNTS:
            found.setdefault((t["scenario"], t["app"]), []).append(t["server_cpu_us_per_request"])
    return {at: median(values) for at, values in found.items()}


def within(errors, share=0.95):
    errors = sorted(map(abs, errors))
    return errors[min(len(errors) - 1, math.ceil(share * len(errors)) - 1)] if errors else math.nan


audit = {}
for app in read(sorted(LOCAL.glob("audit/*.json.gz"))[0])["apps"]:
    for request in (app.get("costs") or {}).get("requests", ()) if app["variant"] == "default" else ():
        audit[request["scenario"], app["id"]] = (request.get("instructions") or {}).get("measured")
sessions, frameworks, kinds = {}, set(), {}
for path in sys.argv[1:] or [*sorted(LOCAL.glob("sessions/*.json.gz")), *sorted(LOCAL.glob("*.json.gz"))]:
    record = read(path)
    kinds.setdefault(kind(record), []).append(record)
    frameworks |= {a["id"] for a in record["apps"] if (a["role"], a["tier"]) == ("framework", "maintained") and a["id"] != "rocket"}
    found = costs(record)
    for scenario in SCENARIOS:
        cpu = {app: value for (of, app), value in found.items() if of == scenario}
        if {"ceiling", "reference", "rocket"} <= cpu.keys():
            sessions.setdefault(kind(record), {}).setdefault(scenario, []).append(cpu)


def middle(sessions):
    """A machine's CPU times over its sessions: the reference's median, and that of the others' ratios to it."""
    of_reference = median(cpu["reference"] for cpu in sessions)
    apps = {app for cpu in sessions for app in cpu}
    return {app: of_reference * median(cpu[app] / cpu["reference"] for cpu in sessions if app in cpu) for app in apps}


machines = {name: {scenario: middle(of) for scenario, of in scenarios.items()} for name, scenarios in sessions.items()}


def place(cpu, app):
    return (cpu[app] - cpu["ceiling"]) / (cpu["rocket"] - cpu["ceiling"])


def predictions(here, there, scenario, app):
    span = there["rocket"] - there["ceiling"]
    cheapest = min(here[a] for a in here if a in frameworks and a in there)
    of_cheapest = min(there[a] for a in there if a in frameworks and a in here)
    found = {
        "× the cheapest": of_cheapest * here[app] / cheapest,
        "× the reference": there["reference"] * here[app] / here["reference"],
        "own work in µs": there["ceiling"] + here[app] - here["ceiling"],
        "own work, place": there["ceiling"] + place(here, app) * span,
    }
    counts = {a: audit.get((scenario, a)) for a in (app, "ceiling", "rocket")}
    if all(counts.values()):
        found["instructions, place"] = there["ceiling"] + place(counts, app) * span
    return found


columns = ["× the cheapest", "× the reference", "own work in µs", "own work, place", "instructions, place"]
print(f"| from | to | figures | {' | '.join(columns)} | pairs 5 % apart | reversed |")
print("| :-- | :-- | --: |" + " --: |" * (len(columns) + 2))
moved, everything = [], {c: [] for c in columns}
for one, other in permutations(machines, 2):
    errors, pairs, turned = {c: [] for c in columns}, 0, 0
    for scenario in SCENARIOS:
        here, there = machines[one].get(scenario), machines[other].get(scenario)
        if not here or not there:
            continue
        shared = sorted(frameworks & here.keys() & there.keys())
        for app in shared:
            for column, predicted in predictions(here, there, scenario, app).items():
                errors[column].append(100 * (predicted / there[app] - 1))
            moved.append((100 * place(here, app), 100 * (place(there, app) - place(here, app)), one, other))
        for a, b in combinations(shared, 2):
            if abs(math.log(here[a] / here[b])) > 0.05:
                pairs, turned = pairs + 1, turned + ((here[a] - here[b]) * (there[a] - there[b]) < 0)
    for column in columns:
        everything[column] += errors[column]
    cells = [f"±{within(errors[c]):.0f} %" for c in columns]
    print(f"| {one} | {other} | {len(errors[columns[0]])} | {' | '.join(cells)} | {pairs} | {turned} |")
print(f"| all | | {len(moved)} | " + " | ".join(f"±{within(everything[c]):.0f} %" for c in columns) + " | | |")
print("\n| place here | figures | 95 % within | within the margin |\n| --: | --: | --: | --: |")
margin = lambda p: math.hypot(MARGIN[0], MARGIN[1] * p)
for low, high in ((-20, 15), (15, 30), (30, 45), (45, 100), (-20, 1000)):
    some = [(p, by) for p, by, *_ in moved if low <= p < high]
    held = sum(abs(by) <= margin(p) for p, by in some)
    print(f"| {low} to {high} | {len(some)} | ±{within([by for _, by in some]):.0f} | {100 * held / max(1, len(some)):.0f} % |")
print("\n| from | to | within the margin |\n| :-- | :-- | --: |")
for pair in permutations(machines, 2):
    some = [(p, by) for p, by, *of in moved if tuple(of) == pair]
    print(f"| {pair[0]} | {pair[1]} | {100 * sum(abs(by) <= margin(p) for p, by in some) / max(1, len(some)):.0f} % of {len(some)} |")


# By rounds: the CPU times of each app over the reference's, as logarithms; the model of stats/repeats.rs.
name, of = max(kinds.items(), key=lambda at: len(at[1]))
print(f"\nHalf an interval for another session, %, on {name}, of {' / '.join(SCENARIOS)}\n\n| rounds of a session | 1 session | 2 | 3 | {len(of)} |\n| --: | --: | --: | --: | --: |")
for rounds in 2, 3, 5:
    spreads = []
    for scenario in SCENARIOS:
        rows = []
        for record in of:
            cpu = {}
            for t in record["trials"]:
                if (t["scenario"], t["variant"]) == (scenario, "default") and t.get("server_cpu_us_per_request") and t["verdict"] in COUNTS:
                    cpu.setdefault(t["app"], []).append((t["round"], math.log(t["server_cpu_us_per_request"])))
            rows.append({app: mean(value for _, value in sorted(values)[:rounds]) for app, values in cpu.items()})
        apps = sorted(set.intersection(*map(set, rows)) - {"reference"})
        level = [[row[app] - row["reference"] for row in rows] for app in apps]
        session = [mean(app[at] - mean(app) for app in level) for at in range(len(of))]
        left = sum((app[at] - mean(app) - session[at]) ** 2 for app in level for at in range(len(of)))
        spreads.append(math.sqrt(left / (len(apps) - 1) / (len(of) - 1)))
    halves = lambda n: " / ".join(f"{100 * 1.98 * math.sqrt(2 * (1 + 1 / n)) * s:.1f}" for s in spreads)
    print(f"| {rounds} | {' | '.join(halves(n) for n in (1, 2, 3, len(of)))} |")
