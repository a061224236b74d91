"""What must hold of a crawl of the generated site, whatever the order in which threads come upon
pages. Pages of one *family* are a unique page, its exact copies and its edited (near) copies:
  * every page of the site is taken from the frontier once and ends as stored or skipped;
  * of a unique page and its exact copies at most one is stored, and every family has a stored page;
  * a page is skipped only in favour of a stored page of its own family: no false duplicate;
  * what robots.txt denies is not fetched; dispositions add up to the pages taken.
"""
import collections
import csv

import crawl_driver


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
        stored = [page["url"] for page in crawl_driver.read_jsonl(data / "pages.jsonl")]
        skipped = crawl_driver.read_jsonl(data / "skipped.jsonl")
        other = crawl_driver.read_jsonl(data / "other.jsonl")
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
