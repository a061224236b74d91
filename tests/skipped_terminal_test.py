#!/usr/bin/env python3
"""`contentseen skipped` at a terminal: paging, colours, width.

    tests/skipped_terminal_test.py --program contentseen
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import at_terminal

ROWS, COLUMNS, PAGES = 24, 80, 60
ESCAPES = "\x1b]0;owned\x07\x1b[31m"

failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


def write_log(folder):
    record = {"time": "2026-11-21T01:04:56.140Z", "kind": "near", "distance": 2, "k": 3,
              "fingerprint": "844b084a598538d8", "original_fingerprint": "c44b084a59853898",
              "digest": "ef10a8ae3f8378361bea5e3631ba8133642cdf9cfa92a5cc881249cf930ec34b",
              "original_url": "http://a.example/" + "original/" * 12,
              "original_time": "2026-11-21T01:04:56.069Z", "referrer": "http://a.example/",
              "depth": 1, "body_bytes": 8911, "links_not_followed": 5, "title": "T" + ESCAPES,
              "text_id": 47, "original_text_id": 44}
    with open(os.path.join(folder, "skipped.jsonl"), "w", encoding="utf-8") as stream:
        for i in range(PAGES):
            url = f"http://b.example/{'copy/' * 12}{i}?{ESCAPES}"
            stream.write(json.dumps({**record, "url": url, "final_url": url}) + "\n")


class Desk:
    """Runs the program in a folder that holds a crawl's log."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def environment(self, settings):
        return {"PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8", **settings}

    def shown(self, *arguments, **settings):
        terminal = at_terminal.Terminal([self.program, "skipped", ".", *arguments], self.folder,
                                        self.environment(settings), ROWS, COLUMNS)
        text, code = terminal.end()
        check(code == 0, f"{arguments}, {settings}: exit code {code}")
        return text

    def paged_by_less(self, **settings):
        """What less shows first; then it is quit, and the program ends well."""
        terminal = at_terminal.Terminal([self.program, "skipped", "."], self.folder,
                                        self.environment(settings), ROWS, COLUMNS)
        first = terminal.until(r".*http://b.*:(\x1b\[K|$)").group(0)
        terminal.send("q")
        _, code = terminal.end()
        check(code == 0, f"less was quit: exit code {code}")
        return first

    def piped(self):
        return subprocess.run([self.program, "skipped", "."], cwd=self.folder, check=True,
                              env=self.environment({"PAGER": "sed s/^/paged:/"}),
                              capture_output=True, text=True).stdout


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    program = os.path.abspath(parser.parse_args().program)
    with tempfile.TemporaryDirectory() as folder:
        write_log(folder)
        desk = Desk(program, folder)

        paged = desk.shown(PAGER="sed s/^/paged:/")
        lines = plain(paged).splitlines()
        check(len(lines) == PAGES + 1, f"{len(lines)} lines at a terminal")
        check(all(line.startswith("paged:") for line in lines), "a long list is not paged")
        check(max(len(line.removeprefix("paged:")) for line in lines) <= COLUMNS, "lines too long")
        check("\x1b[" in paged, "no colours at a terminal")
        check(ESCAPES[0] + "]" not in paged and "\x07" not in paged, "a page moved the cursor")

        for settings in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            text = desk.shown(PAGER="cat", **settings)
            check("\x1b" not in text, f"colours although {settings}")
            check(len(text.splitlines()) == PAGES + 1, f"lines are missing with {settings}")
        check("\x1b[" in desk.shown(PAGER="cat", NO_COLOR=""), "an empty NO_COLOR asks for nothing")

        short = desk.shown("--limit", "3", PAGER="sed s/^/paged:/")
        check("paged:" not in short, "a short list is paged")
        check(f"{PAGES - 3} more" in short, "what was left out is not told")
        groups = desk.shown("--group-by", "original", PAGER="sed s/^/paged:/")
        check(str(PAGES) in plain(groups) and "paged:" not in groups, f"groups: {groups!r}")

        piped = desk.piped()
        check("\x1b" not in piped and "paged:" not in piped, "a pipe is taken for a terminal")
        check("original/" * 12 in piped and "copy/" * 12 in piped, "a pipe's lines are cut")

        if shutil.which("less"):
            check("\x1b[" in desk.paged_by_less(), "less shows no colours")
            check(not re.search(r"\x1b\[3\dm", desk.paged_by_less(NO_COLOR="1")), "less, NO_COLOR")
        else:
            print("skipped: paging by default: there is no less")
    for failure in failures:
        print("FAIL", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
