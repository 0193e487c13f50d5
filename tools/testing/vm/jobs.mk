# SPDX-License-Identifier: GPL-2.0
#
# Run $(JOBS), some at a time, in this order; make prints what one has said when it is over.
VM := $(dir $(lastword $(MAKEFILE_LIST)))

.PHONY: all $(JOBS)
all: $(JOBS)

$(JOBS):
	@$(VM)job $@ || true
