# SPDX-License-Identifier: GPL-2.0
"""
What the tests of smmutop as a whole share: running it, recordings, a terminal, and copies of sysfs.
"""

import atexit
import fcntl
import functools
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import termios
import time

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENTATION = HERE.parents[2] / "Documentation/admin-guide/smmutop.rst"
PROGRAM = None
SECOND = 10**9
ENTER, LEAVE = b"\033[?1049h", b"\033[?1049l"


def demo():
    """The recording that is made with the program."""
    return pathlib.Path(PROGRAM).parent / "demo.recording"


class Skip(Exception):
    """The test needs something that is not there."""


def run(*arguments, status=0, **options):
    """Runs smmutop; returns what it prints, stderr last."""
    environment = dict(os.environ, TZ="UTC", LC_ALL="C")
    environment.pop("COLUMNS", None)
    environment.pop("NO_COLOR", None)
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
        self.lines = ["smmutop-recording\t2", "host\tarm07",
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

    def several(self, number):
        """The same machine with so many SMMUs, each with a TBU: the n-th has n times as much."""
        begin = self.lines[:2]
        self.lines = begin
        for n in range(number):
            self.lines.append(f"smmu\tsmmu3.{n + 1}b400000\tarm-smmu-v3.{n}.auto\t24")
        for n in range(number):
            self.lines.append(f"pmcg\tsmmuv3_pmcg_{n}b422\tTBU0\tMMU-600\tarm_smmuv3_pmcg\t{n}\t"
                              "TBU\t4\tone\t0x87\t24")
        self.lines += [f"device\t000{n}:81:00.{m}\tnvme\tnvme{n}n{m}\t41\tlazy"
                       for n in range(number) for m in range(8)]
        self.lines += [f"stream\t{n}\t{0x8100 + m:#x}\t{8 * n + m}\t0"
                       for n in range(number) for m in range(8)]
        self.lines.append("begin")
        for n in range(number):
            for _ in range(40):
                for m in range(8):
                    self.slice(n, f"{0x8100 + m:#x}/0", {2: 1e6 * (n + 1) / (m + 1), 1: 1e7},
                               0.005)
                self.slice(n, "*", {2: 2.718e6 * (n + 1), 1: 8e7}, 0.005)
        self.lines.append(f"report\t{self.time}.000\t{2 * SECOND}\t5000000\tmiss")
        return self

    def slice(self, pmcg, block, events, seconds=0.05):
        """Events: rates by number."""
        time_ns = round(seconds * SECOND)
        counts = "\t".join(f"{block}:{event}={round(rate * seconds)}"
                           for event, rate in events.items())
        self.lines.append(f"slice\t{pmcg}\t{time_ns}\t{time_ns}\t{counts}")

    def interval(self, factor=1.0, seconds=2, sort="miss", rows=True):
        """An interval in which all rates are multiplied; the rest is in a block, but for rows."""
        for turn in range(12):
            wave = factor * (1 + (turn % 3 - 1) / 200)
            for number, (stream_id, (txn, miss, walk, access)) in enumerate(self.SHARES.items()):
                self.slice(1, f"{stream_id}/0", {2: wave * miss, 1: wave * txn})
                self.slice(2, f"{stream_id}/0", {2: 0, 1: 0})
                self.slice(0, f"{stream_id}/0",
                           {2: wave * walk, 4: wave * access, 3: 120 * number, 6: 0})
            if rows:
                self.slice(1, "0xc100/8", {2: wave * 26.8e3, 1: wave * 4.59e6})
                self.slice(2, "0xc100/8", {2: wave * 24.1e3, 1: wave * 1.93e6})
                self.slice(0, "0xc100/8", {2: wave * 8.6e3, 4: wave * 31.4e3, 3: 30, 6: 0})
            self.slice(1, "*", {2: wave * 388e3, 1: wave * 7.91e6})
            self.slice(2, "*", {2: wave * 24.1e3, 1: wave * 1.93e6})
            self.slice(0, "*", {2: wave * 118e3, 4: wave * 460e3, 3: 150, 6: 0})
            self.slice(0, "*", {1: wave * 431e3})
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


class Terminal:
    """smmutop on a pseudo terminal."""

    def __init__(self, *arguments, size=(24, 80), **environment):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=slave,
                                        stdout=slave, stderr=slave, start_new_session=True,
                                        env={**os.environ, "TZ": "UTC", "TERM": "xterm",
                                             **environment},
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

    def screen_with(self, condition):
        """Returns the first screen of which this is true."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            drawn = self.read_until(b"\033[J")
            if condition(drawn):
                return drawn
        raise AssertionError(f"not in 30 s; the last one: {drawn}")

    def send(self, keys):
        """Presses keys."""
        os.write(self.master, keys)

    def resize(self, rows, columns):
        """As a terminal emulator does it: the kernel sends SIGWINCH, once."""
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def end(self, status=0, said=None):
        """The program has ended, and the terminal is as it was, with this below what was before."""
        self.read_until(LEAVE)
        if said:
            self.read_until(said)
        assert self.process.wait(30) == status, self.process.returncode
        assert termios.tcgetattr(self.slave) == self.before, "the terminal is not restored"
        os.close(self.slave)
        os.close(self.master)


def lines_of(drawn):
    """The lines of a screen."""
    return re.sub(rb"\033\[[0-9;?]*[A-Za-z]", b"", drawn).decode().replace("\r", "").split("\n")


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

    def event(self, page, event, number):
        """The counter group has another event."""
        self.put(f"/sys/bus/event_source/devices/smmuv3_pmcg_{page >> 12:x}/events/{event}",
                 f"event={number:#04x}\n")

    def group(self, device, number, domain):
        """The device, by its path, is in this group."""
        self.put(f"/sys/kernel/iommu_groups/{number}/type", f"{domain}\n")
        self.link(f"{device}/iommu_group", f"../../../../kernel/iommu_groups/{number}")

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


@functools.cache
def cause_events():
    """From now on, page faults happen on the first CPU, also if the machine is idle otherwise."""
    script = 'while kill -0 "$0" 2>/dev/null; do /bin/true; sleep 0.02; done'
    process = subprocess.Popen(["sh", "-c", script, str(os.getpid())],
                               preexec_fn=lambda: os.sched_setaffinity(0, {0}))
    atexit.register(process.kill)


def counting_system(directory, **attributes):
    """A counter group whose events are software events of the kernel."""
    cause_events()
    system = System(directory)
    system.smmu(0x1000, "smmu")
    attributes = {**caps(), "type": 1, "cpumask": 0, "streams": "0000:01:00.0 0x100\n",
                  **attributes}
    system.pmcg(0x2000, 0x87, smmu="smmu", **attributes)
    done = subprocess.run([PROGRAM, "--sysroot", system.root, "--once", "-i", "0.1"],
                          capture_output=True, text=True, timeout=60, check=False)
    if "not permitted" in done.stderr or "seccomp" in done.stderr:
        raise Skip("perf events are not permitted")
    return system


def two_groups(directory, **attributes):
    """Two counter groups of TBUs, with drivers, whose events are software events of the kernel."""
    system = counting_system(directory, **attributes)
    system.pmcg(0x3000, 0x87, "arm-smmu-v3-pmcg.1.auto", smmu="smmu", type=1, cpumask=0,
                streams="0000:01:00.0 0x100\n", **{**caps(), **attributes})
    for number in (0, 1):
        system.bind(f"arm-smmu-v3-pmcg.{number}.auto", "arm_smmuv3_pmcg")
    return system


def unbind(system, number):
    """One of these has no driver any more."""
    (system.root / f"sys/bus/platform/devices/arm-smmu-v3-pmcg.{number}.auto/driver").unlink()
