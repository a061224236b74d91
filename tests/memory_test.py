#!/usr/bin/env python3
"""A crawl of a site without end, with little memory: it must warn at three quarters of
crawl.memory_mb, stop at seven eighths with a sentence that says what helps, have lost nothing, and
go on when it is given what the sentence says.

    tests/memory_test.py --program build/test/crawler/contentseen

The site is one host on loopback: every page has a text of its own and 1,900 links to further pages,
all made from its path, so what must have been seen is known from what was stored.
"""
import argparse
import http.server
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading

import crawl_driver

MEMORY_MB = 64  # the least there is
LINKS = 1_900
MORE_PAGES = 100
# Beside crawl.memory_mb: the program, pages under way (of 1,900 links each), the open commit, and
# what the allocator keeps to itself. With all that waits in memory it would be 50 more.
PROGRAM_MB = 136

WARNING = re.compile(r"^(\d+) of crawl\.memory_mb = 64 are taken by what must stay in memory "
                     r".*; at 56 the crawl stops\.$")
COMPLAINT = re.compile(r"crawl\.memory_mb = 64 is too little: what must stay in memory takes "
                       r"(\d+) MB .*Nothing is lost: go on with --memory-mb \d+ or more "
                       r"\((\d+) leaves it room to grow\)$")
WORDS = ["".join(random.Random(i).choices("abcdefghiklmnoprstuvy", k=4 + i % 6))
         for i in range(5_000)]


def links_of(path):
    chance = random.Random(path)
    return [f"/p/{chance.getrandbits(60):x}" for _ in range(LINKS)]


def page(path):
    text = " ".join(random.Random(path + " text").choices(WORDS, k=300))
    links = "".join(f'<a href="{link}">on</a>' for link in links_of(path))
    return f"<html><body><p>{text}</p>{links}</body></html>".encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        there = self.path == "/" or self.path.startswith("/p/")
        body = page(self.path) if there else b""
        self.server.requests.append(self.path)
        self.send_response(200 if there else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *unused):
        pass


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.requests = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Run:
    """One process of the crawl, to its end."""

    def __init__(self, crawl, *more):
        with subprocess.Popen(crawl.command + list(more), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            self.said = process.stderr.read().splitlines()
            out = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            self.code = process.returncode = os.waitstatus_to_exitcode(status)
        self.summary = json.loads(out) if out else None
        self.resident_mb = usage.ru_maxrss * 1024 / 1e6

    def find(self, pattern):
        return [match for match in map(pattern.search, self.said) if match]


class Test:
    def __init__(self, crawl, server):
        self.crawl, self.server, self.failures = crawl, server, []

    def expect(self, holds, what):
        if not holds:
            self.failures.append(what)

    def pages(self):
        return [entry["url"] for entry in crawl_driver.read_jsonl(self.crawl.data / "pages.jsonl")]

    def nothing_is_lost(self, summary):
        """Every link of every stored page was seen, and each URL seen waits or has ended."""
        paths = [url.split("/", 3)[3] for url in self.pages()]
        links = {link for path in paths for link in links_of("/" + path)}
        probes = summary["dispositions"]["probe"]
        self.expect(summary["urls_seen"] == len(links | {"/"}) + probes,
                    f"{summary['urls_seen']} URLs seen, of {len(links) + 1 + probes}")
        self.expect(summary["urls_seen"] == summary["queued"] + summary["leased"],
                    "URLs seen neither wait nor have ended")
        self.expect(summary["documents"] == len(set(paths)) == len(paths) > 0,
                    "a page is stored twice, or not at all")
        check = subprocess.run([self.crawl.program, "status", "--check", "--data",
                                self.crawl.data], capture_output=True, text=True, check=False)
        self.expect(check.returncode == 0, f"status --check: {check.stderr}")

    def stops(self):
        run = Run(self.crawl)
        self.expect(run.code == 1, f"exit code {run.code} where memory is short")
        warned, stopped = run.find(WARNING), run.find(COMPLAINT)
        if len(warned) != 1 or len(stopped) != 1:
            raise SystemExit("not one warning and one reason:\n" + "\n".join(run.said))
        self.expect(48 <= int(warned[0][1]) < 56, f"warned at {warned[0][1]} MB")
        self.expect(56 <= int(stopped[0][1]) < MEMORY_MB, f"stopped at {stopped[0][1]} MB")
        self.expect(run.resident_mb < MEMORY_MB + PROGRAM_MB,
                    f"{run.resident_mb:.0f} MB were resident")
        self.nothing_is_lost(run.summary)
        print(f"stopped after {run.summary['pages']:,} pages and {run.summary['urls_seen']:,} "
              f"URLs; at most {run.resident_mb:.0f} MB resident, {MEMORY_MB} MB asked for")
        return run.summary, stopped[0][2]

    def is_refused(self):
        requests = len(self.server.requests)
        run = Run(self.crawl)
        self.expect(run.code == 2 and run.find(COMPLAINT), f"no more memory, and: {run.said}")
        self.expect(len(self.server.requests) == requests, "a refused crawl asked for pages")

    def goes_on(self, before, memory_mb):
        stored = self.pages()
        requests = len(self.server.requests)
        pages_max = before["leased"] + MORE_PAGES
        run = Run(self.crawl, "--memory-mb", memory_mb, "--set", f"crawl.pages_max={pages_max}")
        self.expect(run.code == 0, f"exit code {run.code} with {memory_mb} MB: {run.said}")
        self.expect(run.summary["leased"] == pages_max, f"{run.summary['leased']} pages ended")
        self.expect(self.pages()[:len(stored)] == stored, "pages stored before are not there")
        asked = {path for path in self.server.requests[requests:] if path != "/robots.txt"}
        self.expect(asked.isdisjoint(url.removeprefix(self.base()) for url in stored),
                    "pages stored before were fetched again")
        self.nothing_is_lost(run.summary)

    def base(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--program", required=True)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="contentseen-memory-") as name:
        folder = pathlib.Path(name)
        server = serve()
        seeds = folder / "seeds.txt"
        seeds.write_text(f"http://127.0.0.1:{server.server_address[1]}/\n")
        config = folder / "crawl.toml"
        config.write_text(f"""
[crawl]
memory_mb = {MEMORY_MB}
pages_per_host_max = 100000000
process_threads = 2
fetch_threads = 1
[politeness]
delay = "0s"
connections_per_host = 8
[fetch]
allow_networks = ["127.0.0.0/8"]
[log]
level = "quiet"
progress_interval = "100ms"
""")
        crawl = crawl_driver.Crawl(arguments.program, config, folder / "data", seeds)
        test = Test(crawl, server)
        summary, memory_mb = test.stops()
        test.is_refused()
        test.goes_on(summary, memory_mb)
        server.shutdown()
    for failure in test.failures:
        print("  FAILED:", failure)
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
