# SPDX-License-Identifier: GPL-2.0
"""
The interrupt translation service (ITS) of QEMU's virt machine, as much of it as it takes to
see that an MSI has come, and from whom: each (device, event) becomes an interrupt (LPI) of
its own, and the pending ones are bits of a table in memory.
"""

CONTROL = 0x08080000
TRANSLATER = 0x08090040
REDISTRIBUTOR = 0x080a0000

# Addresses of the tables, in memory that is not used otherwise.
PROPERTIES = 0x40000000
PENDING = 0x40100000
QUEUE = 0x40200000
DEVICES = 0x40300000
COLLECTIONS = 0x40400000
TRANSLATIONS = 0x40500000

ID_BITS = 16
EVENT_BITS = 5
FIRST_LPI = 8192
VALID = 1 << 63
DEVICE_TABLE, COLLECTION_TABLE = 1, 4
MAPD, MAPC, MAPTI = 0x08, 0x09, 0x0a


class TranslationService:
    """An ITS that sends all interrupts to the first CPU."""

    def __init__(self, machine):
        self.machine = machine
        self.queued = 0
        self.translations = TRANSLATIONS
        self.next_lpi = FIRST_LPI
        for address in (PROPERTIES, PENDING):
            for offset in range(0, 2**ID_BITS, 0x1000):
                machine.ask(f"memset {address + offset:#x} 0x1000 0x0")
        machine.write(REDISTRIBUTOR + 0x70, PROPERTIES | ID_BITS - 1)
        machine.write(REDISTRIBUTOR + 0x78, PENDING)
        machine.write(REDISTRIBUTOR, 1, 4)
        for register in range(CONTROL + 0x100, CONTROL + 0x140, 8):
            kind = machine.read(register) >> 56 & 7
            if kind == DEVICE_TABLE:
                machine.write(register, VALID | DEVICES | 2 << 8 | 7)
            elif kind == COLLECTION_TABLE:
                machine.write(register, VALID | COLLECTIONS | 2 << 8)
        machine.write(CONTROL + 0x80, VALID | QUEUE)
        machine.write(CONTROL, 1, 4)
        self.command(MAPC, 0, VALID)

    def command(self, *words):
        """Makes the ITS execute a command."""
        for i in range(4):
            word = words[i] if i < len(words) else 0
            self.machine.write(QUEUE + self.queued + 8 * i, word)
        self.queued += 32
        self.machine.write(CONTROL + 0x88, self.queued)
        done = self.machine.read(CONTROL + 0x90)
        assert done == self.queued, f"the ITS stalls at {done:#x}"

    def map(self, device, *events):
        """Maps each event of a device to an LPI, and returns the LPIs."""
        self.command(MAPD | device << 32, EVENT_BITS - 1, VALID | self.translations)
        self.translations += 0x1000
        lpis = []
        for event in events:
            self.command(MAPTI | device << 32, event | self.next_lpi << 32)
            lpis.append(self.next_lpi)
            self.next_lpi += 1
        return lpis

    def pending(self, lpi):
        """Returns whether an LPI is pending, and clears it."""
        address, bit = PENDING + lpi // 8, 1 << lpi % 8
        table = self.machine.read(address, 1)
        self.machine.write(address, table & ~bit, 1)
        return bool(table & bit)
