#!/usr/bin/env python3
"""Crawls a generated site with known duplicates over real HTTP and holds every verdict against the
ground truth, at several numbers of threads.

    tests/crawlsite_test.py --program build/test/crawler/contentseen --pages 20000

The generator is shared/crawlsite/gen.py ($CONTENTSEEN_SHARED, else ../shared beside the checkout);
exit code 77 means it is not there and the test was skipped. Pages are served by nginx where it is
installed, else by Python's own server; both on loopback addresses, and no /etc/hosts is touched.

What must hold, whatever the order in which threads come upon pages. Pages of one *family* are a
unique page, its exact copies and its edited (near) copies:
  * every page of the site is taken from the frontier once and ends as stored or skipped;
  * of a unique page and its exact copies at most one is stored, and every family has a stored page;
  * a page is skipped only in favour of a stored page of its own family: no false duplicate;
  * what robots.txt denies is not fetched; dispositions add up to the pages taken.
"""
import argparse
import collections
import csv
import functools
import http.server
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

SKIPPED = 77


class Handler(http.server.SimpleHTTPRequestHandler):
    """One document root a virtual host."""
    protocol_version = "HTTP/1.1"

    def translate_path(self, path):
        host = self.headers.get("Host", "").split(":")[0]
        self.directory = str(pathlib.Path(self.directory).parent / host)
        return super().translate_path(path)

    def log_message(self, *unused):
        pass


def serve_with_python(site, hosts, port):
    servers = []
    for i, host in enumerate(hosts):
        handler = functools.partial(Handler, directory=str(site / "www" / host))
        server = http.server.ThreadingHTTPServer((f"127.0.0.{2 + i}", port), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
    return lambda: [server.shutdown() for server in servers]


def serve_with_nginx(nginx, site, port):
    process = subprocess.Popen([nginx, "-c", str(site / "nginx.conf"), "-p", str(site)],
                               stderr=subprocess.DEVNULL)
    while process.poll() is None:  # until the port answers: connect() itself is the wait
        try:
            socket.create_connection(("127.0.0.2", port), timeout=1).close()
            return process.terminate
        except ConnectionRefusedError:
            continue
    return None


def serve(site, hosts, port):
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    stop = serve_with_nginx(nginx, site, port) if nginx else None
    return stop or serve_with_python(site, hosts, port)


def free_port(hosts):
    """A port that is free on every loopback address used."""
    for _ in range(100):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        try:
            for i in range(hosts):
                with socket.socket() as other:
                    other.bind((f"127.0.0.{2 + i}", port))
            return port
        except OSError:
            continue
    raise SystemExit("no port is free on all loopback addresses")


def read_jsonl(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def config(site, hosts, port, threads):
    resolve = ", ".join(f'"{host}:{port}:127.0.0.{2 + i}"' for i, host in enumerate(hosts))
    path = site / f"crawl-{threads}.toml"
    path.write_text(f"""
[crawl]
process_threads = {threads}
[scope]
reach = "any"
[politeness]
delay = "0s"
connections_per_host = 8
[fetch]
allow_networks = ["127.0.0.0/8"]
resolve = [{resolve}]
[log]
level = "quiet"
""")
    return path


class Checker:
    def __init__(self, site):
        self.kind, self.family, self.body = {}, {}, {}
        with open(site / "truth.csv", newline="", encoding="utf-8") as file:
            for url, kind, source, *_ in csv.reader(file):
                if kind == "kind":
                    continue
                self.kind[url] = kind
                self.family[url] = source or url
                self.body[url] = url if kind == "near" else (source or url)
        self.failures = []

    def expect(self, condition, message):
        if not condition:
            self.failures.append(message)

    def check(self, data, summary):
        stored = [page["url"] for page in read_jsonl(data / "pages.jsonl")]
        skipped = read_jsonl(data / "skipped.jsonl")
        other = read_jsonl(data / "other.jsonl")
        seen = collections.Counter(stored) + collections.Counter(s["url"] for s in skipped)
        self.expect(max(seen.values()) == 1, "a page ended more than once")
        missing = set(self.kind) - set(seen)
        self.expect(not missing, f"{len(missing)} pages never judged, e.g. {sorted(missing)[:2]}")
        unknown = set(seen) - set(self.kind)
        self.expect(not unknown, f"{len(unknown)} pages unheard of: {sorted(unknown)[:2]}")

        bodies = collections.Counter(self.body[url] for url in stored)
        twice = [url for url, count in bodies.items() if count > 1]
        self.expect(not twice, f"{len(twice)} texts stored more than once, e.g. {twice[:2]}")
        lost = set(self.family.values()) - {self.family[url] for url in stored}
        self.expect(not lost, f"{len(lost)} families lost, e.g. {sorted(lost)[:2]}")
        is_stored = set(stored)
        for skip in skipped:
            url, original = skip["url"], skip["original_url"]
            self.expect(original in is_stored, f"{url} skipped for {original}, which is not stored")
            self.expect(self.family[url] == self.family[original],
                        f"{url} is no copy of {original} ({skip['kind']}, {skip['distance']})")
        # Besides what robots.txt denies, one URL of each host that asks what a missing page is.
        ends = collections.Counter(page["disposition"] for page in other)
        self.expect(set(ends) <= {"robots-denied", "probe"}, f"unexpected ends: {dict(ends)}")
        probed = {page["url"].split("/")[2] for page in other if page["disposition"] == "probe"}
        self.expect(ends["probe"] == len(probed), "a host was probed more than once")
        self.expect(summary["leased"] == sum(summary["dispositions"].values()) ==
                    len(stored) + len(skipped) + len(other), "counts do not add up")
        return self.figures(stored, skipped, summary)

    def figures(self, stored, skipped, summary):
        by_kind = collections.Counter(self.kind[url] for url in stored)
        skips = collections.Counter((self.kind[s["url"]], s["kind"]) for s in skipped)
        return (f"stored {len(stored)} ({dict(by_kind)}), skipped "
                f"{ {f'{truth} as {kind}': n for (truth, kind), n in sorted(skips.items())} }, "
                f"{summary['seconds']:.2f} s, {summary['pages'] / summary['seconds']:.0f} pages/s")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("--program", required=True)
    arguments.add_argument("--pages", type=int, default=2000)
    arguments.add_argument("--hosts", type=int, default=16)
    arguments.add_argument("--threads", default="1,2,8")
    arguments = arguments.parse_args()

    checkout = pathlib.Path(__file__).resolve().parent.parent
    shared = pathlib.Path(os.environ.get("CONTENTSEEN_SHARED", checkout.parent / "shared"))
    generator = shared / "crawlsite" / "gen.py"
    if not generator.exists():
        print("skipped: the site generator was not found; set CONTENTSEEN_SHARED to the folder of "
              "shared test data")
        return SKIPPED
    failed = False
    with tempfile.TemporaryDirectory(prefix="contentseen-crawlsite-") as folder:
        site = pathlib.Path(folder)
        os.chmod(site, 0o755)  # nginx's workers run as another user
        port = free_port(arguments.hosts)
        subprocess.run([sys.executable, generator, "--gzip", "--out", site, "--port", str(port),
                        "--pages", str(arguments.pages), "--hosts", str(arguments.hosts)],
                       check=True)
        hosts = sorted(path.name for path in (site / "www").iterdir())
        stop = serve(site, hosts, port)
        try:
            for threads in arguments.threads.split(","):
                failed |= crawl_and_check(arguments.program, site, hosts, port, threads)
        finally:
            stop()
    return 1 if failed else 0


def crawl_and_check(program, site, hosts, port, threads):
    data = site / f"data-{threads}"
    run = subprocess.run([program, "crawl", site / "seeds.txt", "--config",
                          config(site, hosts, port, threads), "--data", data, "--json"],
                         capture_output=True, text=True, check=False)
    if run.returncode != 0:
        print(f"{threads} threads: exit code {run.returncode}\n{run.stdout}{run.stderr}")
        return True
    checker = Checker(site)
    figures = checker.check(data, json.loads(run.stdout))
    print(f"{threads} threads: {figures}")
    for failure in checker.failures[:20]:
        print("  FAILED:", failure)
    return bool(checker.failures)


if __name__ == "__main__":
    sys.exit(main())
