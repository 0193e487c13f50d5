# SPDX-License-Identifier: GPL-2.0
#
# Run $(JOBS), each of them KERNEL/JOB, in parallel, started in this order; make prints the output
# of a job when it ends.
VM := $(dir $(lastword $(MAKEFILE_LIST)))

.PHONY: all $(JOBS)
all: $(JOBS)

$(JOBS):
	@SYSPMU_KERNEL=$(@D) $(VM)job $(@F) || true
