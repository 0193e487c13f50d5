// SPDX-License-Identifier: GPL-2.0
/* A guest under KVM, with a PMU, that accesses the registers of PMU snapshots. */
#include <fcntl.h>
#include <linux/kvm.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "platform.h"

#define MEMORY		0x80000000
#define MEMORY_SIZE	0x10000

/*
 * Stores ESR_EL1 after each access, or 0 if that is no exception, and then ID_AA64DFR0_EL1, where
 * the guest has no memory: this ends KVM_RUN. Then it runs for ever.
 */
asm(".pushsection .rodata\n"
	".global guest_code, guest_code_end\n"
	".balign 2048\n"
	"guest_code:\n"
	"	adr	x1, guest_vectors\n"
	"	msr	vbar_el1, x1\n"
	"	isb\n"
	"	mov	x2, #0x10000000\n"
	/* PMSSCR_EL1, PMECR_EL1, PMCCNTSVR_EL1, PMEVCNTSVR0_EL1 */
	".irp	access, \"mrs x3, midr_el1\", \"mrs x3, s3_0_c9_c13_3\", "
		"\"mrs x3, s3_0_c9_c14_5\", \"mrs x3, s2_0_c14_c11_7\", \"mrs x3, s2_0_c14_c8_0\", "
		"\"msr s3_0_c9_c13_3, xzr\", \"msr s3_0_c9_c14_5, xzr\"\n"
	"	mov	x0, #0\n"
	"	\\access\n"
	"	str	x0, [x2]\n"
	".endr\n"
	"	mrs	x0, id_aa64dfr0_el1\n"
	"	str	x0, [x2]\n"
	"	b	.\n"
	".balign 2048\n"
	"guest_vectors:\n"
	/* Of a synchronous exception at EL1 */
	".org	guest_vectors + 0x200\n"
	"	mrs	x0, esr_el1\n"
	"	mrs	x4, elr_el1\n"
	"	add	x4, x4, #4\n"
	"	msr	elr_el1, x4\n"
	"	eret\n"
	"guest_code_end:\n"
	".popsection\n");

bool guest_is_possible(void)
{
	return !access("/dev/kvm", F_OK);
}

/* Returns a virtual CPU, or -1. */
static int create(struct kvm_run **run)
{
	void *pages = mmap(NULL, MEMORY_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kvm_userspace_memory_region memory = {
		.guest_phys_addr = MEMORY,
		.memory_size = MEMORY_SIZE,
		.userspace_addr = (__u64)pages,
	};
	__u64 begin = MEMORY;
	struct kvm_one_reg counter = {
		.id = KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE |
		      KVM_REG_ARM_CORE_REG(regs.pc),
		.addr = (__u64)&begin,
	};
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = ioctl(kvm, KVM_CREATE_VM, 0), vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	struct kvm_device_attr pmu = {
		.group = KVM_ARM_VCPU_PMU_V3_CTRL,
		.attr = KVM_ARM_VCPU_PMU_V3_INIT,
	};
	struct kvm_vcpu_init init;

	if (pages == MAP_FAILED || vcpu < 0)
		return -1;
	memcpy(pages, guest_code, guest_code_end - guest_code);
	*run = mmap(NULL, ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), PROT_READ, MAP_SHARED, vcpu, 0);
	if (*run == MAP_FAILED || ioctl(vm, KVM_SET_USER_MEMORY_REGION, &memory) ||
	    ioctl(vm, KVM_ARM_PREFERRED_TARGET, &init))
		return -1;
	init.features[0] |= 1 << KVM_ARM_VCPU_PMU_V3;
	if (ioctl(vcpu, KVM_ARM_VCPU_INIT, &init) || ioctl(vcpu, KVM_SET_DEVICE_ATTR, &pmu) ||
	    ioctl(vcpu, KVM_SET_ONE_REG, &counter))
		return -1;
	return vcpu;
}

/* Sends what the guest stores. */
static void run_guest(int to)
{
	struct kvm_run *run;
	int vcpu = cpu_pin(0) ? -1 : create(&run);

	while (vcpu >= 0 && !ioctl(vcpu, KVM_RUN, 0) && run->exit_reason == KVM_EXIT_MMIO)
		if (write(to, run->mmio.data, sizeof(__u64)) != sizeof(__u64))
			break;
}

/*
 * Starts a guest on CPU 0. Returns its process when it has made its accesses, with what it has
 * stored, or 0 if there is no guest.
 */
pid_t guest_start(__u64 *stored)
{
	unsigned int i;
	pid_t guest;
	int ends[2];

	if (pipe(ends))
		return 0;
	guest = fork();
	if (!guest) {
		run_guest(ends[1]);
		_exit(1);
	}
	close(ends[1]);
	for (i = 0; i <= GUEST_ACCESSES; i++)
		if (read(ends[0], &stored[i], sizeof(*stored)) != sizeof(*stored))
			guest_kill(&guest);
	close(ends[0]);
	return guest;
}

/* Returns whether it still ran. */
bool guest_kill(pid_t *guest)
{
	int status = 0;

	if (*guest <= 0)
		return false;
	kill(*guest, SIGKILL);
	waitpid(*guest, &status, 0);
	*guest = 0;
	return WIFSIGNALED(status);
}
