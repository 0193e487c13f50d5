# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Values of make's variables and of the options that stand for them. Each script checks those that
# it uses before it installs or builds anything, which takes minutes.

pmcg_drivers=(arm_smmuv3_pmcg arm_smmuv3_pmu)
coresight_drivers=(arm_coresight_pmu arm_cspmu_module)
mapfile -t machines < <(ls "$vm_dir/machines")

# must_be_one_of VARIABLE VALUE CHOICE...
must_be_one_of() {
	local choice
	for choice in "${@:3}"; do
		[ "$choice" != "$2" ] || return 0
	done
	usage_error "there is no $1=$2; there are: ${*:3}"
}

# check_number VARIABLE VALUE: if it is not empty.
check_number() {
	[[ $2 =~ ^[0-9]*$ ]] || usage_error "$1=$2 is not a number"
}

# check_machine FIRMWARE CPUS: the number of CPUs can be empty.
check_machine() {
	local numbers=({1..8})
	[[ $1 = /* && -f $1 ]] ||
		must_be_one_of FIRMWARE "$1" devicetree devicetree-up devicetree-snapshot \
			devicetree-snapshot-el2 acpi acpi-up acpi-numa acpi-large acpi-wrong \
			acpi-twice "${machines[@]}"
	# Its second node has all CPUs but one.
	[ "$1" != acpi-numa ] || numbers=({2..8})
	[ -z "$2" ] || must_be_one_of CPUS "$2" "${numbers[@]}"
}

# check_files FILE...
check_files() {
	local file
	for file; do
		[ -f "$file" ] || usage_error "FILES: there is no file $file"
	done
}

# The selftests that will be built.
selftests_of_source() {
	sed -n 's/^TEST_GEN_PROGS += .*\///p' "$top_dir/tools/testing/selftests/Makefile" | sort
}

# check_selftests NAME...
check_selftests() {
	local name known
	mapfile -t known < <(selftests_of_source)
	for name; do
		must_be_one_of TEST "$name" "${known[@]}"
	done
}

# check_pmus FIRMWARE NAME...: the plan needs python3, which need not be installed yet.
check_pmus() {
	local name known
	command -v python3 >/dev/null || return 0
	known=$("$vm_dir/plan" pmus "$1")
	for name in "${@:2}"; do
		# shellcheck disable=SC2086 # one word per PMU
		must_be_one_of PMUS "$name" all $known
	done
}
