"""WARC files before readers that others wrote."""
import json
import os
import pathlib
import subprocess
import venv

import crawl_driver
import warc_reading


class Failures(list):
    def expect(self, condition, what):
        if not condition:
            self.append(what)


def why_not_made(place):
    """Makes the virtual environment; says why it cannot, "" where it can."""
    try:
        venv.create(place, with_pip=True)
        subprocess.run([place / "bin" / "pip", "install", "--quiet",
                        "--disable-pip-version-check", "warcio", "cdxj-indexer"],
                       capture_output=True, check=True, timeout=180)
    except SystemExit:
        return "python3-venv is not there"
    except subprocess.TimeoutExpired:
        return "pip took more than 180 s"
    except (subprocess.CalledProcessError, OSError) as error:
        needed = "ensurepip" in str(error)
        return "python3-venv is not there" if needed else "pip reaches no package index"
    return ""


class Readers:
    """warcio and cdxj-indexer, in a virtual environment made for this test."""

    def __init__(self, folder):
        self.bin = None
        self.why = ""
        given = os.environ.get("CONTENTSEEN_WARCIO_VENV")
        place = pathlib.Path(given) if given else folder / "venv"
        if not given:
            self.why = why_not_made(place)
            if self.why:
                return
        self.bin = place / "bin"

    def tool(self, *command):
        name, *rest = command
        return subprocess.run([self.bin / name, *rest], capture_output=True, text=True,
                              check=False)

    def check(self, data, failures):
        if self.bin is None:
            return
        for path in warc_reading.files_of(data):
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


def outcome(failures, readers):
    """The exit code of a test."""
    for failure in failures[:30]:
        print("FAILED:", failure)
    if failures:
        return 1
    if readers.bin is None:
        print(f"skipped: warcio could not be installed ({readers.why}); all else went well")
        return crawl_driver.SKIPPED
    return 0
