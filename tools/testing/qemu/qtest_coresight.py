# SPDX-License-Identifier: GPL-2.0
"""Tests of the CoreSight PMU devices, on a machine of their own."""

import sys
import unittest

from qemu.machine.machine import VMLaunchFailure
from qtest_machine import ALL, DISTRIBUTOR, NO_SPI, SECOND, STIMULUS, Machine

DEVICES = [
    "coresight-pmu,addr=0x0b400000,spi=213,seed=1,cycle-counter=on,freeze=on,snapshot=on,"
    "snapshot-signal=on,cycles-frequency=1000000000",
    "coresight-pmu,addr=0x0b420000,spi=214,seed=2,counters=4,bits=32,no-64-bit-accesses=on,edge=on",
    "coresight-pmu,addr=0x0b440000,addr1=0x0b450000,spi=215,seed=3,counters=6,bits=48,"
    "dual-page=on,pairs-fault=on",
    "coresight-pmu,addr=0x0b460000,seed=4,groups=2:0:0x3,widths=64:16,gauges=0x1,fixed=0x2,"
    "first-fixed=0x100,filter-sources=on",
    "coresight-pmu,addr=0x0b480000,seed=5,msi=on,msi-device-id=0xff10,bits=16",
    "coresight-pmu,addr=0x0b4a0000,ppi=22,ppi-cpu=0,seed=6,counters=1,bits=16,ext64=off",
    "coresight-pmu,addr=0x0b4c0000,seed=7,ext64=on,iidr=0,running=on",
    "smmuv3-pmcg,addr=0x0b100000,seed=8",
    "coresight-pmu,addr=0x0b4e0000,seed=9,filter2-bits=0xffff,filter2=2,window=0x0b4f0000",
]
BASE = [0x0b400000, 0x0b420000, 0x0b440000, 0x0b460000, 0x0b480000, 0x0b4a0000, 0x0b4c0000,
        0x0b100000, 0x0b4e0000]
SPI = [213, 214, 215] + 6 * [NO_SPI]
CYCLES = 0x11
REDISTRIBUTOR_SGI = 0x080b0000
PPI = 22


class CoresightTest(unittest.TestCase):
    """On a machine with all of DEVICES."""

    def setUp(self):
        self.vm = Machine(sys.argv[1], DEVICES)
        self.vm.launch()
        self.addCleanup(self.vm.shutdown)

    def quiet(self, instance, page_1=0):
        """Disables a PMU, with 32-bit accesses."""
        base = BASE[instance]
        self.vm.select(instance)
        self.vm.write(base + 0xe04, 0, 4)
        for offset in range(0, 0x20, 4):
            self.vm.write(base + 0xc20 + offset, ALL, 4)
            self.vm.write(base + 0xc60 + offset, ALL, 4)
            self.vm.write((page_1 or base) + 0xc80 + offset, ALL, 4)
        self.vm.write(base + 0xe04, 6, 4)

    def test_coresight_instances(self):
        """The registers of the selected instance, and the family of each."""
        self.assertEqual(self.vm.read(STIMULUS + 8, 4), len(DEVICES), "INSTANCES")
        for i, base in enumerate(BASE):
            self.vm.select(i)
            self.assertEqual(self.vm.read(STIMULUS + 0x010), base, "BASE0")
            self.assertEqual(self.vm.read(STIMULUS + 0x018), 0x0b450000 if i == 2 else 0, "BASE1")
            self.assertEqual(self.vm.read(STIMULUS + 0x020, 4), SPI[i], "SPI")
            self.assertEqual(self.vm.read(STIMULUS + 0x0fc, 4), int(i != 7), "FAMILY")

    def test_coresight_configuration(self):
        """PMCFGR, from the properties."""
        expected = [0x00607f08, 0x00001f03, 0x00002f05, 0x20003f04, 0x00100f07, 0x00000f00,
                    0x00003f07]
        for base, value in zip(BASE, expected):
            self.assertEqual(self.vm.read(base + 0xe00, 4), value, f"PMCFGR at {base:#x}")
        self.assertEqual(self.vm.read(BASE[3] + 0xce0, 4), 0x030002, "PMCGCR")
        self.assertEqual(self.vm.read(BASE[0] + 0xe08, 4), 0x9a12143b, "PMIIDR")
        self.assertEqual(self.vm.read(BASE[0] + 0xfe0, 4), 0xa1, "PMPIDR0")
        self.assertEqual(self.vm.read(BASE[6] + 0xe08, 4), 0, "no PMIIDR")

    def test_coresight_cycles(self):
        """Virtual time counts in monitor 31, unless the agent is in the second state."""
        self.quiet(0)
        self.vm.write(BASE[0] + 0x47c, 0, 4)
        self.vm.write(BASE[0] + 0xc00, 1 << 31, 4)
        self.vm.write(BASE[0] + 0xe04, 1 | 1 << 5, 4)
        self.vm.step(1000)
        self.assertEqual(self.vm.read(BASE[0] + 0xf8), 1000)
        self.vm.write(STIMULUS + 0x100, 2, 4)
        self.assertEqual(self.vm.read(STIMULUS + 0x100, 4), 2, "AGENT")
        self.vm.step(1000)
        self.assertEqual(self.vm.read(BASE[0] + 0xf8), 1000)
        self.vm.write(STIMULUS + 0x100, 0, 4)
        self.vm.step(1000)
        self.assertEqual(self.vm.read(BASE[0] + 0xf8), 2000)

    def test_coresight_faults(self):
        """64-bit accesses that are not supported do nothing and are not counted."""
        self.quiet(1)
        self.vm.write(STIMULUS + 0x078, 1, 4)
        self.vm.write(BASE[1], 2**64 - 1)
        self.assertEqual(self.vm.accesses(ALL), (0, 0))
        self.vm.write(BASE[1] + 4, 7, 4)
        self.assertEqual(self.vm.read(BASE[1] + 4, 4), 7)
        self.quiet(2, 0x0b450000)
        self.vm.write(BASE[2] + 0xc00, 1)
        self.assertEqual(self.vm.read(BASE[2] + 0xc00, 4), 0, "pair")
        self.vm.write(0x0b450008, 0x123456789abc)
        self.assertEqual(self.vm.read(0x0b450008), 0x123456789abc, "64-bit register")

    def level(self, number):
        """Whether a level-sensitive interrupt is asserted: it is pending all the time."""
        return bool(self.vm.read(DISTRIBUTOR + 0x200 + number // 32 * 4, 4) >> number % 32 & 1)

    def test_coresight_private_interrupt(self):
        """A PPI of the first CPU."""
        self.quiet(5)
        self.vm.write(BASE[5] + 0xc40, 1, 4)
        self.vm.write(BASE[5] + 0xe04, 1, 4)
        self.vm.write(BASE[5] + 0xcc0, 1, 4)
        self.assertTrue(self.vm.read(REDISTRIBUTOR_SGI + 0x200, 4) & 1 << PPI)
        self.vm.write(BASE[5] + 0xc80, 1, 4)
        self.assertFalse(self.vm.read(REDISTRIBUTOR_SGI + 0x200, 4) & 1 << PPI)

    def test_coresight_time_to_overflow(self):
        """An overflow by cycles raises the interrupt in time, without an access."""
        self.quiet(0)
        self.vm.write(BASE[0] + 0x400, CYCLES, 4)
        self.vm.write(BASE[0] + 0xc40, 1, 4)
        self.vm.write(BASE[0] + 0xc00, 1, 4)
        self.vm.write(BASE[0], 2**64 - SECOND)
        self.vm.write(BASE[0] + 0xe04, 1, 4)
        self.vm.step(SECOND - 1)
        self.assertFalse(self.level(32 + 213))
        self.vm.step(1)
        self.assertTrue(self.level(32 + 213))

    def test_impossible_coresight_devices(self):
        """Invalid devices, and a part of the message about each."""
        cases = {
            "counters=129": "at most 128",
            "groups=2:x": "no list of group sizes",
            "groups=": "no list of group sizes",
            "groups=1:256": "no list of group sizes",
            "groups=" + 17 * ":1": "no list of group sizes",
            "widths=16;32": "no list of widths",
            "dual-page=on": "addr1",
            "ppi=15": "no PPI 15",
            "ppi=32": "no PPI 32",
            "ppi=22,ppi-cpu=1": "of CPU 1",
            "prescaler=on": "no cycle counter",
        }
        for properties, message in cases.items():
            with self.subTest(properties), self.assertRaises(VMLaunchFailure) as failure:
                Machine(sys.argv[1], [f"coresight-pmu,addr=0x0b400000,{properties}"]).launch()
            self.assertEqual(failure.exception.exitcode, 1, properties)
            self.assertIn(message, failure.exception.output, properties)
