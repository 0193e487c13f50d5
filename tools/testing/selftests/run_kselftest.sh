#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run installed selftests with kselftest's own runner, whose options this takes. It writes to
# /dev/stdout, which it opens again and again, and which must not be a file therefore. The end
# repeats what the tests say about the machine, and is worth sending to somebody else. Exits with 0,
# with 1 if a test has failed, or with 4 if none has run.
cd "$(dirname "$0")" || exit

for option; do
	case $option in
	-d | --dry-run | -h | --help | -l | --list) exec ./kselftest_runner.sh "$@" ;;
	esac
done
if [ "$(id -u)" != 0 ]; then
	echo "TAP version 13"
	echo "1..0 # SKIP needs root"
	exit 4
fi

log=$(mktemp) || exit
trap 'rm -f "$log"' EXIT
trap 'exit 1' HUP INT TERM
./kselftest_runner.sh "$@" | tee "$log"
awk '
	# A program whose results are elsewhere, or that has crashed, is one result.
	function count(result) {
		number[result]++
		results[result]++
		if (result == "failed")
			failures[++failed] = program ": " $0
	}
	# Not the lines of the harness
	/^# # [^ ]/ && !/^# # ([0-9]|Starting|PASSED|FAILED|Totals)/ && page { print substr($0, 3) }
	/^# selftests: / {
		program = $NF
		page = program ~ /^syspmu_(machine|server)$/
	}
	/^# ok .*# SKIP/ { count("skipped"); next }
	/^# ok / { count("passed") }
	/^# not ok / { count("failed") }
	/^not ok / && !results["failed"] { count("failed") }
	/^ok .*# SKIP/ && !results["skipped"] { count("skipped") }
	/^ok / && !/# SKIP/ && !results["passed"] && !results["skipped"] { count("passed") }
	/^(not )?ok / { programs++; split("", results) }
	END {
		for (i = 1; i <= failed; i++)
			print "# failed: " failures[i]
		if (programs)
			printf "# %d passed, %d failed, %d skipped\n", number["passed"],
			       number["failed"], number["skipped"]
		exit failed || !programs
	}' "$log"
