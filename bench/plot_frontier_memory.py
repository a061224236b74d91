#!/usr/bin/env python3
"""Draws the figures of frontier_memory as SVG.

    plot_frontier_memory.py run.tsv > docs/frontier-memory.svg
"""
import csv
import sys

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720, 400, 60, 45, 20, 150
SERIES = [("resident_mb", "resident memory", "#1f5a99"), ("seen_mb", "of it: URLs seen", "#b3541e"),
          ("queue_mb", "of it: queues", "#3d7a36")]


def ceiling(value):
    step = 10 ** (len(str(int(value))) - 1)
    return (int(value) // step + 1) * step


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["what"] == "scheduled"]
    urls_max = max(float(row["urls"]) for row in rows)
    mb_max = ceiling(max(float(row["resident_mb"]) for row in rows))

    def x(urls):
        return LEFT + (WIDTH - LEFT - RIGHT) * urls / urls_max

    def y(mb):
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * mb / mb_max

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for i in range(6):
        mb, urls = mb_max * i / 5, urls_max * i / 5
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(mb):.1f}" y2="{y(mb):.1f}" '
                   'stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y(mb) + 4:.1f}" text-anchor="end">{mb:.0f}</text>')
        out.append(f'<text x="{x(urls):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">'
                   f'{urls / 1e6:.0f}</text>')
    out.append(f'<text x="{x(urls_max / 2):.1f}" y="{HEIGHT - 8}" text-anchor="middle">'
               'million URLs waiting</text>')
    out.append(f'<text x="{LEFT - 50}" y="{TOP - 6}">MB</text>')
    for column, name, colour in SERIES:
        points = " ".join(f"{x(float(row['urls'])):.1f},{y(float(row[column])):.1f}"
                          for row in rows)
        last = float(rows[-1][column])
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" '
                   'stroke-width="2"/>')
        out.append(f'<text x="{WIDTH - RIGHT + 6}" y="{y(last) + 4:.1f}" fill="{colour}">{name}: '
                   f'{last:.0f}</text>')
    out.append("</svg>")
    print("\n".join(out))


if __name__ == "__main__":
    main()
