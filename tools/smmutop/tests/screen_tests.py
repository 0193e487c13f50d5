# SPDX-License-Identifier: GPL-2.0
"""What is shown on a terminal."""

import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import program
from program import (ENTER, LEAVE, Recording, Terminal, caps, counting_system, lines_of, two_groups,
                     unbind)


def test_quit(directory):
    """q ends it with status 0."""
    terminal = Terminal("--replay", Recording(directory).interval().write())
    terminal.read_until(ENTER)
    lines = lines_of(terminal.read_until(b"\033[J"))
    assert lines[0].startswith("smmutop  arm07   "), lines
    assert re.search("every 2 s   sort MISS/s  +h help  q quit$", lines[0]), lines
    assert any(re.match("0000:81:00.0 +nvme3n1 ", line) for line in lines), lines
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
    for number in (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV,
                   signal.SIGSYS, signal.SIGTRAP):
        terminal = Terminal("--replay", path)
        terminal.read_until(b"\033[J")
        terminal.process.send_signal(number)
        terminal.end(-number)
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
        if any(line.startswith("others 210  + no StreamID") for line in lines):
            break
    terminal.send(b"q")
    terminal.end()


def test_unknown_size(directory):
    """A serial console has 80 columns and 24 lines."""
    terminal = Terminal("--replay", Recording(directory).interval().write(), size=(0, 0))
    lines = lines_of(terminal.read_until(b"\033[J"))
    assert 60 < max(map(len, lines)) <= 80 and len(lines) <= 24, lines
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
    process = subprocess.Popen([program.PROGRAM, "--replay", path, "-i", "0.01"], stdin=slave,
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
    assert lines_of(terminal.read_until(b"\033[J"))[3].startswith(" TBU0")
    terminal.send(b"\033[A")
    assert lines_of(terminal.read_until(b"\033[J"))[3].startswith("smmu3")
    terminal.send(b"\033[F")
    assert lines_of(terminal.read_until(b"\033[J"))[-1].startswith("others")
    terminal.send(b"h")
    assert "select a row" in lines_of(terminal.read_until(b"\033[J"))[2]
    # The function keys of the Linux console
    terminal.send(b"\033[[A")
    assert "h help" in lines_of(terminal.read_until(b"\033[J"))[0]
    # A page is a line where there is no room for more.
    for rows in (3, 4):
        terminal.resize(rows, 80)
        for keys, line in ((b"\033[H", "2 s;"), (b"\033[6~", "DEVICE"),
                           (b"\033[5~", "2 s;")):
            terminal.send(keys)
            terminal.screen_with(lambda drawn, rows=rows, line=line:
                                 len(lines_of(drawn)) == rows and
                                 lines_of(drawn)[1].startswith(line))
    terminal.send(b"q")
    terminal.end()


def test_keys_in_parts(directory):
    """A serial line delivers a sequence byte by byte."""
    terminal = Terminal("--replay", Recording(directory).interval().write(), "-i", "1000",
                        size=(6, 80))
    terminal.read_until(b"\033[J")

    def send_bytes(keys):
        """Each byte is taken on its own: the screen is drawn after it."""
        for number in range(len(keys)):
            terminal.send(keys[number:number + 1])
            drawn = lines_of(terminal.read_until(b"\033[J"))
        return drawn

    # Neither a sort nor a help comes of the letters of a sequence.
    for keys, line, text in ((b"\033[4~", -1, "others"), (b"\033[5~", 3, " TBU0"),
                             (b"\033OB", 5, "0000:81"), (b"\033[1~", 3, "smmu3"),
                             (b"\033[1;5h", 0, "smmutop"), (b"\033[?25;1;2;3;4;5;6;7;8;9;10s", 0,
                                                           "smmutop")):
        drawn = send_bytes(keys)
        assert drawn[line].startswith(text) and "sort MISS/s" in drawn[0], (keys, drawn)
        assert len(drawn) == 6, drawn
    # ESC is a key if it is followed by no sequence.
    assert "ESC back" in send_bytes(b"h")[0]
    assert "sort MISS%" in send_bytes(b"\033s")[0]
    # Each time, what follows may come for a tenth of a second.
    for _ in range(2):
        send_bytes(b"h")
        start = time.monotonic()
        terminal.send(b"\033")
        while "ESC back" in lines_of(terminal.read_until(b"\033[J"))[0]:
            pass
        assert time.monotonic() - start > 0.1
    terminal.send(b"q")
    terminal.end()


def selected_in(drawn):
    """The line that is shown in reverse."""
    found = re.search(rb"\033\[7m([^\033]*)\033\[m", drawn)
    return found and found[1].decode()


def test_orders(directory):
    """Any column sorts, in both directions; a filter and a fold show less."""
    terminal = Terminal("--replay", Recording(directory).several(3).write(), "-i", "1000",
                        size=(40, 100))
    terminal.read_until(b"\033[J")

    def after(keys):
        terminal.send(keys)
        return lines_of(terminal.read_until(b"\033[J"))

    def names(lines):
        return [line.split()[1] for line in lines if line.startswith("000")]

    assert names(after(b"k"))[:2] == ["nvme2n0", "nvme1n0"]
    assert names(after(b"r"))[0] == "nvme0n7"
    assert names(after(b"I"))[0] == "nvme2n0"
    lines = after(b"<")
    assert "sort TXN/s" in lines[0], lines
    lines = after(b"\033[D")
    assert "sort DEVICE" in lines[0] and names(lines)[:2] == ["nvme0n0", "nvme0n1"], lines
    assert names(after(b"r"))[0] == "nvme2n7"
    after(b"r")
    after(b">")
    assert "sort MISS/s" in after(b"\033[17~")[0]
    # Totals: of each SMMU, then also of each counter group, then of all
    assert sum(line.startswith("smmu3.") for line in after(b"k")) == 3
    lines = after(b"f")
    assert sum(line.startswith(" TBU0") for line in lines) == 3, lines
    lines = after(b"\033[15~")
    assert lines[3].startswith("3 SMMUs") and names(lines[4:5]) == ["nvme2n0"], lines
    # Names, StreamIDs and SMMUs match, in any case.
    terminal.send(b"/NVME1N")
    terminal.screen_with(lambda drawn: b"/NVME1N_" in drawn)
    lines = after(b"\r")
    assert len(names(lines)) == 8 and all(name[:5] == "nvme1" for name in names(lines)), lines
    assert "8 rows with NVME1N" in lines[1], lines
    assert lines[-1].startswith("others 16"), lines
    after(b"/")
    for _ in range(6):
        lines = after(b"\x7f")
    assert len(names(lines)) == 24, lines
    for key in b"3b4":
        lines = after(bytes([key]))
    assert len(names(lines)) == 8 and names(lines)[0] == "nvme2n0", lines
    terminal.send(b"\033")
    terminal.screen_with(lambda drawn: len(names(lines_of(drawn))) == 24)
    # What is too long is cut after a whole character, and no earlier.
    typed = b"/" + 19 * "\u00e9".encode()
    terminal.send(typed)
    line = lines_of(terminal.screen_with(lambda drawn: typed + b"_" in drawn))[0]
    assert len(line) == 100 and line.endswith("  h help  q quit"), line
    terminal.send(b"\033")
    terminal.screen_with(lambda drawn: len(names(lines_of(drawn))) == 24)
    terminal.send(b"/1n3\r")
    terminal.screen_with(lambda drawn: "1 row with 1n3;" in lines_of(drawn)[1])
    terminal.send(b"\033[21~")
    terminal.end()


def test_interval_keys(directory):
    """It gets longer and shorter."""
    terminal = Terminal("--sysroot", counting_system(directory, **caps("each", 8)).root, "-i", "2")
    terminal.screen_with(lambda drawn: b"   every 2 s   " in drawn)
    terminal.send(b"+")
    terminal.screen_with(lambda drawn: b"   every 5 s   " in drawn)
    terminal.send(b"----")
    terminal.screen_with(lambda drawn: b"   every 0.2 s   " in drawn)
    terminal.send(b"q")
    terminal.end()


def test_since_start(directory):
    """Means of all intervals, with smaller errors, instead of the last one."""
    recording = Recording(directory)
    for factor in (1, 2, 3):
        recording.interval(factor)
    terminal = Terminal("--replay", recording.write(), "-i", "0.01", size=(24, 100))
    terminal.screen_with(lambda drawn: b"10:32:13" in drawn and b" 903k" in drawn)
    terminal.send(b"a")
    lines = lines_of(terminal.screen_with(lambda drawn: b"mean of 6 s" in drawn))
    assert any(re.search("nvme3n1 .* 602k ", line) for line in lines), lines
    assert any(line.startswith("smmu3.2b400000") and " 824k " in line for line in lines), lines
    assert any(line.startswith("others 210") and " ~102k " in line for line in lines), lines
    terminal.send(b"a")
    terminal.screen_with(lambda drawn: b" 903k" in drawn)
    terminal.send(b"q")
    terminal.end()


def test_long_intervals(directory):
    """The interval is that of the recording, in seconds that can be read."""
    path = Recording(directory).interval(seconds=3000).interval(seconds=3000).write()
    assert "   3000 s   sort" in program.run("--replay", path, "-n", "1")
    terminal = Terminal("--replay", path, "-i", "0.01")
    terminal.screen_with(lambda drawn: b"   every 3000 s   " in drawn)
    terminal.send(b"a")
    lines = lines_of(terminal.screen_with(lambda drawn: b"   mean of 6000 s   " in drawn))
    assert lines[1].startswith("6000 s; 212 StreamIDs"), lines
    terminal.send(b"q")
    terminal.end()


def test_history(directory):
    """A wide screen has the last values of each row, on one scale, in characters of the locale."""
    recording = Recording(directory)
    for factor in (1, 2, 4):
        recording.interval(factor)
    path = recording.write()
    for locale, bars in (("C.UTF-8", ("\u2582\u2584\u2588", "\u2581\u2581\u2582")),
                         ("C", (":=@", "..:"))):
        terminal = Terminal("--replay", path, "-i", "0.01", size=(24, 160), LC_ALL=locale)
        lines = lines_of(terminal.screen_with(lambda drawn: b"10:32:13" in drawn))
        for name, bar in zip((" nvme3n1 ", " eth3 "), bars):
            line, = [line for line in lines if name in line]
            assert line.rstrip("\n").endswith(f" {bar}"), (line, bar)
        terminal.send(b"q")
        terminal.end()


def test_colors(directory):
    """There are none if the user wants none, and the row that is selected has one."""
    path = Recording(directory).interval().write()
    for environment, colored in (({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False)):
        terminal = Terminal("--replay", path, "-i", "1000", **environment)
        drawn = terminal.read_until(b"\033[J")
        assert (b"\033[1;31m" in drawn) == colored, (environment, drawn)
        terminal.send(b"j")
        drawn = terminal.read_until(b"\033[J")
        assert "0000:81" in selected_in(drawn) and b"73%" in drawn, drawn
        terminal.send(b"q")
        terminal.end()


def test_terminals_without_screen(directory):
    """Tables are printed one after the other, without any escape sequence."""
    path = Recording(directory).interval().interval().write()
    for term in ("dumb", ""):
        terminal = Terminal("--replay", path, TERM=term)
        for _ in range(2):
            assert b"\033" not in terminal.read_until(b"others 210"), term
        assert terminal.process.wait(30) == 0
        os.close(terminal.slave)
        os.close(terminal.master)


def test_pause_of_a_recording(directory):
    """It does not go on meanwhile."""
    recording = Recording(directory)
    for _ in range(20):
        recording.interval()
    terminal = Terminal("--replay", recording.write(), "-i", "0.05")
    terminal.read_until(b"\033[J")
    terminal.send(b" ")
    shown = lines_of(terminal.screen_with(lambda drawn: b"paused" in drawn))[0][:26]
    # There are no other events that it could go on to show.
    terminal.send(b"d")
    terminal.screen_with(lambda drawn: b"has no other events" in drawn)
    terminal.send(b"d")
    terminal.screen_with(lambda drawn: b"paused" in drawn and b"MISS/s" in drawn)
    time.sleep(0.3)
    terminal.send(b" ")
    drawn = terminal.read_until(b"\033[J")
    assert lines_of(drawn)[0][:26] == shown and b"paused" not in drawn, (shown, drawn)
    terminal.send(b"q")
    terminal.end()


def test_selection(directory):
    """Arrows select a row, and the screen shows it; what is above and below can be reached."""
    recording = Recording(directory).interval().interval(0.5)
    terminal = Terminal("--replay", recording.write(), "-i", "1000", size=(6, 80))
    assert selected_in(terminal.read_until(b"\033[J")) is None
    for keys, device, top in ((b"\033[B", "0000:81", " TBU0"), (b"j", "0000:41", " TBU1"),
                              (b"j", "0000:41", "0000:81"), (b"k", "0000:81", "0000:81"),
                              (b"s", "0000:81", "0000:81"), (b"k", None, "smmu3"),
                              (b"k", None, "smmu3")):
        terminal.send(keys)
        drawn = terminal.read_until(b"\033[J")
        selected = selected_in(drawn)
        assert bool(selected) == bool(device) and (selected or "").startswith(device or ""), drawn
        assert lines_of(drawn)[3].startswith(top), (keys, drawn)
    # Of a recording, nothing more is known.
    terminal.send(b"d")
    assert "no other events" in terminal.read_until(b"\033[J").decode()
    terminal.send(b"d")
    assert selected_in(terminal.read_until(b"\033[J")).startswith("0000:81")
    terminal.send(b"q")
    terminal.end()


def devices_in(drawn):
    """The devices that have rows on a screen"""
    return [line.split()[0] for line in lines_of(drawn) if line.startswith("0000:")]


def expect_detail(directory, **capabilities):
    """All events of the row that is selected, or of the first one, and back."""
    system = counting_system(directory, caps_no_streamid_events="0x3,0x5-0x6",
                             streams="0000:01:00.0 0x100\n0000:02:00.0 0x200\n", **capabilities)
    # Events of this kernel: CPU clock, page faults, and others that do happen or do not.
    for name, number in (("main_tlb_lookup", 0), ("slots_full", 5)):
        system.event(0x2000, name, number)
    terminal = Terminal("--sysroot", system.root, "--all", "-i", "0.1")
    terminal.screen_with(lambda drawn: b"0000:02" in drawn)
    terminal.send(b"j")
    first = selected_in(terminal.screen_with(selected_in)).split()[0]
    for keys in (b"d\033", b"\rd", b"d\n"):
        terminal.send(keys[:1])
        lines = lines_of(terminal.screen_with(lambda drawn: b"DEVICE/s" in drawn))
        assert lines[0].split()[-4:] == ["ESC", "back", "q", "quit"], lines
        assert "one device" in lines[0], lines
        assert lines[1].startswith(f"{first}  StreamID "), lines
        figures = {line.split()[0]: line.split()[1:] for line in lines if line.startswith("  ")}
        assert set(figures) == {"transaction", "tlb_miss", "pcie_ats_trans_passed",
                                "main_tlb_lookup"}, lines
        # CPU time passes, of the device as well as of everything.
        assert figures["transaction"][0] != "-" and figures["transaction"][2] != "-", lines
        assert figures["main_tlb_lookup"][0] != "-", lines
        # The next interval has it again.
        assert b"DEVICE/s" in terminal.read_until(b"\033[J")
        terminal.send(keys[1:])
        # Counting goes on: the row was counted again.
        drawn = terminal.screen_with(lambda drawn: any(
            line.startswith(first) and re.findall("([0-9]+)%", line)[-1:] not in ([], ["0"])
            for line in lines_of(drawn)))
        assert selected_in(drawn).startswith(first), drawn
    # From one device to the other one, faster than anything is counted
    terminal.screen_with(lambda drawn: len(devices_in(drawn)) == 2)
    terminal.send(b" ")
    rows = devices_in(terminal.screen_with(lambda drawn: b"paused" in drawn))
    place = rows.index(first)
    terminal.send(b"d")
    terminal.screen_with(lambda drawn: b"DEVICE/s" in drawn)
    terminal.send(b"dkd" if place else b"djd")
    terminal.screen_with(lambda drawn: b"DEVICE/s" in drawn and
                         lines_of(drawn)[1].startswith(f"{rows[1 - place]}  StreamID "))
    terminal.send(b"q")
    terminal.end()


def test_detail_on_screen(directory):
    """Where rows take turns."""
    expect_detail(directory)


def test_detail_of_all_counted(directory):
    """Where all rows are counted all the time, so that counters go on between two reports."""
    expect_detail(directory, **caps("each", 6))


def test_intervals_of_detail(directory):
    """They begin when the key is pressed, and each takes its time."""
    system = counting_system(directory, **caps("each", 8))
    terminal = Terminal("--sysroot", system.root, "-i", "0.5")
    terminal.screen_with(lambda drawn: b"0000:01" in drawn)
    # Most of an interval is over.
    time.sleep(0.4)
    start = time.monotonic()
    terminal.send(b"d")
    for _ in range(3):
        terminal.screen_with(lambda drawn: b"DEVICE/s" in drawn)
    assert time.monotonic() - start > 1.5
    terminal.send(b"q")
    terminal.end()


def events_in_detail(system, number):
    """How many events are open when all of a device has been counted, one of so many"""
    terminal = Terminal("--sysroot", system.root, "--all", "-i", "0.1")
    terminal.screen_with(lambda drawn: len(devices_in(drawn)) == number)
    terminal.send(b"d")
    terminal.screen_with(lambda drawn: b"DEVICE/s" in drawn)
    files = pathlib.Path(f"/proc/{terminal.process.pid}/fd").iterdir()
    events = sum("perf_event" in os.readlink(file) for file in files)
    terminal.send(b"q")
    terminal.end()
    return events


def test_detail_leaves_others(directory):
    """Drivers of PMUs that are not counted are not kept from being bound again."""
    system = counting_system(directory, **caps("each", 6))
    events = events_in_detail(system, 1)
    system.smmu(0x5000, "smmu2")
    system.pmcg(0x3000, 0x87, "arm-smmu-v3-pmcg.1.auto", smmu="smmu2", type=1, cpumask=0,
                streams="0000:02:00.0 0x200\n", **caps("each", 6))
    assert events_in_detail(system, 2) == events > 0


def test_bound_late(directory):
    """A counter group that has no driver at first, as while it is bound again, is counted then."""
    system = two_groups(directory)
    unbind(system, 1)
    terminal = Terminal("--sysroot", system.root, "--all", "-i", "0.1")
    terminal.screen_with(lambda drawn: b"gone" in drawn and b"0000:01" in drawn)
    system.bind("arm-smmu-v3-pmcg.1.auto", "arm_smmuv3_pmcg")
    terminal.screen_with(lambda drawn: b"TBU1" in drawn and b"gone" not in drawn)
    unbind(system, 1)
    terminal.screen_with(lambda drawn: b"gone" in drawn)
    terminal.send(b"q")
    terminal.end()


def test_vanished_beside_screen(directory):
    """One of two counter groups vanishes: the screen stays, and the other one is counted."""
    system = two_groups(directory)
    terminal = Terminal("--sysroot", system.root, "--all", "-i", "0.1")
    terminal.screen_with(lambda drawn: b"TBU1" in drawn and b"0000:01" in drawn)
    unbind(system, 1)
    terminal.screen_with(lambda drawn: b"gone" in drawn)
    for _ in range(3):
        drawn = terminal.read_until(b"\033[J")
        assert LEAVE not in drawn and b"vanished" not in drawn and b"0000:01" in drawn, drawn
    # It comes back with its driver, and goes again.
    system.bind("arm-smmu-v3-pmcg.1.auto", "arm_smmuv3_pmcg")
    terminal.screen_with(lambda drawn: b"TBU1" in drawn and b"gone" not in drawn)
    unbind(system, 1)
    terminal.screen_with(lambda drawn: b"gone" in drawn)
    # With the other one, the program ends, and says so where it can be read.
    unbind(system, 0)
    terminal.end(1, b"smmuv3_pmcg_2 has vanished")
