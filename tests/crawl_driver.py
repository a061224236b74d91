"""The generated site served on loopback, and crawls of it, for tests.

    with crawl_driver.generated_site(pages=2000, hosts=16) as site:
        crawl = crawl_driver.Crawl(program, site.config(2), site.folder / "data", site.seeds)
        summary = crawl.run_to_end()
        pages = crawl_driver.read_jsonl(crawl.data / "pages.jsonl")

The generator is shared/crawlsite/gen.py ($CONTENTSEEN_SHARED, else ../shared beside the checkout);
where it is not, generated_site() says so and ends the test with exit code 77. Pages are served by
nginx where it is installed, else by Python's own server; both on loopback addresses, and no
/etc/hosts is touched.
"""
import contextlib
import functools
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

SKIPPED = 77


def read_jsonl(path):
    """Whole lines only: what a dead process left after the last one does not count."""
    text = path.read_bytes() if path.exists() else b""
    return [json.loads(line) for line in text.split(b"\n")[:-1]]


class Handler(http.server.SimpleHTTPRequestHandler):
    """One document root a virtual host."""
    protocol_version = "HTTP/1.1"

    def translate_path(self, path):
        host = self.headers.get("Host", "").split(":")[0]
        self.directory = str(pathlib.Path(self.directory).parent / host)
        return super().translate_path(path)

    def log_message(self, *unused):
        pass


def serve_with_python(folder, hosts, port):
    servers = []
    for i, host in enumerate(hosts):
        handler = functools.partial(Handler, directory=str(folder / "www" / host))
        server = http.server.ThreadingHTTPServer((f"127.0.0.{2 + i}", port), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
    return lambda: [server.shutdown() for server in servers]


def find_nginx():
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def serve_with_nginx(folder, address, port):
    """Runs nginx by `folder`/nginx.conf; gives what stops it, or nothing where it cannot run."""
    nginx = find_nginx()
    if not nginx:
        return None
    process = subprocess.Popen([nginx, "-c", str(folder / "nginx.conf"), "-p", str(folder)],
                               stderr=subprocess.DEVNULL)
    while process.poll() is None:  # until the port answers: connect() itself is the wait
        try:
            socket.create_connection((address, port), timeout=1).close()
            return process.terminate
        except ConnectionRefusedError:
            continue
    return None


def free_port(hosts):
    """A port that is free on every loopback address used."""
    for _ in range(100):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        try:
            for i in range(hosts):
                with socket.socket() as other:
                    other.bind((f"127.0.0.{2 + i}", port))
            return port
        except OSError:
            continue
    raise SystemExit("no port is free on all loopback addresses")


class Site:
    """The generated site, served."""

    def __init__(self, folder, port):
        self.folder, self.port = folder, port
        self.hosts = sorted(path.name for path in (folder / "www").iterdir())
        self.seeds = folder / "seeds.txt"

    def config(self, threads, more=""):
        """Writes a configuration that crawls it as fast as it goes."""
        resolve = ", ".join(f'"{host}:{self.port}:127.0.0.{2 + i}"'
                            for i, host in enumerate(self.hosts))
        path = self.folder / f"crawl-{threads}.toml"
        path.write_text(f"""
[crawl]
process_threads = {threads}
[scope]
reach = "any"
[politeness]
delay = "0s"
connections_per_host = 8
[fetch]
allow_networks = ["127.0.0.0/8"]
resolve = [{resolve}]
[log]
level = "quiet"
{more}""")
        return path


@contextlib.contextmanager
def generated_site(pages, hosts):
    checkout = pathlib.Path(__file__).resolve().parent.parent
    shared = pathlib.Path(os.environ.get("CONTENTSEEN_SHARED", checkout.parent / "shared"))
    generator = shared / "crawlsite" / "gen.py"
    if not generator.exists():
        print("skipped: the site generator was not found; set CONTENTSEEN_SHARED to the folder of "
              "shared test data")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="contentseen-site-") as name:
        folder = pathlib.Path(name)
        os.chmod(folder, 0o755)  # nginx's workers run as another user
        port = free_port(hosts)
        subprocess.run([sys.executable, generator, "--gzip", "--out", folder, "--port", str(port),
                        "--pages", str(pages), "--hosts", str(hosts)], check=True)
        site = Site(folder, port)
        stop = (serve_with_nginx(folder, "127.0.0.2", port) or
                serve_with_python(folder, site.hosts, port))
        try:
            yield site
        finally:
            stop()


class Crawl:
    """A crawl in one data directory, carried on by one process after another."""

    def __init__(self, program, config, data, seeds):
        self.command = [program, "crawl", seeds, "--config", config, "--data", data, "--json"]
        self.program, self.data = program, data

    def run_to_end(self):
        return run_json(self.command)

    def run_and_kill(self, after, how=signal.SIGKILL):
        """Kills it after so many seconds, or has it stop in order (SIGTERM). Its summary when it
        had ended before, else nothing."""
        process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        try:
            out, said = process.communicate(timeout=after)
        except subprocess.TimeoutExpired:
            process.send_signal(how)
            _, said = process.communicate()
            # It heeds a signal from when it has said that it goes on.
            killed = how == signal.SIGKILL or "Going on with" not in said
            if process.returncode != 0 and not (killed and process.returncode == -how):
                raise SystemExit(f"exit code {process.returncode}\n{said}") from None
            return None
        if process.returncode != 0:
            raise SystemExit(f"exit code {process.returncode}\n{said}")
        return json.loads(out)

    def status(self):
        return run_json([self.program, "status", "--data", self.data, "--json"])

    def damage(self):
        """What `status --check` has to say against it."""
        run = subprocess.run([self.program, "status", "--data", self.data, "--check"],
                             capture_output=True, text=True, check=False)
        return run.stderr if run.returncode != 0 else ""


def run_json(command):
    """What the program prints, or the end of the test."""
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(f"{command} ended with {run.returncode}:\n{run.stdout}{run.stderr}")
    return json.loads(run.stdout)
