#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The first page of a report: the kernel, who may count, and the system PMUs, which are those with a
# cpumask, with their drivers. Only root can run the tests that follow.
value() { # FILE
	[ ! -r "$1" ] || tr -d '\n' <"$1"
}

echo "TAP version 13"
echo "1..1"
echo "# kernel: $(uname -r) $(uname -m), $(nproc) CPUs"
echo "# perf_event_paranoid: $(value /proc/sys/kernel/perf_event_paranoid)"
echo "# lockdown: $(value /sys/kernel/security/lockdown)"
for module in arm_syspmu arm_smmuv3_pmcg arm_coresight_pmu arm_smmuv3_pmu arm_cspmu_module; do
	[ ! -d /sys/module/$module ] || echo "# module: $module"
done
for pmu in /sys/bus/event_source/devices/*; do
	[ -e "$pmu/cpumask" ] || continue
	# Before 6.7, a PMU is not below its device.
	driver=$(readlink "$pmu/../driver")
	line="# PMU: ${pmu##*/} driver=${driver##*/}"
	for file in identifier caps/counters caps/counter_width interrupt smmu cpumask; do
		[ ! -r "$pmu/$file" ] || line="$line ${file#caps/}=$(value "$pmu/$file")"
	done
	echo "$line"
done
if [ "$(id -u)" = 0 ]; then
	echo "ok 1 root runs the tests"
else
	echo "not ok 1 root runs the tests"
	exit 1
fi
