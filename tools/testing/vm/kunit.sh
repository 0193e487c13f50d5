# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# The kernel's own reader of KTAP, "kunit.py parse". Sourced by jobs, which set $work.

kselftest=$("$vm_dir/build/kselftest")

# The totals of kunit.py, in the format of ktap
kunit_sums() { # STATUS-OF-KUNIT FILE
	local status=0
	python3 "${kselftest%/*}/kunit/kunit.py" parse "$2" >"$work/kunit" || status=$?
	sed 's/^/# /' "$work/kunit"
	[ "$status" = "$1" ] || return 1
	sed -n 's/.*Testing complete. //p' "$work/kunit" >"$work/sum"
	awk -F'[:,] *' '{
		for (i = 2; i < NF; i += 2)
			n[$i] = $(i + 1)
		printf "%d passed, %d failed, %d skipped\n", n["passed"], n["failed"], n["skipped"]
	}' "$work/sum" >"$work/kunit-sums"
	! grep -q 'errors\|crashed' "$work/sum" && tail -n 1 "$2" | diff - "$work/kunit-sums"
}
