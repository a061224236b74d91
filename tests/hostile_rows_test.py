#!/usr/bin/env python3
"""Every row of the catalogue of hostile inputs has a test named after it.

    tests/hostile_rows_test.py [--list] [ROOT]

The catalogue is ../shared/design/hostile-inputs.md; a test says which rows it shows by its name:
`Row47_...`, or `Row40To44_...` for a run of them. Exits with 1 and names each row without a test,
and where the catalogue is there ($CONTENTSEEN_SHARED, else ../shared) each row that stands only
there or only here. --list prints what shows each row. First it proves on names of its own that it
can fail.
"""

import os
import re
import sys

ROWS = range(1, 127)
# Redis and crawlers that share a crawl over it: not part of this program.
NOT_OURS = {118, 119}

TEST_NAME = re.compile(r"\b(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP)\s*\(\s*\w+\s*,\s*(Row\w+)")
PYTHON_NAME = re.compile(r"^\s*def\s+(?:test_)?([Rr]ow\d\w*)", re.MULTILINE)
CATALOGUE_ROW = re.compile(r"^\| *(\d+) *\|", re.MULTILINE)
ROW_SPAN = re.compile(r"^[Rr]ow(\d+)(?:[Tt]o(\d+))?(?![\d])")


def rows_of(name):
    """The rows that a test of that name shows."""
    span = ROW_SPAN.match(name)
    if not span:
        return range(0)
    first = int(span.group(1))
    return range(first, int(span.group(2) or first) + 1)


def tests_by_row(files):
    """Row -> names of tests, from (path, text) pairs."""
    found = {}
    for path, text in files:
        names = TEST_NAME.findall(text) if path.endswith(".cc") else PYTHON_NAME.findall(text)
        for name in names:
            for row in rows_of(name):
                found.setdefault(row, []).append(f"{path}: {name}")
    return found


def missing(found):
    return [row for row in ROWS if row not in NOT_OURS and row not in found]


def unlike(catalogue):
    """The rows that are only in the catalogue's text, or only here."""
    return sorted(set(map(int, CATALOGUE_ROW.findall(catalogue))) ^ set(ROWS))


def read_catalogue(root):
    """Its text; nothing where it is not there."""
    shared = os.environ.get("CONTENTSEEN_SHARED", os.path.join(root, "..", "shared"))
    path = os.path.join(shared, "design", "hostile-inputs.md")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_tests(root):
    for folder, _, names in sorted(os.walk(os.path.join(root, "tests"))):
        for name in sorted(names):
            if name.endswith((".cc", ".py")) and name != os.path.basename(__file__):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    yield os.path.relpath(path, root), file.read()


def prove_that_it_can_fail():
    cc = "TEST(A, Row1_Bomb) {}\nTEST_F(B, Row40To42Addresses) {}\nTEST(C, Brow2_No) {}\n"
    found = tests_by_row([("a.cc", cc), ("b.py", "def test_row99_kill():\n")])
    assert sorted(found) == [1, 40, 41, 42, 99], found
    assert 2 in missing(found) and 1 not in missing(found) and 118 not in missing(found)
    assert rows_of("Row12_Http09") == range(12, 13)
    rows = "".join(f"| {row} | input |\n" for row in ROWS)
    assert not unlike("| # | input |\n" + rows)
    assert unlike(rows.replace("| 7 |", "| 700 |")) == [7, 700]


def main():
    prove_that_it_can_fail()
    arguments = sys.argv[1:]
    show = "--list" in arguments
    roots = [a for a in arguments if a != "--list"]
    root = roots[0] if roots else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = tests_by_row(read_tests(root))
    if show:
        for row in ROWS:
            print(f"{row:3}  " + ("; ".join(found.get(row, ["-"]))))
    absent = missing(found)
    for row in absent:
        print(f"row {row} of the hostile inputs has no test named Row{row}_...")
    catalogue = read_catalogue(root)
    strange = unlike(catalogue) if catalogue is not None else []
    for row in strange:
        print(f"row {row} is in the catalogue or among ROWS, but not in both")
    if catalogue is None:
        print("the catalogue is not there: its rows were not held against ROWS")
    rows = len(ROWS) - len(NOT_OURS)
    print(f"{rows - len(absent)} of {rows} rows have tests")
    return 1 if absent or strange else 0


if __name__ == "__main__":
    sys.exit(main())
