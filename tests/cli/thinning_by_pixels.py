"""thinning_by_pixels.py: thinning once more, pixel by pixel, to compare apps/thinning with.

A picture is a list of rows of 0 (white) and 1 (black).  Written from docs/theory/thinning.md, with
nothing of the application's.
"""

RING = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))  # N NE E SE S SW W NW
HALO = {"afp1": (1, 2), "afp2": (1, 2), "afp3": (1, 2), "zhang-suen": (2, 2), "guo-hall": (2, 2)}


def at(rows, y, x):
    return rows[y][x] if 0 <= y < len(rows) and 0 <= x < len(rows[0]) else 0


def steps_around(ring):
    return sum(ring[i] == 0 and ring[(i + 1) % 8] == 1 for i in range(8))


def afp(rows, y, x, algorithm):
    n, ne, e, se, s, sw, w, nw = ring = [at(rows, y + dy, x + dx) for dy, dx in RING]
    ww, ss = at(rows, y, x - 2), at(rows, y + 2, x)
    if algorithm == "afp1":
        kept = (not n and s and not ss and (ne or e or se) and (nw or w or sw)) or (
            not e and w and not ww)
    else:
        kept = ((not n and w and sw and s and se and e and not ss)
                or (not e and n and nw and w and sw and s and not ww)
                or (not (n or ne or e or se or nw or ww or ss) and s and sw and w))
    goes = not (n and e and s and w) and sum(ring) > 2 and steps_around(ring) == 1 and not kept
    if algorithm == "afp3":
        goes = goes or (not (n or ne or e or sw) and s and w) or (
            not (n or nw or w or se) and s and e)
    return goes


def zhang_suen(rows, y, x, step):
    n, _, e, _, s, _, w, _ = ring = [at(rows, y + dy, x + dx) for dy, dx in RING]
    if not (2 <= sum(ring) <= 6 and steps_around(ring) == 1):
        return False
    return n * e * s == 0 == e * s * w if step == 0 else n * e * w == 0 == n * s * w


def guo_hall(rows, y, x, step):
    n, ne, e, se, s, sw, w, nw = [at(rows, y + dy, x + dx) for dy, dx in RING]
    runs = (not n and (ne | e)) + (not e and (se | s)) + (not s and (sw | w)) + (not w and (nw | n))
    fewer = min((nw | n) + (ne | e) + (se | s) + (sw | w), (n | ne) + (e | se) + (s | sw) + (w | nw))
    kept = (s | sw | 1 - nw) & w if step == 0 else (n | ne | 1 - se) & e
    return runs == 1 and 2 <= fewer <= 3 and not kept


def iterate(rows, algorithm):
    """The picture after one iteration."""
    for step in range(1 if algorithm.startswith("afp") else 2):
        if algorithm.startswith("afp"):
            gone = [(y, x) for y, row in enumerate(rows) for x, pixel in enumerate(row)
                    if pixel and afp(rows, y, x, algorithm)]
        else:
            goes = zhang_suen if algorithm == "zhang-suen" else guo_hall
            gone = [(y, x) for y, row in enumerate(rows) for x, pixel in enumerate(row)
                    if pixel and goes(rows, y, x, step)]
        rows = [list(row) for row in rows]
        for y, x in gone:
            rows[y][x] = 0
    return rows


def thin(rows, algorithm, parts, is_own=False):
    """The picture at the end, and what --statistics says."""
    height = len(rows)
    parts = min(parts, height)
    above, below = (0, 0) if is_own else HALO[algorithm]
    bounds = [(i * height // parts, (i + 1) * height // parts) for i in range(parts)]
    pixels_in, live, changed = sum(map(sum, rows)), [], [True] * height
    while any(changed):
        here = [any(changed[max(0, first - above):end + below]) for first, end in bounds]
        after = iterate(rows, algorithm)
        for (first, end), is_live in zip(bounds, here):
            if not is_live:
                after[first:end] = rows[first:end]
        live.append(sum(here))
        changed = [before != now for before, now in zip(rows, after)]
        rows = after
    return rows, {"iterations": len(live), "pixels_in": pixels_in, "pixels": sum(map(sum, rows)),
                  "tasks": sum(live), "live": live[:40]}


def write(rows):
    """The picture as a PBM file (P4)."""
    data = b"P4\n%d %d\n" % (len(rows[0]), len(rows))
    for row in rows:
        padded = row + [0] * (-len(row) % 8)
        data += bytes(int("".join(map(str, padded[i:i + 8])), 2) for i in range(0, len(padded), 8))
    return data


def draw_ellipses(seed, width, height, count):
    """The pictures of the vectors that are made by numbers."""
    rows = [[0] * width for _ in range(height)]

    def draw(low, high):
        nonlocal seed
        seed = (1103515245 * seed + 12345) % (1 << 31)
        return low + (seed >> 16) % (high - low + 1)

    for _ in range(count):
        centre_x, centre_y = draw(0, width - 1), draw(0, height - 1)
        a, b = draw(2, max(2, width // 8)), draw(2, max(2, height // 8))
        for y in range(max(0, centre_y - b), min(height, centre_y + b + 1)):
            for x in range(max(0, centre_x - a), min(width, centre_x + a + 1)):
                if ((x - centre_x) * b) ** 2 + ((y - centre_y) * a) ** 2 <= (a * b) ** 2:
                    rows[y][x] = 1
    return rows
