"""Simulates what ranking.md compares (needs numpy and scipy): python3 ranking.py RUNS, python3 ranking.py slices RUNS, or python3
ranking.py noisy RUNS.

Each run draws log levels of apps × rounds with a true level of each app (a third of them equal), standard deviations of 0.5 %
to 3.6 %, outliers (a round in ten of every third app 5 to 10 % off) and autocorrelation (own noise of every third app 0.2).
What all share in a round cancels exactly in every method here, so it is left out.
"""

import sys

import numpy as np
from scipy.stats import studentized_range, t

SEED = 15
DFS = [2, 3, 4, 5, 7, 10, 20, 60, 10_000]


def draw(rng, runs, apps, rounds, spread):
    sd = {
        "equal": np.full(apps, 0.015),
        "spread": np.geomspace(0.005, 0.036, apps),
        "one noisy": np.r_[0.036, np.full(apps - 1, 0.006)],
        "one quiet": np.r_[0.005, np.full(apps - 1, 0.03)],
    }[spread]
    rho = np.where(np.arange(apps) % 3 == 1, 0.2, 0.0)[None, :]
    e = rng.normal(size=(runs, apps, rounds))
    for r in range(1, rounds):
        e[:, :, r] = rho * e[:, :, r - 1] + np.sqrt(1 - rho**2) * e[:, :, r]
    hit = (rng.random(e.shape) < 0.1) & (np.arange(apps) % 3 == 0)[None, :, None]
    off = rng.uniform(0.05, 0.1, e.shape) * rng.choice([-1, 1], e.shape)
    level = np.where(np.arange(apps) % 3 == 0, 0.0, rng.normal(0, 0.05, (runs, apps)))
    return level, level[:, :, None] + e * sd[None, :, None] + hit * off


def field(y, noisy=3):
    """Variances and degrees of freedom of the way that was chosen: stats/src/field/mod.rs, without missing rounds.

    A variance above `noisy` times the median is not drawn toward it.
    """
    apps, rounds = y.shape[1:]
    e = y - y.mean(2, keepdims=True)
    v = np.ones(y.shape[:2])
    for _ in range(8):
        w = 1 / v
        whole = w.sum(1, keepdims=True)
        z = e - (w[:, :, None] * e).sum(1, keepdims=True) / whole[:, :, None]
        squares, df = (z**2).sum(2), (rounds - 1) * (1 - w / whole)
        prior = np.median(squares / df, axis=1, keepdims=True)
        drawn = np.where(squares > noisy * prior * df, 0, 2)
        v = (drawn * prior + squares) / (drawn + df)
    return v, df + drawn * max(0, 1 - 5 / apps)


def shukla(y):
    apps, rounds = y.shape[1:]
    e = y - y.mean(2, keepdims=True)
    squares = ((e - e.mean(1, keepdims=True)) ** 2).sum(2)
    v = apps * (apps - 1) * squares - squares.sum(1, keepdims=True)
    v = np.maximum(v / ((rounds - 1) * (apps - 1) * (apps - 2)), 0.25 * squares / (rounds - 1))
    return v, np.full(v.shape, rounds - 1.0), squares.sum(1) / ((apps - 1) * (rounds - 1))


def holm(p):
    order = np.argsort(p, axis=1)
    left = p.shape[1] - np.arange(p.shape[1])
    ok = np.cumprod(np.take_along_axis(p, order, 1) <= 0.05 / left, axis=1).astype(bool)
    proven = np.zeros(p.shape, bool)
    np.put_along_axis(proven, order, ok, 1)
    return proven


def middle(x, axis):
    """Interquartile mean."""
    cut = x.shape[axis] // 4
    return np.sort(x, axis).take(range(cut, x.shape[axis] - cut), axis).mean(axis)


def two_way(y, center):
    levels = np.median(y, axis=1)
    for _ in range(20):
        levels = middle(y - center(y - levels[:, None])[None, :], 1)
    return levels


def slices(runs):
    """Error of the difference of two servers, in per cent, from one round of 32 sub-rounds; bursts of 5 to 50 %."""
    ways = {
        "mean": lambda y: two_way(y, lambda left: left.mean(0)),
        "median": lambda y: two_way(y, lambda left: np.median(left, 0)),
        "interquartile mean": lambda y: two_way(y, lambda left: middle(left, 0)),
        "two to a reference": lambda y: middle(y - y[-1], 1),
        "**all pairs**": lambda y: middle(y[:, None, :] - y[None, :, :], 2).mean(1),
    }
    print("| servers | slices with a burst |", " | ".join(ways), "|")
    print("| --: | --: |" + " --: |" * len(ways))
    for servers in (2, 3, 6, 22):
        for bursts in (0, 0.1, 0.2):
            rng = np.random.default_rng(SEED)
            off = []
            for _ in range(runs):
                y = np.cumsum(rng.normal(0, 0.02, 32)) + rng.normal(0, 0.03, (servers, 32))
                y += (rng.random(y.shape) < bursts) * rng.uniform(0.05, 0.5, y.shape)
                off.append([way(y)[:2] @ [1, -1] for way in ways.values()])
            error = 100 * np.sqrt(np.mean(np.square(off), axis=0))
            print(f"| {servers} | {100 * bursts:.0f} % |", " | ".join(f"{one:.2f} %" for one in error), "|", flush=True)


def coverage(runs):
    """Single 95 % intervals of the ratio to the last of 26 apps in normal noise, three of which are noisier than the others."""
    print("| rounds | drawn toward the median | 3 times the noise | 5 times | 8 times | the others | their half-width |")
    print("| --: | --- | --: | --: | --: | --: | --: |")
    for rounds in (5, 6, 8, 12):
        y = 0.006 * np.r_[3, 5, 8, np.ones(23)][:, None] * np.random.default_rng(SEED).normal(size=(runs, 26, rounds))
        off = (y - y[:, -1:]).mean(2)[:, :-1]
        for name, noisy in (("all", np.inf), ("below 3 times the median", 3)):
            v, df = field(y, noisy)
            total = v[:, :-1] + v[:, -1:]
            df = total**2 / (v[:, :-1] ** 2 / df[:, :-1] + v[:, -1:] ** 2 / df[:, -1:])
            half = np.sqrt(total / rounds) * t.ppf(0.975, df)
            right = 100 * (np.abs(off) <= half).mean(0)
            shares = " | ".join(f"{share:.1f} %" for share in (*right[:3], right[3:].mean()))
            print(f"| {rounds} | {name} | {shares} | ±{100 * half[:, 3:].mean():.3f} % |", flush=True)


def main():
    if sys.argv[1] == "slices":
        return slices(int(sys.argv[2]))
    if sys.argv[1] == "noisy":
        return coverage(int(sys.argv[2]))
    runs = int(sys.argv[1])
    print("| apps | rounds | method | all statements hold, mean (worst) | half-width | pairs proven |")
    print("| --: | --: | --- | --: | --: | --: |")
    for apps in (2, 3, 6, 8, 14, 22):
        quantiles = [studentized_range.ppf(0.95, apps, df) / np.sqrt(2) for df in DFS]

        def q(df):
            return np.interp(-1 / np.asarray(df), [-1 / d for d in DFS], quantiles)

        a, b = np.triu_indices(apps, 1)
        for rounds in (5, 6, 8, 12):
            found = {}
            for spread in ("equal", "spread", "one noisy", "one quiet"):
                rng = np.random.default_rng(SEED)
                level, y = draw(rng, runs, apps, rounds, spread)
                truth = level[:, a] - level[:, b]
                d = y[:, a] - y[:, b]
                mean, se = d.mean(2), np.sqrt(d.var(axis=2, ddof=1) / rounds)

                def keep(name, half, proven=None):
                    low, high = mean - half, mean + half
                    if proven is None:
                        proven = np.abs(mean) > half
                    low = np.where(proven & (mean > 0), np.maximum(low, 0), low)
                    high = np.where(proven & (mean < 0), np.minimum(high, 0), high)
                    holds = (low <= truth) & (truth <= high) & ~(proven & (mean * truth <= 0))
                    found.setdefault(name, []).append((100 * holds.all(1).mean(), 100 * half.mean(), 100 * proven.mean()))

                def welch(v, df):
                    total = v[:, a] + v[:, b]
                    return np.sqrt(total / rounds), total**2 / (v[:, a] ** 2 / df[:, a] + v[:, b] ** 2 / df[:, b])

                once = 1 - 0.025 / len(a)
                keep("paired t, Bonferroni", se * t.ppf(once, rounds - 1))
                keep("paired t, Holm", se * t.ppf(once, rounds - 1), holm(2 * t.sf(np.abs(mean) / se, rounds - 1)))
                keep("paired, Games-Howell", se * q(rounds - 1))
                if apps > 2:
                    v, df, pooled = shukla(y)
                    keep("Tukey, pooled", np.sqrt(2 * pooled / rounds)[:, None] * q((apps - 1) * (rounds - 1)))
                    shukla_se, df = welch(v, df)
                    keep("Shukla, Games-Howell", shukla_se * q(df))
                se, df = welch(*field(y))
                keep("field, Bonferroni", se * t.ppf(once, df))
                keep("**field, Holm**", se * t.ppf(once, df), holm(2 * t.sf(np.abs(mean) / se, df)))
            for name, rows in found.items():
                hold, half, proven = zip(*rows)
                print(
                    f"| {apps} | {rounds} | {name} | {np.mean(hold):.1f} % ({min(hold):.1f}) "
                    f"| ±{np.mean(half):.1f} % | {np.mean(proven):.0f} % |",
                    flush=True,
                )


main()
