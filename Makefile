# SPDX-License-Identifier: GPL-2.0
#
# "make help" says what there is. Kernel modules are built by the kernel's own build system from Kbuild, in this directory.

KDIR ?= /lib/modules/$(shell uname -r)/build
VM := tools/testing/vm
MODPROBE_D ?= /etc/modprobe.d

modules:
	@test -e $(KDIR)/Makefile || { echo "no kernel headers in $(KDIR): install them or set KDIR"; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

# The kernel's own driver would bind to the same devices first.
install: modules
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_DIR=updates modules_install
	depmod $(INSTALL_MOD_PATH:%=-b %) $$($(MAKE) -s --no-print-directory -C $(KDIR) kernelrelease)
	install -d $(INSTALL_MOD_PATH)$(MODPROBE_D)
	echo "blacklist arm_smmuv3_pmu" > $(INSTALL_MOD_PATH)$(MODPROBE_D)/arm-syspmu.conf

clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean

demo check:
	$(VM)/$@

shell:
	$(VM)/host-packages
	$(VM)/boot

# Parts of "check", for who changes one of them.
model-check device-check vm-check:
	$(VM)/check $(@:-check=)

update:
	$(VM)/pins --refresh

cache-clean:
	$(VM)/cache-clean

help:
	@echo 'On an arm64 machine:'
	@echo '  make                  build the modules for the running kernel; KDIR=... for other kernel headers'
	@echo '  make install          install them, and keep the in-tree PMCG driver from loading'
	@echo '  make clean            remove what these two built here'
	@echo 'Anywhere (Debian 12 or 13 on x86-64 or arm64):'
	@echo '  make demo             see the driver count real traffic in a VM'
	@echo '  make check            run all tests'
	@echo '  make shell            get a shell in the VM'
	@echo '  make model-check      run the unit tests of the hardware model only'
	@echo '  make device-check     run the tests of the QEMU devices only'
	@echo '  make vm-check         run the selftests in the VM only'
	@echo '  make update           look in the archive of Debian for newer packages'
	@echo '  make cache-clean      remove what no run has used for 30 days from the cache'

.PHONY: modules install clean demo check shell model-check device-check vm-check update cache-clean help
