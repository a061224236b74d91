"""A small WARC 1.1 reader of our own, written from the standard, for tests: gzip member by gzip
member, so that a record that shares a member with another is found out, with every digest
recomputed."""
import base64
import gzip
import hashlib
import json
import zlib


class Record:
    def __init__(self, offset, length, raw):
        head, _, rest = raw.partition(b"\r\n\r\n")
        lines = head.decode("utf-8").split("\r\n")
        self.version, self.fields = lines[0], [line.split(": ", 1) for line in lines[1:]]
        self.offset, self.length = offset, length
        size = int(self["Content-Length"])
        self.block, end = rest[:size], rest[size:]
        assert len(self.block) == size, "a block is shorter than its Content-Length"
        assert end == b"\r\n\r\n", f"a record ends in {end[:20]!r}"

    def __getitem__(self, name):
        found = [value for key, value in self.fields if key.lower() == name.lower()]
        return found[0] if found else None

    def all(self, name):
        return [value for key, value in self.fields if key.lower() == name.lower()]

    @property
    def type(self):
        return self["WARC-Type"]

    @property
    def url(self):
        return self["WARC-Target-URI"]

    def http(self):
        """Status line, header lines and payload of an HTTP block."""
        head, _, payload = self.block.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        return lines[0], [tuple(line.split(": ", 1)) for line in lines[1:]], payload

    def header(self, name):
        values = [v for k, *rest in self.http()[1] for v in rest if k.lower() == name.lower()]
        return values[0] if values else None


def labelled(label, data):
    algorithm, _, _ = label.partition(":")
    if algorithm == "sha1":
        return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()
    return "sha256:" + hashlib.sha256(data).hexdigest()


def members(path):
    """(offset, length, bytes) of each gzip member."""
    data = path.read_bytes()
    offset = 0
    while offset < len(data):
        inflate = zlib.decompressobj(31)
        raw = inflate.decompress(data[offset:])
        assert inflate.eof, f"{path.name}: the member at {offset} has no end"
        length = len(data) - offset - len(inflate.unused_data)
        yield offset, length, raw
        offset += length


def read(path):
    """All records of a file, each checked by itself."""
    records = []
    for offset, length, raw in members(path):
        record = Record(offset, length, raw)
        assert record.version == "WARC/1.1", record.version
        assert record["WARC-Record-ID"].startswith("<urn:uuid:")
        assert record["WARC-Block-Digest"] == labelled(record["WARC-Block-Digest"], record.block)
        if record.type == "response":
            payload = record.http()[2]
            assert record["WARC-Payload-Digest"] == labelled(record["WARC-Payload-Digest"], payload)
        records.append(record)
    assert records and records[0].type == "warcinfo", f"{path.name} begins without a warcinfo"
    assert records[0]["WARC-Filename"] == path.name.removesuffix(".open")
    return records


def decoded(record):
    """The body as a browser sees it."""
    payload = record.http()[2]
    coding = record.header("Content-Encoding")
    return gzip.decompress(payload) if coding == "gzip" else payload


def read_index(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines == sorted(lines, key=lambda line: line.encode()), f"{path.name} is not sorted"
    return [(*line.split(" ", 2)[:2], json.loads(line.split(" ", 2)[2])) for line in lines]


def files_of(data):
    files = sorted((data / "warc").glob("*.warc.gz"))
    assert not list((data / "warc").glob("*.open")), "a file was not finished"
    return files


def records_of(data):
    return [record for path in files_of(data) for record in read(path)]


def check_index(data, failures):
    for path in files_of(data):
        entries = read_index(path.with_name(path.name.replace(".warc.gz", ".cdxj")))
        indexed = {(int(e["offset"]), int(e["length"]), e["url"]) for _, _, e in entries}
        there = {(r.offset, r.length, r.url) for r in read(path)
                 if r.type in ("response", "revisit")}
        failures.expect(indexed == there, f"{path.name}: the index misses or invents records")
