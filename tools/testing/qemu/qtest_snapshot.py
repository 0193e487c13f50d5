# SPDX-License-Identifier: GPL-2.0
"""Tests of the PMU snapshots of the CPUs that need no guest: their page, and what cannot exist."""

import sys
import unittest

from qemu.machine.machine import VMLaunchFailure
from qtest_machine import Machine

PAGE = 0x0b010000
CPU = 0x80
PMSSE, DELAY, LIVE_READS = 0x00, 0x08, 0x40
DEVICE = f"arm-pe-snapshot,addr={PAGE:#x}"


class SnapshotTest(unittest.TestCase):
    """Each test has a machine of its own."""

    def machine(self, properties, *arguments):
        """A machine with the device; it is shut down after the test."""
        vm = Machine(sys.argv[1], [properties])
        vm.add_args(*arguments)
        self.addCleanup(vm.shutdown)
        vm.launch()
        return vm

    def test_snapshot_page(self):
        """Registers of 64 bits for each CPU with snapshots; a reset of the machine clears them."""
        vm = self.machine(f"{DEVICE},cpus=0x5", "-smp", "3")
        for cpu in range(32):
            self.assertEqual(vm.read(PAGE + CPU * cpu + PMSSE), int(cpu in (0, 2)), cpu)
        for cpu in range(3):
            for offset in (PMSSE, DELAY, LIVE_READS):
                vm.write(PAGE + CPU * cpu + offset, 2 + (1 << 40) + offset)
        for cpu in (0, 2):
            self.assertEqual(vm.read(PAGE + CPU * cpu + PMSSE), 2, cpu)
            self.assertEqual(vm.read(PAGE + CPU * cpu + DELAY), 2 + (1 << 40) + DELAY, cpu)
        self.assertEqual(vm.read(PAGE + CPU + DELAY), 0, "of a CPU without snapshots")
        vm.write(PAGE + DELAY, 1, 4)
        self.assertEqual(vm.read(PAGE + DELAY), 2 + (1 << 40) + DELAY, "after a 32-bit write")
        vm.system_reset()
        for cpu in range(3):
            self.assertEqual(vm.read(PAGE + CPU * cpu + PMSSE), int(cpu in (0, 2)), cpu)
            self.assertEqual(vm.read(PAGE + CPU * cpu + LIVE_READS), 0, cpu)

    def test_impossible_snapshots_are_refused(self):
        """What cannot exist, and a part of the message that says so."""
        cases = {
            "arm-pe-snapshot": "address of a page",
            "arm-pe-snapshot,addr=0x0b010010": "address of a page",
            "arm-pe-snapshot,addr=0x09000000": "already",
            f"{DEVICE},reserved-sse=1": "reserved value",
            f"{DEVICE},nc-writes=3": "nc-writes",
            f"{DEVICE},fgt2=on": "FEAT_FGT",
        }
        for properties, message in cases.items():
            with self.subTest(properties), self.assertRaises(VMLaunchFailure) as failure:
                self.machine(properties)
            self.assertIn(message, failure.exception.output, properties)
        for arguments in (["-cpu", "cortex-a57,pmu=off"], ["-cpu", "cortex-a15"]):
            with self.subTest(arguments), self.assertRaises(VMLaunchFailure) as failure:
                self.machine(DEVICE, *arguments)
            self.assertIn("with a PMU", failure.exception.output, arguments)
