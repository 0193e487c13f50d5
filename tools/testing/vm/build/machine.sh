# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# QEMU's machine, the same for its devicetree and for every boot; $cpus is the number of CPUs, two
# by default; $el2 is not empty if the kernel shall start at EL2, on a CPU with FEAT_FGT.
if [ "$host_arch" = arm64 ] && [ -w /dev/kvm ] && [ "${SYSPMU_ACCEL:-kvm}" = kvm ]; then
	cpu=(-accel kvm -cpu host)
else
	cpu=(-accel tcg -cpu neoverse-n1)
fi
machine=virt,gic-version=3,its=on,iommu=smmuv3
if [ -n "${el2:-}" ]; then
	cpu=(-accel tcg -cpu max)
	machine+=,virtualization=on
fi
memory=(-smp "${cpus:-2}" -m 1G)
