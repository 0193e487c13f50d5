# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# The patches of series/, and what "series-tests" says of them.

# lines_of_series WORD: the rest of each line that begins with this word. A line that ends with "\"
# continues.
lines_of_series() {
	sed -e :a -e '/\\$/N; s/ *\\\n\t*/ /; ta' "$vm_dir/series-tests" | sed -n "s|^$1 ||p"
}

# The first line of a set is its name, and others that it needs.
mapfile -t series_sets < <(lines_of_series set)

# patches_of SET: in their order
patches_of() {
	printf '%s\n' "$top_dir/series/$1"/*.patch
}

# name_of PATCH: its file without number and suffix
name_of() {
	local name=${1##*/????-}
	echo "${name%.patch}"
}

# test_of PATCH: what shows its effect
test_of() {
	lines_of_series "$(basename "$(dirname "$1")")/$(name_of "$1")"
}

# is_built PATCH: it changes a module, which is built with it
is_built() {
	[[ $(test_of "$1") =~ ^(arm_|build$) ]]
}

# patches_with KIND: the patches whose tests begin with this
patches_with() {
	local patch
	for patch in "${series_patches[@]}"; do
		[[ $(test_of "$patch") != "$1"* ]] || echo "$patch"
	done
}

# All patches, in the order in which they apply
mapfile -t series_patches < <(for set in "${series_sets[@]}"; do patches_of "${set%% *}"; done)
