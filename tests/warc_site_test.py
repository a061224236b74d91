#!/usr/bin/env python3
"""Crawls the generated site, whose duplicates are known, with WARC on, and holds the files against
what the crawl says of itself.

    tests/warc_site_test.py --program build/test/crawler/contentseen

Record counts equal the dispositions; what is replayed is what lies on the server's disk; `dedup`
over the files gives the verdicts that the crawl gave, whatever the number of threads; a crawl that
is killed again and again leaves whole files. Exit code 77: the site's generator or warcio is not
there.
"""
import argparse
import collections
import pathlib
import sys
import tempfile

import crawl_driver
import warc_readers
import warc_reading
from crawl_driver import read_jsonl

OUTPUT = '[output]\nwarc_size = "1 MiB"\n'


def check_counts(data, summary, failures):
    """Record counts equal the disposition table."""
    records = warc_reading.records_of(data)
    pages = [r for r in records if not r.url or not r.url.endswith("/robots.txt")]
    count = collections.Counter(r.type for r in pages)
    ends = {name: n for name, n in summary["dispositions"].items() if n}
    received = sum(n for name, n in ends.items() if name != "robots-denied")
    judged = (read_jsonl(data / "pages.jsonl") +
              read_jsonl(data / "skipped.jsonl"))
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
    return f"{dict(count)}, {len(warc_reading.files_of(data))} files"


def verdicts(records, name):
    return {name(r): (r["kind"], r.get("distance", 0), r.get("original_url", "")) for r in records}


def check_dedup(program, data, folder, failures):
    """`dedup` over the files gives the verdicts that the crawl gave."""
    kept, skipped = folder / "kept.jsonl", folder / "skipped.jsonl"
    deduplicated = folder / "deduplicated"
    folder.mkdir()
    crawl_driver.run_json([program, "dedup", *warc_reading.files_of(data), "--kept", kept,
                           "--skipped", skipped, "--output", deduplicated, "--json"])
    ours = {r["url"] for r in read_jsonl(kept)}
    crawls = {r["url"] for r in read_jsonl(data / "pages.jsonl")}
    failures.expect(ours == crawls, f"dedup keeps {len(ours)}, the crawl kept {len(crawls)}")
    ours = verdicts(read_jsonl(skipped), lambda r: r["url"])
    crawls = verdicts(read_jsonl(data / "skipped.jsonl"), lambda r: r["url"])
    differ = [url for url in ours.keys() | crawls.keys() if ours.get(url) != crawls.get(url)]
    failures.expect(not differ, f"{len(differ)} verdicts differ, e.g. {differ[:1]}: "
                    f"{[(ours.get(u), crawls.get(u)) for u in differ[:1]]}")
    left = [r for path in sorted(deduplicated.glob("*.warc.gz")) for r in warc_reading.read(path)]
    # What no verdict was asked of (robots.txt, the probes of what a missing page is) stays.
    unjudged = {r["url"] for r in read_jsonl(data / "other.jsonl")}
    stored = {r.url for r in left if r.type in ("response", "revisit")
              and not r.url.endswith("/robots.txt")} - unjudged
    wanted = {r["url"] for r in read_jsonl(data / "pages.jsonl")}
    failures.expect(stored == wanted, f"the deduplicated files hold {len(stored)} pages of "
                    f"{len(wanted)}")
    failures.expect({r.type for r in left} >= {"request", "warcinfo"}, "requests were lost")


def check_replay(data, site, failures):
    """Every page replayed, a revisit through its original, is what lies on the server's disk."""
    records = warc_reading.records_of(data)
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


def check_killed(program, site, failures):
    """A crawl killed again and again ends with files as whole as if it had not been."""
    config = site.config(2, OUTPUT + '[store]\ncommit_interval = "100ms"\n')
    crawl = crawl_driver.Crawl(program, config, site.folder / "killed", site.seeds)
    kills = 0
    while (summary := crawl.run_and_kill(0.4 + 0.1 * kills)) is None:
        kills += 1
    print(f"{kills} kills: {check_counts(crawl.data, summary, failures)}")
    warc_reading.check_index(crawl.data, failures)
    check_replay(crawl.data, site.folder, failures)


def check_crawl(program, site, threads, failures, readers):
    crawl = crawl_driver.Crawl(program, site.config(threads, OUTPUT),
                               site.folder / f"data-{threads}", site.seeds)
    summary = crawl.run_to_end()
    print(f"{threads} threads: {check_counts(crawl.data, summary, failures)}")
    warc_reading.check_index(crawl.data, failures)
    check_replay(crawl.data, site.folder, failures)
    check_dedup(program, crawl.data, site.folder / f"dedup-{threads}", failures)
    if threads == 1:
        readers.check(crawl.data, failures)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    arguments.add_argument("--program", required=True)
    arguments.add_argument("--pages", type=int, default=400)
    arguments = arguments.parse_args()
    failures = warc_readers.Failures()
    with (tempfile.TemporaryDirectory(prefix="contentseen-venv-") as venv,
          crawl_driver.generated_site(arguments.pages, hosts=4) as site):
        readers = warc_readers.Readers(pathlib.Path(venv))
        for threads in (1, 2, 8):
            check_crawl(arguments.program, site, threads, failures, readers)
        check_killed(arguments.program, site, failures)
    return warc_readers.outcome(failures, readers)


if __name__ == "__main__":
    sys.exit(main())
