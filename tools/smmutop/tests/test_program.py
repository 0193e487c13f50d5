#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Usage: test_program.py SMMUTOP [NAME...]: tests of smmutop as a whole, on any machine: what it makes
of recordings and of copies of sysfs, and what it does on a pseudo terminal. Prints TAP.
"""

import pathlib
import sys
import tempfile
import traceback

# Nothing is left beside the sources.
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
import program
import build_tests
import counting_tests
import discovery_tests
import output_tests
import screen_tests

MODULES = (output_tests, screen_tests, counting_tests, discovery_tests, build_tests)


def main():
    """Runs the tests."""
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    program.PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    tests = [(name, test) for module in MODULES for name, test in vars(module).items()
             if name.startswith("test_") and (len(sys.argv) == 2 or name[5:] in sys.argv[2:])]
    print(f"TAP version 13\n1..{len(tests)}")
    failed = 0
    for number, (name, test) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as directory:
            result = "ok"
            skip = ""
            try:
                test(pathlib.Path(directory))
            except program.Skip as reason:
                skip = f" # SKIP {reason}"
            except Exception:  # pylint: disable=broad-except
                print("# " + traceback.format_exc().strip().replace("\n", "\n# "))
                result = "not ok"
                failed += 1
            print(f"{result} {number} {name[5:].replace('_', ' ')}{skip}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
