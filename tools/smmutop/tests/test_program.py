#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Usage: test_program.py SMMUTOP [NAME...]: tests of smmutop as a whole, on any machine: what it makes
of recordings and of copies of sysfs, and what it does on a pseudo terminal. Prints TAP.
"""

import csv
import fcntl
import io
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENTATION = HERE.parents[2] / "Documentation/admin-guide/smmutop.rst"
PROGRAM = None
SECOND = 10**9
ENTER, LEAVE = b"\033[?1049h", b"\033[?1049l"


class Skip(Exception):
    """The test needs something that is not there."""


def run(*arguments, status=0, **options):
    """Runs smmutop; returns what it prints, stderr last."""
    environment = dict(os.environ, TZ="UTC", LC_ALL="C")
    environment.pop("COLUMNS", None)
    environment.update(options.pop("environment", {}))
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          env=environment, timeout=60, check=False, **options)
    text = done.stdout + done.stderr
    assert done.returncode == status, f"status {done.returncode}, not {status}: {text}"
    return text


class Recording:
    """A machine with the MMU-600 of the manual, and slices of what it counts."""

    SHARES = {"0x8100": (2.10e6, 301e3, 88e3, 343e3), "0x4101": (1.22e6, 60.2e3, 21.4e3, 85.6e3)}

    def __init__(self, directory, streams=212):
        self.path = directory / "recording"
        self.lines = ["smmutop-recording\t1", "host\tarm07",
                      "smmu\tsmmu3.2b400000\tarm-smmu-v3.0.auto\t24"]
        for name, label, kind, events in (("2b402", "TCU", "TCU", "0x7f"),
                                          ("2b422", "TBU0", "TBU", "0x87"),
                                          ("2b442", "TBU1", "TBU", "0x87")):
            self.lines.append(f"pmcg\tsmmuv3_pmcg_{name}\t{label}\tMMU-600\tarm_smmuv3_pmcg\t0\t"
                              f"{kind}\t4\tone\t{events}\t24")
        self.lines.append("device\t0000:81:00.0\tnvme\tnvme3n1\t41\tlazy")
        self.lines.append("device\t0000:41:00.1\tmlx5_core\teth3\t42\tstrict")
        self.lines += [f"device\t0000:c1:{n // 8:02x}.{n % 8}\tvfio-pci\t\t{43 + n}\tvfio"
                       for n in range(streams - 2)]
        self.lines += ["stream\t0\t0x8100\t0\t0", "stream\t0\t0x4101\t1\t0"]
        self.lines += [f"stream\t0\t{0xc100 + n:#x}\t{2 + n}\t0" for n in range(streams - 2)]
        self.lines.append("begin")
        self.time = 1795343527

    def slice(self, pmcg, block, events, seconds=0.05):
        """Events: rates by number."""
        time_ns = round(seconds * SECOND)
        counts = "\t".join(f"{block}:{event}={round(rate * seconds)}"
                           for event, rate in events.items())
        self.lines.append(f"slice\t{pmcg}\t{time_ns}\t{time_ns}\t{counts}")

    def interval(self, factor=1.0, seconds=2, sort="miss"):
        """An interval in which all rates are multiplied."""
        for turn in range(6):
            wave = factor * (1 + (turn % 3 - 1) / 200)
            for number, (stream_id, (txn, miss, walk, access)) in enumerate(self.SHARES.items()):
                self.slice(1, f"{stream_id}/0", {2: wave * miss, 1: wave * txn}, 0.1)
                self.slice(0, f"{stream_id}/0",
                           {2: wave * walk, 4: wave * access, 3: 12 * number, 6: 0}, 0.1)
            self.slice(1, "*", {2: wave * 388e3, 1: wave * 7.91e6}, 0.1)
            self.slice(2, "*", {2: wave * 24.1e3, 1: wave * 1.93e6}, 0.1)
            self.slice(0, "*", {2: wave * 118e3, 4: wave * 460e3, 3: 15, 6: 0}, 0.1)
            self.slice(0, "*", {1: wave * 431e3}, 0.05)
        for pmcg in range(3):
            self.lines.append(f"search\t{pmcg}\t1\t1\t0\t{4550:g}\t1")
        self.time += seconds
        self.lines.append(f"report\t{self.time}.000\t{seconds * SECOND}\t{SECOND // 20}\t{sort}")
        return self

    def write(self):
        """Returns the path of the file."""
        self.path.write_text("\n".join(self.lines) + "\n")
        return self.path


def screen(name, text):
    """Compares with the file of this name, or makes it if it is to be made."""
    path = HERE / "screens" / name
    if os.environ.get("SMMUTOP_UPDATE_SCREENS"):
        path.write_text(text)
    assert path.read_text() == text, f"{name} is now:\n{text}"


# What is printed


def test_table(directory):
    """The sample screen of the manual."""
    screen("table", run("--replay", Recording(directory).interval().write()))


def test_sample_screens(_):
    """The manual and the README show what is printed."""
    lines = (HERE / "screens/table").read_text().splitlines()[1:]
    for path in (DOCUMENTATION, HERE.parents[2] / "README.rst"):
        shown = path.read_text()
        for line in filter(None, lines):
            assert f"\n  {line}\n" in shown, f"{path.name} does not show {line}"


def test_narrow_tables(directory):
    """Columns are left out where there is no room; the one that is sorted by stays."""
    path = Recording(directory).interval().write()
    for width in (20, 40, 60, 79, 80, 132):
        for sort in ("miss", "cfg"):
            text = run("--replay", path, "--sort", sort, environment={"COLUMNS": str(width)})
            lines = text.splitlines()[1:]
            assert max(map(len, lines)) <= max(width, 24), f"{width} columns:\n{text}"
            assert {"miss": "MISS/s", "cfg": "CFG/s"}[sort] in text, text
    screen("table-40", run("--replay", path, environment={"COLUMNS": "40"}))


def test_sorted(directory):
    """Rows are sorted by any column, also by another one than was measured."""
    path = Recording(directory).interval().write()
    for sort, first in (("miss", "nvme3n1"), ("cfg", "eth3"), ("miss%", "nvme3n1")):
        rows = [line for line in run("--replay", path, "--sort", sort).splitlines()
                if line.startswith("0000:")]
        assert rows[0].split()[1] == first, rows
    assert "search complete" not in run("--replay", path, "--sort", "cfg")


def test_stopped(directory):
    """Where a block counts nothing, its rows do not show what they had before."""
    recording = Recording(directory, 4).interval()
    recording.slice(1, "0x8000/9", {2: 0, 1: 0}, 0.1)
    recording.lines.append(f"report\t{recording.time}.000\t{2 * SECOND}\t50000000\tmiss")
    smmu = json.loads(run("--replay", recording.write(), "--json").splitlines()[1])["smmus"][0]
    rows = {row["streams"][0]["stream_id"]: row["figures"]["misses"] for row in smmu["rows"]}
    assert rows[0x8100]["value"] == 0 and not rows[0x8100]["old"], rows
    assert rows[0x4101]["value"] > 0 and rows[0x4101]["old"], rows
    # What was not counted for long is not known.
    for _ in range(12):
        recording.lines.append(recording.lines[-1])
    last = json.loads(run("--replay", recording.write(), "--json").splitlines()[-1])
    assert last["smmus"][0]["rows"] == [], last
    # The same events of a row are not counted twice.
    recording = Recording(directory, 4)
    recording.slice(1, "*", {2: 0}, 0.1)
    recording.lines[-1] += "\t0x8100/0:2=0\t0x8000/9:2=0"
    recording.lines.append(f"report\t{recording.time}.000\t{2 * SECOND}\t50000000\tmiss")
    smmu = json.loads(run("--replay", recording.write(), "--json", "--all"))["smmus"][0]
    assert {row["figures"]["misses"]["slices"] for row in smmu["rows"]} == {1}, smmu


def test_events_of_different_age(directory):
    """What was not counted for long is not known, whatever else was counted of the row since."""
    recording = Recording(directory, 4).interval()
    for _ in range(2):
        recording.slice(0, "0x8100/0", {2: 7000}, 0.1)
        recording.lines.append(f"report\t{recording.time}.000\t{2 * SECOND}\t50000000\tmiss")
    reports = run("--replay", recording.write(), "--json").splitlines()
    # Walks were counted without accesses: the ratio is the one from before.
    for line in reports[1:]:
        figures = json.loads(line)["smmus"][0]["rows"][0]["figures"]
        assert figures["walks"]["value"] == 7000 and not figures["walks"]["old"], figures
        assert figures["accesses_per_walk"]["old"], figures
        assert abs(figures["accesses_per_walk"]["value"] - 343 / 88) < 0.01, figures
    for _ in range(12):
        recording.lines += recording.lines[-2:]
    last = json.loads(run("--replay", recording.write(), "--json").splitlines()[-1])
    figures = last["smmus"][0]["rows"][0]["figures"]
    assert figures["walks"]["value"] == 7000 and not figures["walks"]["old"], figures
    assert figures["misses"] is None and figures["accesses_per_walk"] is None, figures


def test_gone(directory):
    """What a counter group has counted before it was gone is part of no sum, and others count."""
    recording = Recording(directory, 4).interval()
    recording.lines.append("gone\t1")
    report = f"report\t{recording.time}.000\t{2 * SECOND}\t50000000\tmiss"
    recording.slice(2, "*", {2: 24.1e3, 1: 1.93e6}, 0.1)
    recording.lines.append(report)
    smmu = json.loads(run("--replay", recording.write(), "--json").splitlines()[1])["smmus"][0]
    assert smmu["total"]["misses"]["value"] == 24100, smmu["total"]
    assert not smmu["total"]["misses"]["old"], smmu["total"]
    assert all(row["figures"]["misses"] is None for row in smmu["rows"]), smmu
    assert not smmu["search"]["complete"], smmu["search"]
    # Of two that see the same, the other one counts then.
    recording = Recording(directory, 4)
    recording.lines = [line.replace("\tTBU\t4", "\tall\t4") for line in recording.lines]
    for pmcg, gone in ((1, 2), (2, 1)):
        recording.lines = recording.lines[:recording.lines.index("begin") + 1]
        for number in (1, 2):
            recording.slice(number, "0x8100/0", {2: 5000}, 0.1)
        recording.lines.append(report)
        recording.lines.append(f"gone\t{gone}")
        recording.slice(pmcg, "0x8100/0", {2: 7000}, 0.1)
        recording.lines.append(report)
        values = [json.loads(line)["smmus"][0]["rows"][0]["figures"]["misses"]["value"]
                  for line in run("--replay", recording.write(), "--json").splitlines()]
        assert values == [5000, 7000], values


def test_bound(directory):
    """Rows that were counted, but are not shown, are no exception to "no other above"."""
    path = Recording(directory).interval().write()
    assert "no other above 9.10k/s" in run("--replay", path)
    for arguments in (("--rows", "1"), ("--min-share", "20")):
        smmu = json.loads(run("--replay", path, "--json", *arguments))["smmus"][0]
        assert len(smmu["rows"]) == 1 and 60.2e3 < smmu["search"]["bound"] < 62e3, smmu["search"]
        assert "no other above 60." in run("--replay", path, *arguments)


def test_rows(directory):
    """What is not shown is one of the others."""
    path = Recording(directory).interval().write()
    assert "others 211" in run("--replay", path, "--rows", "1")
    assert "others 211" in run("--replay", path, "--min-share", "20")
    assert "others 212" in run("--replay", path, "--min-share", "90")


def test_csv(directory):
    """A line for each row, the others and the total, and the head once."""
    recording = Recording(directory).interval().interval(0.5)
    rows = list(csv.DictReader(io.StringIO(run("--replay", recording.write(), "--csv"))))
    assert [row["kind"] for row in rows] == 2 * ["row", "row", "others", "total"], rows
    assert rows[0]["stream_ids"] == "0x8100" and rows[0]["names"] == "nvme3n1", rows[0]
    # 6 slices of 0.1 s
    assert int(rows[0]["misses_count"]) == round(301e3 * 0.6), rows[0]
    assert int(rows[4]["misses_count"]) == round(301e3 * 0.3), rows[4]
    assert abs(float(rows[0]["miss_ratio"]) - 301 / 2100) < 1e-6, rows[0]
    for row in rows:
        assert None not in row and None not in row.values(), row


def keys_of(value):
    """All keys of an object and of what is in it."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set()


def test_json(directory):
    """An object in each line, with documented keys."""
    path = Recording(directory).interval().interval().write()
    reports = [json.loads(line) for line in run("--replay", path, "--json").splitlines()]
    assert len(reports) == 2
    smmu = reports[0]["smmus"][0]
    row = smmu["rows"][0]
    assert row["streams"][0] == {"stream_id": 0x8100, "guessed": False, "device": "0000:81:00.0",
                                 "driver": "nvme", "names": "nvme3n1", "group": "41",
                                 "domain": "lazy"}, row
    figure = row["figures"]["misses"]
    assert figure["slices"] == 6 and abs(figure["seen"] - 0.3) < 1e-6, figure
    assert abs(figure["least"] - 0.3 * 301e3) < 1 and abs(figure["value"] - 301e3) < 1, figure
    assert smmu["total"]["misses"]["count"] == round(0.6 * 412.1e3), smmu["total"]
    assert smmu["others"]["misses"]["approximate"], smmu["others"]
    documented = DOCUMENTATION.read_text()
    for key in keys_of(reports):
        assert re.search(rf"\b{key}\b", documented), f"{key} is not in {DOCUMENTATION.name}"


def test_json_with_jq(directory):
    """jq reads it, too."""
    if not shutil.which("jq"):
        raise Skip("there is no jq")
    path = Recording(directory).interval().write()
    out = subprocess.run(["jq", "-r", ".smmus[].rows[] | .streams[0].names"], check=True,
                         input=run("--replay", path, "--json"), capture_output=True, text=True)
    assert out.stdout.split() == ["nvme3n1", "eth3"], out.stdout


def test_prometheus(directory):
    """A file for node_exporter, without another beside it."""
    path = Recording(directory).interval().write()
    metrics = directory / "smmu.prom"
    metrics.write_text("old")
    before = os.stat(metrics).st_ino
    assert run("--replay", path, "--prometheus", metrics) == ""
    text = metrics.read_text()
    assert os.stat(metrics).st_ino != before
    assert sorted(file.name for file in directory.iterdir()) == ["recording", "smmu.prom"]
    assert re.search(r'^smmu_device_tlb_misses_per_second{smmu="smmu3.2b400000",'
                     r'stream_id="0x8100",device="0000:81:00.0",driver="nvme",name="nvme3n1",'
                     r'domain="lazy"} 301000$', text, re.M), text
    # A TBU's misses and a TCU's are not the same metric.
    assert 'smmu_tbu_tlb_misses_per_second{smmu="smmu3.2b400000",pmu="smmuv3_pmcg_2b422"}' in text
    assert "smmu_tcu_walks_per_second{" in text and "smmu_tcu_tlb" not in text
    run("--replay", path, "--prometheus", metrics, "--min-share", "20")
    assert "nvme3n1" in metrics.read_text() and "eth3" not in metrics.read_text()
    assert "No such file" in run("--replay", path, "--prometheus", directory / "no" / "file",
                                 status=1)


def test_promtool(directory):
    """Prometheus accepts the metrics."""
    promtool = os.environ.get("PROMTOOL") or shutil.which("promtool")
    if not promtool:
        raise Skip("there is no promtool")
    path = Recording(directory).interval().write()
    metrics = directory / "smmu.prom"
    run("--replay", path, "--prometheus", metrics)
    done = subprocess.run([promtool, "check", "metrics"], input=metrics.read_text(), text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0 and not done.stdout + done.stderr, done.stdout + done.stderr


def test_old(directory):
    """What is not of this interval is marked on the screen, and left out for programs."""
    recording = Recording(directory).interval()
    recording.slice(1, "0x8100/0", {2: 301e3, 1: 2.1e6}, 0.1)
    recording.lines.append(f"report\t{recording.time}.000\t{2 * SECOND}\t50000000\tmiss")
    path = recording.write()
    shown = run("--replay", path).splitlines()
    rows = [re.search(r"\*?[0-9.]+k", line)[0] for line in shown if line.startswith("0000:")]
    assert rows == ["301k", "60.2k", "301k", "*60.2k"], shown
    assert any(line.startswith(" TBU0 ") and "*388k miss/s" in line for line in shown), shown
    cells = list(csv.DictReader(io.StringIO(run("--replay", path, "--csv"))))
    assert cells[1]["misses"] and cells[5]["misses"] == cells[5]["miss_ratio"] == "", cells[5]
    metrics = directory / "smmu.prom"
    run("--replay", path, "--prometheus", metrics)
    text = metrics.read_text()
    assert 'stream_id="0x8100"' in text and 'stream_id="0x4101"' not in text, text
    assert "smmu_tbu" not in text, text


def test_fail_above(directory):
    """The limit itself is well."""
    path = Recording(directory).interval().write()
    text = run("--replay", path, "--fail-above", "miss%=10", status=3)
    assert "0000:81:00.0: miss% is 14.33, above 10" in text, text
    run("--replay", path, "--fail-above", "miss%=15")
    run("--replay", path, "--fail-above", "miss=301000")
    run("--replay", path, "--fail-above", "miss%=15", "--fail-above", "walk=87999", status=3)


def test_recordings_that_make_no_sense(directory):
    """The line is named."""
    recording = Recording(directory, 2).interval()
    good = recording.lines
    begin = good.index("begin") + 1
    for number, line in ((1, "something else"), (3, "nonsense"), (4, "pmcg\ta\tb\tc\td\t7"),
                         (begin + 1, "slice\t9\t1\t1\t*:1=1"), (begin + 1, "slice\t0\tx\t1\t*:1=1"),
                         (begin + 1, "slice\t0\t1\t1\t0x8:1=1"),
                         (begin + 1, "report\t1\t0\t0\tmiss"),
                         (begin + 1, "report\t1\t1\t0\tno"), (begin + 1, "search\t0\t1"),
                         (begin + 1, "gone\t7")):
        recording.lines = good[:number - 1] + [line] + good[number - 1:]
        text = run("--replay", recording.write(), status=1)
        assert f"line {number}" in text, f"{line}: {text}"
    assert "No such file" in run("--replay", directory / "nothing", status=1)


def test_options_that_make_no_sense(_):
    """Messages name the option, the value and what is valid."""
    for arguments, said in ((["-i", "0"], "--interval 0: this must be a number from 0.01"),
                            (["-s", "x"], "--sort x: columns are txn, miss,"),
                            (["--columns", "miss,y"], "--columns miss,y: columns are"),
                            (["--fail-above", "miss"], "--fail-above miss: this must be a column"),
                            (["--fail-above", "miss=x"], "--fail-above miss=x: this must be"),
                            (["--columns", "txn"], "--sort miss: this column is not one of"),
                            (["--slice", "0"], "--slice 0:"), (["--nonsense"], "--help")):
        text = run(*arguments, status=2)
        assert said in text, text
    assert "usage:" in run("--help")


def test_closed_pipe(directory):
    """No message when the reader has enough."""
    path = Recording(directory, 2)
    for _ in range(200):
        path.interval()
    process = subprocess.Popen([PROGRAM, "--replay", path.write(), "--json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == -signal.SIGPIPE


# The screen


class Terminal:
    """smmutop on a pseudo terminal."""

    def __init__(self, *arguments, size=(24, 80)):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=slave,
                                        stdout=slave, stderr=slave, start_new_session=True,
                                        env=dict(os.environ, TZ="UTC"),
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.output = b""

    def read_until(self, what):
        """Returns all that was printed up to this."""
        end = time.monotonic() + 30
        while what not in self.output:
            ready, _, _ = select.select([self.master], [], [], max(0, end - time.monotonic()))
            assert ready, f"no {what} in {self.output}"
            self.output += os.read(self.master, 65536)
        found, self.output = self.output.split(what, 1)
        return found

    def send(self, keys):
        """Presses keys."""
        os.write(self.master, keys)

    def resize(self, rows, columns):
        """As a terminal emulator does it: the kernel sends SIGWINCH, once."""
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def end(self, status=0):
        """The program has ended, and the terminal is as it was."""
        self.read_until(LEAVE)
        assert self.process.wait(30) == status, self.process.returncode
        assert termios.tcgetattr(self.slave) == self.before, "the terminal is not restored"
        os.close(self.slave)
        os.close(self.master)


def lines_of(drawn):
    """The lines of a screen."""
    return re.sub(rb"\033\[[0-9;?]*[A-Za-z]", b"", drawn).decode().replace("\r", "").split("\n")


def test_quit(directory):
    """q ends it with status 0."""
    terminal = Terminal("--replay", Recording(directory).interval().write())
    terminal.read_until(ENTER)
    lines = lines_of(terminal.read_until(b"\033[J"))
    assert lines[0].startswith("smmutop  arm07   "), lines
    assert re.search("every 2 s   sort MISS/s  +h help  q quit$", lines[0]), lines
    assert any(line.startswith("0000:81:00.0 nvme3n1") for line in lines), lines
    terminal.send(b"q")
    terminal.end()


def test_signals(directory):
    """Whatever ends it, the terminal is restored."""
    path = Recording(directory).interval().write()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        terminal = Terminal("--replay", path)
        terminal.read_until(b"\033[J")
        terminal.process.send_signal(number)
        terminal.end()
    terminal = Terminal("--replay", path)
    terminal.read_until(b"\033[J")
    terminal.send(b"\x03")
    terminal.end()


def test_suspended(directory):
    """The shell gets its terminal back, and the screen comes again afterwards."""
    terminal = Terminal("--replay", Recording(directory).interval().write())
    terminal.read_until(b"\033[J")
    os.kill(terminal.process.pid, signal.SIGTSTP)
    terminal.read_until(LEAVE)
    _, status = os.waitpid(terminal.process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status), status
    assert termios.tcgetattr(terminal.slave) == terminal.before
    os.kill(terminal.process.pid, signal.SIGCONT)
    terminal.read_until(ENTER)
    terminal.read_until(b"nvme3n1")
    terminal.send(b"q")
    terminal.end()


def test_resize(directory):
    """The table fits into the terminal."""
    terminal = Terminal("--replay", Recording(directory).interval().write())
    terminal.read_until(b"\033[J")
    terminal.resize(8, 40)
    # A screen of the size before may still be on its way.
    while True:
        lines = lines_of(terminal.read_until(b"\033[J"))
        if len(lines) <= 8 and max(map(len, lines)) <= 40:
            break
    terminal.resize(50, 132)
    while True:
        lines = lines_of(terminal.read_until(b"\033[J"))
        if any(line.startswith("others 210 + no StreamID") for line in lines):
            break
    terminal.send(b"q")
    terminal.end()


def test_unknown_size(directory):
    """A serial console says where its last line and column are."""
    terminal = Terminal("--replay", Recording(directory).interval().write(), size=(0, 0))
    terminal.read_until(b"\033[6n")
    lines = lines_of(terminal.read_until(b"\033[J"))
    assert max(map(len, lines)) > 60, lines
    terminal.send(b"\033[10;50R")
    lines = lines_of(terminal.read_until(b"\033[J"))
    assert len(lines) <= 10 and max(map(len, lines)) <= 50, lines
    terminal.send(b"q")
    terminal.end()


def test_stalled_terminal(directory):
    """A signal ends it while nobody reads what it draws."""
    recording = Recording(directory)
    for _ in range(60):
        recording.interval()
    path = recording.write()
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 132, 0, 0))
    os.set_blocking(slave, False)
    process = subprocess.Popen([PROGRAM, "--replay", path, "-i", "0.01"], stdin=slave,
                               stdout=slave, stderr=subprocess.DEVNULL)
    try:
        # Its buffer is full when it does not become readable by more.
        while select.select([], [slave], [], 0.2)[1]:
            pass
        process.terminate()
        process.wait(10)
    finally:
        process.kill()
        process.wait()
        os.close(slave)
        os.close(master)


def test_keys(directory):
    """s sorts, space stops the display, arrows scroll, h helps."""
    terminal = Terminal("--replay", Recording(directory).interval().write(), size=(6, 80))
    terminal.read_until(b"\033[J")
    terminal.send(b"s")
    assert "sort MISS%" in lines_of(terminal.read_until(b"\033[J"))[0]
    terminal.send(b" ")
    assert "paused" in lines_of(terminal.read_until(b"\033[J"))[0]
    terminal.send(b" ")
    terminal.read_until(b"\033[J")
    terminal.send(b"\033[B")
    assert lines_of(terminal.read_until(b"\033[J"))[1].startswith(" TBU0")
    terminal.send(b"\033[A")
    assert lines_of(terminal.read_until(b"\033[J"))[1].startswith("smmu3")
    terminal.send(b"\033[6~")
    assert lines_of(terminal.read_until(b"\033[J"))[-1].startswith("others")
    terminal.send(b"h")
    assert "quit" in lines_of(terminal.read_until(b"\033[J"))[2]
    terminal.send(b"q")
    terminal.end()


# Discovery


class System:
    """A copy of sysfs."""

    def __init__(self, directory):
        self.root = directory / "root"
        self.put("/sys/class/iommu/.keep", "")

    def put(self, path, content):
        """Makes a file."""
        path = self.root / path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content)

    def link(self, path, target):
        """Makes a link, which need not lead anywhere."""
        path = self.root / path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def smmu(self, base, device, devices=()):
        """An SMMU and what is behind it."""
        name = f"/sys/class/iommu/smmu3.{base:#018x}"
        self.put(f"{name}/uevent", "")
        self.link(f"{name}/device", f"../../../{device}")
        for behind in devices:
            self.link(f"{name}/devices/{behind}", f"../../../../pci0000:00/{behind}")

    def pmcg(self, page, events, platform_device="arm-smmu-v3-pmcg.0.auto", **attributes):
        """A counter group with these events and files."""
        name = f"smmuv3_pmcg_{page >> 12:x}"
        top = f"/sys/devices/platform/{platform_device}/{name}"
        self.put(f"{top}/type", "14\n")
        self.put(f"{top}/cpumask", "3\n")
        names = ("cycles", "transaction", "tlb_miss", "config_cache_miss",
                 "trans_table_walk_access", "config_struct_access", "pcie_ats_trans_rq",
                 "pcie_ats_trans_passed")
        for number, event in enumerate(names):
            if events & 1 << number:
                self.put(f"{top}/events/{event}", f"event={number:#04x}\n")
        for field, bits in (("event", "config:0-15"), ("filter_stream_id", "config1:0-31"),
                            ("filter_span", "config1:32"), ("filter_enable", "config1:33")):
            self.put(f"{top}/format/{field}", bits + "\n")
        for attribute, value in attributes.items():
            self.put(f"{top}/{attribute.replace('caps_', 'caps/')}", f"{value}\n")
        self.link(f"/sys/bus/event_source/devices/{name}",
                  f"../../../devices/platform/{platform_device}/{name}")

    def bind(self, platform_device, driver):
        """A platform device has a driver."""
        self.link(f"/sys/bus/platform/devices/{platform_device}/driver",
                  f"../../../../bus/platform/drivers/{driver}")

    def list(self, *arguments):
        """What smmutop finds: lists of fields, by the first word of a line."""
        found = {}
        for line in run("--sysroot", self.root, "--list", *arguments).splitlines():
            word, *fields = line.split("\t")
            found.setdefault(word, []).append(fields)
        return found


def caps(filters="one", counters=4, bits=24):
    """What our driver tells."""
    return {"caps_counters": counters, "caps_counter_width": 32, "caps_filter": filters,
            "caps_streamid_bits": bits, "interrupt": "wired"}


def counting_system(directory, **attributes):
    """A counter group whose events are software events of the kernel."""
    system = System(directory)
    system.smmu(0x1000, "smmu")
    system.pmcg(0x2000, 0x87, smmu="smmu", streams="0000:01:00.0 0x100\n", **{**caps(), "type": 1, "cpumask": 0, **attributes})
    done = subprocess.run([PROGRAM, "--sysroot", system.root, "--once", "-i", "0.1"],
                          capture_output=True, text=True, timeout=60, check=False)
    if "not permitted" in done.stderr or "seccomp" in done.stderr:
        raise Skip("perf events are not permitted")
    return system


def test_one_counter(directory):
    """Both events of a ratio are counted, one after the other."""
    system = counting_system(directory, caps_counters=1)
    smmu = json.loads(run("--sysroot", system.root, "--once", "--json"))["smmus"][0]
    for column in ("transactions", "misses"):
        assert smmu["total"][column] and smmu["total"][column]["slices"] > 0, smmu["total"]


def test_stopped_each_slice(directory):
    """A signal ends it between two commands, and while one of them runs."""
    system = counting_system(directory)
    for command in ("kill -TERM $PPID", "kill -TERM $PPID; exec sleep 50"):
        start = time.monotonic()
        run("--sysroot", system.root, "--json", "--each-slice", command)
        assert time.monotonic() - start < 40


def test_environment_of_commands(directory):
    """Commands have the signals and the limit of files from before."""
    system = counting_system(directory)
    limit = subprocess.run(["sh", "-c", "ulimit -n 300; ulimit -n"], capture_output=True,
                           text=True, check=True).stdout.strip()
    command = "ulimit -n; grep SigBlk /proc/self/status"
    for arguments in (["--once", "--each-slice", command], ["--", "sh", "-c", command]):
        quoted = subprocess.list2cmdline([PROGRAM, "--sysroot", str(system.root)])
        script = f'ulimit -Sn {limit}; exec {quoted} "$@"'
        done = subprocess.run(["sh", "-c", script, "sh", "--json", *arguments], timeout=60,
                              capture_output=True, text=True, check=True)
        lines = done.stdout.split("\n")
        assert limit in lines and "SigBlk:\t0000000000000000" in lines, (done, lines)


def test_stubborn_command(directory):
    """The first signal asks a command to end, and the second one ends it."""
    system = counting_system(directory)
    process = subprocess.Popen([PROGRAM, "--sysroot", system.root, "--json", "--", "sh", "-c",
                                "trap '' TERM; echo begun; while :; do sleep 0.1; done"],
                               stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGTERM)
    while not process.stdout.readline().startswith("{"):
        pass
    process.send_signal(signal.SIGTERM)
    try:
        assert process.wait(30) == 128 + signal.SIGKILL, process.returncode
    finally:
        process.kill()
        process.stdout.close()


def test_our_driver(directory):
    """All that the driver tells is used."""
    system = System(directory)
    system.smmu(0x2b400000, "arm-smmu-v3.0.auto")
    streams = "0000:81:00.0 0x8100\n0000:41:00.1 0x4101\n0000:42:00.0 0x1008100"
    for page, events in ((0x2b402000, 0x7f), (0x2b422000, 0x87), (0x2b442000, 0x87)):
        system.pmcg(page, events, smmu="arm-smmu-v3.0.auto", streams=streams,
                    identifier="0x4832043b", **caps())
    system.pmcg(0x99000000, 0xff, **caps("each", 8))
    found = system.list()
    assert [(line[0], line[1], line[2], line[3], line[5], line[6], line[7])
            for line in found["pmcg"]] == [
                (f"smmuv3_pmcg_{page}", label, "MMU-600", "arm_smmuv3_pmcg", label[:3], "4", "one")
                for page, label in (("2b402", "TCU"), ("2b422", "TBU0"), ("2b442", "TBU1"))], found
    assert found["smmu"] == [["smmu3.2b400000", "arm-smmu-v3.0.auto", "24"]], found
    # Those that the filter cannot tell apart are beside each other.
    assert [line[1] for line in found["stream"]] == ["0x4101", "0x8100", "0x1008100"], found
    # The one whose SMMU is not known is left out unless it is named.
    found = system.list("--pmu", "smmuv3_pmcg_99000")
    assert [line[0] for line in found["pmcg"]] == ["smmuv3_pmcg_99000"], found
    assert found["pmcg"][0][5:8] == ["all", "8", "each"], found
    assert "--pmu smmuv3_pmcg_1: there is no such" in run(
        "--sysroot", system.root, "--list", "--pmu", "smmuv3_pmcg_1", status=1)


def test_parts(directory):
    """The identifier names the product."""
    for identifier, part in (("0x4832043b", "MMU-600"), ("0x4862043b", "MMU-600AE"),
                             ("0x4872043b", "MMU-600AE/MMU-700"), ("0x4882043b", "MMU-700"),
                             ("0x4832043c", "")):
        shutil.rmtree(directory / "root", ignore_errors=True)
        system = System(directory)
        system.smmu(0x1000, "a")
        system.pmcg(0x10000, 0x87, smmu="a", identifier=identifier, streams="", **caps())
        assert system.list()["pmcg"][0][2] == part, identifier


def test_kinds(directory):
    """The events decide, not the identifier."""
    for events, others, kind in ((0xff, (), "all"), (0x3f, (), "all"), (0x7f, (), "TCU"),
                                 (0x87, (), "TBU"), (0x07, (), "TBU"), (0x3f, (0x87,), "TCU"),
                                 (0x3f, (0x3f,), "all"), (0xff, (0x87,), "all")):
        shutil.rmtree(directory / "root", ignore_errors=True)
        system = System(directory)
        system.smmu(0x1000, "a")
        for number, some in enumerate((events, *others)):
            system.pmcg(0x10000 + 0x1000 * number, some, smmu="a", identifier="0x4832043b",
                        streams="", **caps())
        assert system.list()["pmcg"][0][5] == kind, (hex(events), others)


def test_devices(directory):
    """Drivers, names, groups and domains."""
    system = System(directory)
    system.smmu(0x2b400000, "smmu")
    system.pmcg(0x2b402000, 0xff, smmu="smmu", streams="".join(
        f"0000:0{n}:00.0 {n << 8:#x}\n" for n in range(1, 6)), **caps())
    for number, (driver, domain) in enumerate((("nvme", "DMA-FQ"), ("mlx5_core", "DMA"),
                                               ("vfio-pci", "DMA"), ("", "identity")), 1):
        name = f"0000:0{number}:00.0"
        top = f"/sys/devices/pci0000:00/{name}"
        system.put(f"{top}/iommu_groups/{number}/type", domain + "\n")
        system.link(f"{top}/iommu_group", f"iommu_groups/{number}")
        if driver:
            system.link(f"{top}/driver", f"../../../bus/pci/drivers/{driver}")
        system.link(f"/sys/bus/pci/devices/{name}", f"../../../devices/pci0000:00/{name}")
    pci = "../../devices/pci0000:00"
    system.link("/sys/class/block/nvme0n1", f"{pci}/0000:01:00.0/nvme/nvme0/nvme0n1")
    system.put("/sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1/nvme0n1p1/partition", "1")
    system.link("/sys/class/block/nvme0n1p1",
                f"{pci}/0000:01:00.0/nvme/nvme0/nvme0n1/nvme0n1p1")
    for port in (0, 1):
        system.link(f"/sys/class/net/eth{port}", f"{pci}/0000:02:00.0/net/eth{port}")
    assert system.list()["device"] == [
        ["0000:01:00.0", "nvme", "nvme0n1", "1", "lazy"],
        ["0000:02:00.0", "mlx5_core", "eth0,eth1", "2", "strict"],
        ["0000:03:00.0", "vfio-pci", "", "3", "vfio"],
        ["0000:04:00.0", "", "", "4", "identity"],
        ["0000:05:00.0", "", "", "", ""]], system.list()["device"]


def test_in_tree_driver_and_devicetree(directory):
    """StreamIDs are in iommu-map and iommus."""
    system = System(directory)
    system.smmu(0x2b400000, "2b400000.iommu", ["0000:01:00.0", "0000:00:02.1", "dma0"])
    system.pmcg(0x2b402000, 0xff)
    system.bind("arm-smmu-v3-pmcg.0.auto", "arm-smmu-v3-pmcg")
    host = "/sys/devices/platform/40000000.pcie"
    system.put(f"{host}/of_node/iommu-map",
               struct.pack(">8I", 0, 7, 0x10000, 0x100, 0x100, 7, 0x20000, 0x100))
    system.put(f"{host}/of_node/iommu-map-mask", struct.pack(">I", 0xfff8))
    for name in ("0000:01:00.0", "0000:00:02.1"):
        system.link(f"/sys/bus/pci/devices/{name}",
                    f"../../../devices/platform/40000000.pcie/pci0000:00/{name}")
    system.put("/sys/bus/platform/devices/dma0/of_node/iommus", struct.pack(">4I", 7, 5, 7, 6))
    found = system.list()
    assert found["pmcg"][0][3:5] == ["arm-smmu-v3-pmcg", "0"], found
    assert {(found["device"][int(line[2])][0], line[1], line[3]) for line in found["stream"]} == {
        ("0000:01:00.0", "0x20000", "0"), ("0000:00:02.1", "0x10010", "0"),
        ("dma0", "0x5", "0"), ("dma0", "0x6", "0")}, found


def iort_node(kind, data, mappings=()):
    """A node of an IORT, DEN0049."""
    data += b"\0" * (-len(data) % 4)
    offset = 16 + len(data)
    body = data + b"".join(struct.pack("<5I", *mapping) for mapping in mappings)
    return struct.pack("<BHBIII", kind, 16 + len(body), 0, 0, len(mappings), offset) + body


def iort(*nodes):
    """The table, without a valid header."""
    return struct.pack("<36xIII", len(nodes), 48, 0) + b"".join(nodes)


def test_in_tree_driver_and_iort(directory):
    """SMMUs of counter groups, and StreamIDs."""
    system = System(directory)
    system.smmu(0x1000000, "arm-smmu-v3.0.auto", ["0000:01:00.0"])
    system.smmu(0x2000000, "arm-smmu-v3.1.auto", ["0001:00:01.0", "ARMX0001:00"])
    system.pmcg(0x1002000, 0xff)
    system.pmcg(0x2002000, 0xff, "arm-smmu-v3-pmcg.1.auto")
    system.put("/sys/bus/platform/devices/ARMX0001:00/firmware_node/path", "\\_SB_.DEV0\n")
    smmus = [iort_node(4, struct.pack("<QQ", base, 0) + bytes(28)) for base in (1 << 24, 2 << 24)]
    offsets = [48, 48 + len(smmus[0])]
    table = iort(
        *smmus,
        iort_node(5, struct.pack("<QIIQ", 0x1002000, 0, offsets[0], 0)),
        iort_node(5, struct.pack("<QIIQ", 0x2002000, 0, offsets[1], 0)),
        iort_node(2, struct.pack("<QIIB", 0, 0, 0, 0), [(0, 0xffff, 0x30000, offsets[0], 0)]),
        iort_node(2, struct.pack("<QIIB", 0, 0, 1, 0), [(0, 7, 0x70, offsets[1], 0),
                                                        (8, 7, 0x80, offsets[1], 0)]),
        iort_node(1, struct.pack("<IQB", 0, 0, 0) + b"\\_SB_.DEV0\0",
                  [(0, 0, 0x99, offsets[1], 1)]))
    system.put("/sys/firmware/acpi/tables/IORT", table)
    found = system.list()
    assert [line[4] for line in found["pmcg"]] == ["0", "1"], found
    expected = {("0", "0x30100", "0000:01:00.0"), ("1", "0x80", "0001:00:01.0"),
                ("1", "0x99", "ARMX0001:00")}
    assert {(line[0], line[1], found["device"][int(line[2])][0])
            for line in found["stream"]} == expected, found
    # Whatever is in the table, nothing is read beyond its end.
    for number in range(0, len(table), 3):
        for byte in (0x00, 0xff, 0x7f):
            broken = bytearray(table)
            broken[number] = byte
            system.put("/sys/firmware/acpi/tables/IORT", bytes(broken[:len(table) - number % 7]))
            system.list()


def test_in_tree_driver_without_iort(directory):
    """Requester IDs are a guess."""
    system = System(directory)
    system.smmu(0x1000000, "arm-smmu-v3.0.auto", ["0000:81:00.1", "ARMX0001:00"])
    system.pmcg(0x1002000, 0xff)
    found = system.list()
    assert found["stream"] == [["0", "0x8101", "0", "1"]], found


def test_many_devices(directory):
    """2,000 of them."""
    system = System(directory)
    system.smmu(0x1000000, "smmu")
    system.pmcg(0x1002000, 0xff, smmu="smmu", streams="".join(
        f"{n >> 16:04x}:{n >> 8 & 255:02x}:{n >> 3 & 31:02x}.{n & 7} {n:#x}\n"
        for n in range(2000)), **caps())
    assert len(system.list()["stream"]) == 2000


# What is in the way


def check(system, problems, *said):
    """Runs --check; there are so many problems, and it says these things."""
    text = run("--sysroot", system.root, "--check", status=1 if problems else 0)
    assert text.count("PROBLEM") == problems, text
    for line in text.splitlines():
        assert re.match(r"(ok      |note    |PROBLEM )[^ ]|\d+ problem|nothing is", line), text
    for words in said:
        assert words in text, f"no {words} in {text}"


def test_check_without_smmu(directory):
    """Nothing is described."""
    check(System(directory), 2, "firmware describes no SMMUv3", "firmware describes no counter")


def test_check_smmu_is_off(directory):
    """It is described, but has no driver."""
    system = System(directory)
    system.put("/sys/bus/platform/devices/arm-smmu-v3.0.auto/uevent", "")
    check(system, 2, "no SMMU is on (1 without a driver)", "iommu.passthrough")


def test_check_no_pmcg(directory):
    """The SMMU is there, and no counter group."""
    system = System(directory)
    system.smmu(0x1000, "arm-smmu-v3.0.auto")
    system.put("/sys/firmware/acpi/tables/IORT", b"")
    check(system, 1, "ok      1 SMMU in use", "counter group")
    system.put("/sys/class/dmi/id/sys_vendor", "QEMU\n")
    check(system, 1, "this is a virtual machine (QEMU)")


def test_check_no_driver(directory):
    """Modules: not loaded, refused, bound to nothing."""
    system = System(directory)
    system.smmu(0x1000, "arm-smmu-v3.0.auto")
    system.put("/sys/bus/platform/devices/arm-smmu-v3-pmcg.0.auto/uevent", "")
    check(system, 1, "no driver is loaded (arm-smmu-v3-pmcg.0.auto has none): "
          "modprobe arm_smmuv3_pmcg")
    system.put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n")
    check(system, 1, "signed modules only")
    system.put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n")
    check(system, 1, "no driver is loaded")
    system.put("/sys/module/arm_smmuv3_pmcg/refcnt", "0\n")
    check(system, 1, "no counter group was accepted", "dmesg")
    system.bind("arm-smmu-v3-pmcg.0.auto", "arm_smmuv3_pmcg")
    system.put("/sys/bus/platform/devices/9.pmu/of_node/compatible",
               b"arm,mmu-600-pmcg\0arm,smmu-v3-pmcg\0")
    check(system, 0, "note    1 of 2 counter groups have no driver (9.pmu for one)")


def test_check_devices(directory):
    """None, or some that are not translated."""
    system = System(directory)
    system.smmu(0x1000, "smmu")
    system.pmcg(0x2000, 0xff, smmu="smmu", streams="", **caps())
    # This kernel has no such PMU, which is a problem, too.
    check(system, 2, "no device is behind these SMMUs")
    system.pmcg(0x3000, 0xff, smmu="smmu", streams="0000:01:00.0 0x100", **caps())
    top = "/sys/devices/pci0000:00/0000:01:00.0"
    system.put(f"{top}/iommu_groups/1/type", "identity\n")
    system.link(f"{top}/iommu_group", "iommu_groups/1")
    system.link("/sys/bus/pci/devices/0000:01:00.0", "../../../devices/pci0000:00/0000:01:00.0")
    shutil.rmtree(system.root / "sys/devices/platform/arm-smmu-v3-pmcg.0.auto/smmuv3_pmcg_2")
    check(system, 1, "1 of 1 devices have an identity domain (0000:01:00.0 for one)")


def test_check_in_tree(directory):
    """It works, but tells less."""
    system = System(directory)
    system.smmu(0x1000, "smmu", ["0000:01:00.0"])
    system.pmcg(0x2000, 0xff)
    check(system, 1, "the in-tree driver has 1 counter groups", "StreamIDs with ?")


def main():
    """Runs the tests."""
    global PROGRAM  # pylint: disable=global-statement
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_") and
             (len(sys.argv) == 2 or name[5:] in sys.argv[2:])]
    print(f"TAP version 13\n1..{len(tests)}")
    failed = 0
    for number, (name, test) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as directory:
            result = "ok"
            skip = ""
            try:
                test(pathlib.Path(directory))
            except Skip as reason:
                skip = f" # SKIP {reason}"
            except Exception:  # pylint: disable=broad-except
                print("# " + traceback.format_exc().strip().replace("\n", "\n# "))
                result = "not ok"
                failed += 1
            print(f"{result} {number} {name[5:].replace('_', ' ')}{skip}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
