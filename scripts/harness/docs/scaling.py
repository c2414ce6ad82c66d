"""Simulates what scaling.md compares (needs nothing but Python): python3 scaling.py RUNS.

Each run draws what a server with a known σ and κ reaches in some rounds at some widths: each round has a level of its own, each figure
its noise. Three ways to fit the law are held against what was planted; printed is in how many runs the 95 % interval of each covers it:
for every setting, and at the end the smallest and the largest share over all settings.
"""

import math
import random
import sys

from estimates import interval

SEED = 1
RESAMPLES = 120
WIDTHS = [[1, 2, 4], [1, 2, 4, 8], [1, 2, 4, 8, 16, 32]]
SERVERS = [(0, 0), (0.02, 0), (0.05, 0), (0.05, 0.0005), (0.05, 0.01), (0, 0.002)]
WAYS = ["unbounded", "bounded", "bootstrap"]


def noise(kind, rng):
    if kind == "even":
        return rng.gauss(0, 0.02)
    if kind == "heavy-tailed":  # Student's t with 2 degrees of freedom
        return 0.01 * rng.gauss(0, 1) / math.sqrt(-math.log(1 - rng.random()))
    return rng.gauss(0, 0.02) - (0.35 if rng.random() < 0.1 else 0)  # outliers


def level(n, sigma, kappa):
    return n / (1 + sigma * (n - 1) + kappa * n * (n - 1))


def solve(matrix, right):
    rows = [row[:] + [value] for row, value in zip(matrix, right)]
    size = len(rows)
    for pivot in range(size):
        for row in range(size):
            if row != pivot:
                factor = rows[row][pivot] / rows[pivot][pivot]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[pivot])]
    return [rows[place][size] / rows[place][place] for place in range(size)]


def least_squares(terms, used):
    """The used ones of (1, σ, κ) ÷ λ by least relative squares, and the sum of squares."""
    matrix = [[sum(a * b for a, b in zip(terms[i], terms[j])) for j in used] for i in used]
    found = [0.0, 0.0, 0.0]
    for place, value in zip(used, solve(matrix, [sum(terms[i]) for i in used])):
        found[place] = value
    left = (1 - sum(found[k] * terms[k][at] for k in range(3)) for at in range(len(terms[0])))
    return found, sum(value * value for value in left)


def fit(widths, levels, bounded):
    each = [value / n for n, value in zip(widths, levels)]
    terms = [
        each,
        [value * (n - 1) for value, n in zip(each, widths)],
        [value * n * (n - 1) for value, n in zip(each, widths)],
    ]
    if bounded:
        fits = (least_squares(terms, used) for used in ([0, 1, 2], [0, 1], [0, 2], [0]))
        (one, sigma, kappa), _ = min((fit for fit in fits if min(fit[0]) >= 0), key=lambda fit: fit[1])
    else:
        (one, sigma, kappa), _ = least_squares(terms, [0, 1, 2])
    return sigma / one, kappa / one


def bootstrap(widths, rounds, rng):
    found = []
    for _ in range(RESAMPLES):
        drawn = [rounds[rng.randrange(len(rounds))] for _ in rounds]
        means = [math.exp(sum(math.log(levels[at]) for levels in drawn) / len(drawn)) for at in range(len(widths))]
        found.append(fit(widths, means, True))
    ends = int(0.025 * RESAMPLES), int(0.975 * RESAMPLES) - 1
    return [tuple(sorted(each[part] for each in found)[end] for end in ends) for part in range(2)]


def intervals(widths, rounds, rng):
    of = lambda bounded: [interval(part) for part in zip(*(fit(widths, levels, bounded) for levels in rounds))]
    cut = [(max(0, low), max(0, high)) for low, high in of(False)]
    return cut, of(True), bootstrap(widths, rounds, rng)


def main(runs):
    rng = random.Random(SEED)
    shares = {(way, part): [] for way in WAYS for part in range(2)}
    for widths in WIDTHS:
        for truth in SERVERS:
            for kind in ("even", "heavy-tailed", "outliers"):
                for count in (6, 12):
                    held = {key: 0 for key in shares}
                    wide = 0
                    for _ in range(runs):
                        rounds = []
                        for _ in range(count):
                            machine = rng.gauss(0, 0.1)
                            rounds.append([math.exp(machine + noise(kind, rng)) * level(n, *truth) for n in widths])
                        for way, found in zip(WAYS, intervals(widths, rounds, rng)):
                            for part, (low, high) in enumerate(found):
                                held[way, part] += low - 1e-12 <= truth[part] <= high + 1e-12
                            if way == "unbounded":
                                wide += found[0][1] - found[0][0]
                    for key, times in held.items():
                        shares[key].append(times / runs)
                    told = "  ".join(f"{way} σ {held[way, 0] / runs:.3f} κ {held[way, 1] / runs:.3f}" for way in WAYS)
                    print(f"to {widths[-1]}, σ {truth[0]}, κ {truth[1]}, {kind}, {count} rounds: {told}  width of σ {wide / runs:.4f}")
    for way in WAYS:
        ends = [f"{name} {min(shares[way, part]):.2f} to {max(shares[way, part]):.2f}" for part, name in enumerate("σκ")]
        print(f"{way}: {', '.join(ends)}")


main(int(sys.argv[1]))
