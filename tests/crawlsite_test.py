#!/usr/bin/env python3
"""Crawls a generated site with known duplicates over real HTTP and holds every verdict against the
ground truth (site_truth.py), at several numbers of threads.

    tests/crawlsite_test.py --program build/test/crawler/contentseen --pages 20000
"""
import argparse
import sys

import crawl_driver
import site_truth


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    arguments.add_argument("--program", required=True)
    arguments.add_argument("--pages", type=int, default=2000)
    arguments.add_argument("--hosts", type=int, default=16)
    arguments.add_argument("--threads", default="1,2,8")
    arguments = arguments.parse_args()
    failed = False
    with crawl_driver.generated_site(arguments.pages, arguments.hosts) as site:
        for threads in arguments.threads.split(","):
            failed |= crawl_and_check(arguments.program, site, threads)
    return 1 if failed else 0


def crawl_and_check(program, site, threads):
    crawl = crawl_driver.Crawl(program, site.config(threads), site.folder / f"data-{threads}",
                               site.seeds)
    checker = site_truth.Checker(site.folder)
    print(f"{threads} threads: {checker.check(crawl.data, crawl.run_to_end())}")
    for failure in checker.failures[:20]:
        print("  FAILED:", failure)
    return bool(checker.failures)


if __name__ == "__main__":
    sys.exit(main())
