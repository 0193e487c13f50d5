# SPDX-License-Identifier: GPL-2.0
"""Runs that count events of this kernel."""

import json
import os
import re
import shutil
import signal
import subprocess
import time

import program
from program import caps, counting_system, run, two_groups, unbind


def test_one_counter(directory):
    """Both events of a ratio are counted, one after the other."""
    system = counting_system(directory, caps_counters=1)
    smmu = json.loads(run("--sysroot", system.root, "--once", "--json"))["smmus"][0]
    for column in ("transactions", "misses"):
        assert smmu["total"][column] and smmu["total"][column]["slices"] > 0, smmu["total"]


def test_fail_above_in_a_run(directory):
    """What was measured for too short a time is not known."""
    system = counting_system(directory, **caps("each", 8))
    limits = ["--fail-above", "miss=1e12", "--fail-above", "miss%=1e6", "--fail-above", "txn=1e12"]
    recording = directory / "recording"
    run("--sysroot", system.root, "--json", "--once", "-i", "0.1", "--record", recording, *limits)
    run("--replay", recording, "--json", *limits)
    shutil.rmtree(system.root)
    system = counting_system(directory, streams="".join(
        f"0000:{n:02x}:00.0 {n << 8:#x}\n" for n in range(1, 40)))
    text = run("--sysroot", system.root, "--json", "-n", "1", "-i", "0.1", "--slice", "50",
               "--fail-above", "txn=1")
    assert "--fail-above txn: none is above for certain; in 1 of 1 reports" in text, text
    run("--sysroot", system.root, "--json", *limits, "--", "sh", "-c", "exit 42", status=42)
    run("--sysroot", system.root, "--json", "--fail-above", "txn=1", "--", "true")


def test_detail_of_rows_that_cannot_be_told_apart(directory):
    """A counter group that compares more bits would count only a part of the row."""
    streams = "0000:01:00.0 0x100\n0000:02:00.0 0x1000100\n"
    system = counting_system(directory, streams=streams)
    system.pmcg(0x3000, 0x87, "arm-smmu-v3-pmcg.1.auto", smmu="smmu", type=1, cpumask=0,
                streams=streams, **caps(bits=30))
    text = run("--sysroot", system.root, "--detail", "0000:02:00.0", "-i", "0.1")
    figures = [line.split()[1] != "-" for line in text.splitlines() if "  transaction" in line]
    assert figures == [True, False], text
    assert text.count("StreamID 0x") == 2 and " 1.00G" in text.split("TBU1")[1], text


def test_lengths_of_slices(directory):
    """They vary: none would be shorter than what is wanted otherwise."""
    system = counting_system(directory)
    recording = directory / "recording"
    run("--sysroot", system.root, "--json", "--once", "-i", "2", "--slice", "100", "--record",
        recording)
    lengths = [int(line.split("\t")[2]) for line in recording.read_text().splitlines()
               if line.startswith("slice\t")]
    assert min(lengths) < 100 * 10**6 < max(lengths), lengths


def test_search(directory):
    """The worst rows are chosen by a search: each is visited once, and that is not reported."""
    system = counting_system(directory, streams="".join(
        f"0000:{n:02x}:00.0 {n << 8:#x}\n" for n in range(1, 40)))
    recording = directory / "recording"
    process = subprocess.Popen([program.PROGRAM, "--sysroot", system.root, "--json", "-i", "1000",
                                "--record", recording], stdout=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not recording.exists() or "\nforget\n" not in recording.read_text():
        assert time.monotonic() < end and process.poll() is None, "the search does not end"
        time.sleep(0.05)
    # What is there at any time can be replayed.
    for _ in range(20):
        assert recording.read_text().endswith("\n"), "a line is cut"
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    report = json.loads(process.communicate(timeout=60)[0])
    search = recording.read_text().split("\nforget")[0]
    visited = [line.split("\t")[4].split(":")[0] for line in search.splitlines()
               if line.startswith("slice\t")]
    assert sorted(visited) == sorted(["*"] + [f"{n << 8:#x}/0" for n in range(1, 40)]), visited
    assert report["interval"] > 0, report


def test_once_says_how_long(directory):
    """On the terminal of stderr, before anything is counted."""
    system = counting_system(directory, streams="".join(
        f"0000:{n:02x}:00.0 {n << 8:#x}\n" for n in range(1, 40)))
    terminal = program.Terminal("--sysroot", system.root, "--once", "--slice", "5", "-i", "0.5")
    terminal.read_until(b"smmutop: this takes about 1 s\r\n")
    terminal.read_until(b"0000:")
    assert terminal.process.wait(30) == 0


def test_short_interval(directory):
    """It takes as long as it takes to visit all rows, and is told as such."""
    system = counting_system(directory, streams="".join(
        f"0000:{n:02x}:00.0 {n << 8:#x}\n" for n in range(1, 9)))
    report = json.loads(run("--sysroot", system.root, "--all", "-n", "1", "--json", "-i", "0.01",
                            "--slice", "10"))
    assert report["interval"] > 0.06, report["interval"]
    assert all(row["figures"]["transactions"]["slices"] == 1 for row in report["smmus"][0]["rows"])
    assert len(report["smmus"][0]["rows"]) == 8, report


def test_driver_changes(directory):
    """What is shown of a device is read again as often as devices are looked for."""
    system = counting_system(directory)
    driver = "/sys/bus/pci/devices/0000:01:00.0/driver"
    system.link(driver, "../../../../bus/pci/drivers/before")
    process = subprocess.Popen([program.PROGRAM, "--sysroot", system.root, "--json", "-i", "0.2"],
                               stdout=subprocess.PIPE, text=True)
    shown = []
    try:
        while "after" not in shown and len(shown) < 200:
            rows = json.loads(process.stdout.readline())["smmus"][0]["rows"]
            shown += [stream["driver"] for row in rows for stream in row["streams"]]
            if shown == ["before"]:
                (system.root / driver[1:]).unlink()
                system.link(driver, "../../../../bus/pci/drivers/after")
    finally:
        process.kill()
        process.stdout.close()
    assert set(shown) == {"before", "after"}, shown


def test_names_change(directory):
    """A network interface that is renamed is shown with its name, and nothing starts again."""
    system = counting_system(directory)
    device = "devices/pci0000:00/0000:01:00.0"
    system.link("/sys/bus/pci/devices/0000:01:00.0", f"../../../{device}")
    terminal = program.Terminal("--sysroot", system.root, "-i", "0.2")
    terminal.screen_with(lambda drawn: b"0000:01:00.0" in drawn)
    terminal.send(b"j")
    terminal.screen_with(lambda drawn: b"\033[7m0000:01" in drawn)
    system.link("/sys/class/net/eth7", f"../../{device}/net/eth7")
    # The row is still selected.
    terminal.screen_with(lambda drawn: re.search(rb"\033\[7m0000:01:00.0 +eth7 ", drawn))
    terminal.send(b"q")
    terminal.end()


def test_events_change(directory):
    """A machine of which nothing can be counted any more is an error."""
    system = counting_system(directory)
    top = system.root / "sys/devices/platform/arm-smmu-v3-pmcg.0.auto/smmuv3_pmcg_2"
    process = subprocess.Popen([program.PROGRAM, "--sysroot", system.root, "--json", "-i", "0.2"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        process.stdout.readline()
        for name in ("events", "caps"):
            shutil.rmtree(top / name)
        system.event(0x2000, "main_tlb_lookup", 0)
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 1 and "has none of the architected events" in said, said


def test_screen_or_not(directory):
    """There is a screen if nothing else is asked for, and it begins with --sort."""
    system = counting_system(directory)
    arguments = ("--sysroot", system.root, "-i", "0.1")
    # After as many reports as requested, the command is ended.
    for status, *more in ((0, "--once"), (143, "-n", "1", "--", "sleep", "60"),
                          (0, "-n", "1", "--json")):
        terminal = program.Terminal(*arguments, *more)
        shown = terminal.read_until(b"0000:01:00.0")
        assert program.ENTER not in shown, shown
        assert terminal.process.wait(30) == status, (more, terminal.process.returncode)
    done = subprocess.run([program.PROGRAM, *map(str, arguments), "-n", "1"], check=True,
                          stdin=terminal.slave, capture_output=True)
    assert program.ENTER not in done.stdout and b"0000:01" in done.stdout, done
    terminal = program.Terminal(*arguments, "--sort", "txn")
    for _ in range(2):
        drawn = terminal.screen_with(lambda drawn: b"sort TXN/s" in drawn and b"0000:01" in drawn)
        # Nothing is printed beside it.
        assert drawn.count(b"0000:01:00.0") == 1, drawn
    terminal.send(b"q")
    terminal.end()


def test_sort_while_counting(directory):
    """The key for another column makes it the one that is searched for."""
    system = counting_system(directory, streams="".join(
        f"0000:{n:02x}:00.0 {n << 8:#x}\n" for n in range(1, 40)))
    recording = directory / "recording"
    terminal = program.Terminal("--sysroot", system.root, "-i", "0.2", "--record", recording)
    terminal.screen_with(lambda drawn: b"sort MISS/s" in drawn and b"0000:" in drawn)
    terminal.send(b"s")
    for _ in range(4):
        terminal.screen_with(lambda drawn: b"sort MISS%" in drawn)
    terminal.send(b"q")
    terminal.end()
    lines = [line.split("\t") for line in recording.read_text().splitlines()]
    assert [line[-1] for line in lines if line[0] == "report"][-1] == "miss%", lines[-5:]


def test_vanished(directory):
    """One of two counter groups vanishes: that is said once, and the other one is counted."""
    for name, attributes in (("turns", caps()), ("all", caps("each", 8))):
        system = two_groups(directory / name, **attributes)
        errors = directory / name / "errors"
        with errors.open("w") as file:
            process = subprocess.Popen([program.PROGRAM, "--sysroot", system.root, "--all",
                                        "--json", "-i", "0.1"],
                                       stdout=subprocess.PIPE, stderr=file, text=True)
        try:
            json.loads(process.stdout.readline())
            unbind(system, 1)
            while "vanished" not in errors.read_text():
                assert process.stdout.readline(), errors.read_text()
            rows = []
            while len(rows) < 5:
                rows += json.loads(process.stdout.readline())["smmus"][0]["rows"]
            assert rows[-1]["seen"] > 0, rows
            lines = errors.read_text().splitlines()
            assert len(lines) == 1 and "smmuv3_pmcg_3 has vanished" in lines[0], lines
            # With the last one, the program ends.
            unbind(system, 0)
            assert process.wait(30) == 1, process.returncode
        finally:
            process.kill()
            process.stdout.close()
        lines = errors.read_text().splitlines()
        assert len(lines) == 2 and "smmuv3_pmcg_2 has vanished" in lines[1], lines


def test_too_few_files(directory):
    """A counter group whose events cannot be opened is left out; without another one, it ends."""
    system = two_groups(directory, **caps("each", 8))
    limited = ["sh", "-c", 'ulimit -n 5; exec "$0" "$@"', program.PROGRAM, "--sysroot",
               system.root, "--once", "-i", "0.1", "--json"]
    system.put("/sys/bus/event_source/devices/smmuv3_pmcg_2/caps/counters", "1\n")
    done = subprocess.run(limited, capture_output=True, text=True, timeout=60, check=True)
    assert [pmcg["gone"] for pmcg in json.loads(done.stdout)["smmus"][0]["pmcgs"]] == [
        False, True], done
    assert re.fullmatch("smmutop: smmuv3_pmcg_3: [1-9][0-9]* files are open and .*\n",
                        done.stderr), done
    done = subprocess.run([*limited, "--pmu", "smmuv3_pmcg_3"], capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 1 and not done.stdout, done
    assert re.fullmatch("smmutop: smmuv3_pmcg_3: [1-9][0-9]* files are open and .*\n",
                        done.stderr), done


def test_group_without_a_column(directory):
    """A counter group that counts nothing of what is shown is not used."""
    system = counting_system(directory)
    system.pmcg(0x3000, 0x7f, "arm-smmu-v3-pmcg.1.auto", smmu="smmu", type=1, cpumask=0,
                streams="0000:01:00.0 0x100\n", **caps())
    recording = directory / "recording"
    report = json.loads(run("--sysroot", system.root, "-n", "2", "--all", "--json", "--columns",
                            "walk", "-i", "0.1", "--record", recording).splitlines()[-1])
    assert report["smmus"][0]["rows"][0]["figures"]["walks"]["slices"] > 0, report
    slices = {line.split("\t")[1] for line in recording.read_text().splitlines()
              if line.startswith("slice\t")}
    assert slices == {"1"}, slices


def test_environment_of_a_command(directory):
    """A command has the signals and the limit of files from before."""
    system = counting_system(directory)
    limit = subprocess.run(["sh", "-c", "ulimit -n 300; ulimit -n"], capture_output=True,
                           text=True, check=True).stdout.strip()
    command = "ulimit -n; grep SigBlk /proc/self/status"
    quoted = subprocess.list2cmdline([program.PROGRAM, "--sysroot", str(system.root)])
    script = f'ulimit -Sn {limit}; exec {quoted} --json -- sh -c "$1"'
    done = subprocess.run(["sh", "-c", script, "sh", command], timeout=60,
                          capture_output=True, text=True, check=True)
    lines = done.stdout.split("\n")
    assert limit in lines and "SigBlk:\t0000000000000000" in lines, (done, lines)


def test_stubborn_command(directory):
    """The first signal asks a command to end, and the second one ends it."""
    system = counting_system(directory)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        process = subprocess.Popen([program.PROGRAM, "--sysroot", system.root, "--json", "--", "sh",
                                    "-c", "trap '' TERM; echo begun; while :; do sleep 0.1; done"],
                                   stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline() == "begun\n"
        process.send_signal(number)
        while not process.stdout.readline().startswith("{"):
            pass
        process.send_signal(number)
        try:
            assert process.wait(30) == 128 + signal.SIGKILL, (number, process.returncode)
        finally:
            process.kill()
            process.stdout.close()


def test_long_command(directory):
    """It is measured as a whole, also if it takes longer than an interval does otherwise."""
    for name, attributes in (("turns", caps()), ("all", caps("each", 8))):
        system = counting_system(directory / name, **attributes)
        recording = directory / name / "recording"
        report, = run("--sysroot", system.root, "--json", "--record", recording, "--", "sleep",
                      "2.5").splitlines()
        assert json.loads(report)["interval"] > 2.5, report
    # Where nothing takes turns, it is one slice.
    assert recording.read_text().count("\nslice\t") == 1, recording.read_text()


def test_error_and_status_of_a_command(directory):
    """What could not be written is an error, whatever the command returns."""
    system = counting_system(directory)
    arguments = [program.PROGRAM, "--sysroot", system.root, "--json", "-i", "0.1"]
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([*arguments, "--", "sh", "-c", "exit 42"], stdout=full, timeout=60,
                              stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and "No space left" in done.stderr, done
    text = run(*arguments[1:], "-n", "1", "--record", "/dev/full", status=1)
    assert "smmutop: --record /dev/full: " in text, text


def test_full_disk_of_a_recording(directory):
    """It is told when it happens, with its reason, and ends the run."""
    system = counting_system(directory)
    text = run("--sysroot", system.root, "--json", "-i", "0.1", "--record", "/dev/full", status=1)
    assert text.endswith("smmutop: --record /dev/full: No space left on device\n"), text
    assert text.count("\n") <= 2, text


def test_recording_without_stdout(directory):
    """What cannot be written there is not written to the recording."""
    system = counting_system(directory)
    recording = directory / "recording"
    # The limits make it write to stderr, what is above or that this is not certain.
    for closed, statuses in ((">&-", (1,)), ("2>&-", (0,))):
        done = subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", program.PROGRAM, "--sysroot",
                               system.root, "-n", "1", "-i", "0.1", "--fail-above", "miss=1e9",
                               "--fail-above", "txn=1e12", "--record", recording],
                              capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode in statuses, done
        text = recording.read_text()
        assert "smmutop: " not in text and "DEVICE" not in text, text
    run("--replay", recording, "--json")


def test_once_counts_all(directory):
    """It goes on until each row was counted."""
    system = counting_system(directory, streams="".join(
        f"0000:{n:02x}:00.0 {n << 8:#x}\n" for n in range(1, 9)))
    smmu = json.loads(run("--sysroot", system.root, "--once", "--all", "--json", "-i", "0.2",
                          "--slice", "40"))["smmus"][0]
    assert len(smmu["rows"]) == 8, smmu
    assert all(row["seen"] > 0 for row in smmu["rows"]), smmu["rows"]


def test_quit_while_counting(directory):
    """q ends it at once, and there is no report of a part of an interval."""
    system = counting_system(directory, **caps("each", 8))
    recording = directory / "recording"
    terminal = program.Terminal("--sysroot", system.root, "-i", "1000", "--record", recording)
    terminal.read_until(program.ENTER)
    terminal.send(b"q")
    terminal.end()
    assert "\nreport\t" not in recording.read_text(), recording.read_text()


def test_message_after_the_screen(directory):
    """What is said in the end is not on the screen that is gone then."""
    system = counting_system(directory, streams="".join(
        f"0000:{n:02x}:00.0 {n << 8:#x}\n" for n in range(1, 40)))
    terminal = program.Terminal("--sysroot", system.root, "-i", "0.2", "--slice", "50",
                                "--fail-above", "miss=1")
    terminal.screen_with(lambda drawn: b"MISS/s" in drawn)
    terminal.send(b"q")
    terminal.end(0, b"--fail-above miss: none is above for certain")


def test_counters_go_on(directory):
    """Where nothing takes turns, they are neither stopped nor asked between two reports."""
    if not shutil.which("strace") or subprocess.run(["strace", "-o", "/dev/null", "true"],
                                                    check=False).returncode:
        raise program.Skip("strace cannot be used")
    system = counting_system(directory, **caps("each", 8))
    log = directory / "log"
    # A process that is traced cannot look for leaks.
    environment = {"ASAN_OPTIONS": "detect_leaks=0", "LSAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run(["strace", "-e", "trace=ppoll,ioctl", "-o", log, program.PROGRAM,
                           "--sysroot", system.root, "--json", "-n", "3", "-i", "0.2"], check=True,
                          env=dict(os.environ, **environment), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True)
    calls = log.read_text()
    # Input that nobody reads does not end a wait.
    assert calls.count("ppoll(") <= 3, calls
    assert calls.count("PERF_EVENT_IOC_ENABLE") == calls.count("PERF_EVENT_IOC_DISABLE") == 1, calls
    # Each report is about its interval only.
    for line in done.stdout.splitlines():
        figure = json.loads(line)["smmus"][0]["rows"][0]["figures"]["transactions"]
        assert figure["slices"] == 1, figure


def test_only_a_tcu(directory):
    """It has no misses of TBUs: rows are sorted by what it has, and what it has not is an error."""
    system = counting_system(directory)
    shutil.rmtree(system.root)
    system.smmu(0x1000, "smmu")
    system.pmcg(0x2000, 0x7f, smmu="smmu", type=1, cpumask=0,
                streams="0000:01:00.0 0x100\n0000:02:00.0 0x200\n", **caps())
    short = ("--sysroot", system.root, "--once", "-i", "0.1")
    # All rows: tasks may not move between CPUs.
    report = json.loads(run(*short, "--all", "--json"))
    assert report["sort"] == "walks", report["sort"]
    rows = [row["figures"]["walks"]["value"] for row in report["smmus"][0]["rows"]]
    assert len(rows) == 2 and min(rows) > 0, rows
    assert all(row["seen"] > 0 for row in report["smmus"][0]["rows"]), report
    assert " sort WALK/s" in run(*short), run(*short)
    terminal = program.Terminal("--sysroot", system.root, "-i", "0.1")
    terminal.screen_with(lambda drawn: b"sort WALK/s" in drawn)
    terminal.send(b"q")
    terminal.end()
    for arguments in (("--fail-above", "miss=10"), ("--sort", "miss%"), ("--sort", "miss"),
                      ("--fail-above", "walk=1e12", "--fail-above", "txn=1")):
        text = run(*short, *arguments, status=1)
        assert f"smmutop: {' '.join(arguments[-2:]).split('=')[0]}: no counter group" in text, text
    assert "no counter group counts --columns" in run(*short, "--columns", "txn,miss", status=1)


def test_sort_of_some_columns(directory):
    """Rows are sorted by misses, or by the first column if these are not counted."""
    system = counting_system(directory)
    for names, sort in (("miss%,miss,txn", "misses"), ("txn", "transactions"),
                        ("miss%,txn", "miss_ratio"), ("cfg,txn", "transactions")):
        report = json.loads(run("--sysroot", system.root, "--once", "-i", "0.1", "--json",
                                "--columns", names))
        assert report["sort"] == sort, report["sort"]
