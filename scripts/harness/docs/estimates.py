"""The estimates of ranking.md in Python, which readme.py and tables.py recompute figures of the harness with, independently of it."""
import functools, math
from statistics import median

PRIOR, NOISY, KNOWN_FROM, FAINT = 2, 3, 5, 1e-9


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
        rows = self.rows = {name: row for name, row in rows.items() if row}
        rounds = sorted({r for row in rows.values() for r in row})
        self.level, var = {n: median(row.values()) for n, row in rows.items()}, dict.fromkeys(rows, 1.0)
        for _ in range(8):  # as many passes as the model has
            whole = {r: sum(1 / var[n] for n in rows if r in rows[n]) for r in rounds}
            effect = {r: sum((rows[n][r] - self.level[n]) / var[n] for n in rows if r in rows[n]) / whole[r] for r in rounds}
            left = {n: [row[r] - effect[r] for r in row] for n, row in rows.items()}
            self.level = {n: sum(x) / len(x) for n, x in left.items()}
            df = {n: max(0, sum(1 - 1 / var[n] / whole[r] for r in rows[n]) * (len(rows[n]) - 1) / len(rows[n])) for n in rows}
            squares = {n: sum((x - self.level[n]) ** 2 for x in left[n]) for n in rows}
            known = [squares[n] / df[n] for n in rows if df[n] > 1e-6]
            if not known:
                break
            prior = median(known)
            drawn = {n: 0 if df[n] > 1e-6 and squares[n] / df[n] > NOISY * prior else PRIOR for n in rows}
            var = {n: max((drawn[n] * prior + squares[n]) / (drawn[n] + df[n]), 1e-12) for n in rows}
            self.freedom = {n: df[n] + drawn[n] * max(0, 1 - KNOWN_FROM / len(rows)) for n in rows}
        # Generalized least squares: the rounds' effects eliminated, the first row's level fixed.
        names, w, self.var = list(rows), {n: 1 / v for n, v in var.items()}, var
        whole = {r: (1 + FAINT) * sum(w[n] for n in rows if r in rows[n]) for r in rounds}
        info = [[sum(w[a] * ((a == b) - w[b] / whole[r]) for r in rows[a] if r in rows[b]) for b in names[1:]] for a in names[1:]]
        self.covariance = {(a, b): x for a, row in zip(names[1:], inverse(info)) for b, x in zip(names[1:], row)}
        if any(len(row) < len(rounds) for row in rows.values()):
            mean = {r: sum(w[n] * rows[n][r] for n in rows if r in rows[n]) / whole[r] for r in rounds}
            right = {n: w[n] * sum(rows[n][r] - mean[r] for r in rows[n]) for n in names[1:]}
            self.level = {n: sum(self.covariance[n, m] * right[m] for m in right) if n in right else 0.0 for n in names}

    def difference(self, a, b):
        """How far a is above b in logarithms, its standard error and degrees of freedom: without five rounds of both, no error."""
        if min(len(self.rows[a]), len(self.rows[b])) < 5:
            return self.level[a] - self.level[b], None, None
        of = lambda x, y: self.covariance.get((x, y), 0.0)
        error, va, vb = math.sqrt(max(0.0, of(a, a) + of(b, b) - 2 * of(a, b))), self.var[a], self.var[b]
        return self.level[a] - self.level[b], error, (va + vb) ** 2 / (va * va / self.freedom[a] + vb * vb / self.freedom[b])


@functools.cache
def quantile(freedom):
    """Within how many standard errors 95 % of estimates lie: Student's t."""
    freedom = max(1.0, freedom)
    peak = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    density = lambda x: peak * (1 + x * x / freedom) ** (-(freedom + 1) / 2)
    area, x, step = 0.0, 0.0, 1e-3
    while area < 0.475:  # Simpson's rule
        area += step / 6 * (density(x) + 4 * density(x + step / 2) + density(x + step))
        x += step
    return x - (area - 0.475) / density(x)


def place(field, a, low, high):
    """Where a lies between low, 0, and high, 1, and half of its 95 % interval, as stats/scale.rs has it."""
    above, whole, between = field.difference(a, low), field.difference(high, low), field.difference(a, high)
    level, top = math.exp(above[0]), math.exp(whole[0])
    span = top - 1
    if None in (above[1], whole[1], between[1]):
        return (level - 1) / span, None
    covariance = 0.5 * (above[1] ** 2 + whole[1] ** 2 - between[1] ** 2)
    by_own, by_whole = level / span, -(level - 1) * top / span**2
    variance = by_own**2 * above[1] ** 2 + by_whole**2 * whole[1] ** 2 + 2 * by_own * by_whole * covariance
    return (level - 1) / span, math.sqrt(max(0.0, variance)) * quantile(min(above[2], whole[2], between[2]))


def coverage(n, k):
    return 1 - 2 * sum(math.comb(n, below) for below in range(k)) / 2**n


def interval(values):
    """Of the median, as stats/src/median.rs has it."""
    values, n, k = sorted(values), len(values), 1
    while k < n // 2 and coverage(n, k + 1) >= 0.95:
        k += 1
    outer, weight = coverage(n, k), 0.0
    if outer > 0.95 and k < n // 2:
        share = (outer - 0.95) / (outer - coverage(n, k + 1))
        weight = (n - k) * share / (k + (n - 2 * k) * share)
    low, high = values[k - 1], values[n - k]
    return low + weight * (values[k] - low), high + weight * (values[n - k - 1] - high)
