#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Usage: demo.py >../demo.recording: makes the recording that shows smmutop on any machine: an MMU-600
with a TCU and two TBUs, whose devices take turns, and three SMMUs that count all devices at once.
The loads are steady, or they rise and fall, pulse, start late, or do nothing.
"""

import math
import random
import sys

INTERVALS, SECOND, SLICE = 15, 10**9, 8 * 10**6
NVME, NET, GPU = ("nvme", "lazy"), ("mlx5_core", "strict"), ("nvidia", "identity")


def loads(smmu):
    """The devices of an SMMU: name, kind, misses per second at a time, misses per transaction."""
    scale = 1 / (1 + smmu)
    return [
        (f"nvme{smmu}n1", NVME, lambda t: 300e3 * scale, 0.14),
        (f"enP{smmu}p65s0f0np0", NET, lambda t: 90e3 * scale * (1.2 + math.sin(t / 4)), 0.05),
        (f"enP{smmu}p65s0f1np1", NET, lambda t: 40e3 * scale, 0.02),
        (f"nvme{smmu}n2", NVME, lambda t: 200e3 * scale if t % 10 < 4 else 0, 0.12),
        (f"nvme{smmu}n3", NVME, lambda t: 120e3 * scale if t > 12 else 0, 0.11),
        ("", GPU, lambda t: 800 * scale, 0.0001),
        (f"eth{smmu}", NET, lambda t: 9e3 * scale, 0.01),
        (f"nvme{smmu}n4", NVME, lambda t: 0, 0.1),
    ]


def machine(print_line):
    """The lines about the machine."""
    print_line("smmutop-recording", 1)
    print_line("host", "demo")
    for smmu in range(4):
        print_line("smmu", f"smmu3.{smmu + 2}b400000", f"arm-smmu-v3.{smmu}.auto", 24)
    for name, label, events in (("2b402", "TCU", "0x7f"), ("2b422", "TBU0", "0x87"),
                                ("2b442", "TBU1", "0x87")):
        print_line("pmcg", f"smmuv3_pmcg_{name}", label, "MMU-600", "arm_smmuv3_pmcg", 0,
                   label[:3], 4, "one", events, 24)
    for smmu in range(1, 4):
        print_line("pmcg", f"smmuv3_pmcg_{smmu + 2}b402", "all", "", "arm_smmuv3_pmcg", smmu, "all",
                   32, "each", "0xff", 32)
    for smmu in range(4):
        for number, (name, (driver, domain), _, _) in enumerate(loads(smmu)):
            print_line("device", f"000{smmu}:{0x41 + number:02x}:00.0", driver, name,
                       40 + 10 * smmu + number, domain)
    for smmu in range(4):
        for number in range(8):
            print_line("stream", smmu, hex((0x41 + number) << 8), 8 * smmu + number, 0)
    print_line("begin")


def main():
    """Writes the recording."""
    chance = random.Random(1)

    def print_line(*fields):
        sys.stdout.write("\t".join(map(str, fields)) + "\n")

    def count(rate, nanoseconds):
        mean = rate * nanoseconds / SECOND
        return max(0, round(chance.gauss(mean, math.sqrt(4 * mean))))

    def events_of(pmcg, miss, ratio, time):
        """What a counter group counts: half of the misses of a TBU are walks."""
        if pmcg == 0:
            walks = count(miss * 0.5, time)
            return {2: walks, 4: round(3.9 * walks), 3: walks // 5000, 6: 0}
        return {2: count(miss, time), 1: count(miss / ratio, time)}

    def print_slice(word, pmcg, time, *blocks):
        counts = [f"{block}:{event}={number}" for block, events in blocks
                  for event, number in events.items()]
        print_line(word, pmcg, time, time, *counts)

    def turns(pmcg, begin):
        """Devices of the first SMMU take turns, in an order that is random; TBU0 has the even ones."""
        devices = loads(0)
        order = 11 * list(range(len(devices))) + 14 * [None]
        chance.shuffle(order)
        print_line("round", pmcg, 0, 0)
        for place, which in enumerate(order):
            now = begin + 2 * place / len(order)
            own = [(which is None or number == which) and (pmcg == 0 or number % 2 == pmcg - 1)
                   for number in range(len(devices))]
            parts = [events_of(pmcg, miss(now), ratio, SLICE)
                     for (_, _, miss, ratio), mine in zip(devices, own) if mine] or [
                         events_of(pmcg, 0, 1, SLICE)]
            events = {event: sum(part[event] for part in parts) for event in parts[0]}
            block = "*" if which is None else f"{(0x41 + which) << 8:#x}/0"
            print_slice("worst", pmcg, SLICE, (block, events))

    machine(print_line)
    for interval in range(INTERVALS):
        for pmcg in range(3):
            turns(pmcg, 2 * interval)
        for smmu in range(1, 4):
            blocks = [(f"{(0x41 + number) << 8:#x}/0",
                       events_of(2, miss(2 * interval), ratio, 2 * SECOND))
                      for number, (_, _, miss, ratio) in enumerate(loads(smmu))]
            total = {event: sum(events[event] for _, events in blocks) for event in (2, 1)}
            print_slice("worst", 2 + smmu, 2 * SECOND, *blocks, ("*", total))
        print_line("report", f"{1795343527 + 2 * interval}.000", 2 * SECOND, SLICE, "miss")


if __name__ == "__main__":
    main()
