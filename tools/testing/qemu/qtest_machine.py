# SPDX-License-Identifier: GPL-2.0
"""A QEMU without a guest, with PMUs and the stimulus page in it."""

import os

from qemu.machine import QEMUQtestMachine

STIMULUS = 0x0b000000
DISTRIBUTOR = 0x08000000
FIRST_SPI = 32
ALL = 0xffffffff
SECOND = 10**9
TIMEOUT = 120
NO_SPI = 2**32 - 1
MEMORY = 0x40800000

INSTANCES = [
    "addr=0x0b100000,addr1=0x0b110000,spi=192,capture=on,cycles-frequency=1000000000,seed=1",
    "addr=0x0b120000,spi=193,counters=64,size=31,sid-bits=24,seed=2",
    "addr=0x0b140000,addr1=0x0b150000,spi=194,counters=4,size=35,relocate=on,"
    "atomic64=off,seed=3",
    "addr=0x0b160000,spi=195,secure=on,nsra=off,seed=4",
    "addr=0x0b180000,spi=196,dead=on,seed=5",
    "addr=0x0b1a0000,spi=197,cycles-frequency=3,size=31,seed=6",
    "addr=0x0b1c0000,spi=198,msi=on,msi-device-id=0xff00,capture=on,seed=7",
    "addr=0x0b1e0000,msi=on,msi-device-id=0xff01,running=on,seed=8",
    "addr=0x0b200000,spi=193,msi=on,aidr=0,seed=9",
    "addr=0x0b220000,read-only-counters=on,stuck-enable=on,seed=10",
    "addr=0x0b240000,spi=199,secure=on,secure-observation=on,root=on,realm-observation=on,"
    "root-observation=on,partid-pmg-filter=on,partid-max=63,pmg-max=3,seed=11",
    "addr=0x0b260000,atomic64=off,high-first=on,seed=12",
    "addr=0x0b280000,addr1=0x0b290000,relocate=on,dead-counters=on,seed=13",
    "addr=0x0b2a0000,aliased-counters=on,seed=14",
    "addr=0x0b2c0000,inert=on,seed=15",
    "addr=0x0b2e0000,partid-pmg-filter=on,partid-max=63,pmg-max=3,mpamidr-needs-mpam=on,seed=16",
    "addr=0x0b300000,spi=200,msi=on,mpam=on,partid-max=63,pmg-max=3,atomic64=off,"
    "edge-beside-msi=on,seed=17",
]
BASE = [0x0b100000, 0x0b120000, 0x0b140000, 0x0b160000, 0x0b180000, 0x0b1a0000,
        0x0b1c0000, 0x0b1e0000, 0x0b200000, 0x0b220000, 0x0b240000, 0x0b260000,
        0x0b280000, 0x0b2a0000, 0x0b2c0000, 0x0b2e0000, 0x0b300000]
SPI = [192, 193, 194, 195, 196, 197, 198, NO_SPI, 193, NO_SPI, 199, NO_SPI,
       NO_SPI, NO_SPI, NO_SPI, NO_SPI, 200]
MACHINE = ["-M", "virt,gic-version=3,iommu=smmuv3", "-cpu", "cortex-a57", "-m", "64M",
           "-nodefaults"]


PMCGS = [f"smmuv3-pmcg,{instance}" for instance in INSTANCES]


class Machine(QEMUQtestMachine):
    """A machine with the stimulus page and devices, the PMCGs of INSTANCES by default."""

    def __init__(self, qemu, devices=None):
        arguments = [*MACHINE, "-qtest-log", os.devnull,
                     "-device", f"syspmu-stimulus,addr={STIMULUS:#x}"]
        for device in devices or PMCGS:
            arguments += ["-device", device]
        # Only so that a QEMU that hangs does not hang the tests.
        super().__init__(qemu, args=arguments, wrapper=("timeout", str(TIMEOUT)))

    def ask(self, command):
        """Sends a qtest command and returns the words after OK in the reply."""
        answer = self.qtest(command).split()
        if not answer or answer[0] != "OK":
            raise AssertionError(f"QEMU answers '{' '.join(answer)}' to '{command}'")
        return answer[1:]

    def read(self, address, size=8):
        """Reads memory; size is 1, 2, 4 or 8 bytes."""
        letter = {1: "b", 2: "w", 4: "l", 8: "q"}[size]
        return int(self.ask(f"read{letter} {address:#x}")[0], 16)

    def write(self, address, value, size=8):
        """Writes memory."""
        letter = {1: "b", 2: "w", 4: "l", 8: "q"}[size]
        self.ask(f"write{letter} {address:#x} {value:#x}")

    def step(self, nanoseconds):
        """Advances virtual time and returns it."""
        return int(self.ask(f"clock_step {nanoseconds}")[0])

    def system_reset(self):
        """Resets the machine."""
        self.cmd("system_reset")
        self.event_wait("RESET", timeout=TIMEOUT)

    # The stimulus page

    def select(self, instance):
        """Selects the instance for the following calls."""
        self.write(STIMULUS + 0x00c, instance, 4)

    def describe(self, event, stream_id=0, attributes=0, mpam=1 << 24):
        """Sets the kind of event that will occur."""
        for offset, value in ((0x40, event), (0x44, stream_id), (0x48, attributes),
                              (0x4c, mpam)):
            self.write(STIMULUS + offset, value, 4)

    def inject(self, n, event, **kind):
        """Injects n events."""
        self.describe(event, **kind)
        self.write(STIMULUS + 0x050, n)

    def peek(self, offset):
        """The value that software would read."""
        self.write(STIMULUS + 0x028, offset, 4)
        return self.read(STIMULUS + 0x030)

    def accesses(self, offset):
        """Counted reads and writes of a register."""
        self.write(STIMULUS + 0x060, offset, 4)
        return self.read(STIMULUS + 0x068), self.read(STIMULUS + 0x070)

    def edges(self):
        """Interrupt edges of the selected instance."""
        return self.read(STIMULUS + 0x088)

    def messages(self):
        """MSIs of the selected instance."""
        return self.read(STIMULUS + 0x0a8)

    def fate(self, fate):
        """Sets what happens to the MSIs of the selected instance."""
        self.write(STIMULUS + 0x09c, fate, 4)

    # A PMCG

    def quiet(self, base, page1=None):
        """Disables a PMCG."""
        self.write(base + 0xe04, 0, 4)
        self.write(base + 0xe50, 0, 4)
        self.write(base + 0xc20, 2**64 - 1)
        self.write(base + 0xc60, 2**64 - 1)
        self.write((page1 or base) + 0xc80, 2**64 - 1)

    def count(self, base, counter, event, match=ALL, span=True):
        """Programs and enables a counter."""
        self.write(base + 0x400 + 4 * counter, event | (1 << 29 if span else 0), 4)
        self.write(base + 0xa00 + 4 * counter, match, 4)
        self.write(base + 0xc00, 1 << counter)
        self.write(base + 0xe04, 1, 4)

    def interrupt_by(self, base, address=None, data=0):
        """Makes counter 0 count transactions and interrupt, with an MSI if supported."""
        self.quiet(base)
        if address is not None:
            self.write(base + 0xe58, address)
            self.write(base + 0xe60, data, 4)
        self.write(base + 0xc40, 1)
        self.write(base + 0xe50, 1, 4)
        self.count(base, 0, 1)

    def overflow(self, instance):
        """Makes counter 0 of an instance, which has 64 bits, overflow."""
        self.write(BASE[instance], 2**64 - 1)
        self.select(instance)
        self.inject(1, 1)

    # The interrupt controller

    def make_edge(self, spi):
        """Makes an SPI edge-triggered and clears it."""
        number = FIRST_SPI + spi
        register = DISTRIBUTOR + 0xc00 + number // 16 * 4
        self.write(register, self.read(register, 4) | 2 << number % 16 * 2, 4)
        self.pending(spi)

    def pending(self, spi):
        """Returns whether an SPI is pending, and clears it."""
        number = FIRST_SPI + spi
        word, bit = number // 32 * 4, 1 << number % 32
        is_pending = bool(self.read(DISTRIBUTOR + 0x200 + word, 4) & bit)
        self.write(DISTRIBUTOR + 0x280 + word, bit, 4)
        return is_pending
