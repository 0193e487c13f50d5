# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
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

keep_results() {
	cp "$kept_results" "$1/results"
}

# as_before NAME KEY COMMAND...: run a command that prints TAP. Its results are always the same for
# this key: if all have passed, it is not run again, and they are printed from the cache.
as_before() {
	local name=$1 key=$2 status=0 entry
	shift 2
	if [ -d "$cache/$name-$key" ]; then
		echo "# as before, since nothing has changed:"
		entry=$(cached "$name" "$key" 1 false)
		cat "$entry/results"
		return
	fi
	kept_results=$(mktemp "$cache/run.XXXXXX")
	set +e
	(set -e; "$@") | tee "$kept_results"
	status=${PIPESTATUS[0]}
	set -e
	if [ "$status" = 0 ] && ! grep -q '^not ok' "$kept_results"; then
		cached "$name" "$key" 1 keep_results >/dev/null
	fi
	rm "$kept_results"
	return "$status"
}

# Fails, and shows the lines, if the file has any.
is_empty() {
	! sed 's/^/# /' "$1" | grep .
}
