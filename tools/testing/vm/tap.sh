# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Output of jobs: the TAP of a program, between lines for the ktap script.

# program NAME COMMAND...: run a program that prints TAP and return its exit status.
program() {
	local name=$1 status=0
	shift
	echo "# begin $name"
	"$@" || status=$?
	echo "# end $name $status"
	return "$status"
}

# result NAME COMMAND...: print one result, "ok" if the command succeeds.
results=0
result() {
	local name=$1 result="not ok"
	shift
	results=$((results + 1))
	! "$@" || result=ok
	echo "$result $results $name"
	[ "$result" = ok ]
}

# plan_of NUMBER: print the TAP version and a plan of this many tests.
plan_of() {
	printf 'TAP version 13\n1..%d\n' "$1"
}

# status_is STATUS COMMAND...: whether the command exits with this status.
status_is() {
	local status=0
	"${@:2}" >/dev/null 2>&1 || status=$?
	[ "$status" = "$1" ]
}
