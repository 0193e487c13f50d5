#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Usage: test_program.py SMMUTOP [NAME...]: tests of smmutop as a whole, on any machine: what it makes
of recordings and of copies of sysfs, and what it does on a pseudo terminal. Prints TAP.
"""

import multiprocessing
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


# Most tests wait for what smmutop does in an interval.
AT_A_TIME = 4


def attempt(test):
    """Runs a test: its result, the reason for which it was skipped, and what to say about it."""
    with tempfile.TemporaryDirectory() as directory:
        try:
            test(pathlib.Path(directory))
        except program.Skip as reason:
            return "ok", f" # SKIP {reason}", ""
        except Exception:  # pylint: disable=broad-except
            said = traceback.format_exc().strip().replace("\n", "\n# ")
            return "not ok", "", f"# {said}\n"
    return "ok", "", ""


def main():
    """Runs the tests, and prints their results in the order of the sources."""
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    program.PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    tests = [test for module in MODULES for name, test in vars(module).items()
             if name.startswith("test_") and (len(sys.argv) == 2 or name[5:] in sys.argv[2:])]
    print(f"TAP version 13\n1..{len(tests)}")
    failed = 0
    with multiprocessing.get_context("fork").Pool(AT_A_TIME, maxtasksperchild=1) as pool:
        for number, (result, skip, said) in enumerate(pool.imap(attempt, tests), 1):
            name = tests[number - 1].__name__[5:].replace("_", " ")
            failed += result != "ok"
            print(f"{said}{result} {number} {name}{skip}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
