# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# Functions for all scripts of the VM lab: messages, the cache, and progress of long steps.
#
# Each script in build/ makes one thing, unless it is in the cache, and prints its path. Progress
# goes to stderr.
set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C PATH=$PATH:/usr/sbin:/sbin
umask 022
# Do not pass the variables of this tree's Makefile to those of the kernel and the selftests.
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

# Debian's kernels that the lab supports, with a pattern for their releases, of which the newest one
# is used. "debug" and "kcsan" are built from the source of 6.12 with debug options, "64k" from it
# with pages of 64 KB, and "patched" from the newest one with series/.
declare -A debian_kernels=(
	[6.1]='6\.1\.0-[0-9]+'
	[6.12]='6\.12\.[0-9]+\+deb12'
	[7]='7\.[0-9.]+\+deb[0-9]+'
	[16k]='6\.12\.[0-9]+\+deb12'
	[rt]='6\.12\.[0-9]+\+deb12'
)

# Flavours of a kernel: with pages of 16 KB, and with PREEMPT_RT
declare -A flavours=([16k]=arm64-16k [rt]=rt-arm64)

# The one that the VM runs and that modules are built for
kernel_choice=${SYSPMU_KERNEL:-6.12}

has_debug_options() {
	[ "$kernel_choice" = debug ] || [ "$kernel_choice" = kcsan ]
}

is_built_here() {
	[ -z "${debian_kernels[$kernel_choice]:-}" ]
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

source "$vm_dir/values.sh"
[ -n "${debian_kernels[$kernel_choice]:-}" ] ||
	must_be_one_of KERNEL "$kernel_choice" 64k debug kcsan patched \
		"$(printf '%s\n' "${!debian_kernels[@]}" | sort -V | paste -sd ' ')"

# Within one run of "check", a script of build/ prints again what it has printed: all jobs test the
# same sources, and nobody hashes them twice.
if [ -n "${SYSPMU_ANSWERS:-}" ] && [[ $0 == */build/* ]]; then
	question="${0##*/} $kernel_choice $*"
	answer=$SYSPMU_ANSWERS/${question//\//_}
	if [ "${SYSPMU_QUESTION:-}" != "$question" ] && [ ${#question} -lt 200 ]; then
		if [ ! -e "$answer" ]; then
			SYSPMU_QUESTION=$question "$0" "$@" >"$answer.$$"
			mv "$answer.$$" "$answer"
		fi
		cat "$answer"
		exit
	fi
fi

# Hash of strings, of the contents of files, and of all files in directories. An argument that is
# not the name of a file is a string.
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

# unpack_linux_source PACKAGES DIRECTORY [PATH...]: unpack Debian's source of the kernel, or only
# these paths of it, since all of it takes 1.5 GB.
unpack_linux_source() {
	local packages=$1 directory=$2 name
	shift 2
	name=$(basename "$packages"/linux-source-*.deb)
	dpkg-deb --fsys-tarfile "$packages/$name" |
		tar -xO --wildcards './usr/src/linux-source-*.tar.xz' | xz -dcT0 |
		tar -x -C "$directory" --strip-components=1 "${@/#/${name%%_*}/}"
}

# selftests_of DIRECTORY: the names of the selftests in the output of "build/selftests".
selftests_of() {
	find "$1" -maxdepth 1 -type f -perm -u+x -printf '%f\n' | sort
}

# need_space MEGABYTES WHAT [DIRECTORY]: exit if the file system of the directory, by default the
# cache's, has less space than this.
need_space() {
	local free directory=${3:-$cache} advice="free some space"
	[ "$directory" != "$cache" ] || advice+=" or set SYSPMU_CACHE"
	free=$(df -Pk "$directory" | awk 'NR == 2 { print int($4 / 1024) }')
	[ "$free" -ge "$1" ] ||
		die "$2 needs $1 MB in $directory, which has $free MB left: $advice"
}

# cached NAME KEY MEGABYTES FUNCTION: print the directory NAME-KEY of the cache. If it does not
# exist, FUNCTION fills an empty directory (its argument), which is only renamed when FUNCTION has
# succeeded, so that the remains of a killed run are never used.
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

# Progress of a long step: the elapsed time and the last "[done/all]" in its log, if any.
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

# step MESSAGE COMMAND...: run the command with its output in a log. If it fails, print $advice and
# the last error in the log, or the end of it.
advice=
step() {
	local message=$1 log start=$SECONDS pulse status error
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
		error=$(grep -i -e '^E:' -e error -e 'no space left' -e "can't" "$log" | tail -n 1)
		if [ -n "$advice" ] && [ -n "$error" ]; then
			say "$error"
		else
			tail -n 20 "$log" >&2
		fi
		! grep -q -i -e 'no space left' -e 'enough free space' -e 'quota exceeded' "$log" ||
			advice="free some space"
		die "$message: failed${advice:+: $advice}; the whole log is $log"
	fi
	say "$message: done in $((SECONDS - start)) s"
}
