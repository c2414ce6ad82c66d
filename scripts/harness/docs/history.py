#!/usr/bin/env python3
"""Makes the tables of history.md again from bench-results/local/history-self-test.json. Usage: history.py, from anywhere."""
import json, re
from pathlib import Path

DOCS = Path(__file__).parent
rates = json.loads((DOCS / "../../../bench-results/local/history-self-test.json").read_text())


def table(head, rows):
    lines = [head, [" --: "] * len(head), *rows]
    return "\n".join("|" + "|".join(cell if cell == " --: " else f" {cell} " for cell in line) + "|" for line in lines)


def within(after, histories, *runs):
    return ", ".join(f"{100 * sum(after[:run]) / histories:.0f}" for run in runs) + " %"


def false(cell):
    return f"{500 * cell['false_changes'] / cell['app_weeks']:.2f}"


def grid():
    cells = [(f"{c['own_noise']:.0%}".replace("%", " %"), f"{c['autocorrelation']:g}", c) for c in rates["grid"]]
    shown = [cell for cell in cells if cell[1] != "0.25" and cell[0] != "4 %" and cell[:2] != ("2 %", "0.5")]
    shown.append(("3 %, heavy tails", "0", rates["heavy_tails"]))
    found = lambda c: [within(f["after_runs"], c["histories"], 2, 4) for f in c["found"] if f["size"] in (0.05, 0.1, 0.2)]
    head = ["own noise", "week follows week", "5 %", "10 %", "20 %", "false changes in 500 app-weeks"]
    return table(head, [[own, rho, *found(c), false(c)] for own, rho, c in shown])


page = DOCS / "history.md"
text = page.read_text()
for name, made in {"grid": grid}.items():
    mark = f"<!-- {name} -->\n"
    text = re.sub(f"{mark}\n(\\|.*\n)*\n?", lambda _: f"{mark}\n{made()}\n\n", text)
page.write_text(text)
