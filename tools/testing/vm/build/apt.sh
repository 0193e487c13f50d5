# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# A private apt configuration with the archive, keys and proxies of the system's, but its own
# suites, architectures and state.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# private_apt COMMAND...: run apt-get or apt-cache on the private state; "-c" overrides the system's
# configuration.
private_apt() {
	"$1" -c "$cache/apt/apt.conf" "${@:2}"
}

# Suites are pinned, versions are not. The kernels 6.1 and 6.12 and the tools that build their
# modules come from Debian 12, whose compiler and C library every supported host can match; the
# newest kernel comes from the suite that has it, sid or trixie-backports; and everything else,
# including QEMU's source, from Debian 13.
apt_write_config() {
	local main=$1 security=$2 apt=$cache/apt both
	mkdir -p "$apt/lists/partial" "$apt/archives/partial"
	: >"$apt/status"
	both=$(printf '%s\n' arm64 "$host_arch" | sort -u | paste -sd,)
	cat >"$apt/sources.list" <<-END
	deb [arch=$both target=Packages signed-by=$keyring] $security bookworm-security main
	deb [arch=$both target=Packages signed-by=$keyring] $main sid main
	deb [arch=$both target=Packages signed-by=$keyring] $main trixie-backports main
	deb [arch=arm64 target=Packages signed-by=$keyring] $main trixie main
	deb [arch=arm64 target=Packages signed-by=$keyring] $security trixie-security main
	deb-src [target=Sources signed-by=$keyring] $main trixie main
	deb-src [target=Sources signed-by=$keyring] $security trixie-security main
	END
	printf 'Package: *\nPin: release n=%s\nPin-Priority: 100\n\n' \
		bookworm-security sid trixie-backports >"$apt/preferences"
	cat >"$apt/apt.conf" <<-END
	#clear APT::Architectures;
	#clear APT::Update;
	#clear DPkg;
	APT::Architecture "arm64";
	APT::Architectures { "arm64"; "$host_arch"; };
	APT::Default-Release "";
	APT::Install-Recommends "false";
	APT::Install-Suggests "false";
	APT::Sandbox::User "root";
	APT::Update::Error-Mode "any";
	Acquire::Languages "none";
	Acquire::Retries "3";
	Dir::State "$apt";
	Dir::State::Lists "$apt/lists";
	Dir::State::Status "$apt/status";
	Dir::State::extended_states "$apt/extended_states";
	Dir::Cache "$apt";
	Dir::Cache::pkgcache "pkgcache.bin";
	Dir::Cache::srcpkgcache "srcpkgcache.bin";
	Dir::Cache::Archives "$apt/archives";
	Dir::Etc::SourceList "$apt/sources.list";
	Dir::Etc::SourceParts "/dev/null";
	Dir::Etc::Preferences "$apt/preferences";
	Dir::Etc::PreferencesParts "/dev/null";
	END
}

# The archives that the system's apt uses, one per line, for the suites whose name matches the
# pattern.
apt_archives() {
	# shellcheck disable=SC2016 # apt expands these
	apt-get indextargets --format '$(COMPONENT) $(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
		awk -v suite="^($1)\$" '
			$1 == "main" && $2 ~ suite && $3 !~ /^cdrom:/ && !seen[$3]++ { print $3 }'
}

# Refresh the private state from the first of the system's archives that has these suites, signed
# with Debian's key; another vendor's archive may use Debian's suite names.
apt_update() {
	local codename main security
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	for main in $(apt_archives "$codename"); do
		for security in $(apt_archives "$codename-security") "${main%/}-security"; do
			echo "trying $main with $security"
			apt_write_config "$main" "$security"
			private_apt apt-get update && return
		done
	done
	return 1
}
