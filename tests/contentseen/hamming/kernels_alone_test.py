#!/usr/bin/env python3
"""That the kernels' files define nothing that the linker may take for another file's.

    kernels_alone_test.py NM OBJECT...

They are compiled for processors that have their instructions: were an inline function instantiated
there, the linker might keep that copy for all processors. OBJECT: without optimization, for else
such functions leave no trace.
"""

import subprocess
import sys


def main():
    nm, *objects = sys.argv[1:]
    names = []
    kernels = 0
    for path in objects:
        listed = subprocess.run([nm, "--demangle", path], check=True, stdout=subprocess.PIPE,
                                text=True)
        lines = [line[17:] for line in listed.stdout.splitlines()]
        kernels += any("contentseen::kHamming" in line for line in lines)
        names += [f"{path}: {line}" for line in lines if line[:1] in "WVu" and "::" in line]
    print("\n".join(names + [f"{kernels} files with kernels, {len(names)} breaches"]))
    if names:
        return 1
    return 0 if kernels == len(objects) else 77  # ThreadSanitizer's build has none


if __name__ == "__main__":
    sys.exit(main())
