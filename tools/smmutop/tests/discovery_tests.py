# SPDX-License-Identifier: GPL-2.0
"""What is found in copies of sysfs, and what is said to be in the way."""

import ctypes
import errno
import json
import os
import platform
import re
import shutil
import struct
import subprocess

import program
from program import Recording, Skip, System, caps, counting_system, run


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
        system.group(top, number, domain)
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


def test_users(directory):
    """Of a device that was given away: the process, by its group or on its own, or its function."""
    system = System(directory)
    system.smmu(0x2b400000, "smmu")
    system.pmcg(0x2b402000, 0xff, smmu="smmu", streams="".join(
        f"0000:01:00.{n} {0x100 + n:#x}\n" for n in range(6)), **caps())
    for number in range(6):
        name = f"0000:01:00.{number}"
        top = f"/sys/devices/pci0000:00/{name}"
        system.link(f"/sys/bus/pci/devices/{name}", f"../../../devices/pci0000:00/{name}")
        system.group(top, number, "DMA")
        if number:
            system.link(f"{top}/driver", "../../../bus/pci/drivers/vfio-pci")
            system.link(f"{top}/physfn", "../0000:01:00.0")
            system.link(f"/sys/devices/pci0000:00/0000:01:00.0/virtfn{number - 1}", f"../{name}")
    system.link("/sys/class/net/eth0", "../../devices/pci0000:00/0000:01:00.0/net/eth0")
    system.link("/sys/class/net/eth5", "../../devices/pci0000:00/0000:01:00.5/net/eth5")
    system.put("/sys/devices/pci0000:00/0000:01:00.2/vfio-dev/vfio7/dev", "")
    for process, file, line in ((20, "/dev/vfio/1", "/usr/bin/qemu-system-aarch64\0-name\0"
                                 "guest=web01,debug-threads=on\0"),
                                (21, "/dev/vfio/devices/vfio7", "qemu-kvm\0-m\0001G\0-name\0db\0"),
                                (22, "/dev/vfio/3", "/opt/dpdk-testpmd\0-a\0"),
                                (23, "/dev/vfio/33", "qemu\0-name\0another\0"),
                                (24, "/dev/null", "qemu\0-name\0another\0")):
        system.put(f"/proc/{process}/cmdline", line)
        system.link(f"/proc/{process}/fd/9", file)
    assert [line[2] for line in system.list()["device"]] == [
        "eth0", "eth0 vf0,qemu: web01", "eth0 vf1,qemu: db", "eth0 vf2,dpdk-testpmd", "eth0 vf3",
        "eth5"], system.list()["device"]


def test_numbers_of_tbus(directory):
    """They are the same whichever counter groups are used, in the list and in reports."""
    system = System(directory)
    system.smmu(0x1000, "smmu")
    for page, events in ((0x2000, 0x7f), (0x3000, 0x87), (0x4000, 0x87)):
        system.pmcg(page, events, smmu="smmu", streams="0000:01:00.0 0x100\n", **caps())
    labels = {line[0]: line[1] for line in system.list()["pmcg"]}
    assert sorted(labels.values()) == ["TBU0", "TBU1", "TCU"], labels
    for name, label in labels.items():
        assert [line[:2] for line in system.list("--pmu", name)["pmcg"]] == [[name, label]], name
    recording = Recording(directory, 4).interval()
    del recording.lines[4]
    recording.lines = [line.replace("slice\t2", "slice\t1") for line in recording.lines
                       if not line.startswith(("slice\t1", "search\t2"))]
    recording.slice(1, "0x8100/0", {2: 301e3, 1: 2.1e6}, 0.1)
    recording.lines.append(recording.lines[-2])
    row = json.loads(run("--replay", recording.write(), "--json").splitlines()[1])[
        "smmus"][0]["rows"][0]
    assert row["tbus"] == [1], row
    # Whatever is in a recording
    for label, numbers in (("TBU", [0]), ("TBU07 x", [7])):
        path = directory / "labels"
        path.write_text("\n".join(recording.lines).replace("\tTBU1\t", f"\t{label}\t") + "\n")
        row = json.loads(run("--replay", path, "--json").splitlines()[1])["smmus"][0]["rows"][0]
        assert row["tbus"] == numbers, row


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


def test_cost_of_discovery(directory):
    """Each file is read once, to its end, and of each device only its links and its domain."""
    if not shutil.which("strace"):
        raise Skip("there is no strace")
    system = System(directory)
    system.smmu(0x1000000, "smmu")
    system.pmcg(0x1002000, 0xff, smmu="smmu", streams="".join(
        f"0000:{n:02x}:00.0 {n << 8:#x}\n" for n in range(1, 65)), **caps())
    system.event(0x1002000, "main_tlb_lookup", 0x85)
    for number in range(1, 65):
        name = f"0000:{number:02x}:00.0"
        top = f"/sys/devices/pci0000:00/{name}"
        system.group(top, number, "DMA-FQ")
        system.link(f"/sys/bus/pci/devices/{name}", f"../../../devices/pci0000:00/{name}")
    log = directory / "log"
    # A process that is traced cannot look for leaks.
    environment = {"ASAN_OPTIONS": "detect_leaks=0", "LSAN_OPTIONS": "detect_leaks=0"}
    subprocess.run(["strace", "-o", log, program.PROGRAM, "--sysroot", system.root, "--list"],
                   env=dict(os.environ, **environment), stdout=subprocess.DEVNULL, check=True)
    calls = log.read_text().splitlines()
    opened = [call for call in calls if call.startswith("open") and " = -1" not in call and
              "O_DIRECTORY" not in call]
    ends = re.findall(r"^read\(\d+, \"\", 4096\) += 0$", log.read_text(), re.M)
    assert len(opened) > 64 and len(ends) <= len(opened), (len(opened), len(ends))
    # The numbers of events are those of the architecture, or nothing shows them.
    assert not any("events/" in call for call in opened), opened
    for number in range(1, 65):
        asked = [call for call in calls if f"pci/devices/0000:{number:02x}:00.0" in call]
        assert len(asked) == 3, asked
    whole = [call for call in calls if str(system.root) in call and call.startswith("open")]
    assert len(whole) < 64 + 20, len(whole)


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
    system.put("/sys/module/module/parameters/sig_enforce", "Y\n")
    check(system, 1, "signed modules only")
    system.put("/sys/module/module/parameters/sig_enforce", "N\n")
    check(system, 1, "no driver is loaded (")
    system.put("/sys/module/arm_smmuv3_pmcg/refcnt", "0\n")
    none = "has no driver: see dmesg | grep -i pmcg"
    check(system, 1, f"PROBLEM arm-smmu-v3-pmcg.0.auto {none}")
    system.put("/sys/bus/platform/devices/9.pmu/of_node/compatible",
               b"arm,mmu-600-pmcg\0arm,smmu-v3-pmcg\0")
    check(system, 2, f"PROBLEM arm-smmu-v3-pmcg.0.auto {none}", f"PROBLEM 9.pmu {none}")
    system.bind("arm-smmu-v3-pmcg.0.auto", "arm_smmuv3_pmcg")
    check(system, 1, f"PROBLEM 9.pmu {none}")


def test_check_devices(directory):
    """None, or some that are not translated."""
    system = System(directory)
    system.smmu(0x1000, "smmu")
    system.pmcg(0x2000, 0xff, smmu="smmu", streams="", **caps())
    # This kernel has no such PMU, which is a problem, too.
    check(system, 2, "no device is behind these SMMUs")
    system.pmcg(0x3000, 0xff, smmu="smmu", streams="0000:01:00.0 0x100", **caps())
    top = "/sys/devices/pci0000:00/0000:01:00.0"
    system.group(top, 1, "identity")
    system.link("/sys/bus/pci/devices/0000:01:00.0", "../../../devices/pci0000:00/0000:01:00.0")
    shutil.rmtree(system.root / "sys/devices/platform/arm-smmu-v3-pmcg.0.auto/smmuv3_pmcg_2")
    check(system, 1, "1 of 1 devices have an identity domain (0000:01:00.0 for one)")


def test_check_counting(directory):
    """Of each counter group, whether it counts: without traffic, it may have counted nothing."""
    system = counting_system(directory)
    check(system, 0, "ok      smmuv3_pmcg_2, TBU0 of smmu3.1000, counts (arm_smmuv3_pmcg)",
          "nothing is in the way")
    # No alignment fault happens here.
    system.pmcg(0x3000, 0, "arm-smmu-v3-pmcg.1.auto", smmu="smmu", type=1, cpumask=0,
                streams="0000:01:00.0 0x100\n", **caps())
    system.event(0x3000, "pcie_ats_trans_passed", 7)
    text = run("--sysroot", system.root, "--check")
    assert "note    smmuv3_pmcg_3 has counted no pcie_ats_trans_passed in 20 ms" in text, text
    assert "nothing is in the way" not in text, text
    assert text.endswith("but 1 of 2 counter groups counted nothing\n"), text
    system.pmcg(0x4000, 0, "arm-smmu-v3-pmcg.2.auto", smmu="smmu", type=1, cpumask=0,
                streams="0000:01:00.0 0x100\n", **caps())
    check(system, 1, "smmuv3_pmcg_4 has none of the architected events", "smmuv3_pmcg_2, TBU0")


def test_check_in_tree(directory):
    """It works, but tells less."""
    system = System(directory)
    system.smmu(0x1000, "smmu", ["0000:01:00.0"])
    system.pmcg(0x2000, 0xff)
    check(system, 1, "the in-tree driver has 1 counter groups", "StreamIDs with ?")


def forbid_perf_events(error):
    """From now on, a seccomp filter lets perf_event_open() of this process fail."""
    number = {"x86_64": 298, "aarch64": 241}[platform.machine()]
    # Load the number of the call; if it is this one, return the error; allow the others.
    program_text = struct.pack("HBBI" * 4, 0x20, 0, 0, 0, 0x15, 0, 1, number,
                               0x06, 0, 0, 0x00050000 | error, 0x06, 0, 0, 0x7fff0000)
    text = ctypes.create_string_buffer(program_text)
    # struct sock_fprog; PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER
    header = ctypes.create_string_buffer(struct.pack("HP", 4, ctypes.addressof(text)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, header):
        raise OSError(ctypes.get_errno(), "prctl")


def test_check_forbidden(directory):
    """By a seccomp filter, as of a container, or for users without privileges."""
    if platform.machine() not in ("x86_64", "aarch64"):
        raise Skip("not known how to filter system calls here")
    system = System(directory)
    system.smmu(0x1000, "smmu")
    system.pmcg(0x2000, 0xff, smmu="smmu", streams="0000:01:00.0 0x100\n", **caps())
    system.pmcg(0x3000, 0xff, smmu="smmu", streams="0000:01:00.0 0x100\n", **caps())
    system.put("/proc/sys/kernel/perf_event_paranoid", "2\n")
    # Nobody else can read these files, or execute the program, where it is.
    directory.chmod(0o755)
    shutil.copy(program.PROGRAM, directory / "program")
    users = [{"user": 65534}, {}] if os.geteuid() == 0 else [{}]
    path, program.PROGRAM = program.PROGRAM, str(directory / "program")
    try:
        for user in users:
            for seccomp, error, said in (
                    (2, errno.EPERM, "a seccomp filter forbids it"),
                    (2, errno.ENOSYS, "a seccomp filter forbids it"),
                    (0, errno.EACCES, "perf_event_paranoid is 2: run as root or with CAP_PERFMON"),
                    (0, errno.EPERM, "perf_event_paranoid is 2: run as root or with CAP_PERFMON")):
                system.put("/proc/self/status", f"Seccomp:\t{seccomp}\n")
                text = run("--sysroot", system.root, "--check", status=1, **user,
                           preexec_fn=lambda error=error: forbid_perf_events(error))
                assert said in text and text.count("PROBLEM") == 1, (user, error, text)
                if error != errno.EACCES:
                    continue
                text = run("--sysroot", system.root, "--once", status=1, **user,
                                    preexec_fn=lambda error=error: forbid_perf_events(error))
                assert text.count("\n") == 1 and "run as root, or" in text, (user, text)
        system.put("/proc/sys/kernel/perf_event_paranoid", "3\n")
        text = run("--sysroot", system.root, "--check", status=1,
                   preexec_fn=lambda: forbid_perf_events(errno.EACCES))
        assert "perf_event_paranoid is 3: run as root, or set it to 2 for CAP" in text, text
        system.put("/proc/sys/kernel/perf_event_paranoid", "-1\n")
        text = run("--sysroot", system.root, "--check", status=1,
                   preexec_fn=lambda: forbid_perf_events(errno.EACCES))
        assert "a security module forbids it" in text, text
    finally:
        program.PROGRAM = path
