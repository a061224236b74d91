#!/usr/bin/env python3
"""Kills a crawl with SIGKILL at random moments, lets it go on, and holds what is there at the end
against the invariants of docs/durability.md and against the ground truth of the site.

    tests/crash_test.py --program build/test/crawler/contentseen --kills 200

The site is that of crawlsite_test.py: pages of one *family* are a unique page, its exact copies and
its edited (near) copies. Which copy is met first is a matter of order, so what is compared with an
undisturbed crawl is the set of families stored and of texts, not of URLs. Moments are drawn from a
fixed seed (--seed); exit code 77 means the generator was not found and the test was skipped.
"""
import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

import crawlsite_test as site_test

LOGS = ("pages.jsonl", "skipped.jsonl", "other.jsonl")


class Crawl:
    """A crawl in one data directory, carried on by one process after another."""

    def __init__(self, program, site, config, data):
        self.command = [program, "crawl", site / "seeds.txt", "--config", config, "--data", data,
                        "--json"]
        self.program, self.data = program, data

    def run_to_end(self):
        run = subprocess.run(self.command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise SystemExit(f"exit code {run.returncode}\n{run.stdout}{run.stderr}")
        return json.loads(run.stdout)

    def run_and_kill(self, after):
        """False when the crawl had ended before it could be killed."""
        process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        try:
            _, said = process.communicate(timeout=after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            return True
        if process.returncode != 0:
            raise SystemExit(f"exit code {process.returncode}\n{said}")
        return False

    def status(self):
        run = subprocess.run([self.program, "status", "--data", self.data, "--json"],
                             capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise SystemExit(f"status: exit code {run.returncode}\n{run.stderr}")
        return json.loads(run.stdout)


def lines_of(path):
    """Whole lines only: what a dead process left after the last one does not count."""
    text = path.read_bytes() if path.exists() else b""
    return [json.loads(line) for line in text.split(b"\n")[:-1]]


def check_after_kill(crawl, before, failures):
    """What was committed before is still there, and only more of it."""
    status = crawl.status()
    if status["state"] != "stopped" and status["state"] != "ended":
        failures.append(f"a dead process is called {status['state']}")
    for figure in ("pages", "documents", "urls_seen"):
        if status[figure] < before.get(figure, 0):
            failures.append(f"{figure} fell from {before[figure]} to {status[figure]}")
    for log in LOGS:
        lines_of(crawl.data / log)  # each is one JSON object
    return status


def families(checker, data):
    return {checker.family[page["url"]] for page in lines_of(data / "pages.jsonl")}


def crash(arguments, site, hosts, port):
    chance = random.Random(arguments.seed)
    config = site_test.config(site, hosts, port, arguments.threads)
    config.write_text(config.read_text() + f'[store]\ncommit_interval = "{arguments.interval}"\n')
    undisturbed = Crawl(arguments.program, site, config, site / "undisturbed")
    expected = undisturbed.run_to_end()
    # Spread over the time that the crawl takes without being killed.
    longest = max(0.15, 2.5 * expected["seconds"] / arguments.kills)

    crawl = Crawl(arguments.program, site, config, site / "data")
    checker, failures, before, kills, runs = site_test.Checker(site), [], {}, 0, 0
    while kills < arguments.kills:
        runs += 1
        if crawl.run_and_kill(chance.uniform(0.02, longest)):
            kills += 1
            if (crawl.data / "pages.jsonl").exists():  # made once the store is
                before = check_after_kill(crawl, before, failures)
        else:
            # It came to its end: once more from the beginning, until it was killed often enough.
            finish(crawl, checker, expected, undisturbed, failures)
            subprocess.run(["rm", "-rf", crawl.data], check=True)
            before = {}
    summary = finish(crawl, checker, expected, undisturbed, failures)
    print(f"{kills} kills in {runs} runs; {summary}")
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

    checkout = pathlib.Path(__file__).resolve().parent.parent
    shared = pathlib.Path(os.environ.get("CONTENTSEEN_SHARED", checkout.parent / "shared"))
    generator = shared / "crawlsite" / "gen.py"
    if not generator.exists():
        print("skipped: the site generator was not found; set CONTENTSEEN_SHARED to the folder of "
              "shared test data")
        return site_test.SKIPPED
    with tempfile.TemporaryDirectory(prefix="contentseen-crash-") as folder:
        site = pathlib.Path(folder)
        os.chmod(site, 0o755)  # nginx's workers run as another user
        port = site_test.free_port(arguments.hosts)
        subprocess.run([sys.executable, generator, "--gzip", "--out", site, "--port", str(port),
                        "--pages", str(arguments.pages), "--hosts", str(arguments.hosts)],
                       check=True)
        hosts = sorted(path.name for path in (site / "www").iterdir())
        stop = site_test.serve(site, hosts, port)
        try:
            failures = crash(arguments, site, hosts, port)
        finally:
            stop()
    for failure in failures[:20]:
        print("  FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
