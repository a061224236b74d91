#!/usr/bin/env python3
"""Cuts the power of a crawl: kills it, then takes from its files all that was not synced.

    tests/power/power_test.py --program build/test/crawler/contentseen --shim power_shim.so

A preloaded shim notes the size of each file at each fsync; after the kill every file is cut to the
last size noted, or to nothing. (A file is known by its inode and its birth, for inodes are used
again.) (Names and renames are taken to be kept, as journaling file systems
keep those of directories that were synced.) With store.durability = "power" what was committed must
be there; with "process" the same cut must cost something, or this test would prove nothing. Exit
code 77: the generator of the site was not found.
"""
import argparse
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import crash_test  # noqa: E402
import crawl_driver  # noqa: E402
import site_truth  # noqa: E402


def identities(paths):
    """Device, inode and birth of each file, as the shim writes them: Python has no birth yet."""
    if not paths:
        return []
    done = subprocess.run(["stat", "-c", "%d %i %.9W", *paths], capture_output=True, text=True,
                          check=True)
    return [tuple(line.split()) for line in done.stdout.splitlines()]


def cut(data, journal):
    """What a power cut leaves of the files in `data`. Returns the bytes lost."""
    synced = {}
    if journal.exists():
        for line in journal.read_text().splitlines():
            *identity, size = line.split()
            synced[tuple(identity)] = int(size)
    lost = 0
    paths = [path for path in data.rglob("*") if path.is_file()]
    for path, identity in zip(paths, identities(paths), strict=True):
        there = path.stat().st_size
        size = min(there, synced.get(identity, 0))
        lost += there - size
        os.truncate(path, size)
    return lost


def pages_of(crawl):
    """Pages that the crawl's store has committed; None while it has no store yet."""
    try:
        return crawl.status()["pages"]
    except SystemExit:
        return None


def run_until_committed(crawl, shim, journal, commits):
    """Runs the crawl until its store has shown `commits` different states, then kills it. Returns
    the pages of the state before the last one seen: a commit followed it, so its own is over; and
    whether it was killed, or had come to its end before."""
    environment = {**os.environ, "LD_PRELOAD": str(shim),
                   "CONTENTSEEN_POWER_JOURNAL": str(journal)}
    process = subprocess.Popen(crawl.command, env=environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    seen = [0]
    deadline = time.monotonic() + 120
    while len(seen) <= commits and process.poll() is None and time.monotonic() < deadline:
        pages = pages_of(crawl)
        if pages is not None and pages > seen[-1]:
            seen.append(pages)
    process.send_signal(signal.SIGKILL)
    killed = process.wait() == -signal.SIGKILL
    return (seen[-2] if len(seen) > 1 else 0), killed


def crawl_of(arguments, site, name, store=""):
    config = site.config(2, store)
    own = config.rename(site.folder / f"{name}.toml")
    return crawl_driver.Crawl(arguments.program, own, site.folder / f"data-{name}", site.seeds)


def durable(level):
    return f'[store]\ncommit_interval = "20ms"\ndurability = "{level}"\n'


def row100_power_loss(arguments, site):
    undisturbed = crawl_of(arguments, site, "undisturbed")
    expected = undisturbed.run_to_end()
    failures = []
    checker = site_truth.Checker(site.folder)

    crawl = crawl_of(arguments, site, "power", durable("power"))
    journal = site.folder / "power.journal"
    for commits in range(2, 2 + arguments.cuts):
        committed, _ = run_until_committed(crawl, arguments.shim, journal, commits)
        lost = cut(crawl.data, journal)
        left = pages_of(crawl)
        print(f"power cut: {lost} unsynced bytes lost, {committed} pages were committed, "
              f"{left} are left")
        if committed == 0:
            failures.append("the power was cut before anything was committed: that shows nothing")
        if left is None or left < committed:
            failures.append(f"{committed} pages were committed, {left} are left")
    crash_test.finish(crawl, checker, expected, undisturbed, failures)

    # The same with nothing synced shows that the cut is one. (At its end a crawl syncs.)
    for attempt in range(5):
        crawl = crawl_of(arguments, site, f"process-{attempt}", durable("process"))
        journal = site.folder / f"process-{attempt}.journal"
        committed, killed = run_until_committed(crawl, arguments.shim, journal, 3)
        if killed:
            break
    else:
        return failures + ["durability = process: each crawl ended before it could be cut"]
    cut(crawl.data, journal)
    left = pages_of(crawl)
    print(f"durability = process: {committed} pages were committed, {left} are left")
    if committed == 0:
        failures.append("durability = process: nothing was committed, which shows nothing")
    elif left is not None and left >= committed:
        failures.append("the cut cost nothing where nothing was synced")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--shim", required=True, type=pathlib.Path)
    parser.add_argument("--cuts", type=int, default=3)
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--hosts", type=int, default=4)
    arguments = parser.parse_args()
    with crawl_driver.generated_site(arguments.pages, arguments.hosts) as site:
        failures = row100_power_loss(arguments, site)
    for failure in failures[:20]:
        print("  FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
