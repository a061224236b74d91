#!/usr/bin/env python3
"""Manual pages as formatters see them, and completion in real shells.

    tests/manual_test.py --program contentseen

Formatters and shells that are not installed are named and passed over; bash is always there.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import at_terminal

failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print("FAIL", what)


def absent(program, what):
    if shutil.which(program):
        return False
    print(f"skipped: {what}: there is no {program}")
    return True


def lint(folder):
    """Every page through every formatter there is; each line it says is a fault."""
    # A list of choices is one word, longer than a narrow line: groff cannot break it, and need not.
    # No date: a page is made from the sources only. mandoc would like one.
    formatters = [
        ("groff", ["groff", "-ww", "-b", "-z", "-man", "-Tutf8", "-K", "utf8"], "can't break line"),
        ("man", ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"],
         "can't break line"),
        ("mandoc", ["mandoc", "-T", "lint", "-W", "warning"], "missing date"),
    ]
    pages = sorted(glob.glob(os.path.join(folder, "*.[15]")))
    check(len(pages) > 15, f"only {len(pages)} pages")
    for name, command, fine in formatters:
        if absent(name, "lint of manual pages"):
            continue
        for page in pages:
            run = subprocess.run([*command, page], capture_output=True, text=True,
                                 env={**os.environ, "MANROFFSEQ": "", "MANWIDTH": "80"})
            said = run.stderr + (run.stdout if name == "mandoc" else "")
            for line in said.splitlines():
                check(fine in line,
                      f"{name}: {os.path.basename(page)}: {line}")


def shown(folder):
    """What a reader sees of options and quotes."""
    if absent("groff", "text of manual pages"):
        return
    page = os.path.join(folder, "contentseen-crawl.1")
    text = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou", page], capture_output=True,
                          text=True, check=True).stdout
    check(re.search(r"^ +--detector\s+\{verified,[a-z-]+,", text, re.M), "what --detector takes")
    check("contentseen crawl --data my-crawl" in text, "an example can be copied")
    check("section.key=value" in text, "--set says what it takes")


class Shell:
    """A shell whose command line is completed as at a desk."""

    def __init__(self, name, command, source, insert_all, folder, program):
        self.name = name
        self.insert_all = insert_all
        path = os.path.dirname(program) + os.pathsep + os.environ["PATH"]
        self.terminal = at_terminal.Terminal(
            command, folder, {"PATH": path, "HOME": folder, "TERM": "dumb", "LC_ALL": "C.UTF-8",
                              "INPUTRC": "/dev/null"}, columns=4000)
        self.terminal.send(f"PS1='ready> '; {source}; echo so''urced\n")
        self.terminal.until(r"sourced\r?\n")

    def completed(self, line, key="\t"):
        """The words of `line` after the key; Ctrl-A puts an echo in front of them."""
        self.terminal.send(line + key + "\x01echo beg''in \x05 e''nd\n")
        return self.terminal.until(r"begin (.*?) end\r?\n").group(1).split()

    def close(self):
        self.terminal.send("exit\n")
        self.terminal.end()


def json_options(program):
    """All keys of the configuration."""
    run = subprocess.run([program, "config", "--json"], capture_output=True, check=True, text=True)
    return re.findall(r'"name": "([^"]+)"', run.stdout)


def help_options(program, *command):
    """The options that a command's --help names."""
    run = subprocess.run([program, *command, "--help"], capture_output=True, check=True, text=True)
    names = re.findall(r"^  ((?:-\w,)?--\S+)", run.stdout, re.M)
    return [name for each in names for name in re.findall(r"--[a-z0-9-]+", each)]


def bash(folder, program):
    with open(os.path.join(folder, "completion.bash"), "w", encoding="utf-8") as stream:
        stream.write(subprocess.run([program, "completion", "bash"], capture_output=True,
                                    check=True, text=True).stdout)
    shell = Shell("bash", ["bash", "--norc", "--noprofile", "-i"], ". ./completion.bash",
                  "\x1b*", folder, program)

    def all_of(line):
        return shell.completed(line, shell.insert_all)

    def equal(found, expected, what):
        check(found == expected, f"bash: {what}: found {found}, expected {expected}")

    commands = all_of("contentseen ")[1:]
    check({"crawl", "skipped", "man", "index"} <= set(commands), f"bash: commands: {commands}")
    for command in commands:
        found = all_of(f"contentseen {command} --")[2:]
        equal(sorted(found), sorted(help_options(program, command)), f"options of {command}")
    equal(shell.completed("contentseen ski"), ["contentseen", "skipped"], "a command")
    equal(shell.completed("contentseen index pl"), ["contentseen", "index", "plan"], "an inner one")
    detectors = all_of("contentseen crawl --detector ")[3:]
    check({"simhash", "minhash", "i-match"} <= set(detectors), f"bash: detectors: {detectors}")
    equal(shell.completed("contentseen crawl --detector=simh")[2:], ["--detector=simhash"],
          "a value after =")
    equal(shell.completed("contentseen crawl --set scope.rea")[2:], ["--set", "scope.reach="],
          "a key")
    equal(all_of("contentseen crawl --set scope.reach=")[3:],
          ["scope.reach=any", "domain", "host"], "a key's values")  # = ends a word in bash
    equal([word.removesuffix("=") for word in all_of("contentseen config --set ")[3:]],
          sorted(json_options(program)), "all keys")

    os.mkdir(os.path.join(folder, "my crawl"))
    for name in ("my-seeds.txt", "my.toml"):
        with open(os.path.join(folder, name), "w", encoding="utf-8"):
            pass
    equal(shell.completed("contentseen crawl my-")[2:], ["my-seeds.txt"], "a file")
    equal(shell.completed("contentseen crawl --config my.t")[2:], ["--config", "my.toml"],
          "a configuration file")
    equal(" ".join(shell.completed("contentseen skipped my")), "contentseen skipped my crawl/",
          "folders only")
    shell.close()


def zsh(folder, program):
    if absent("zsh", "completion in zsh"):
        return
    source = ("PS1='ready> '; unsetopt prompt_sp zle_bracketed_paste 2>/dev/null;"
              "autoload -Uz compinit; compinit -u -D; source <(contentseen completion zsh)")
    shell = Shell("zsh", ["zsh", "-f", "-i", "+o", "promptcr"], source, "", folder, program)
    for line, last in [("contentseen ski", "skipped"),
                       ("contentseen skipped --ki", "--kind"),
                       ("contentseen crawl --detector simh", "simhash"),
                       ("contentseen crawl --set scope.rea", "scope.reach="),
                       ("contentseen crawl my-", "my-seeds.txt")]:
        found = shell.completed(line)
        check(found[-1:] == [last], f"zsh: {line}: found {found}, expected {last}")
    shell.close()


def fish(folder, program):
    if absent("fish", "completion in fish"):
        return
    env = {**os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder,
           "PATH": os.path.dirname(program) + os.pathsep + os.environ["PATH"]}
    for line, first in [("contentseen ski", "skipped"),
                        ("contentseen skipped --ki", "--kind"),
                        ("contentseen crawl --detector simh", "simhash"),
                        ("contentseen crawl --set scope.rea", "scope.reach="),
                        ("contentseen crawl my-", "my-seeds.txt")]:
        script = f"contentseen completion fish | source; complete -C '{line}'"
        run = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True,
                             cwd=folder, env=env)
        found = [shown_line.split("\t")[0] for shown_line in run.stdout.splitlines()]
        check(found == [first], f"fish: {line}: found {found}, expected {first}: {run.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    program = os.path.abspath(parser.parse_args().program)
    with tempfile.TemporaryDirectory() as folder:
        pages = os.path.join(folder, "man")
        subprocess.run([program, "man", "--directory", pages], check=True)
        lint(pages)
        shown(pages)
        shutil.rmtree(pages)
        bash(folder, program)
        zsh(folder, program)
        fish(folder, program)
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
