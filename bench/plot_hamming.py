#!/usr/bin/env python3
"""Draws lookups a second and bytes a fingerprint against N, from Google Benchmark's JSON.

    hamming_index_bench --n=1000000,10000000 --benchmark_out=run.json --benchmark_out_format=json
    plot_hamming.py run.json [more.json ...] > docs/hamming-index.svg
"""
import json
import math
import sys

SERIES = [  # benchmark name, legend, colour
    ("find/batch/mix", "batch, half near hits", "#1b6ca8"),
    ("find/batch/miss", "batch, all misses", "#66a3cc"),
    ("find/single/mix", "one at a time, half near hits", "#c0392b"),
    ("find/single/miss", "one at a time, all misses", "#e08e85"),
    ("faiss/multihash_2x32/mix", "FAISS MultiHash 2x32, half near hits", "#555555"),
]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 420, 70, 290, 40, 50


def read(paths):
    """{name: {N: (lookups/s, bytes/fp)}}; of several runs the last counts."""
    runs = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for run in json.load(file)["benchmarks"]:
                parts = run["name"].split("/")
                numbers = [part for part in parts if part.isdigit()]
                if not numbers or "items_per_second" not in run:
                    continue
                name = "/".join(parts[: parts.index(numbers[0])])
                runs.setdefault(name, {})[int(numbers[0])] = (
                    run["items_per_second"], run.get("bytes/fp"))
    return runs


def main(paths):
    runs = read(paths)
    drawn = [(name, text, colour) for name, text, colour in SERIES if runs.get(name)]
    if not drawn:
        sys.exit("no lookups in these files")
    ns = sorted({n for name, _, _ in drawn for n in runs[name]})
    rates = [rate for name, _, _ in drawn for rate, _ in runs[name].values()]
    x0, x1 = math.log10(ns[0]) - 0.2, math.log10(ns[-1]) + 0.2
    y0, y1 = math.floor(math.log10(min(rates))), math.ceil(math.log10(max(rates)))

    def x(n):
        return LEFT + (math.log10(n) - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)

    def y(rate):
        return HEIGHT - BOTTOM - (math.log10(rate) - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           f'font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="20" font-size="14">Hamming index, k = 3: lookups a second, '
           f'one core</text>']
    for power in range(y0, y1 + 1):
        at = y(10 ** power)
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" '
                   f'stroke="#ddd"/>')
        label = f"{10 ** power / 1e6:g} M"
        out.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{label}</text>')
    for n in ns:
        out.append(f'<text x="{x(n):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">'
                   f'{n / 1e6:g} M</text>')
        size = next((runs[name][n][1] for name, _, _ in drawn
                     if n in runs[name] and runs[name][n][1]), None)
        if size:
            out.append(f'<text x="{x(n):.1f}" y="{HEIGHT - BOTTOM + 36}" text-anchor="middle" '
                       f'fill="#777">{size:.1f} B</text>')
    out.append(f'<text x="{WIDTH - RIGHT + 10}" y="{HEIGHT - BOTTOM + 18}">fingerprints</text>')
    out.append(f'<text x="{WIDTH - RIGHT + 10}" y="{HEIGHT - BOTTOM + 36}" fill="#777">'
               f'bytes a fingerprint</text>')
    for i, (name, text, colour) in enumerate(drawn):
        points = " ".join(f"{x(n):.1f},{y(rate):.1f}"
                          for n, (rate, _) in sorted(runs[name].items()))
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" '
                   f'stroke-width="2"/>')
        for n, (rate, _) in runs[name].items():
            out.append(f'<circle cx="{x(n):.1f}" cy="{y(rate):.1f}" r="3.5" fill="{colour}"/>')
        legend = TOP + 14 + 22 * i
        out.append(f'<rect x="{WIDTH - RIGHT + 14}" y="{legend - 9}" width="12" height="10" '
                   f'fill="{colour}"/>')
        out.append(f'<text x="{WIDTH - RIGHT + 32}" y="{legend}">{text}</text>')
    out.append("</svg>")
    print("\n".join(out))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
