"""loss_patterns: when workers are lost, as a pure function of a seeded random.Random.

A pattern is poisson:RATE (a Poisson process of RATE a minute, 20 without a number);
one-per-cycle:P (with probability P, 0.5 without a number, once in each cycle); or heymann: as
Heymann (2001, 5.2) saw it, none in 55 % of the batches, one in 40 %, more (here two) in 5 %.
"""


def read_pattern(text):
    """Its kind and its number, which may be None; ValueError in words."""
    kind, colon, number = text.partition(":")
    most = {"poisson": float("inf"), "one-per-cycle": 1.0, "heymann": -1.0}.get(kind)
    if most is None or (colon and kind == "heymann"):
        raise ValueError(f"the pattern is '{text}', expected poisson:RATE, one-per-cycle:P or heymann")
    try:
        value = float(number) if colon else None
    except ValueError:
        value = float("nan")
    if value is not None and not 0 < value <= most:
        raise ValueError(f"the pattern is '{text}', expected a number above 0, at most {most:g}, "
                         f"behind {kind}:")
    return kind, value


def draw_cycle(text, chance, length):
    """The times of the losses in one cycle, or batch, that lasts so many seconds."""
    kind, number = read_pattern(text)
    if kind == "poisson":
        rate, at, times = (20 if number is None else number) / 60, 0.0, []
        while (at := at + chance.expovariate(rate)) < length:
            times.append(at)
        return times
    if kind == "heymann":
        count = chance.choices((0, 1, 2), (55, 40, 5))[0]
    else:
        count = int(chance.random() < (0.5 if number is None else number))
    return sorted(chance.uniform(0, length) for _ in range(count))


def find_times(text, chance, length):
    """Seconds from one loss to the next, cycle after cycle of so many seconds, without an end."""
    last = begun = 0.0
    while True:
        for at in draw_cycle(text, chance, length):
            yield begun + at - last
            last = begun + at
        begun += length
