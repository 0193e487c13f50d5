# SPDX-License-Identifier: GPL-2.0
#
# "make help" lists the targets. Kernel modules are built by the kernel's own build system from
# Kbuild, in this directory.

KDIR ?= /lib/modules/$(shell uname -r)/build
VM := tools/testing/vm
MODPROBE_D ?= /etc/modprobe.d

# Which kernel the VM has.
ifdef KERNEL
export SYSPMU_KERNEL := $(KERNEL)
endif

modules:
	@test -e $(KDIR)/Makefile || \
		{ echo "no kernel headers in $(KDIR): install them or set KDIR"; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

# The kernel's own drivers would bind to the same devices first.
install: modules
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_DIR=updates modules_install
	depmod $(INSTALL_MOD_PATH:%=-b %) \
		$$($(MAKE) -s --no-print-directory -C $(KDIR) kernelrelease)
	install -d $(INSTALL_MOD_PATH)$(MODPROBE_D)
	printf 'blacklist %s\n' arm_smmuv3_pmu arm_cspmu_module nvidia_cspmu ampere_cspmu \
		> $(INSTALL_MOD_PATH)$(MODPROBE_D)/arm-syspmu.conf

clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean

# For this makefile only, and not for those that the lab runs.
unexport CMD CPUS DRIVER FILES FIRMWARE PARAMETERS TABLE TEST

# How a VM is that only one command is for.
BOOT_OPTIONS = $(FIRMWARE:%=-f %) $(CPUS:%=-c %) $(if $(PARAMETERS),-a '$(PARAMETERS)')

demo:
	$(VM)/$@

check:
	$(VM)/check $(if $(TEST),$(BOOT_OPTIONS) $(DRIVER:%=-d %) selftest $(TEST))

bench:
	$(VM)/bench $(DRIVER:%=-d %) $(TABLE)

shell:
	$(VM)/host-packages
	$(VM)/boot $(BOOT_OPTIONS)

# The shell of the VM is to see the command as it was given, dollars and quotes included.
run: export SYSPMU_COMMAND = $(value CMD)
run:
	@$(VM)/run $(BOOT_OPTIONS) -- "$$SYSPMU_COMMAND" $(FILES)

lint:
	$(VM)/check lint

docs:
	$(VM)/docs

# Parts of "check", for who changes one of them.
model-check device-check dt-check vm-check:
	$(VM)/check $(@:-check=)

fuzz:
	SYSPMU_FUZZ_RUNS=$(RUNS) SYSPMU_FUZZ_SEED=$(SEED) $(VM)/check fuzz

# "check" on each of Debian's kernels.
check-all:
	$(VM)/check kernels

# The driver on a kernel with KASAN, lockdep, kmemleak, UBSAN and fault injection, which is built
# first.
check-debug:
	SYSPMU_KERNEL=debug $(VM)/check debug

# The driver on a kernel with KCSAN, which excludes KASAN and so is another one.
check-kcsan:
	SYSPMU_KERNEL=kcsan $(VM)/check kcsan

update:
	$(VM)/pins --refresh

cache-clean:
	$(VM)/cache-clean

help:
	@echo 'On an arm64 machine:'
	@echo '  make                  build the modules for the running kernel;'
	@echo '                        KDIR=... for other kernel headers'
	@echo '  make install          install them, and keep the in-tree PMCG driver from loading'
	@echo '  make clean            remove what these two built here'
	@echo 'Anywhere (Debian 12 or 13 on x86-64 or arm64):'
	@echo '  make demo             see the driver count real traffic in a VM'
	@echo '  make check            run all tests; KERNEL=6.1, 6.12 (the default), 7, debug or'
	@echo '                        kcsan: the kernel of the VM, here and below'
	@echo '  make check TEST=...   run one selftest, or some: TEST="pmcg_filter syspmu_groups";'
	@echo '                        FIRMWARE, CPUS, PARAMETERS: see make shell;'
	@echo '                        DRIVER=arm_smmuv3_pmu with the in-tree driver;'
	@echo '                        PMUS="smmuv3_pmcg_b100" on these only'
	@echo '  make check-all        run all tests with each of the three kernels of Debian'
	@echo '  make bench            count the register accesses, instructions and memory of the'
	@echo '                        driver, beside those of the in-tree one, and measure its'
	@echo '                        sampling; TABLE=accesses, instructions, memory or sampling:'
	@echo '                        that only; DRIVER=...: one driver'
	@echo '  make shell            get a shell in the VM; FIRMWARE=acpi boots it with ACPI,'
	@echo '                        CPUS=4 gives it so many CPUs (1 to 8),'
	@echo '                        PARAMETERS="isolcpus=1" are for its kernel'
	@echo '  make run CMD=...      run a shell command in the VM and exit with its status;'
	@echo '                        FILES="prog data": with these files of the host in its'
	@echo '                        directory and PATH; FIRMWARE, CPUS, PARAMETERS: as above'
	@echo '  make model-check      run the unit tests of the hardware model only'
	@echo '  make fuzz             fuzz the hardware model only; RUNS=10000000 for longer,'
	@echo '                        SEED=2 for other runs'
	@echo '  make device-check     run the tests of the QEMU devices only'
	@echo '  make dt-check         check the devicetree binding and the devicetrees only'
	@echo '  make vm-check         run the selftests in the VM only'
	@echo '  make lint             run the checkers of the kernel, and others, over all sources'
	@echo '  make docs             make the documentation as HTML, and print where it is'
	@echo '  make check-debug      run the selftests on a kernel that checks memory, locks and'
	@echo '                        leaks; builds it first'
	@echo '  make check-kcsan      run the selftests on a kernel that looks for data races;'
	@echo '                        builds it first'
	@echo '  make update           look in the archive of Debian for newer packages'
	@echo '  make cache-clean      remove what no run has used for 30 days from the cache'

.PHONY: modules install clean demo check bench lint docs shell run fuzz model-check device-check \
	dt-check vm-check check-all check-debug check-kcsan update cache-clean help
