#!/usr/bin/env python3
"""Crawls with WARC on and has the files read by others.

    tests/warc_test.py --program build/test/crawler/contentseen

Two webs on loopback: pages that show each way a body can come (chunked, coded, redirected, cut,
missing, twice), and the generated site of tests/crawlsite_test.py with its known duplicates. The
files are read by tests/warc_reading.py, and where pip reaches a package index also by warcio,
whose `check` recomputes digests, and by cdxj-indexer, whose index must equal ours. Exit code 77:
everything that could run went well, but warcio could not be had.
"""
import argparse
import base64
import collections
import gzip
import http.server
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import venv

import crawlsite_test
import warc_reading

SKIPPED = 77
CONFIG = """
[crawl]
process_threads = {threads}
[scope]
reach = "any"
[politeness]
delay = "0s"
connections_per_host = 4
[fetch]
allow_networks = ["127.0.0.0/8"]
body_bytes_max = "64 KiB"
basic_auth = ["127.0.0.1 reader:open-sesame"]
[log]
level = "quiet"
[output]
{output}
"""


def prose(seed, words):
    rng = random.Random(seed)
    return " ".join("".join(rng.choice("bdfgklmnprstv") + rng.choice("aeiou")
                            for _ in range(rng.randint(1, 3))) for _ in range(words))


def page(text, links=()):
    anchors = "".join(f'<a href="{link}">x</a>' for link in links)
    return f"<html><title>t</title><body><p>{text}</p>{anchors}</body></html>".encode()


LINKS = ["/chunked", "/coded", "/copy", "/moved", "/gone", "/long", "/image", "/near",
         "/other-coding", "/chunked-copy"]
PLAIN = page(prose(1, 300), LINKS)
CHUNKED = page(prose(2, 300))
CODED = page(prose(3, 300))
NEAR = page(prose(1, 300) + " once more", LINKS + ["/never"])


class Ways(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *unused):
        pass

    def answer(self, status, body, **headers):
        self.send_response(status)
        headers = {"Content_Type": "text/html", **headers}
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Transfer_Encoding" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part)
                          for part in (CHUNKED[:100], CHUNKED[100:])) + b"0\r\n\r\n"
        coded = gzip.compress(CODED, mtime=0)
        answers = {
            "/robots.txt": lambda: self.answer(200, b"User-agent: *\n", Content_Type="text/plain"),
            "/": lambda: self.answer(200, PLAIN),
            "/copy": lambda: self.answer(200, PLAIN, X_Is="a copy"),
            "/near": lambda: self.answer(200, NEAR),
            "/chunked": lambda: self.answer(200, chunks, Transfer_Encoding="chunked"),
            "/chunked-copy": lambda: self.answer(200, CHUNKED),
            "/coded": lambda: self.answer(200, coded, Content_Encoding="gzip"),
            "/other-coding": lambda: self.answer(200, CODED),
            "/moved": lambda: self.answer(301, b"moved", Location="/coded"),
            "/long": lambda: self.answer(200, page(prose(4, 30000))),
            "/image": lambda: self.answer(200, b"\x89PNG\r\n\x1a\n\0\0", Content_Type="image/png"),
        }
        answers.get(self.path, lambda: self.answer(404, page(prose(5, 50))))()


class Failures(list):
    def expect(self, condition, what):
        if not condition:
            self.append(what)


def crawl(program, folder, seeds, data, output="", threads=1, extra=(), config=None):
    config_file = folder / f"{data.name}.toml"
    config_file.write_text((config or CONFIG).format(threads=threads, output=output))
    return [program, "crawl", seeds, "--config", config_file, "--data", data, "--json", *extra]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def files_of(data):
    files = sorted((data / "warc").glob("*.warc.gz"))
    assert not list((data / "warc").glob("*.open")), "a file was not finished"
    return files


def records_of(data):
    return [record for path in files_of(data) for record in warc_reading.read(path)]


def check_index(data, failures):
    for path in files_of(data):
        entries = warc_reading.read_index(path.with_name(path.name.replace(".warc.gz", ".cdxj")))
        indexed = {(int(e["offset"]), int(e["length"]), e["url"]) for _, _, e in entries}
        there = {(r.offset, r.length, r.url) for r in warc_reading.read(path)
                 if r.type in ("response", "revisit")}
        failures.expect(indexed == there, f"{path.name}: the index misses or invents records")


def check_ways(program, folder, failures, readers):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ways)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    seeds = folder / "ways.txt"
    seeds.write_text(origin + "/\n")
    try:
        for digest in ("sha1", "sha256"):
            data = folder / f"ways-{digest}"
            run(crawl(program, folder, seeds, data, f'warc_digest = "{digest}"'))
            look_at_ways(records_of(data), origin, digest, failures)
            check_index(data, failures)
            readers.check(data, failures)
        data = folder / "ways-drop"
        run(crawl(program, folder, seeds, data, 'warc_near = "drop"'))
        near = [r.type for r in records_of(data) if r.url == origin + "/near"]
        failures.expect(near == ["metadata"], f"a dropped near-duplicate left {near}")
        data = folder / "ways-off"
        run(crawl(program, folder, seeds, data, "warc = false"))
        failures.expect(not (data / "warc").exists(), "WARC was off and written")
    finally:
        server.shutdown()


def look_at_ways(records, origin, digest, failures):
    def of(path, kind):
        found = [r for r in records if r.url == origin + path and r.type == kind]
        failures.expect(len(found) == 1, f"{len(found)} {kind} records of {path}")
        return found[0]

    for path, body in (("/", PLAIN), ("/chunked", CHUNKED), ("/coded", CODED), ("/near", NEAR),
                       ("/other-coding", CODED), ("/moved", b"moved"),
                       ("/robots.txt", b"User-agent: *\n")):
        response = of(path, "response")
        failures.expect(warc_reading.decoded(response) == body, f"{path}: not the bytes served")
        failures.expect(response["WARC-Payload-Digest"].startswith(digest + ":"), "digest label")
        failures.expect(response["WARC-IP-Address"] == "127.0.0.1", "no address")
        failures.expect(response.all("WARC-Protocol") == ["http/1.1"], "no protocol")
        request = of(path, "request")
        failures.expect(request["WARC-Concurrent-To"] == response["WARC-Record-ID"], "request")
        line, headers, rest = request.http()
        failures.expect(line == f"GET {path} HTTP/1.1" and rest == b"", f"request line {line}")
        failures.expect(dict(headers)["Host"] == origin.removeprefix("http://"), "no Host")
        failures.expect(dict(headers)["Authorization"] == "***", "a secret in the archive")

    chunked = of("/chunked", "response")
    failures.expect(chunked.header("Transfer-Encoding") is None and
                    chunked.header("X-Crawler-Transfer-Encoding") == "chunked", "chunked header")
    failures.expect(of("/moved", "response").http()[0] == "HTTP/1.1 301 Moved Permanently", "301")
    failures.expect(of("/gone", "response").http()[0] == "HTTP/1.1 404 Not Found", "404")
    failures.expect(of("/image", "response").http()[2].startswith(b"\x89PNG"), "the image")
    failures.expect(of("/long", "response")["WARC-Truncated"] == "length", "a cut body")

    for path, original in (("/copy", "/"), ("/chunked-copy", "/chunked")):
        revisit, first = of(path, "revisit"), of(original, "response")
        failures.expect(revisit["WARC-Profile"] == "http://netpreserve.org/warc/1.1/revisit/"
                        "identical-payload-digest", "profile")
        for name, what in (("WARC-Refers-To", "WARC-Record-ID"),
                           ("WARC-Refers-To-Target-URI", "WARC-Target-URI"),
                           ("WARC-Refers-To-Date", "WARC-Date"),
                           ("WARC-Payload-Digest", "WARC-Payload-Digest")):
            failures.expect(revisit[name] == first[what], f"{path}: {name}")
        failures.expect(revisit.http()[2] == b"" and revisit["WARC-Truncated"] == "length",
                        "a revisit with a body")
    failures.expect(of("/copy", "revisit").header("X-Is") == "a copy", "a revisit's own headers")

    note = of("/near", "metadata").block.decode()
    failures.expect("contentseen-verdict: near\r\n" in note and
                    f"contentseen-original: {origin}/\r\n" in note and
                    "contentseen-distance: " in note, f"metadata: {note}")


def check_counts(data, summary, failures):
    """Record counts equal the disposition table."""
    records = records_of(data)
    pages = [r for r in records if not r.url or not r.url.endswith("/robots.txt")]
    count = collections.Counter(r.type for r in pages)
    ends = {name: n for name, n in summary["dispositions"].items() if n}
    received = sum(n for name, n in ends.items() if name != "robots-denied")
    judged = (crawlsite_test.read_jsonl(data / "pages.jsonl") +
              crawlsite_test.read_jsonl(data / "skipped.jsonl"))
    copies = len(judged) - len({record["digest"] for record in judged})
    failures.expect(count["response"] + count["revisit"] == received == count["request"],
                    f"{dict(count)} records of {ends}")
    failures.expect(count["revisit"] == copies, f"{count['revisit']} revisits of {copies} copies")
    failures.expect(count["metadata"] == ends.get("near", 0) + ends.get("exact-text", 0),
                    f"{count['metadata']} metadata records of {ends}")
    robots = [r for r in records if r.type == "response" and r.url.endswith("/robots.txt")]
    failures.expect(len(robots) == summary["robots_fetched"], f"{len(robots)} robots.txt")
    seen = set()
    for record in records:
        seen.add(record["WARC-Record-ID"])
        if record.type == "revisit":
            failures.expect(record["WARC-Refers-To"] in seen, "a revisit before its original")
    return f"{dict(count)}, {len(files_of(data))} files"


def verdicts(records, name):
    return {name(r): (r["kind"], r.get("distance", 0), r.get("original_url", "")) for r in records}


def check_dedup(program, data, folder, failures):
    """`dedup` over the files gives the verdicts that the crawl gave."""
    kept, skipped = folder / "kept.jsonl", folder / "skipped.jsonl"
    deduplicated = folder / "deduplicated"
    run([program, "dedup", *files_of(data), "--kept", kept, "--skipped", skipped, "--output",
         deduplicated, "--json"])
    ours = {r["url"] for r in crawlsite_test.read_jsonl(kept)}
    crawls = {r["url"] for r in crawlsite_test.read_jsonl(data / "pages.jsonl")}
    failures.expect(ours == crawls, f"dedup keeps {len(ours)}, the crawl kept {len(crawls)}")
    ours = verdicts(crawlsite_test.read_jsonl(skipped), lambda r: r["url"])
    crawls = verdicts(crawlsite_test.read_jsonl(data / "skipped.jsonl"), lambda r: r["url"])
    differ = [url for url in ours.keys() | crawls.keys() if ours.get(url) != crawls.get(url)]
    failures.expect(not differ, f"{len(differ)} verdicts differ, e.g. {differ[:1]}: "
                    f"{[(ours.get(u), crawls.get(u)) for u in differ[:1]]}")
    left = [r for path in sorted(deduplicated.glob("*.warc.gz")) for r in warc_reading.read(path)]
    # What no verdict was asked of (robots.txt, the probes of what a missing page is) stays.
    unjudged = {r["url"] for r in crawlsite_test.read_jsonl(data / "other.jsonl")}
    stored = {r.url for r in left if r.type in ("response", "revisit")
              and not r.url.endswith("/robots.txt")} - unjudged
    wanted = {r["url"] for r in crawlsite_test.read_jsonl(data / "pages.jsonl")}
    failures.expect(stored == wanted, f"the deduplicated files hold {len(stored)} pages of "
                    f"{len(wanted)}")
    failures.expect({r.type for r in left} >= {"request", "warcinfo"}, "requests were lost")


def check_replay(data, site, failures):
    """Every page replayed, a revisit through its original, is what lies on the server's disk."""
    records = records_of(data)
    by_id = {r["WARC-Record-ID"]: r for r in records}
    checked = 0
    for record in records:
        if record.type not in ("response", "revisit"):
            continue
        source = by_id[record["WARC-Refers-To"]] if record.type == "revisit" else record
        host, _, path = record.url.removeprefix("http://").partition("/")
        file = site / "www" / host.split(":")[0] / (path or "index.html")
        if record.url.endswith("/"):
            file = site / "www" / host.split(":")[0] / path / "index.html"
        if not file.is_file():
            continue
        checked += 1
        failures.expect(warc_reading.decoded(source) == file.read_bytes(), f"{record.url} differs")
    failures.expect(checked > 100, f"only {checked} pages could be held against the site")


def check_site(program, folder, generator, failures, readers):
    site = folder / "site"
    port = crawlsite_test.free_port(4)
    subprocess.run([sys.executable, generator, "--gzip", "--out", site, "--port", str(port),
                    "--pages", "400", "--hosts", "4"], check=True)
    os.chmod(folder, 0o755)
    hosts = sorted(path.name for path in (site / "www").iterdir())
    stop = crawlsite_test.serve(site, hosts, port)
    try:
        for threads in (1, 4):
            config = crawlsite_test.config(site, hosts, port, threads).read_text()
            data = folder / f"site-{threads}"
            summary = run(crawl(program, folder, site / "seeds.txt", data, threads=threads,
                                config=config + '[output]\nwarc_size = "1 MiB"\n'))
            print(f"{threads} threads: {check_counts(data, summary, failures)}")
            check_index(data, failures)
            check_replay(data, site, failures)
            if threads == 1:
                check_dedup(program, data, folder, failures)
                readers.check(data, failures)
        check_killed(program, folder, site, hosts, port, failures)
    finally:
        stop()


def check_killed(program, folder, site, hosts, port, failures):
    """A crawl killed again and again ends with files as whole as if it had not been."""
    config = crawlsite_test.config(site, hosts, port, 2).read_text()
    config += '[output]\nwarc_size = "1 MiB"\n[store]\ncommit_interval = "100ms"\n'
    data = folder / "killed"
    command = crawl(program, folder, site / "seeds.txt", data, config=config)
    kills = 0
    while True:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(timeout=0.4 + 0.1 * kills)
            break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += 1
    failures.expect(process.returncode == 0, f"after {kills} kills: {err.decode()}")
    if process.returncode == 0:
        print(f"{kills} kills: {check_counts(data, json.loads(out), failures)}")
        check_index(data, failures)
        check_replay(data, site, failures)


class Readers:
    """warcio and cdxj-indexer, in a virtual environment made for this test."""

    def __init__(self, folder):
        self.bin = None
        given = os.environ.get("CONTENTSEEN_WARCIO_VENV")
        place = pathlib.Path(given) if given else folder / "venv"
        if not given:
            venv.create(place, with_pip=True)
            done = subprocess.run([place / "bin" / "pip", "install", "--quiet",
                                   "--disable-pip-version-check", "warcio", "cdxj-indexer"],
                                  capture_output=True, check=False, timeout=180)
            if done.returncode != 0:
                return
        self.bin = place / "bin"

    def tool(self, *command):
        name, *rest = command
        return subprocess.run([self.bin / name, *rest], capture_output=True, text=True,
                              check=False)

    def check(self, data, failures):
        if self.bin is None:
            return
        for path in files_of(data):
            done = self.tool("warcio", "check", "-v", path)
            bad = [line for line in done.stdout.splitlines() if "fail" in line.lower()]
            failures.expect(done.returncode == 0 and not bad, f"warcio check: {done.stdout[:500]}")
            failures.expect("digest pass" in done.stdout, "warcio checked no digest")
            listed = self.tool("warcio", "index", "-f", "warc-type,offset", path).stdout
            types = [json.loads(line)["warc-type"] for line in listed.splitlines()]
            ours = [record.type for record in warc_reading.read(path)]
            failures.expect(types == ours, f"warcio sees other records in {path.name}")
            theirs = self.tool("cdxj-indexer", "--sort", path)
            failures.expect(theirs.returncode == 0, theirs.stderr[-300:])
            lines = [line.split(" ", 2) for line in theirs.stdout.splitlines()]
            wanted = sorted((key, when, json.dumps(json.loads(rest), sort_keys=True))
                            for key, when, rest in lines)
            index = path.with_name(path.name.replace(".warc.gz", ".cdxj"))
            made = []
            for key, when, entry in warc_reading.read_index(index):
                entry.pop("payload", None)  # ours alone
                made.append((key, when, json.dumps(entry, sort_keys=True)))
            differ = [pair for pair in zip(sorted(made), wanted) if pair[0] != pair[1]]
            failures.expect(sorted(made) == wanted, f"indexes differ: {differ[:1]}")
            self.replay(path, failures)

    def replay(self, path, failures):
        for record in warc_reading.read(path)[:40]:
            if record.type != "response":
                continue
            done = subprocess.run([self.bin / "warcio", "extract", "--payload", path,
                                   str(record.offset)], capture_output=True, check=False)
            failures.expect(done.stdout == warc_reading.decoded(record),
                            f"warcio extracts other bytes of {record.url}")
            return


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("--program", required=True)
    arguments = arguments.parse_args()
    checkout = pathlib.Path(__file__).resolve().parent.parent
    shared = pathlib.Path(os.environ.get("CONTENTSEEN_SHARED", checkout.parent / "shared"))
    generator = shared / "crawlsite" / "gen.py"
    failures = Failures()
    with tempfile.TemporaryDirectory(prefix="contentseen-warc-") as name:
        folder = pathlib.Path(name)
        readers = Readers(folder)
        check_ways(arguments.program, folder, failures, readers)
        if generator.exists():
            check_site(arguments.program, folder, generator, failures, readers)
        else:
            print("the generated site was left out: set CONTENTSEEN_SHARED to the folder of shared "
                  "test data")
    for failure in failures[:30]:
        print("FAILED:", failure)
    if failures:
        return 1
    if readers.bin is None:
        print("skipped: warcio could not be installed (pip reaches no package index); all else "
              "went well")
        return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
