# SPDX-License-Identifier: GPL-2.0
#
# "make help" lists the targets. Kernel modules are built by the kernel's own build system from
# Kbuild, in this directory.

KDIR ?= /lib/modules/$(shell uname -r)/build
VM := tools/testing/vm
MODPROBE_D ?= /etc/modprobe.d

# The kernel of the VM.
ifdef KERNEL
export SYSPMU_KERNEL := $(KERNEL)
endif

modules:
	@test -e $(KDIR)/Makefile || \
		{ echo "no kernel headers in $(KDIR): install them or set KDIR"; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

# A file in modprobe.d/ has the kernel's own drivers load after these.
install: modules
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_DIR=updates modules_install
	depmod $(INSTALL_MOD_PATH:%=-b %) \
		$$($(MAKE) -s --no-print-directory -C $(KDIR) kernelrelease)
	install -D -m 644 modprobe.d/arm-syspmu.conf \
		$(INSTALL_MOD_PATH)$(MODPROBE_D)/arm-syspmu.conf
	$(if $(INSTALL_MOD_PATH),,sh scripts/driver-state "make install" installed)

uninstall:
	$(if $(INSTALL_MOD_PATH),,sh scripts/driver-state "make uninstall" removed)
	release=$$($(MAKE) -s --no-print-directory -C $(KDIR) kernelrelease) && \
		perf=$(INSTALL_MOD_PATH)/lib/modules/$$release/updates/drivers/perf && \
		rm -rf $$perf/arm_syspmu $$perf/smmuv3_pmcg $$perf/coresight_pmu && \
		depmod $(INSTALL_MOD_PATH:%=-b %) $$release
	rm -f $(INSTALL_MOD_PATH)$(MODPROBE_D)/arm-syspmu.conf

# smmutop and its manual page; CROSS_COMPILE, DESTDIR and PREFIX as usual.
install-tools:
	$(MAKE) -C tools/smmutop install

clean:
	$(MAKE) -C tools/smmutop clean
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean

# For this makefile only, and not for those that the lab runs.
unexport CMD CPUS DRIVER FILES FIRMWARE PARAMETERS TABLE TEST

# Configuration of a VM for a single command.
BOOT_OPTIONS = $(if $(FIRMWARE),-f '$(FIRMWARE)') $(if $(CPUS),-c '$(CPUS)') \
	$(if $(PARAMETERS),-a '$(PARAMETERS)')
DRIVER_OPTION = $(if $(DRIVER),-d '$(DRIVER)')

demo:
	$(VM)/$@

check:
	$(VM)/check $(BOOT_OPTIONS) $(DRIVER_OPTION) $(if $(TEST),selftest $(TEST))

bench:
	$(VM)/bench $(DRIVER_OPTION) $(TABLE)

shell:
	$(VM)/boot $(BOOT_OPTIONS)

# Pass the command to the shell of the VM unchanged, including dollar signs and quotes.
run: export SYSPMU_COMMAND = $(value CMD)
run:
	@$(VM)/run $(BOOT_OPTIONS) -- "$$SYSPMU_COMMAND" $(FILES)

lint:
	$(VM)/check lint

docs:
	$(VM)/docs

# Debian's packages of the last commit, in a directory that is printed.
deb:
	$(VM)/deb

check-deb:
	$(VM)/check debian

# The same for a release: DKMS builds the modules in the VMs, which takes half an hour.
check-deb-full:
	$(VM)/check debian-full

# Tests that were not written for these drivers.
check-outside:
	$(VM)/check outside

# kselftest's archive of the selftests, for a server; prints its path.
selftests-tarball:
	@$(VM)/selftests-tarball

# Everything at once for some minutes.
soak:
	SYSPMU_SOAK_MINUTES='$(or $(MINUTES),30)' SYSPMU_SEED='$(SEED)' $(VM)/check soak

# Parts of "check", for changes of one of them.
model-check device-check dt-check vm-check:
	$(VM)/check $(@:-check=)

fuzz:
	SYSPMU_FUZZ_RUNS='$(RUNS)' SYSPMU_FUZZ_SEED='$(SEED)' $(VM)/check fuzz

# The counting files of the driver in userland.
explore:
	SYSPMU_EXPLORE_RUNS='$(RUNS)' SYSPMU_EXPLORE_SEED='$(SEED)' $(VM)/check explore

# The tests that take longer or rarely find more.
check-others:
	$(VM)/check others

# "check" and "check-others" on each of Debian's kernels.
check-all:
	$(VM)/check kernels

# The selftests on a kernel with KASAN, lockdep, kmemleak, UBSAN and fault injection, which is built
# first.
check-debug:
	SYSPMU_KERNEL=debug $(VM)/check debug

# The selftests on a kernel with KCSAN, which cannot be combined with KASAN.
check-kcsan:
	SYSPMU_KERNEL=kcsan $(VM)/check kcsan

# "check", "check-others", "lint", "check-debug", "series" and "check-deb" side by side, and parts
# of the selftests on other kernels.
check-ci:
	$(VM)/check ci

# The patches of series/, and the drivers that they change.
series:
	SYSPMU_KERNEL=7 $(VM)/check series

update:
	$(VM)/build/pins --refresh

cache-clean:
	$(VM)/cache-clean

help:
	@echo 'On an arm64 machine:'
	@echo '  make                  build the modules for the running kernel;'
	@echo '                        KDIR=... for other kernel headers'
	@echo '  make install          install them, before the in-tree drivers'
	@echo '  make uninstall        remove them, for this kernel'
	@echo '  make install-tools    build smmutop and install it in PREFIX=/usr/local, below'
	@echo '                        DESTDIR; CROSS_COMPILE=aarch64-linux-gnu- elsewhere'
	@echo '  make clean            remove the files built here'
	@echo 'Anywhere (Debian 12 or 13 on x86-64 or arm64):'
	@echo '  make demo             show the driver counting real traffic in a VM'
	@echo '  make check            run the tests; KERNEL=6.1, 6.12 (the default), 7, rt,'
	@echo '                        16k, 64k, debug or kcsan: that of the VM, here and below'
	@echo '  make check TEST=...   run one or more selftests: TEST="pmcg_filter syspmu_groups";'
	@echo '                        FIRMWARE, CPUS, PARAMETERS: see make shell;'
	@echo '                        DRIVER=arm_smmuv3_pmu uses the in-tree driver;'
	@echo '                        PMUS="smmuv3_pmcg_b100" restricts them to these PMUs'
	@echo '  make check-others     run the tests on further machines and products, and with'
	@echo '                        the in-tree drivers'
	@echo '  make check-all        make check and check-others with each of the three kernels'
	@echo '                        of Debian, and the selftests with PREEMPT_RT and with larger'
	@echo '                        pages'
	@echo '  make bench            measure the register accesses, instructions, memory and'
	@echo '                        sampling rate of the driver, next to the in-tree driver;'
	@echo '                        TABLE=accesses, instructions, coresight, memory or sampling'
	@echo '                        and DRIVER=... restrict it to one of them'
	@echo '  make shell            open a shell in the VM; FIRMWARE=acpi boots it with ACPI,'
	@echo '                        CPUS=4 sets the number of CPUs (1 to 8),'
	@echo '                        PARAMETERS="isolcpus=1" adds kernel parameters'
	@echo '  make run CMD=...      run a shell command in the VM and exit with its status;'
	@echo '                        FILES="prog data" copies files of the host to its'
	@echo '                        directory and PATH; FIRMWARE, CPUS, PARAMETERS: as above'
	@echo '  make model-check      run the unit tests of the hardware model only'
	@echo '  make fuzz             fuzz the hardware model only; RUNS=10000000 for more runs,'
	@echo '                        SEED=2 for different ones'
	@echo '  make explore          run the counting files of the driver in userland in many'
	@echo '                        orders of events; RUNS=10000000 for more, SEED=2 for others'
	@echo '  make device-check     run the tests of the QEMU devices only'
	@echo '  make dt-check         check the devicetree binding and the devicetrees only'
	@echo '  make vm-check         run the selftests in the VM only'
	@echo '  make lint             run the checkers of the kernel, and others, over all sources'
	@echo '  make docs             build the documentation as HTML, and print its path'
	@echo '  make deb              build packages for Debian of the last commit'
	@echo '  make check-deb        install, use and purge the packages on Debian 12 and 13'
	@echo '  make check-deb-full   the same with modules that DKMS builds there (30 min)'
	@echo '  make check-outside    run the tests of perf that use PMUs, and trinity'
	@echo '  make selftests-tarball'
	@echo '                        pack the selftests for an arm64 server, and print the path'
	@echo '  make soak             all that PMUs, CPUs and programs can do at once, for'
	@echo '                        MINUTES=30, in an order that SEED=1 determines'
	@echo '  make check-debug      build a kernel that checks memory, locks and leaks, and run'
	@echo '                        the selftests on it'
	@echo '  make check-kcsan      build a kernel that detects data races, and run the'
	@echo '                        selftests on it'
	@echo '  make check-ci         make check, check-others, lint, check-debug, series and'
	@echo '                        check-deb, side by side, and parts on other kernels'
	@echo '  make series           test the fixes of the in-tree drivers in series/, each'
	@echo '                        without and with the patch'
	@echo '  make update           check the archive of Debian for newer packages'
	@echo '  make cache-clean      remove files from the cache that were not used for 30 days'

.PHONY: modules install uninstall install-tools clean demo check bench lint docs deb check-deb \
	check-deb-full check-outside selftests-tarball soak shell run fuzz explore model-check \
	device-check dt-check vm-check check-others check-all check-debug check-kcsan check-ci \
	series update cache-clean help
