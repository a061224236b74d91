#!/usr/bin/env python3
"""Kills a crawl with SIGKILL at random moments, lets it go on, and holds what is there at the end
against the invariants of docs/durability.md and against the ground truth of the site.

    tests/crash_test.py --program build/test/crawler/contentseen --kills 200

The site is that of site_truth.py: pages of one *family* are a unique page, its exact copies and
its edited (near) copies. Which copy is met first is a matter of order, so what is compared with an
undisturbed crawl is the set of families stored and of texts, not of URLs. Now and then the crawl is
stopped in order, so that the next process begins with the image that this leaves, and one killed
after it leaves that image behind an advanced store. Moments are drawn from a fixed seed (--seed);
exit code 77 means the generator was not found and the test was skipped.
"""
import argparse
import random
import shutil
import signal
import sys

import crawl_driver
import site_truth

LOGS = ("pages.jsonl", "skipped.jsonl", "other.jsonl")


def check_after_kill(crawl, before, failures):
    """What was committed before is still there, and only more of it."""
    status = crawl.status()
    if status["state"] not in ("not begun", "stopped", "ended"):
        failures.append(f"a dead process is called {status['state']}")
    for figure in ("pages", "documents", "urls_seen"):
        if status[figure] < before.get(figure, 0):
            failures.append(f"{figure} fell from {before[figure]} to {status[figure]}")
    if damage := crawl.damage():
        failures.append(f"a killed crawl is called damaged: {damage}")
    for log in LOGS:
        crawl_driver.read_jsonl(crawl.data / log)  # each is one JSON object
    return status


def families(checker, data):
    return {checker.family[page["url"]] for page in crawl_driver.read_jsonl(data / "pages.jsonl")}


def crash(arguments, site):
    chance = random.Random(arguments.seed)
    config = site.config(arguments.threads, f'[store]\ncommit_interval = "{arguments.interval}"\n')

    def crawl_in(name):
        return crawl_driver.Crawl(arguments.program, config, site.folder / name, site.seeds)

    undisturbed = crawl_in("undisturbed")
    expected = undisturbed.run_to_end()
    # Spread over the time that the crawl takes without being killed.
    longest = max(0.15, 2.5 * expected["seconds"] / arguments.kills)

    crawl = crawl_in("data")
    checker, failures, before = site_truth.Checker(site.folder), [], {}
    kills = stops = runs = 0
    while kills < arguments.kills:
        runs += 1
        how = signal.SIGTERM if chance.random() < 0.2 else signal.SIGKILL
        if crawl.run_and_kill(chance.uniform(0.02, longest), how) is None:
            kills += how == signal.SIGKILL
            stops += how == signal.SIGTERM
            if (crawl.data / "store").exists():
                before = check_after_kill(crawl, before, failures)
        else:
            # It came to its end: once more from the beginning, until it was killed often enough.
            finish(crawl, checker, expected, undisturbed, failures)
            shutil.rmtree(crawl.data)
            before = {}
    summary = finish(crawl, checker, expected, undisturbed, failures)
    print(f"{kills} kills and {stops} orderly stops in {runs} runs; {summary}")
    return failures


def finish(crawl, checker, expected, undisturbed, failures):
    summary = crawl.run_to_end()
    again = crawl.run_to_end()
    figures = checker.check(crawl.data, summary)
    failures += checker.failures
    checker.failures = []
    if families(checker, crawl.data) != families(checker, undisturbed.data):
        failures.append("the families stored are not those of the undisturbed crawl")
    if summary["leased"] != expected["leased"]:
        failures.append(f"{summary['leased']} pages ended, {expected['leased']} undisturbed")
    if again["dispositions"] != summary["dispositions"]:
        failures.append("going on with a finished crawl changed it")
    if crawl.status()["state"] != "ended":
        failures.append("a finished crawl is not called ended")
    if damage := crawl.damage():
        failures.append(f"a finished crawl is called damaged: {damage}")
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--hosts", type=int, default=4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--interval", default="50ms")
    parser.add_argument("--seed", type=int, default=20261121)
    arguments = parser.parse_args()

    with crawl_driver.generated_site(arguments.pages, arguments.hosts) as site:
        failures = crash(arguments, site)
    for failure in failures[:20]:
        print("  FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
