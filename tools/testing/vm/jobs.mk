# SPDX-License-Identifier: GPL-2.0
#
# Run $(JOBS) in parallel, started in this order; make prints the output of a job when it ends.
VM := $(dir $(lastword $(MAKEFILE_LIST)))

.PHONY: all $(JOBS)
all: $(JOBS)

$(JOBS):
	@$(VM)job $@ || true
