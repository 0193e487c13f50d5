# SPDX-License-Identifier: GPL-2.0
"""What is printed of recordings."""

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess

import program
from program import DOCUMENTATION, HERE, SECOND, Recording, Skip, run, screen


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


def test_manual(_):
    """It has each column."""
    manual = (HERE.parent / "smmutop.8").read_text()
    names = re.search("columns are (.*)", run("--sort", "none", status=2))[1]
    for name in re.split(", | and ", names):
        assert re.search(rf"^\.It \S+ Pq Cm {re.escape(name)}$", manual, re.M), name


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


def test_long_head(directory):
    """What does not fit into the first line of an SMMU is in the next one, and nothing is cut."""
    recording = Recording(directory)
    recording.lines = [line.replace("pmcg_2b442\tTBU1\tMMU-600\tarm_smmuv3_pmcg\t0\tTBU\t4\tone",
                                    "pmcg_2b442\tTBU1\tMMU-600\tarm_smmuv3_pmcg\t0\tTBU\t8\teach")
                       for line in recording.lines]
    path = recording.interval().write()
    first = "smmu3.2b400000  MMU-600  212 StreamIDs"
    second = "some with one filter, 4-8 counters, slices of 50 ms"
    for width in (60, 80, 90, 91, 132):
        lines = run("--replay", path, environment={"COLUMNS": str(width)}).splitlines()
        assert lines[1:3] == [first, " " + second] if width < 91 else \
            lines[1] == f"{first}  {second}", lines


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


def test_old_figures_are_limited(directory):
    """A search has shown since that it cannot be as much any more."""
    recording = Recording(directory).interval()
    report = f"report\t{recording.time}.000\t{2 * SECOND}\t50000000\tmiss"
    recording.slice(1, "0x8100/0", {2: 301e3, 1: 2.1e6}, 0.1)
    recording.lines += ["most\t1\t0x4101\t2\t1234.5", "most\t1\t0x4101\t1\t5e6",
                        "most\t1\t0x8100\t2\t7", report, report]
    rows = [{row["streams"][0]["stream_id"]: row["figures"] for row in
             json.loads(line)["smmus"][0]["rows"]}
            for line in run("--replay", recording.write(), "--json").splitlines()]
    figure = rows[1][0x4101]["misses"]
    assert figure["value"] == figure["error"] == 1234.5 and figure["old"], figure
    # Not what is below, or of this interval; and only until the next one.
    assert rows[1][0x4101]["transactions"]["value"] == 1.22e6, rows[1]
    assert rows[1][0x8100]["misses"]["value"] == 301e3, rows[1]
    assert rows[2][0x4101]["misses"]["value"] == 60.2e3, rows[2]


def test_fail_above(directory):
    """The limit itself is well."""
    path = Recording(directory).interval(searched=("miss", "miss%", "walk")).write()
    text = run("--replay", path, "--fail-above", "miss%=10", status=3)
    assert "0000:81:00.0: miss% is 14.33, above 10" in text, text
    run("--replay", path, "--fail-above", "miss%=15")
    run("--replay", path, "--fail-above", "miss=301000")
    run("--replay", path, "--fail-above", "miss%=15", "--fail-above", "walk=87999", status=3)


def test_fail_above_by_another_column(directory):
    """The worst by one column are not the worst by another one."""
    path = Recording(directory).interval().interval(searched=("miss",)).write()
    # Rows for which there is no room are above as well.
    text = run("--replay", path, "--sort", "cfg", "--rows", "1", "--fail-above", "walk=80000",
               status=3)
    assert "nvme3n1" not in text and "0000:81:00.0: walk is 8.8e+04, above 8e+04" in text, text
    # But none that are too small to matter.
    run("--replay", path, "--min-share", "20", "--fail-above", "acc/w=3.95", status=4)
    run("--replay", path, "--fail-above", "acc/w=3.95", status=3)
    # Where nothing has looked for the worst, there may be one.
    for limits, unknown in ((("miss=400000",), ()), (("miss=400000", "walk=90000"), ()),
                            (("cfg=100",), ("cfg",)),
                            (("walk=90000", "miss%=20", "acc/w=9"), ("miss%", "acc/w"))):
        arguments = [word for limit in limits for word in ("--fail-above", limit)]
        text = run("--replay", path, "--json", *arguments, status=4 if unknown else 0)
        assert text.count("not all StreamIDs are known") == len(unknown), text
        for column in unknown:
            assert f"--fail-above {column}: not all StreamIDs are known by this column" in text
    path = Recording(directory).interval(searched=()).write()
    run("--replay", path, "--fail-above", "miss=400000", status=4)


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
                         (begin + 1, "search\t0\tmiss\t1\t1\t0\t1"),
                         (begin + 1, "search\t0\t1\t1\t0\t1\t1"),
                         (begin + 1, "most\t0\t0x8\t2\t1"), (begin + 1, "most\t0\t0x8100\t8\t1"),
                         (begin + 1, "gone\t7")):
        recording.lines = good[:number - 1] + [line] + good[number - 1:]
        text = run("--replay", recording.write(), status=1)
        assert f"line {number}" in text, f"{line}: {text}"
    assert "No such file" in run("--replay", directory / "nothing", status=1)


def test_cut_recording(directory):
    """A run that was killed has written whole lines but the last: what is cut is no figure."""
    recording = Recording(directory, 2).interval()
    whole = "\n".join(recording.lines) + "\n"
    path = directory / "cut"
    begin = whole.index("begin\n") + len("begin\n")
    for end in range(begin, len(whole), 7):
        path.write_text(whole[:end])
        text = run("--replay", path, "--json", status=0 if whole[end - 1] == "\n" else 1)
        assert "makes no sense" in text if whole[end - 1] != "\n" else text == "", text
    path.write_text(whole[:-1])
    assert "makes no sense" in run("--replay", path, "--json", status=1)


def test_names_of_any_bytes(directory):
    """Names cannot control the terminal, and each format has them as one value."""
    path = Recording(directory, 2).interval().write()
    written = b'a"b\\c,\x1b[31m\xc2\x9b\xff\xc3\xa9\xed\xa0\x80'
    shown = 'a"b\\c,?[31m???\u00e9???'
    path.write_bytes(path.read_bytes().replace(b"nvme3n1", written))
    row = json.loads(run("--replay", path, "--json"))["smmus"][0]["rows"][0]
    assert row["streams"][0]["names"] == shown, row["streams"]
    rows = list(csv.DictReader(io.StringIO(run("--replay", path, "--csv"))))
    assert rows[0]["names"] == shown and None not in rows[0], rows[0]
    metrics = directory / "smmu.prom"
    run("--replay", path, "--prometheus", metrics)
    assert 'name="a\\"b\\\\c,?[31m???\u00e9???",' in metrics.read_text(), metrics.read_text()
    assert "\033" not in run("--replay", path)


def test_full_disk(directory):
    """What could not be written is an error."""
    path = Recording(directory, 2).interval().write()
    for arguments in ((), ("--json",), ("--csv",)):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([program.PROGRAM, "--replay", path, *arguments], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 1 and "No space left" in done.stderr, done


def test_options_that_make_no_sense(_):
    """Messages name the option, the value and what is valid."""
    for arguments, said in ((["-i", "0"], "--interval 0: this must be a number from 0.01"),
                            (["-s", "x"], "--sort x: columns are txn, miss,"),
                            (["--columns", "miss,y"], "--columns miss,y: columns are"),
                            (["--fail-above", "miss"], "--fail-above miss: this must be a column"),
                            (["--fail-above", "miss=x"], "--fail-above miss=x: this must be"),
                            (["--columns", "txn", "--sort", "miss"],
                             "--sort miss: this column is not one of"),
                            (["--columns", "miss", "--fail-above", "cfg=1"],
                             "--fail-above cfg: this column is not one of --columns"),
                            (["-i", "nan"], "--interval nan: this must be a number"),
                            (["-n", "0"], "--number 0: this must be a number from 1"),
                            (["-n", "1.5"], "--number 1.5: this must be a whole number"),
                            (["--fail-above", "miss=inf"], "--fail-above miss=inf: this must be"),
                            (["--fail-above", "miss=-1"], "--fail-above miss=-1: this must be"),
                            (["--slice", "0"], "--slice 0:"), (["--nonsense"], "--help")):
        text = run(*arguments, status=2)
        assert said in text, text
    assert "usage:" in run("--help")


def test_closed_pipe(directory):
    """No message when the reader has enough."""
    path = Recording(directory, 2)
    for _ in range(200):
        path.interval()
    process = subprocess.Popen([program.PROGRAM, "--replay", path.write(), "--json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == -signal.SIGPIPE
