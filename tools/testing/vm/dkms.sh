# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Sourced by jobs: DKMS builds the modules of Debian's package here, for kernels of the lab, since a
# compiler takes minutes in a VM.

# Unpack the package in this directory, for build_by_dkms.
prepare_dkms() { # PACKAGES
	work=$(mktemp -d "$cache/run.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	mkdir "$work"/{bin,tree}
	# DKMS calls it by this name.
	ln -s "$(command -v "${cross}strip")" "$work/bin/strip"
	dpkg-deb -x "$1"/arm-syspmu-dkms_*.deb "$work/package"
	version=$(cd "$work/package/usr/src" && echo arm-syspmu-*)
	version=${version#arm-syspmu-}
	built=()
}

# Fails after a warning, too.
build_by_dkms() { # KERNEL
	local headers release
	headers=$(SYSPMU_KERNEL=$1 "$vm_dir/build/headers")
	release=$(sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' "$headers/include/generated/utsrelease.h")
	built+=("$release")
	if ! PATH=$work/bin:$PATH ARCH=arm64 CROSS_COMPILE=$cross \
		dkms build --dkmstree "$work/tree" --sourcetree "$work/package/usr/src" \
		-m arm-syspmu -v "$version" -k "$release/aarch64" \
		--kernelsourcedir "$headers" >"$work/log" 2>&1; then
		sed 's/^/# /' "$work/log" "$work/tree/arm-syspmu/$version/build/make.log"
		return 1
	fi
	! grep -i 'warning:' "$work/tree/arm-syspmu/$version/$release/aarch64/log/make.log"
}
