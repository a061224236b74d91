#!/usr/bin/env python3
"""The house rules that a machine can check; docs/architecture.md says why each exists.

    tests/tidy_test.py [ROOT]

Prints each breach as file:line: what, and exits with 1 when there is any. First it proves on bad
snippets of its own that it can fail.
"""

import fnmatch
import os
import re
import sys

# Who may include whom.
ROOMS = {
    "base": {"base"},
    "store": {"base", "store"},
    "contentseen": {"base", "contentseen"},
    "parser": {"base", "parser"},
    "frontier": {"base", "store", "frontier"},
    "crawler": {"base", "store", "contentseen", "parser", "frontier", "crawler"},
    "tests": {"base", "store", "contentseen", "parser", "frontier", "crawler", "tests"},
    "bench": {"base", "store", "contentseen", "parser", "frontier", "crawler", "bench"},
}
# Who within a room may include whom, beside itself. The parts of crawler/ are named from the bottom:
# each may include those before it. A room's own folder is its door: all of its parts may be there.
CRAWLER_PARTS = ["io", "fetch", "page", "warc", "data", "pipeline", "settings", "crawl", "dedup",
                 "demo", "web", "evaluate", "report", "command"]
PARTS = {
    "contentseen/text": {"contentseen"},
    "contentseen/hamming": {"contentseen"},
    "contentseen/detectors": {"contentseen", "contentseen/text", "contentseen/hamming"},
    **{f"crawler/{part}": {"crawler", *(f"crawler/{below}" for below in CRAWLER_PARTS[:i])}
       for i, part in enumerate(CRAWLER_PARTS)},
}
LIBRARY = ("base", "store", "contentseen", "parser", "frontier", "crawler")

# Third-party headers: pattern, files that may include them, and in how many of these at most.
# A header that is not listed, not the language's and not the system's is a breach.
ANY = 10**6
THIRD_PARTY = [
    ("gumbo.h", ["parser/*.cc"], 1),
    ("unicode/*.h", ["contentseen/*.cc", "parser/*.cc", "frontier/*.cc"], ANY),
    ("expat.h", ["parser/*.cc"], 1),
    ("libpsl.h", ["frontier/*.cc"], 1),
    ("curl/urlapi.h", ["frontier/*.cc"], 1),
    ("curl/curl.h", ["crawler/fetch/curl_*"], ANY),
    ("openssl/evp.h", ["contentseen/*.cc"], 1),
    ("openssl/pem.h", [], 0),
    ("openssl/x509v3.h", [], 0),
    ("openssl/ssl.h", ["crawler/*.cc"], 1),
    ("openssl/x509_vfy.h", ["crawler/*.cc"], 1),
    ("xxhash.h", ["contentseen/*.cc", "frontier/*.cc"], ANY),
    ("tl/expected.hpp", ["base/result.h", "crawler/*"], ANY),
    ("rocksdb/*.h", ["store/*.cc"], 1),
    ("CLI/CLI.hpp", ["crawler/command/command_line.h"], 1),
    ("toml++/toml.h", ["crawler/settings/config_file.cc"], 1),
    ("nlohmann/*.hpp", ["crawler/*.cc"], ANY),
    ("fmt/*.h", ["crawler/*.cc"], ANY),
    ("zlib.h", ["crawler/*.cc", "parser/*.cc"], ANY),
    ("isa-l/*.h", ["crawler/io/gzip_member.cc"], 1),
    ("libdeflate.h", ["crawler/io/*.cc", "store/*.cc"], 3),
    ("lz4.h", ["crawler/data/text_store.cc"], 1),
    ("brotli/*.h", ["crawler/*.cc"], ANY),
    ("httplib.h", ["crawler/io/http_server.h"], 1),
    ("prometheus/*.h", ["crawler/report/metrics.cc"], 1),
]
# In tests and benchmarks anything that a library may include, and these.
TEST_ONLY = ["gtest/*.h", "gmock/*.h", "rapidcheck.h", "rapidcheck/*.h", "benchmark/*.h",
             "faiss/*.h", "httplib.h"]
SYSTEM = ["arpa/*.h", "cpuid.h", "dirent.h", "dlfcn.h", "errno.h", "fcntl.h", "ifaddrs.h",
          "*mmintrin.h", "linux/*.h", "locale.h", "malloc.h", "net/*.h", "netdb.h", "netinet/*.h", "poll.h",
          "pthread.h", "sched.h", "setjmp.h", "signal.h", "spawn.h", "stdlib.h", "string.h",
          "sys/*.h", "termios.h", "time.h", "unistd.h"]

COLUMNS_MAX = 100
FUNCTION_LINES_MAX = 70

PRINTING = re.compile(r"\bstd::(?:cout|cerr|clog)\b|\b(?:std::)?(?:v?f?printf|puts|fputs|perror|"
                      r"putchar)\s*\(")
MAY_PRINT = {"base/check.cc"}  # one line before abort()
SLEEPING = re.compile(r"\b(?:sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep|sleep)\s*\(")
REFUSED_NAME = re.compile(r"\b(?:class|struct)\s+(?:\w+\(\w*\)\s+)?"
                          r"(\w*(?:Manager|Helper|Util|Utils|Handler|Info|Data))\b")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|home)/")
TEMP_PATH = re.compile(r"(?<![\w.])/tmp/")
TODO = re.compile(r"\b(?:TODO|FIXME|XXX)\b(?!\(\w+\))")
EMPTY_CATCH = re.compile(r"catch\s*\([^)]*\)\s*\{\s*\}")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


class Breaches(list):
    def add(self, path, line, what):
        self.append((path, line, what))


def room_of(path):
    return path.split("/", 1)[0]


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def code_only(text):
    """`text` with comments, strings and character literals blanked; lines and columns stay."""
    pattern = re.compile(
        r'R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"'  # raw string
        r'|"(?:\\.|[^"\\\n])*"'
        r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"  # not the ' in 1'000
        r"|//[^\n]*|/\*.*?\*/", re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


# Each rule takes (path, text, code, breaches), `code` being code_only(text).

def rule_line_length(path, text, code, breaches):
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > COLUMNS_MAX:
            breaches.add(path, number, f"{len(line)} columns, at most {COLUMNS_MAX}")


def rule_pragma_once(path, text, code, breaches):
    if path.endswith(".h") and not re.match(r"\s*#pragma once\b", code):
        breaches.add(path, 1, "a header begins with #pragma once")


def rule_includes(path, text, code, breaches):
    room = room_of(path)
    for number, line in enumerate(text.split("\n"), 1):
        include = INCLUDE.match(line)
        if not include:
            continue
        quote, header = include.groups()
        if quote == '"':
            folder = room_of(header) if "/" in header else ""
            if folder not in ROOMS:
                breaches.add(path, number, f'"{header}" is not "folder/file.h" of a room')
            elif folder not in ROOMS[room]:
                breaches.add(path, number, f"{room}/ may not include {folder}/")
            elif not allowed_part(os.path.dirname(path), os.path.dirname(header)):
                breaches.add(path, number, f"{os.path.dirname(path)}/ may not include "
                             f"{os.path.dirname(header)}/")
        elif not allowed_header(path, header):
            breaches.add(path, number, f"<{header}> may not be included here")


def allowed_part(part, other):
    if room_of(part) != room_of(other) or part not in PARTS:
        return True
    return other == part or other in PARTS[part]


def allowed_header(path, header):
    if re.fullmatch(r"[a-z_]+", header) or matches(header, SYSTEM):
        return True  # the language's own, or the system's
    if path.startswith("tests/install/") and header.startswith("contentseen/"):
        return True  # an outside project, which sees the library as installed
    outside = room_of(path) in ("tests", "bench")
    if outside and matches(header, TEST_ONLY):
        return True
    for pattern, files, _ in THIRD_PARTY:
        if fnmatch.fnmatchcase(header, pattern):
            return outside or matches(path, files)
    return False


def rule_printing(path, text, code, breaches):
    if room_of(path) not in LIBRARY or path in MAY_PRINT:
        return
    for found in PRINTING.finditer(code):
        breaches.add(path, line_of(code, found.start()), "library code never prints")


def rule_sleeping(path, text, code, breaches):
    for found in SLEEPING.finditer(code):
        breaches.add(path, line_of(code, found.start()),
                     "nobody sleeps: wait for an event with a deadline")


def rule_names(path, text, code, breaches):
    for found in REFUSED_NAME.finditer(code):
        breaches.add(path, line_of(code, found.start()), f"{found.group(1)}: not a name we use")


def rule_machine_paths(path, text, code, breaches):
    for number, line in enumerate(text.split("\n"), 1):
        if MACHINE_PATH.search(line) or (room_of(path) != "tests" and TEMP_PATH.search(line)):
            breaches.add(path, number, "a path of one machine")


def rule_todo(path, text, code, breaches):
    for found in TODO.finditer(text):
        breaches.add(path, line_of(text, found.start()), "a TODO without an owner: TODO(name)")


def rule_catch(path, text, code, breaches):
    for found in EMPTY_CATCH.finditer(code):
        breaches.add(path, line_of(code, found.start()), "an exception is swallowed")


def rule_disabled_tests(path, text, code, breaches):
    for found in re.finditer(r"\bDISABLED_\w+", code):
        breaches.add(path, line_of(code, found.start()), "a disabled test")


def rule_function_length(path, text, code, breaches):
    # Brackets outside functions are namespaces and types; the first other one after a ')' opens a
    # function.
    stack = []  # (kind, line); kind: "scope", "function", "block"
    begin = 0
    line = 1
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank_line, code, flags=re.M)
    for offset, char in enumerate(code):
        if char == "\n":
            line += 1
        elif char == ";":
            begin = offset + 1
        elif char == "{":
            head = code[begin:offset]
            outside = all(kind == "scope" for kind, _ in stack)
            if not outside:
                kind = "block"
            elif re.search(r"\b(?:namespace|extern)\b|^[^(]*\b(?:class|struct|union|enum)\b", head):
                kind = "scope"
            elif ")" in head:
                kind = "function"
            else:
                kind = "block"
            stack.append((kind, line))
            begin = offset + 1
        elif char == "}":
            begin = offset + 1
            if not stack:
                return  # unbalanced by macros: nothing can be said
            kind, opened = stack.pop()
            if kind == "function" and line - opened + 1 > FUNCTION_LINES_MAX:
                breaches.add(path, opened, f"a function of {line - opened + 1} lines, at most "
                             f"{FUNCTION_LINES_MAX}")


def blank_line(found):
    return re.sub(r"[^\n]", " ", found.group())


CPP_RULES = [rule_line_length, rule_pragma_once, rule_includes, rule_printing, rule_sleeping,
             rule_names, rule_machine_paths, rule_todo, rule_catch, rule_disabled_tests,
             rule_function_length]
OTHER_RULES = [rule_line_length, rule_machine_paths, rule_todo]


def check(files):
    """The breaches in {path: text}."""
    breaches = Breaches()
    for path, text in sorted(files.items()):
        cpp = path.endswith((".h", ".cc"))
        code = code_only(text) if cpp else text
        for rule in CPP_RULES if cpp else OTHER_RULES:
            rule(path, text, code, breaches)
    check_counts(files, breaches)
    return breaches


def check_counts(files, breaches):
    for pattern, _, most in THIRD_PARTY:
        users = []
        for path, text in sorted(files.items()):
            if room_of(path) not in LIBRARY or not path.endswith((".h", ".cc")):
                continue
            for number, line in enumerate(text.split("\n"), 1):
                include = INCLUDE.match(line)
                if include and fnmatch.fnmatchcase(include.group(2), pattern):
                    users.append((path, number))
                    break
        for path, number in users[most:]:
            breaches.add(path, number, f"<{pattern}> stands in {users[0][0]} already")


def read_tree(root):
    files = {}
    for top in [*ROOMS, "cmake"]:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith((".h", ".cc", ".py", ".cmake", "CMakeLists.txt")):
                    full = os.path.join(folder, name)
                    with open(full, encoding="utf-8") as stream:
                        files[os.path.relpath(full, root)] = stream.read()
    # This file spells what it looks for.
    files.pop(os.path.join("tests", "tidy_test.py"), None)
    return files


def function(lines):
    return "int F() {\n" + "  ++n;\n" * (lines - 2) + "}\n"


# (path, text, line of the only breach; 0: none)
SNIPPETS = [
    ("parser/a.cc", '#include "base/check.h"\n#include "parser/b.h"\n#include <vector>\n', 0),
    ("parser/a.cc", '\n#include "frontier/url.h"\n', 2),
    ("base/a.cc", '#include "parser/b.h"\n', 1),
    ("contentseen/a.cc", '#include "crawler/page/page.h"\n', 1),
    ("crawler/a.cc", '#include "parser/b.h"\n', 0),
    ("crawler/a.cc", '#include "page.h"\n', 1),
    ("crawler/page/a.cc", '#include "crawler/page/b.h"\n#include "crawler/io/c.h"\n', 0),
    ("crawler/page/a.cc", '#include "base/b.h"\n#include "crawler/data/c.h"\n', 2),
    ("crawler/page/a.cc", '#include "crawler/unheard/c.h"\n', 1),
    ("contentseen/a.cc", '#include "contentseen/detectors/b.h"\n', 0),
    ("contentseen/text/a.cc", '#include "contentseen/b.h"\n', 0),
    ("contentseen/text/a.cc", '#include "contentseen/hamming/b.h"\n', 1),
    ("crawler/a.cc", '#include "tests/temp.h"\n', 1),
    ("tests/a.cc", '#include <gtest/gtest.h>\n#include <gumbo.h>\n', 0),
    ("parser/a.cc", "#include <gtest/gtest.h>\n", 1),
    ("tests/install/a.cc", "#include <contentseen/text/text.h>\n", 0),
    ("tests/b/a.cc", "#include <contentseen/text/text.h>\n", 1),
    ("parser/a.cc", "#include <gumbo.h>\n", 0),
    ("parser/a.h", "#pragma once\n#include <gumbo.h>\n", 2),
    ("crawler/a.cc", "#include <gumbo.h>\n", 1),
    ("frontier/a.cc", "#include <curl/urlapi.h>\n", 0),
    ("frontier/a.cc", "#include <curl/curl.h>\n", 1),
    ("contentseen/a.h", "#pragma once\n#include <tl/expected.hpp>\n", 2),
    ("contentseen/a.h", "#pragma once\n#include <xxhash.h>\n", 2),
    ("contentseen/a.cc", "#include <boost/any.hpp>\n", 1),
    ("contentseen/a.cc", "#include <sys/mman.h>\n", 0),
    ("crawler/a.h", "// comment\n#pragma once\n", 0),
    ("crawler/a.h", "int x;\n#pragma once\n", 1),
    ("crawler/a.cc", "// " + "x" * 97 + "\n", 0),
    ("crawler/a.cc", "\n// " + "x" * 98 + "\n", 2),
    ("crawler/a.cc", "// " + "漢" * 97 + "\n", 0),
    ("crawler/a.cc", function(70), 0),
    ("crawler/a.cc", "\n" + function(71), 2),
    ("crawler/a.cc", "namespace a {\nstruct B {\n" + function(71) + "};\n}\n", 3),
    ("crawler/a.cc", "struct B {\n" + "  int a;\n" * 80 + "};\n", 0),
    ("crawler/a.cc", "B::B()\n    : a_{1}, b_(2) {\n" + "  ++n;\n" * 70 + "}\n", 2),
    ("crawler/a.cc", "const int kTable[] = {\n" + "  1,\n" * 80 + "};\n", 0),
    ("crawler/a.cc", 'std::cout << "x";\n', 1),
    ("crawler/a.cc", '// std::cout << "x";\n', 0),
    ("crawler/a.cc", 'const char* s = "printf(";\n', 0),
    ("crawler/a.cc", 'const char* s = R"(printf(")";\n', 0),
    ("parser/a.cc", 'std::fprintf(stderr, "x");\n', 1),
    ("parser/a.cc", 'std::snprintf(text, 3, "x");\n', 0),
    ("tests/a.cc", 'std::printf("x");\n', 0),
    ("tests/a.cc", "std::this_thread::sleep_for(delay);\n", 1),
    ("crawler/a.cc", "int i = 1'000; usleep(5);\n", 1),
    ("crawler/a.cc", "// never usleep(5)\n", 0),
    ("crawler/a.cc", "class PageManager {};\n", 1),
    ("crawler/a.cc", "struct Metadata {};\n", 0),
    ("crawler/a.cc", 'Open("/work/main");\n', 1),
    ("crawler/a.cc", 'Open("/tmp/x");\n', 1),
    ("tests/a.cc", 'Open("/tmp/x");\n', 0),
    ("tests/a.cc", 'Open("http://a/work/b");\n', 0),
    ("crawler/a.cc", "// TODO: later\n", 1),
    ("crawler/a.cc", "// TODO(ann): later\n", 0),
    ("crawler/a.cc", "try { F(); } catch (...) {\n}\n", 1),
    ("tests/a.cc", "TEST(A, DISABLED_B) {}\n", 1),
    ("cmake/a.cmake", "# " + "x" * 99 + "\n", 1),
]
# Several files at once, and the breaches in them.
GROUPS = [
    ({"parser/a.cc": "#include <gumbo.h>\n", "parser/b.cc": "\n#include <gumbo.h>\n"},
     [("parser/b.cc", 2)]),
    ({"crawler/fetch/curl_a.cc": "#include <curl/curl.h>\n",
      "tests/b.cc": "#include <curl/curl.h>\n"}, []),
]


def self_test():
    failures = []
    for path, text, line in SNIPPETS:
        found = [breach[1] for breach in check({path: text})]
        if found != ([line] if line else []):
            failures.append(f"{path}: {text[:60]!r}: expected {line}, found {found}")
    for files, expected in GROUPS:
        found = [(path, line) for path, line, _ in check(files)]
        if found != expected:
            failures.append(f"{sorted(files)}: expected {expected}, found {found}")
    return failures


def main():
    failures = self_test()
    for failure in failures:
        print(f"self-test: {failure}")
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(
        os.path.abspath(__file__)))
    files = read_tree(root)
    breaches = check(files)
    for path, line, what in breaches:
        print(f"{path}:{line}: {what}")
    print(f"{len(files)} files, {len(breaches)} breaches; "
          f"{len(SNIPPETS) + len(GROUPS)} snippets, {len(failures)} misjudged")
    return 1 if failures or breaches or not files else 0


if __name__ == "__main__":
    sys.exit(main())
