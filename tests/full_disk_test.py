#!/usr/bin/env python3
"""Crawls into a disk that is really full: a small tmpfs holds the whole data directory - the
store's own files, the logs and the WARC files. When nothing fits any more the crawl must say so and
pause, or stop with the reason; once the disk is larger it must go on, and what is stored at the end
must be what an undisturbed crawl stores, each page with its WARC records.

    tests/full_disk_test.py --program build/test/crawler/contentseen

The site is that of crawlsite_test.py. Exit code 77 (skipped): mounting is not allowed here, or the
generator was not found.
"""
import argparse
import collections
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading

import crash_test
import crawl_driver
import site_truth
import warc_reading

# Of what the undisturbed crawl writes on its way: so that now one file, now another is the first
# not to fit. (The image in seen/ is written after its end, and is done without if need be.)
FULL_AT = (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)
# RocksDB reserves so much for its list of files where it can. A disk on which that just fits has no
# room for a crawl to begin, which says so and ends; there is nothing to go on with.
RESERVED, TO_BEGIN = 4 << 20, 384 << 10
ENOUGH = "size=256m"
# A crawl of these takes some seconds. One that takes so long has stopped for good: it is ended, and
# the failure has what it said last.
HANGS_AFTER_SECONDS = 150


class Disk:
    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()

    def mount(self, options):
        return subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.folder],
                              capture_output=True, text=True, check=False)

    def enlarge(self):
        subprocess.run(["mount", "-o", f"remount,{ENOUGH}", self.folder], check=True)

    def unmount(self):
        subprocess.run(["umount", self.folder], check=True)


def bytes_written(data):
    return sum(path.stat().st_size for path in data.rglob("*")
               if path.is_file() and path.parent != data / "seen")


def run_until_it_says(command, word, then):
    """Calls `then` when the crawl's line of progress holds `word`; gives how it ended."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True) as process:
        guard = threading.Timer(HANGS_AFTER_SECONDS, process.send_signal, [signal.SIGABRT])
        guard.start()
        said, found = [], False
        for line in process.stderr:
            said.append(line)
            if word in line and not found:
                found = True
                then()
        guard.cancel()
    return process.returncode, found, "".join(said[-5:])


def archived(data):
    """How many response and revisit records each URL has."""
    urls = collections.Counter()
    for path in sorted((data / "warc").glob("*.warc.gz")):
        for record in warc_reading.read(path):
            if record.type in ("response", "revisit"):
                urls[record.url] += 1
    return urls


class Test:
    def __init__(self, program, site, config, folder):
        self.program, self.site, self.config = program, site, config
        self.checker, self.failures = site_truth.Checker(site.folder), []
        self.undisturbed = self.crawl(folder / "undisturbed")
        self.expected = self.undisturbed.run_to_end()
        self.bytes = bytes_written(self.undisturbed.data)

    def crawl(self, data):
        crawl = crawl_driver.Crawl(self.program, self.config, data, self.site.seeds)
        crawl.command += ["--memory-mb", "64", "--set", "log.level=progress",
                          "--set", "log.progress_interval=100ms"]
        return crawl

    def check(self, crawl, what):
        failures = []
        crash_test.finish(crawl, self.checker, self.expected, self.undisturbed, failures)
        records = archived(crawl.data)
        for page in crawl_driver.read_jsonl(crawl.data / "pages.jsonl"):
            if records[page["url"]] != 1:
                failures.append(f"{page['url']} has {records[page['url']]} WARC records")
        check = subprocess.run([self.program, "status", "--check", "--data", crawl.data],
                               capture_output=True, text=True, check=False)
        if check.returncode != 0:
            failures.append(f"status --check: {check.stderr}")
        self.failures += [f"{what}: {failure}" for failure in failures]

    def pauses(self, disk, crawl, what):
        code, paused, said = run_until_it_says(crawl.command, "PAUSED", disk.enlarge)
        if not paused:
            disk.enlarge()  # or who goes on would wait for room
            self.failures.append(f"{what}: the disk was never full: {said}")
        if code != 0:
            self.failures.append(f"{what}: exit code {code} after there was room again: {said}")
        return said

    def stops(self, disk, crawl, what):
        command = crawl.command + ["--set", "store.full_disk_wait_max=0s"]
        code, _, said = run_until_it_says(command, "\0", lambda: None)
        if code != 1 or "No space left on device" not in said:
            self.failures.append(f"{what}: exit code {code} on a full disk: {said}")
        disk.enlarge()

    def run(self, disk):
        for part in FULL_AT:
            for way in (self.pauses, self.stops):
                what = f"{way.__name__} at {part:.0%}"
                size = int(part * self.bytes)
                if RESERVED <= size < RESERVED + TO_BEGIN:
                    size = RESERVED + TO_BEGIN
                disk.mount(f"size={size}")
                try:
                    crawl = self.crawl(disk.folder / "data")
                    way(disk, crawl, what)
                    self.check(crawl, what)
                finally:
                    disk.unmount()
        print(f"{2 * len(FULL_AT)} full disks, of {self.bytes / 1e6:.1f} MB that a crawl writes")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--pages", type=int, default=300)
    arguments = parser.parse_args()

    with crawl_driver.generated_site(arguments.pages, hosts=3) as site, \
            tempfile.TemporaryDirectory(prefix="contentseen-full-disk-") as name:
        folder = pathlib.Path(name)
        disk = Disk(folder / "disk")
        mounted = disk.mount(ENOUGH)
        if mounted.returncode != 0:
            print("skipped: a tmpfs cannot be mounted here (it takes root): "
                  + mounted.stderr.strip())
            return crawl_driver.SKIPPED
        disk.unmount()
        config = site.config(2, '[store]\ncommit_interval = "50ms"\n')
        test = Test(arguments.program, site, config, folder)
        test.run(disk)
    for failure in test.failures[:20]:
        print("  FAILED:", failure)
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
