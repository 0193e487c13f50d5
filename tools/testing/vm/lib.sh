# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# What every step of the VM lab shares: messages, the cache, and long steps that show that they are
# alive.
#
# Each step is a script that makes one thing, unless the cache has it, and prints where it is.
# Progress goes to stderr.
set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C PATH=$PATH:/usr/sbin:/sbin
umask 022
# What this tree's makefile was told is not for those of the kernel and of the selftests.
unset MAKEFLAGS MAKEOVERRIDES MFLAGS

vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top_dir=$(cd "$vm_dir/../../.." && pwd)
cache=${SYSPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/arm-syspmu}
if ! mkdir -p "$cache/log"; then
	echo "arm-syspmu: cannot write to the cache $cache:" \
		"set SYSPMU_CACHE to a writable directory" >&2
	exit 1
fi
cache=$(cd "$cache" && pwd)
host_arch=$(dpkg --print-architecture 2>/dev/null || uname -m)
cross=aarch64-linux-gnu-
jobs=$(nproc)

# The kernels of Debian that the lab knows, and what their releases look like, of which the newest
# counts. "debug" and "kcsan" are built here from the source of 6.12, with debug options.
declare -A debian_kernels=(
	[6.1]='6\.1\.0-[0-9]+'
	[6.12]='6\.12\.[0-9]+\+deb12'
	[7]='7\.[0-9.]+\+deb[0-9]+'
)

# Which of them the VM has and modules are built for.
kernel_choice=${SYSPMU_KERNEL:-6.12}

has_debug_options() {
	[ "$kernel_choice" = debug ] || [ "$kernel_choice" = kcsan ]
}

say() {
	printf 'arm-syspmu: %s\n' "$*" >&2
}

die() {
	say "$*"
	exit 1
}

usage_error() {
	say "$*"
	exit 2
}

has_debug_options || [ -n "${debian_kernels[$kernel_choice]:-}" ] ||
	die "there is no kernel $kernel_choice: KERNEL can be 6.1, 6.12, 7, debug or kcsan"

# Hash of strings and of files' contents; a directory counts with every file in it. A name that is
# no file is a string.
key_of() {
	local input
	for input; do
		if [ -d "$input" ]; then
			(cd "$input" && find . -type f ! -name '*.o' -print0 | sort -z |
				xargs -0 -r sha256sum)
		elif [ -f "$input" ]; then
			sha256sum <"$input"
		else
			printf '%s\n' "$input"
		fi
	done | sha256sum | cut -c 1-16
}

# unpack_linux_source PACKAGES DIRECTORY [PATH...]: unpack Debian's source of the kernel, or these
# paths of it; the whole would be 1.5 GB.
unpack_linux_source() {
	local packages=$1 directory=$2 name
	shift 2
	name=$(basename "$packages"/linux-source-*.deb)
	dpkg-deb --fsys-tarfile "$packages/$name" |
		tar -xO --wildcards './usr/src/linux-source-*.tar.xz' | xz -dcT0 |
		tar -x -C "$directory" --strip-components=1 "${@/#/${name%%_*}/}"
}

# selftests_of DIRECTORY: the names of the selftests that "build/selftests" has put there.
selftests_of() {
	find "$1" -maxdepth 1 -type f -perm -u+x -printf '%f\n' | sort
}

# need_space MEGABYTES WHAT: end here if the cache's file system has no room.
need_space() {
	local free
	free=$(df -Pk "$cache" | awk 'NR == 2 { print int($4 / 1024) }')
	[ "$free" -ge "$1" ] ||
		die "$2 needs $1 MB in $cache, which has $free MB left:" \
			"free some space or set SYSPMU_CACHE"
}

# cached NAME KEY MEGABYTES FUNCTION: print the directory NAME-KEY of the cache. If it is not there,
# FUNCTION fills an empty directory (its argument), which gets its name only when FUNCTION has
# succeeded: what a killed run leaves never counts.
cached() {
	local entry=$cache/$1-$2 partial=$cache/.$1.partial lock
	if [ ! -d "$entry" ]; then
		exec {lock}>"$cache/.$1.lock"
		if ! flock -n "$lock"; then
			say "waiting for another run that is making $1"
			flock "$lock"
		fi
		if [ ! -d "$entry" ]; then
			need_space "$3" "making $1"
			rm -rf "$partial"
			mkdir "$partial"
			"$4" "$partial"
			mv -T "$partial" "$entry"
		fi
		exec {lock}>&-
	fi
	touch -c "$entry"
	printf '%s\n' "$entry"
}

# The heartbeat of a long step: the time it has taken and, where its log has one, the last
# "[done/all]" count.
heartbeat() {
	local message=$1 log=$2 start=$SECONDS last=0 count elapsed
	while sleep 1 && kill -0 $$ 2>/dev/null; do
		elapsed=$((SECONDS - start))
		count=$(tail -c 2000 "$log" | grep -o '^\[[0-9]*/[0-9]*\]' | tail -n 1 || true)
		if [ -t 2 ]; then
			printf '\rarm-syspmu: %s %s %d s ' "$message" "$count" "$elapsed" >&2
		elif [ "$elapsed" -ge $((last + 15)) ]; then
			last=$elapsed
			say "$message $count $elapsed s"
		fi
	done
}

# step MESSAGE COMMAND...: run the command with its output in a log. If it fails, say what $advice
# holds or show the log's end.
advice=
step() {
	local message=$1 log start=$SECONDS pulse status
	shift
	log=$cache/log/${0##*/}.log
	say "$message"
	: >"$log"
	heartbeat "$message" "$log" >/dev/null &
	pulse=$!
	set +e
	(set -e; "$@") >"$log" 2>&1 </dev/null
	status=$?
	set -e
	kill "$pulse" 2>/dev/null
	wait "$pulse" 2>/dev/null || true
	[ ! -t 2 ] || printf '\r\033[K' >&2
	if [ "$status" -ne 0 ]; then
		[ -n "$advice" ] || tail -n 20 "$log" >&2
		die "$message: failed${advice:+: $advice}; the whole log is $log"
	fi
	say "$message: done in $((SECONDS - start)) s"
}
