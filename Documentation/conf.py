# SPDX-License-Identifier: GPL-2.0
#
# For Sphinx, which "make docs" runs with the extensions of a kernel tree.
import logging
import os
import sys

srctree = os.environ["srctree"]
sys.path.insert(0, os.path.join(srctree, "Documentation/sphinx"))

project = "arm-syspmu"
extensions = ["kerneldoc", "kernel_abi"]
exclude_patterns = ["sphinx"]
kerneldoc_bin = os.path.join(srctree, "scripts/kernel-doc")
kerneldoc_srctree = srctree
highlight_language = "none"

# Types that the kernel and C describe elsewhere.
nitpick_ignore = [("c:identifier", name) for name in
                  ("device", "perf_event", "platform_device", "u64", "uint32_t", "uint64_t")]


# C has name spaces of their own for tags, Sphinx does not: struct pmcg_event and pmcg_event() are no duplicates.
def is_no_duplicate(record):
    return not str(record.msg).lstrip().startswith("Duplicate C declaration")


logging.getLogger("sphinx.sphinx.domains.c").addFilter(is_no_duplicate)
