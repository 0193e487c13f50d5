# SPDX-License-Identifier: GPL-2.0
"""How the program is built and installed."""

import os
import shutil
import subprocess

from program import HERE

COMPILER = """#!/bin/sh
# Writes the name of the machine instead of a program for it.
[ "$1" != -dumpmachine ] || exec echo %(machine)s
while [ "$1" != -o ]; do shift; done
echo %(machine)s >"$2"
"""


def make(directory, *arguments):
    """Runs make as if by hand, not as part of the tests."""
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "OUTPUT", "CFLAGS",
                                   "CC", "CROSS_COMPILE")}
    environment["PATH"] = f"{directory}:{environment['PATH']}"
    subprocess.run(["make", "-s", "-C", directory / "smmutop", *arguments], check=True,
                   env=environment)


def test_two_machines(directory):
    """What is installed is for the machine of the compiler, whatever was built before."""
    shutil.copytree(HERE.parent, directory / "smmutop",
                    ignore=shutil.ignore_patterns("out"))
    for machine in ("one", "two"):
        compiler = directory / f"{machine}-gcc"
        compiler.write_text(COMPILER % {"machine": machine})
        compiler.chmod(0o755)
    for machine in ("one", "two", "one"):
        make(directory, "install", f"CROSS_COMPILE={machine}-", f"DESTDIR={directory}/{machine}")
        installed = directory / machine / "usr/local/sbin/smmutop"
        assert installed.read_text() == f"{machine}\n", installed.read_text()
        assert (directory / machine / "usr/local/share/man/man8/smmutop.8").exists()
        recording = directory / machine / "usr/local/share/smmutop/demo"
        assert recording.read_text().startswith("smmutop-recording"), recording
        shutil.rmtree(directory / machine)
    assert (directory / "smmutop/out/two/smmutop").exists()
    make(directory, "clean")
    assert not (directory / "smmutop/out").exists()
