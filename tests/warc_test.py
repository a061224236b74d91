#!/usr/bin/env python3
"""Crawls with WARC on and has the files read by others.

    tests/warc_test.py --program build/test/crawler/contentseen

Webs on loopback: pages that show each way a body can come (chunked, coded, redirected, cut,
missing, twice), bodies that break off or never end, and pages over HTTP/2 and TLS, where nginx and
openssl are there to serve them. The files are read by warc_reading.py, and where pip reaches a
package index also by warcio, whose `check` recomputes digests, and by cdxj-indexer, whose index
must equal ours. Exit code 77: everything that could run went well, but something was not there.
"""
import argparse
import gzip
import http.server
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading

import crawl_driver
import warc_readers
import warc_reading

CONFIG = """
[crawl]
process_threads = 1
retries_max = 0
[scope]
reach = "any"
[politeness]
delay = "0s"
connections_per_host = 4
[fetch]
allow_networks = ["127.0.0.0/8"]
body_bytes_max = "64 KiB"
basic_auth = ["{host} reader:open-sesame"]
{fetch}
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


def crawl(program, data, origin, output="", fetch=""):
    """Crawls from `origin`/ to the end; the summary."""
    config, seeds = data.with_suffix(".toml"), data.with_suffix(".txt")
    host = origin.partition("//")[2]
    config.write_text(CONFIG.format(output=output, fetch=fetch, host=host))
    seeds.write_text(origin + "/\n")
    return crawl_driver.Crawl(program, config, data, seeds).run_to_end()


def served(handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.handle_error = lambda *unused: None  # a crawler may hang up
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}"


def check_ways(program, folder, failures, readers):
    server, origin = served(Ways)
    try:
        for digest in ("sha1", "sha256"):
            data = folder / f"ways-{digest}"
            crawl(program, data, origin, f'warc_digest = "{digest}"')
            look_at_ways(warc_reading.records_of(data), origin, digest, failures)
            warc_reading.check_index(data, failures)
            readers.check(data, failures)
        data = folder / "ways-drop"
        crawl(program, data, origin, 'warc_near = "drop"')
        near = [r.type for r in warc_reading.records_of(data) if r.url == origin + "/near"]
        failures.expect(near == ["metadata"], f"a dropped near-duplicate left {near}")
        data = folder / "ways-off"
        crawl(program, data, origin, "warc = false")
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


class Breaking(http.server.BaseHTTPRequestHandler):
    """A page whose body is announced, begun and not ended."""
    protocol_version = "HTTP/1.1"
    over = threading.Event()  # set when nobody waits for an end any more
    closes = True

    def log_message(self, *unused):
        pass

    def do_GET(self):
        body = page(prose(6, 300))
        if self.path == "/robots.txt":
            body = b"User-agent: *\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.path == "/robots.txt":
            self.wfile.write(body)
            return
        self.wfile.write(body[:200])
        self.wfile.flush()
        if not self.closes:
            self.over.wait()
        self.close_connection = True


class Stalling(Breaking):
    over = threading.Event()
    closes = False


def check_broken_off(program, folder, failures, readers):
    """What came before the end is kept, and marked for what it is."""
    for handler, why, disposition in ((Breaking, "disconnect", "reset"),
                                      (Stalling, "time", "timeout")):
        server, origin = served(handler)
        data = folder / why
        try:
            summary = crawl(program, data, origin, fetch='total_timeout = "5s"')
        finally:
            handler.over.set()
            server.shutdown()
        failures.expect(summary["dispositions"].get(disposition) == 1,
                        f"{why}: ends {summary['dispositions']}")
        found = [r for r in warc_reading.records_of(data)
                 if r.type == "response" and r.url == origin + "/"]
        failures.expect(len(found) == 1 and found[0]["WARC-Truncated"] == why and
                        found[0].http()[2] == page(prose(6, 300))[:200],
                        f"{why}: {[(r['WARC-Truncated'], r.http()[2]) for r in found]}")
        warc_reading.check_index(data, failures)
        readers.check(data, failures)


NGINX = """
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ }}
http {{
  access_log off;
  types {{ text/html html; text/plain txt; }}
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{
    listen 127.0.0.1:{port} ssl http2;
    ssl_protocols TLSv1.3;
    ssl_certificate {folder}/cert.pem;
    ssl_certificate_key {folder}/key.pem;
    root {folder}/www;
    gzip on;
    gzip_min_length 1;
    location = /moved.html {{ return 301 /coded.html; }}
  }}
}}
"""


def serve_http2(folder):
    """nginx over TLS with a certificate made here; origin and what stops it, or nothing."""
    if not (crawl_driver.find_nginx() and shutil.which("openssl")):
        return None
    folder.chmod(0o755)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
                   check=True, capture_output=True)
    www = folder / "www"
    www.mkdir()
    for name, body in (("index.html", page(prose(7, 300), ["/copy.html", "/coded.html",
                                                           "/long.html", "/moved.html"])),
                       ("copy.html", page(prose(7, 300), ["/copy.html", "/coded.html",
                                                          "/long.html", "/moved.html"])),
                       ("coded.html", page(prose(8, 300))), ("long.html", page(prose(9, 30000))),
                       ("robots.txt", b"User-agent: *\n")):
        (www / name).write_bytes(body)
    for _ in range(5):  # somebody else may take a port that was free
        port = crawl_driver.free_port(1)
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port))
        stop = crawl_driver.serve_with_nginx(folder, "127.0.0.1", port)
        if stop:
            return f"https://127.0.0.1:{port}", stop
    return None


def check_http2(program, folder, failures, readers):
    """False where nobody serves it."""
    served_folder = folder / "http2"
    served_folder.mkdir()
    folder.chmod(0o755)  # nginx's workers run as another user
    server = serve_http2(served_folder)
    if server is None:
        return False
    origin, stop = server
    data = folder / "http2-data"
    try:
        crawl(program, data, origin, fetch=f'ca_file = "{served_folder}/cert.pem"')
    finally:
        stop()
    records = warc_reading.records_of(data)
    for record in records:
        if record.type not in ("response", "revisit", "request"):
            continue
        protocols = record.all("WARC-Protocol")
        failures.expect(protocols == ["h2", "tls/1.3"], f"{record.url}: {protocols}")
        failures.expect((record["WARC-Cipher-Suite"] or "").startswith("TLS_"), "no cipher suite")
        line = record.http()[0]
        failures.expect("HTTP/1.1" in line and "HTTP/2" not in line, f"{record.url}: {line}")
    responses = {r.url.removeprefix(origin): r for r in records if r.type == "response"}
    for name in ("/coded.html", "/robots.txt"):
        body = (served_folder / "www" / name[1:]).read_bytes()
        failures.expect(warc_reading.decoded(responses[name]) == body, f"{name}: other bytes")
    failures.expect(responses["/coded.html"].header("content-encoding") == "gzip", "not coded")
    failures.expect(responses["/long.html"]["WARC-Truncated"] == "length", "a cut body")
    failures.expect(responses["/moved.html"].http()[0].startswith("HTTP/1.1 301"), "a redirect")
    revisits = [r.url for r in records if r.type == "revisit"]
    failures.expect(len(revisits) == 1 and revisits[0] == origin + "/copy.html",
                    f"revisits {revisits}")
    warc_reading.check_index(data, failures)
    readers.check(data, failures)
    return True


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    arguments.add_argument("--program", required=True)
    program = arguments.parse_args().program
    failures = warc_readers.Failures()
    with tempfile.TemporaryDirectory(prefix="contentseen-warc-") as name:
        folder = pathlib.Path(name)
        readers = warc_readers.Readers(folder)
        check_ways(program, folder, failures, readers)
        check_broken_off(program, folder, failures, readers)
        http2 = check_http2(program, folder, failures, readers)
    code = warc_readers.outcome(failures, readers)
    if code == 0 and not http2:
        print("skipped: HTTP/2: nginx and openssl are not both there; all else went well")
        return crawl_driver.SKIPPED
    return code


if __name__ == "__main__":
    sys.exit(main())
