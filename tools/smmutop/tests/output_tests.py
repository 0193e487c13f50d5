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
import sys

import program
from program import DOCUMENTATION, HERE, SECOND, Recording, Skip, run, screen


def test_demo(_):
    """The recording that is made with the program shows something."""
    reports = [json.loads(line)["smmus"][0] for line in
               run("--replay", program.demo(), "--json").splitlines()]
    assert len(reports) == 15
    # It is not certain when a disk starts.
    assert sum(report["search"]["complete"] for report in reports) >= 13, reports
    worst = {report["rows"][0]["streams"][0]["names"] for report in reports}
    assert worst == {"nvme3n1"}, worst
    errors = [row["figures"]["misses"]["error"] for report in reports for row in report["rows"]]
    assert sum(error is not None for error in errors) >= 0.95 * len(errors), errors
    # A disk that starts in an interval is shown in the next one.
    shown = ["nvme11n1" in {row["streams"][0]["names"] for row in report["rows"]}
             for report in reports]
    assert shown.index(True) <= 6 and all(shown[shown.index(True):]), shown


def test_table(_):
    """The sample screen of the manual."""
    screen("table", run("--replay", program.demo(), "-n", "1"))


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


def test_wide_tables(directory):
    """Names have room before what is less important; where there is none, both ends are shown."""
    recording = Recording(directory)
    names = ("enP2p65s0f0np0", "enP2p65s0f1np1")
    recording.lines = [line.replace("nvme3n1", names[0]).replace("eth3", names[1])
                       for line in recording.lines]
    path = recording.interval().write()
    shown = {width: run("--replay", path, environment={"COLUMNS": str(width)})
             for width in (80, 100, 300)}
    text = run("--replay", path, environment={"COLUMNS": "40"})
    assert " enP2..np0 " in text and " enP2..np1 " in text, text
    assert all(name in text for name in names for text in shown.values()), shown
    assert "STREAMID" not in shown[80], shown[80]
    assert re.search("^DEVICE +NAME +STREAMID +DRIVER +GROUP +TBU", shown[300], re.M), shown[300]


def test_numbers_of_any_size(directory):
    """Each one has the room of its column, and a blank before it."""
    for seconds, rates, cells in (
            (2, (1e8, 3e9, 20, 246910), ["100M", "3.00G", "1", "100%", "3.00k", "20", "12.3k"]),
            (4000, (0.02, 0.01, 0.0125, 12.5),
             ["0.02", "0.01", "0", "100%", "50.0", "0.01", "1.25k"])):
        recording = Recording(directory, 2)
        for _ in range(12):
            for block in ("0x8100/0", "*"):
                recording.slice(1, block, dict(zip((1, 2), rates)), seconds / 20)
                recording.slice(0, block, dict(zip((2, 4), rates[2:])), seconds / 20)
        recording.lines.append(f"report\t1795343529.000\t{seconds * SECOND}\t0\tmiss")
        line, = [line for line in run("--replay", recording.write()).splitlines()
                 if line.startswith("0000:81:00.0")]
        assert line.split()[4:11] == cells, line


def test_a_unit_without_a_visit(directory):
    """Its line shows nothing of the unit before it."""
    recording = Recording(directory, 2)
    for turn in range(20):
        for block in ("0x8100/0", "*"):
            recording.slice(1, block, {1: 1e5 + 1e3 * (turn % 3), 2: 1e4}, 0.01)
    recording.lines.append(f"report\t1795343529.000\t{SECOND}\t0\ttxn")
    lines = run("--replay", recording.write()).splitlines()
    units = {line.split()[0]: line.split()[5:] for line in lines if line.startswith(" TBU")}
    assert units == {"TBU0": ["101k", "1", "100%", "10.0k", "9.9", "20%"],
                     "TBU1": ["-", "-", "-", "-", "0%"]}, units


def test_several_smmus(directory):
    """The worst row of the machine is the first one, below a line of totals for each SMMU."""
    path = Recording(directory).several(8).write()
    lines = run("--replay", path).splitlines()
    assert lines[2].split()[:3] == ["DEVICE", "NAME", "SMMU"], lines
    totals = [line.split()[0] for line in lines[3:11]]
    assert totals == [f"smmu3.{n + 1}b400000" for n in range(8)], lines
    assert [line.split()[1] for line in lines[11:14]] == ["nvme7n0", "nvme6n0", "nvme5n0"], lines
    assert "TBU0" not in "".join(lines) and lines[-1].startswith("others 54"), lines
    # Shares are those of the machine: 8 of 2.718 * 36
    assert re.search("nvme7n0 +8b400000 .* 8% ", lines[11]), lines[11]
    smmus = json.loads(run("--replay", path, "--json"))["smmus"]
    assert [len(smmu["rows"]) for smmu in smmus] == [0, 0, 1, 1, 1, 2, 2, 3], smmus
    for number, smmu in enumerate(smmus):
        shown = sum(row["figures"]["misses"]["count"] for row in smmu["rows"])
        assert smmu["others"]["misses"]["count"] == smmu["total"]["misses"]["count"] - min(
            shown, smmu["total"]["misses"]["count"]), (number, smmu)


def test_sorted(directory):
    """Rows are sorted by any column, also by another one than was measured."""
    path = Recording(directory).interval().write()
    for sort, first in (("miss", "nvme3n1"), ("cfg", "eth3"), ("miss%", "nvme3n1")):
        rows = [line for line in run("--replay", path, "--sort", sort).splitlines()
                if line.startswith("0000:")]
        assert rows[0].split()[1] == first, rows


def test_gone(directory):
    """What a counter group has counted before it was gone is part of no sum, and others count."""
    recording = Recording(directory, 4).interval()
    recording.lines.append("gone\t1")
    report = f"report\t{recording.time}.000\t{2 * SECOND}\t50000000\tmiss"
    recording.slice(2, "*", {2: 24.1e3, 1: 1.93e6}, 0.1)
    recording.lines.append(report)
    smmu = json.loads(run("--replay", recording.write(), "--json").splitlines()[1])["smmus"][0]
    assert smmu["total"]["misses"]["value"] == 24100, smmu["total"]
    assert not smmu["rows"], smmu
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
    said = "the first 2 rows have the most, no other of 212 StreamIDs over 53.0k/s\n"
    assert said in run("--replay", path)
    for arguments in (("--rows", "1"), ("--min-share", "20")):
        smmu = json.loads(run("--replay", path, "--json", *arguments))["smmus"][0]
        assert len(smmu["rows"]) == 1 and 60.2e3 < smmu["search"]["bound"] < 62e3, smmu["search"]
        assert smmu["search"]["complete"] and smmu["search"]["worst"] == 1, smmu["search"]
        said = "the first row has the most, no other of 212 StreamIDs over 60."
        assert said in run("--replay", path, *arguments)
    # Nothing is complete without a row above the bound, and that is never above the total.
    smmu = json.loads(run("--replay", path, "--json", "--min-share", "90"))["smmus"][0]
    assert not smmu["rows"] and not smmu["search"]["complete"], smmu["search"]
    assert smmu["search"]["bound"] < 304e3, smmu["search"]
    path = Recording(directory).interval(rows=False).write()
    smmu = json.loads(run("--replay", path, "--json"))["smmus"][0]
    assert not smmu["search"]["complete"] and smmu["search"]["bound"] < 416e3, smmu["search"]
    assert "which row has the most is not certain; 212" in run("--replay", path)


def test_none_over(directory):
    """Where it is not certain which row has the most, none has more than the bound."""
    recording = Recording(directory, 8).several(1)
    recording.lines = [re.sub(r"(0x810[0-7]/0:2=)\d+", r"\g<1>1700", line)
                       for line in recording.lines]
    path = recording.write()
    bound = json.loads(run("--replay", path, "--json"))["smmus"][0]["search"]["bound"]
    assert bound == 340e3, bound
    said = "which row has the most is not certain"
    assert f"{said}, none of 8 StreamIDs over 340k/s\n" in run("--replay", path)
    assert run("--replay", path, environment={"COLUMNS": "40"}).splitlines()[1] == said


def test_total_of_nothing(directory):
    """A row may be active only while its total is not counted: nothing is certain then."""
    for misses, said, most in ((0, "MISS/s: nothing was counted", 0),
                               (1000, "which row has the most is not certain", None)):
        recording = Recording(directory, 2)
        for turn in range(20):
            for block in ("0x8100/0", "0x4101/0", "*"):
                rate = 100 * misses if block == "0x8100/0" and turn == 7 else 0
                recording.slice(1, block, {2: rate, 1: rate}, 0.01)
                recording.slice(2, block, {2: 0, 1: 0}, 0.01)
        recording.lines.append(f"report\t1795343529.000\t{2 * SECOND}\t10000000\tmiss")
        path = recording.write()
        text = run("--replay", path, "--all", "--fail-above", "miss=100")
        assert text.splitlines()[1].startswith(said), text
        assert ("--fail-above miss: none is above for certain; in 1 of 1 " in text) == (misses > 0)
        smmu = json.loads(run("--replay", path, "--all", "--json"))["smmus"][0]
        assert smmu["search"]["bound"] == most, smmu["search"]
        assert smmu["rows"][0]["figures"]["misses"]["most"] == most, smmu["rows"][0]


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
    # 12 slices of 0.05 s
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
    assert figure["slices"] == 12 and abs(figure["seen"] - 0.3) < 1e-6, figure
    # A pause between two of the 12 visits may have been missed.
    assert 273e3 < figure["least"] < 276e3 and 301e3 < figure["most"] < 304e3, figure
    assert abs(figure["value"] - 301e3) < 1, figure
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


def test_prometheus_states(directory):
    """Metrics say whether the search is complete, what is left, and why a series is missing."""
    metrics = directory / "smmu.prom"
    run("--replay", Recording(directory).interval().write(), "--prometheus", metrics, "--rows", "1")
    text = metrics.read_text()
    smmu = 'smmu="smmu3.2b400000"'
    for pattern in (f'smmu_search_complete{{{smmu},column="misses"}} [01]',
                    f'smmu_search_bound{{{smmu},column="misses"}} [0-9.]+',
                    f"smmu_others_tlb_misses_per_second{{{smmu}}} [0-9.]+",
                    f'smmu_device_seen{{{smmu},stream_id="0x8100",[^}}]*}} 0.3'):
        assert re.search(f"^{pattern}$", text, re.M), f"no {pattern} in {text}"
    assert text.count("# TYPE smmu_search_bound gauge") == 1, text


def test_prometheus_paths(directory):
    """A file gets a new content and mode; what is none is written to, and never replaced."""
    path = Recording(directory, 4).interval().write()
    (directory / "into").mkdir()
    link, metrics, pipe = (directory / name for name in ("link", "into/smmu.prom", "pipe"))
    link.symlink_to(metrics)
    assert "No such file" in run("--replay", path, "--prometheus", link, status=1)
    metrics.write_text("old")
    run("--replay", path, "--prometheus", link, preexec_fn=lambda: os.umask(0o77))
    assert link.is_symlink() and metrics.read_text().startswith("# HELP"), metrics.read_text()
    assert os.stat(metrics).st_mode & 0o777 == 0o644, oct(os.stat(metrics).st_mode)
    assert [file.name for file in (directory / "into").iterdir()] == ["smmu.prom"]
    assert run("--replay", path, "--prometheus", "-") == metrics.read_text()
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        run("--replay", path, "--prometheus", pipe)
        assert reader.stdout.read() == metrics.read_text() and pipe.is_fifo()
    text = run("--replay", path, "--prometheus", "/dev/full", status=1)
    assert text == "smmutop: --prometheus /dev/full: No space left on device\n", text
    text = run("--replay", path, "--prometheus", directory, status=1)
    assert "Is a directory" in text, text


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


def test_monitoring(directory):
    """The alerts and the dashboard are valid, and the metrics in them exist."""
    promtool = os.environ.get("PROMTOOL") or shutil.which("promtool")
    if not promtool:
        raise Skip("there is no promtool")
    top = HERE.parent
    alerts = top / "monitoring/alerts.yml"
    panels = json.loads((top / "monitoring/grafana.json").read_text())["panels"]
    queries = [target["expr"].replace("$instance", "x") for panel in panels
               for target in panel["targets"]]
    rules = directory / "queries.yml"
    rules.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": [
        {"record": f"query{i}", "expr": query} for i, query in enumerate(queries)]}]}))
    done = subprocess.run([promtool, "check", "rules", alerts, rules], text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    used = set(re.findall(r"\bsmmu_\w+", alerts.read_text() + " ".join(queries)))
    text = run("--replay", program.demo(), "--prometheus", "-")
    assert len(used) > 5 and used <= set(re.findall(r"^# TYPE (\w+)", text, re.M)), used


def test_not_counted(directory):
    """What was not counted in an interval is not known in it."""
    recording = Recording(directory).interval()
    recording.slice(1, "0x8100/0", {2: 301e3, 1: 2.1e6}, 0.1)
    recording.lines.append(f"report\t{recording.time}.000\t{2 * SECOND}\t50000000\tmiss")
    path = recording.write()
    last = json.loads(run("--replay", path, "--json").splitlines()[-1])["smmus"][0]
    assert [row["streams"][0]["names"] for row in last["rows"]] == ["nvme3n1"], last["rows"]
    assert last["rows"][0]["figures"]["walks"] is None, last["rows"]
    assert last["total"]["misses"] is None and not last["search"]["complete"], last
    metrics = directory / "smmu.prom"
    run("--replay", path, "--prometheus", metrics)
    text = metrics.read_text()
    assert 'stream_id="0x8100"' in text and "0x4101" not in text and "smmu_tbu" not in text, text
    # The total of one TBU is not that of both: the row is above.
    report = recording.lines[-1]
    recording.slice(1, "0x8100/0", {2: 301e3}, 0.1)
    recording.slice(2, "*", {2: 24e3}, 0.1)
    recording.lines.append(report)
    last = json.loads(run("--replay", recording.write(), "--json").splitlines()[-1])["smmus"][0]
    assert round(last["rows"][0]["figures"]["misses"]["value"]) == 301000, last["rows"]
    assert last["total"]["misses"] is None, last["total"]


def test_chosen(directory):
    """Rows that were visited too seldom come last, and are shown if there are no others."""
    recording = Recording(directory).interval()
    begin = recording.lines.index("begin") + 1
    report = recording.lines[-1]
    recording.lines = recording.lines[:begin]
    for turn in range(10):
        recording.slice(1, "0x8100/0", {2: 3000})
        recording.slice(1, "0xc100/0", {2: 3000 * (turn < 4)})
        recording.slice(1, "*", {2: 1e5})
    recording.slice(1, "0x4101/0", {2: 20000})
    recording.lines.append(report)
    path = recording.write()
    shown = [(row["streams"][0]["device"], round(row["figures"]["misses"]["value"]))
             for row in json.loads(run("--replay", path, "--json"))["smmus"][0]["rows"]]
    assert shown == [("0000:81:00.0", 3000), ("0000:c1:00.0", 1200)], shown
    lines = run("--replay", path, "--all").splitlines()
    place = [i for i, line in enumerate(lines) if line.startswith("0000:")]
    assert [lines[i][:12] for i in place] == ["0000:81:00.0", "0000:c1:00.0", "0000:41:00.1"], lines
    assert lines[place[0] + 1].startswith("-- below: seen too seldom for an error -----"), lines
    recording.lines = recording.lines[:begin]
    for stream_id in ("0x8100", "0x4101"):
        recording.slice(1, stream_id + "/0", {2: 9000})
    recording.lines.append(report)
    assert run("--replay", recording.write()).count("0000:") == 2


def test_fail_above(directory):
    """A row is above if it is so for certain; what may be above is not known."""
    path = Recording(directory).interval().write()
    text = run("--replay", path, "--fail-above", "miss%=10", status=3)
    assert re.search("0000:81:00.0: miss% is 14.3+, at least 14.[23][0-9]*, above 10\n", text), text
    run("--replay", path, "--fail-above", "miss=320000")
    run("--replay", path, "--fail-above", "miss=320000", "--fail-above", "walk=80000", status=3)
    for limit in ("walk=88001", "walk=87999"):
        assert "--fail-above walk: none is above for certain; in 1 of 1 reports" in run(
            "--replay", path, "--fail-above", limit)
    # A row that has less than 1 % of the transactions does not matter, on either side.
    little = directory / "little"
    little.write_text(re.sub(r"\*:1=\d+", "*:1=999999999", path.read_text()))
    assert "miss% is" not in run("--replay", little, "--fail-above", "miss%=10")
    # Rows for which there is no room are above as well, but none that are too small to matter.
    text = run("--replay", path, "--sort", "cfg", "--rows", "1", "--fail-above", "walk=70000",
               status=3)
    assert "nvme3n1" not in text and "0000:81:00.0: walk is 88000, at least 8" in text, text
    text = run("--replay", path, "--min-share", "20", "--fail-above", "acc/w=3.95")
    assert "--fail-above acc/w: none is above for certain" in text, text
    run("--replay", path, "--fail-above", "acc/w=3.95", status=3)
    # 19 events are too few, even if they were counted all the time.
    for count, status in ((19, 0), (20, 3)):
        recording = Recording(directory, 2)
        recording.lines += [f"slice\t1\t{2 * SECOND}\t{2 * SECOND}\t"
                            f"0x8100/0:2={count}\t*:2={count}",
                            f"report\t{recording.time}.000\t{2 * SECOND}\t0\tmiss"]
        run("--replay", recording.write(), "--fail-above", "miss=1", status=status)
    # Others may be above where not all were counted.
    path = Recording(directory).interval(rows=False).write()
    text = run("--replay", path, "--fail-above", "miss=400000", "--fail-above", "walk=90000")
    assert text.count(": none is above for certain; ") == 2, text
    run("--replay", path, "--fail-above", "miss=500000")


def test_recordings_that_make_no_sense(directory):
    """The line is named."""
    recording = Recording(directory, 2).interval()
    good = recording.lines
    begin = good.index("begin") + 1
    for number, line in ((1, "something else"), (3, "nonsense"), (4, "pmcg\ta\tb\tc\td\t7"),
                         (begin + 1, "slice\t9\t1\t1\t*:1=1"), (begin + 1, "slice\t0\tx\t1\t*:1=1"),
                         (begin + 1, "slice\t0\t1\t1\t0x8:1=1"),
                         (begin + 1, "report\t1\t0\t0\tmiss"),
                         (begin + 1, "report\tnan\t1\t0\tmiss"),
                         (begin + 1, "report\t1e300\t1\t0\tmiss"),
                         (begin + 1, "report\t1s\t1\t0\tmiss"),
                         (begin + 1, "report\t1\t1\t0\tno"),
                         (begin + 1, "slice\t0\t1\t1\t0x8/33:1=1"),
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


def test_contradictions(directory):
    """Options that do not make sense together are refused, and nothing is written."""
    for arguments, said in ((("--json", "--csv"), "--csv and --json"),
                            (("--once", "-n", "3"), "--once and --number"),
                            (("--all", "--rows", "3"), "--all and --rows"),
                            (("--replay", "x", "--record", "y"), "--replay and --record"),
                            (("--replay", "x", "--columns", "txn"), "--replay and --columns"),
                            (("--check", "--json"), "--check and --json"),
                            (("--json", "--prometheus", "-"), "stdout"),
                            (("--replay", "x", "--", "true"), "have no command"),
                            (("--once", "--", "true"), "have no command")):
        assert said in run(*arguments, status=2, cwd=directory), arguments
    assert not list(directory.iterdir())


def test_version(_):
    """It has one."""
    assert re.fullmatch(r"smmutop \S+\n", run("--version")), run("--version")


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
                            (["--sysroot", "/a" * 3000, "--list"], ": this path is too long"),
                            (["--slice", "0"], "--slice 0:"), (["--nonsense"], "--help")):
        text = run(*arguments, status=2)
        assert said in text, text
    assert "Usage:" in run("--help")


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
