// SPDX-License-Identifier: GPL-2.0
/*
 * PMU snapshots (FEAT_PMUv3_SS) for all CPUs of the emulated machine, as a device: it adds the
 * System registers of the model to those of QEMU's CPUs, and has a page by which tests act as
 * firmware at EL3, as the rest of the chip, and as hardware that takes its time.
 *
 * If the CPUs have no EL3, QEMU is the firmware at EL3, as for PSCI: it has enabled access to the
 * registers, and MDCR_EL3.PMSSE is a register of the page.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "exec/translation-block.h"
#include "hw/core/cpu.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "system/kvm.h"
#include "system/reset.h"
#include "cpu.h"
#include "target/arm/cpregs.h"
#include "target/arm/cpu-features.h"
#include "target/arm/internals.h"

#include "pe_snapshot.h"

#define TYPE_ARM_PE_SNAPSHOT	"arm-pe-snapshot"
#define PAGE_SIZE_OF_STIMULUS	0x1000

#define OSLSR_OSLK		0x2

/* Encodings of registers that QEMU has: CRn, CRm, op0, op1, op2. */
#define ENCODE(...)		ENCODE_AA64_CP_REG(CP_REG_ARM64_SYSREG_CP, __VA_ARGS__)
#define ID_AA64DFR0_EL1		ENCODE(0, 5, 3, 0, 0)
#define ID_AA64MMFR0_EL1	ENCODE(0, 7, 3, 0, 0)
#define PMSWINC_EL0		ENCODE(9, 12, 3, 3, 4)
#define PMOVSSET_EL0		ENCODE(9, 14, 3, 3, 3)
#define PMCCNTR_EL0		ENCODE(9, 13, 3, 3, 0)
#define PMXEVCNTR_EL0		ENCODE(9, 13, 3, 3, 2)

/* FEAT_FGT2 */
#define ID_AA64MMFR0_FGT_SHIFT	56
#define ID_AA64MMFR0_FGT2	UINT64_C(2)
/* op2 of HDFGRTR2_EL2, HDFGWTR2_EL2, HFGRTR2_EL2, HFGWTR2_EL2 and HFGITR2_EL2 */
#define HDFGRTR2		0
#define HDFGWTR2		1
#define FGT2_REGISTERS		8

/* Registers of a CPU in the page, each of 64 bits. */
enum stimulus {
	PMSSE,	/* MDCR_EL3.PMSSE, if the CPU has no EL3 */
	DELAY,	/* how many reads of PMSSCR_EL1 find SS set before a Capture event completes */
	/*
	 * Writing any value asserts the external request; if it is that of another CPU, it is seen
	 * by it a moment later
	 */
	CAPTURE,
	/*
	 * Writing any value resets the registers of snapshots, as when the CPU loses its power; the
	 * value is the seed for those that are UNKNOWN
	 */
	RESET,
	OVERFLOW,	/* written to PMOVSSET_EL0 after the next capture, and then zero */
	READS,	/* number of reads of the registers of snapshots */
	WRITES,	/* number of writes */
	CAPTURES,	/* number of captures */
	LIVE_READS,	/* number of reads of PMCCNTR_EL0, PMEVCNTR<n>_EL0 and PMXEVCNTR_EL0 */
	INCREMENT,	/* writing to it writes the value to PMSWINC_EL0 */
	STEP,	/* written to PMSWINC_EL0 before each read of a counter, or of a captured value */
	STIMULUS_REGISTERS = 16,	/* how many there is space for */
};

#define MAX_CPUS	(PAGE_SIZE_OF_STIMULUS / (STIMULUS_REGISTERS * 8))

struct arm_pe_snapshot;

/* The snapshots of a CPU. */
struct snapshot_cpu {
	struct arm_pe_snapshot *dev;
	ARMCPU *cpu;
	struct pe_snapshot model;	/* what software sees */
	uint64_t stimulus[STIMULUS_REGISTERS];	/* registers of the page */
	/* How many more reads of PMSSCR_EL1 find the Capture event ongoing */
	uint64_t reads_left;
	uint64_t resets;	/* how many there were */
	uint64_t fgt2[FGT2_REGISTERS];	/* fine-grained traps, by op2 */
};

/* The snapshots of all CPUs. */
struct arm_pe_snapshot {
	DeviceState parent;

	MemoryRegion region;	/* in the system's memory */
	uint64_t base;	/* its physical address */
	uint64_t seed;	/* for values that are UNKNOWN after reset */
	struct pe_snapshot_config config;	/* of all CPUs, from the properties */
	uint32_t nc_writes;	/* @config.nc_writes */
	struct snapshot_cpu cpu[MAX_CPUS];	/* by index, if they have snapshots */
	uint32_t cpus;	/* which CPUs have snapshots */
};

DECLARE_INSTANCE_CHECKER(struct arm_pe_snapshot, ARM_PE_SNAPSHOT, TYPE_ARM_PE_SNAPSHOT)

/* What EL3 controls: PMSSE is a register of the page, the registers are accessible. */
static uint64_t mdcr_el3(const struct snapshot_cpu *sc)
{
	CPUARMState *env = &sc->cpu->env;

	if (arm_feature(env, ARM_FEATURE_EL3))
		return env->cp15.mdcr_el3;
	return sc->stimulus[PMSSE] << PE_MDCR_PMSSE_SHIFT | PE_MDCR_EL3_ENPM2 |
	       PE_MDCR_EL3_ENPMSS;
}

static struct pe_cpu state_of(const struct snapshot_cpu *sc)
{
	CPUARMState *env = &sc->cpu->env;

	return (struct pe_cpu) {
		.el = arm_current_el(env),
		.el2_enabled = arm_is_el2_enabled(env),
		.el1_aarch32 = !arm_el_is_aa64(env, 1),
		.el2_aarch32 = sc->model.config.el2 && !arm_el_is_aa64(env, 2),
		.os_lock = env->cp15.oslsr_el1 & OSLSR_OSLK,
		.powered_off = sc->cpu->power_state == PSCI_OFF,
		.fgten2 = true,
		.mdcr_el2 = env->cp15.mdcr_el2,
		.mdcr_el3 = mdcr_el3(sc),
		.hdfgrtr2_el2 = sc->fgt2[HDFGRTR2],
		.hdfgwtr2_el2 = sc->fgt2[HDFGWTR2],
	};
}

static void write_register(struct snapshot_cpu *sc, uint32_t key, uint64_t value)
{
	const ARMCPRegInfo *ri = get_arm_cp_reginfo(sc->cpu->cp_regs, key);

	ri->writefn(&sc->cpu->env, ri, value);
}

/* pmu_op_start() reads the clock once: these are the values of one time. */
static void read_counters(void *opaque, struct pe_counters *counters)
{
	struct snapshot_cpu *sc = opaque;
	CPUARMState *env = &sc->cpu->env;
	uint64_t bits = cpu_isar_feature(any_pmuv3p5, sc->cpu) ? UINT64_MAX : UINT32_MAX;
	unsigned int i;

	pmu_op_start(env);
	counters->cycles = env->cp15.c15_ccnt;
	for (i = 0; i < pmu_num_counters(env); i++)
		counters->events[i] = env->cp15.c14_pmevcntr[i] & bits;
	pmu_op_finish(env);
	sc->stimulus[CAPTURES]++;
}

/*
 * After a successful capture. QEMU does not know the event: counters of it count one software
 * increment, so that what enables, filters and overflows them is QEMU's.
 */
static void count_event(void *opaque, uint16_t number)
{
	struct snapshot_cpu *sc = opaque;
	CPUARMState *env = &sc->cpu->env;
	uint64_t *types = env->cp15.c14_pmevtyper;
	uint32_t counters = 0;
	unsigned int i;

	pmu_op_start(env);
	for (i = 0; i < pmu_num_counters(env); i++) {
		if ((types[i] & PMXEVTYPER_EVTCOUNT) == number) {
			counters |= 1u << i;
			types[i] &= ~(uint64_t)PMXEVTYPER_EVTCOUNT;
		}
	}
	pmu_op_finish(env);
	write_register(sc, PMSWINC_EL0, counters);
	pmu_op_start(env);
	for (i = 0; i < pmu_num_counters(env); i++) {
		if (counters & 1u << i)
			types[i] |= number;
	}
	pmu_op_finish(env);
	write_register(sc, PMOVSSET_EL0, sc->stimulus[OVERFLOW]);
	sc->stimulus[OVERFLOW] = 0;
}

/* A Capture event may have begun. */
static void begin(struct snapshot_cpu *sc, const struct pe_cpu *state, bool was_ongoing)
{
	if (was_ongoing)
		return;
	sc->reads_left = sc->stimulus[DELAY];
	if (!sc->reads_left)
		pe_snapshot_complete(&sc->model, state);
}

/* The registers have no value in QEMU that could be reset. */
static unsigned int register_of(const ARMCPRegInfo *ri)
{
	return ri->resetvalue;
}

static uint64_t snapshot_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
	struct snapshot_cpu *sc = ri->opaque;
	const struct pe_cpu state = state_of(sc);
	unsigned int reg = register_of(ri);

	sc->stimulus[READS]++;
	if (reg >= PE_PMCCNTSVR_EL1)
		write_register(sc, PMSWINC_EL0, sc->stimulus[STEP]);
	if (reg == PE_PMSSCR_EL1 && pe_snapshot_is_ongoing(&sc->model)) {
		if (sc->reads_left)
			sc->reads_left--;
		else
			pe_snapshot_complete(&sc->model, &state);
	}
	return pe_snapshot_read(&sc->model, reg);
}

static void snapshot_write(CPUARMState *env, const ARMCPRegInfo *ri, uint64_t value)
{
	struct snapshot_cpu *sc = ri->opaque;
	const struct pe_cpu state = state_of(sc);
	bool was_ongoing = pe_snapshot_is_ongoing(&sc->model);

	sc->stimulus[WRITES]++;
	pe_snapshot_write(&sc->model, &state, register_of(ri), value);
	begin(sc, &state, was_ongoing);
}

static CPAccessResult snapshot_access(CPUARMState *env, const ARMCPRegInfo *ri, bool is_read)
{
	const struct snapshot_cpu *sc = ri->opaque;
	const struct pe_cpu state = state_of(sc);

	switch (pe_snapshot_access(&sc->model, &state, register_of(ri), !is_read)) {
	case PE_ACCESS_PERMITTED:
		return CP_ACCESS_OK;
	case PE_ACCESS_TRAP_EL2:
		return CP_ACCESS_TRAP_EL2;
	case PE_ACCESS_TRAP_EL3:
		return CP_ACCESS_TRAP_EL3;
	default:
		return CP_ACCESS_UNDEFINED;
	}
}

/* QEMU resets a CPU when the machine is reset, and when PSCI turns it on: a Cold reset. */
static void snapshot_reset(CPUARMState *env, const ARMCPRegInfo *ri)
{
	struct snapshot_cpu *sc = ri->opaque;

	pe_snapshot_reset(&sc->model, true, sc->dev->seed + sc->cpu->parent_obj.cpu_index +
			  MAX_CPUS * sc->resets++);
	memset(sc->fgt2, 0, sizeof(sc->fgt2));
}

static void define_register(struct snapshot_cpu *sc, unsigned int reg)
{
	const struct pe_encoding e = pe_snapshot_encoding(reg);
	bool writable = reg == PE_PMSSCR_EL1 || reg == PE_PMECR_EL1;
	const ARMCPRegInfo ri = {
		.name = TYPE_ARM_PE_SNAPSHOT,
		.state = ARM_CP_STATE_AA64,
		.opc0 = e.op0, .opc1 = e.op1, .crn = e.crn, .crm = e.crm, .opc2 = e.op2,
		.type = ARM_CP_IO | ARM_CP_NO_RAW,
		.access = writable ? PL1_RW : PL1_R,
		.accessfn = snapshot_access,
		.readfn = snapshot_read,
		.writefn = writable ? snapshot_write : NULL,
		.resetvalue = reg,
		.resetfn = reg == PE_PMSSCR_EL1 ? snapshot_reset : arm_cp_reset_ignore,
	};

	define_one_arm_cp_reg_with_opaque(sc->cpu, &ri, sc);
}

static uint64_t live_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
	struct snapshot_cpu *sc = ri->opaque;

	sc->stimulus[LIVE_READS]++;
	write_register(sc, PMSWINC_EL0, sc->stimulus[STEP]);
	return ri->orig_readfn(env, ri);
}

static void watch_counter(struct snapshot_cpu *sc, uint32_t key)
{
	ARMCPRegInfo ri = *get_arm_cp_reginfo(sc->cpu->cp_regs, key);

	ri.type |= ARM_CP_OVERRIDE;
	ri.orig_readfn = ri.readfn;
	ri.readfn = live_read;
	define_one_arm_cp_reg_with_opaque(sc->cpu, &ri, sc);
}

/* Set a field of an identification register. */
static void identify(ARMCPU *cpu, uint32_t key, uint64_t mask, uint64_t value)
{
	ARMCPRegInfo ri = *get_arm_cp_reginfo(cpu->cp_regs, key);

	ri.type |= ARM_CP_OVERRIDE;
	ri.resetvalue = (ri.resetvalue & ~mask) | value;
	define_one_arm_cp_reg(cpu, &ri);
}

static uint64_t fgt2_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
	const struct snapshot_cpu *sc = ri->opaque;

	return sc->fgt2[ri->opc2];
}

static void fgt2_write(CPUARMState *env, const ARMCPRegInfo *ri, uint64_t value)
{
	struct snapshot_cpu *sc = ri->opaque;

	sc->fgt2[ri->opc2] = value;
}

/* All that FEAT_FGT2 traps but these registers does not exist in QEMU. */
static void define_fgt2(struct snapshot_cpu *sc)
{
	static const struct {
		const char *name;
		uint8_t op2;
	} registers[] = {
		{ "HDFGRTR2_EL2", HDFGRTR2 }, { "HDFGWTR2_EL2", HDFGWTR2 },
		{ "HFGRTR2_EL2", 2 }, { "HFGWTR2_EL2", 3 }, { "HFGITR2_EL2", 7 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(registers); i++) {
		const ARMCPRegInfo ri = {
			.name = registers[i].name,
			.state = ARM_CP_STATE_AA64,
			.opc0 = 3, .opc1 = 4, .crn = 3, .crm = 1, .opc2 = registers[i].op2,
			.type = ARM_CP_IO | ARM_CP_NO_RAW,
			.access = PL2_RW,
			.readfn = fgt2_read,
			.writefn = fgt2_write,
			.resetfn = arm_cp_reset_ignore,
		};

		define_one_arm_cp_reg_with_opaque(sc->cpu, &ri, sc);
	}
	identify(sc->cpu, ID_AA64MMFR0_EL1, UINT64_C(0xf) << ID_AA64MMFR0_FGT_SHIFT,
		 ID_AA64MMFR0_FGT2 << ID_AA64MMFR0_FGT_SHIFT);
}

static bool add_cpu(struct arm_pe_snapshot *dev, CPUState *cs, Error **errp)
{
	struct snapshot_cpu *sc = &dev->cpu[cs->cpu_index];
	const struct pe_snapshot_owner owner = { read_counters, count_event, sc };
	struct pe_snapshot_config config = dev->config;
	ARMCPU *cpu = ARM_CPU(cs);
	CPUARMState *env = &cpu->env;
	const char *message;
	unsigned int i;

	if (kvm_enabled() || !cpu->has_pmu || !arm_feature(env, ARM_FEATURE_AARCH64)) {
		error_setg(errp, "needs emulated 64-bit CPUs with a PMU");
		return false;
	}
	if (config.fgt2 &&
	    (arm_feature(env, ARM_FEATURE_EL3) || !cpu_isar_feature(aa64_fgt, cpu))) {
		error_setg(errp, "fgt2 needs CPUs with FEAT_FGT and without EL3");
		return false;
	}
	config.counters = pmu_num_counters(env);
	config.el2 = arm_feature(env, ARM_FEATURE_EL2);
	config.el3 = true;
	message = pe_snapshot_init(&sc->model, &config, &owner);
	if (message) {
		error_setg(errp, "%s", message);
		return false;
	}
	sc->dev = dev;
	sc->cpu = cpu;
	/* CPUs of different clusters do not share translated code: it depends on registers. */
	cs->cluster_index = 0;
	cs->tcg_cflags &= ~CF_CLUSTER_MASK;
	for (i = 0; i < PE_REGISTERS; i++) {
		if (pe_snapshot_exists(&sc->model, i))
			define_register(sc, i);
	}
	watch_counter(sc, PMCCNTR_EL0);
	watch_counter(sc, PMXEVCNTR_EL0);
	for (i = 0; i < config.counters; i++)
		watch_counter(sc, ENCODE(14, 8 + i / 8, 3, 3, i % 8));
	identify(cpu, ID_AA64DFR0_EL1, 0, PE_ID_AA64DFR0_EL1_PMSS);
	if (config.fgt2)
		define_fgt2(sc);
	return true;
}

static void request(CPUState *cs, run_on_cpu_data data)
{
	struct snapshot_cpu *sc = data.host_ptr;
	const struct pe_cpu state = state_of(sc);
	bool was_ongoing = pe_snapshot_is_ongoing(&sc->model);

	pe_snapshot_request(&sc->model, &state);
	begin(sc, &state, was_ongoing);
}

static void increment(CPUState *cs, run_on_cpu_data data)
{
	struct snapshot_cpu *sc = data.host_ptr;

	write_register(sc, PMSWINC_EL0, sc->stimulus[INCREMENT]);
}

/* In the thread of the CPU: no other one may access its counters. */
static void run_there(struct snapshot_cpu *sc, run_on_cpu_func function)
{
	run_on_cpu_data data = RUN_ON_CPU_HOST_PTR(sc);

	if (current_cpu == CPU(sc->cpu))
		function(current_cpu, data);
	else
		async_run_on_cpu(CPU(sc->cpu), function, data);
}

static uint64_t stimulus_read(void *opaque, hwaddr offset, unsigned int size)
{
	struct arm_pe_snapshot *dev = opaque;
	unsigned int i = offset / 8;

	return dev->cpu[i / STIMULUS_REGISTERS].stimulus[i % STIMULUS_REGISTERS];
}

static void stimulus_write(void *opaque, hwaddr offset, uint64_t value, unsigned int size)
{
	struct arm_pe_snapshot *dev = opaque;
	unsigned int i = offset / 8;
	struct snapshot_cpu *sc = &dev->cpu[i / STIMULUS_REGISTERS];

	if (!sc->cpu)
		return;
	switch (i % STIMULUS_REGISTERS) {
	case CAPTURE:
		run_there(sc, request);
		break;
	case INCREMENT:
		sc->stimulus[INCREMENT] = value;
		run_there(sc, increment);
		break;
	case RESET:
		pe_snapshot_reset(&sc->model, true, value);
		break;
	case PMSSE:
		sc->stimulus[PMSSE] = value & 3;
		break;
	default:
		sc->stimulus[i % STIMULUS_REGISTERS] = value;
		break;
	}
}

static const MemoryRegionOps stimulus_ops = {
	.read = stimulus_read,
	.write = stimulus_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = {
		.min_access_size = 8,
		.max_access_size = 8,
	},
	.impl = {
		.min_access_size = 8,
		.max_access_size = 8,
	},
};

/* EL3 leaves the control to lower Exception levels. */
static void system_reset(void *opaque)
{
	struct arm_pe_snapshot *dev = opaque;
	unsigned int i;

	for (i = 0; i < MAX_CPUS; i++) {
		memset(dev->cpu[i].stimulus, 0, sizeof(dev->cpu[i].stimulus));
		dev->cpu[i].stimulus[PMSSE] = !!dev->cpu[i].cpu;
	}
}

static bool map_page(struct arm_pe_snapshot *dev, Error **errp)
{
	MemoryRegionSection section;

	if (!dev->base || dev->base % PAGE_SIZE_OF_STIMULUS) {
		error_setg(errp, "addr must be the address of a page");
		return false;
	}
	section = memory_region_find(get_system_memory(), dev->base, PAGE_SIZE_OF_STIMULUS);
	if (section.mr) {
		error_setg(errp, "%s is at 0x%" PRIx64 " already", memory_region_name(section.mr),
			   dev->base);
		memory_region_unref(section.mr);
		return false;
	}
	memory_region_init_io(&dev->region, OBJECT(dev), &stimulus_ops, dev, TYPE_ARM_PE_SNAPSHOT,
			      PAGE_SIZE_OF_STIMULUS);
	memory_region_add_subregion(get_system_memory(), dev->base, &dev->region);
	return true;
}

static void snapshot_realize(DeviceState *state, Error **errp)
{
	struct arm_pe_snapshot *dev = ARM_PE_SNAPSHOT(state);
	CPUState *cs;

	if (dev->nc_writes > PE_NC_READ_ONLY) {
		error_setg(errp, "nc-writes must be 0, 1 or 2");
		return;
	}
	dev->config.nc_writes = dev->nc_writes;
	if (!map_page(dev, errp))
		return;
	CPU_FOREACH(cs) {
		if (cs->cpu_index >= MAX_CPUS || !(dev->cpus & 1u << cs->cpu_index))
			continue;
		if (!add_cpu(dev, cs, errp))
			return;
	}
	qemu_register_reset(system_reset, dev);
}

static const Property snapshot_properties[] = {
	DEFINE_PROP_UINT64("addr", struct arm_pe_snapshot, base, 0),
	DEFINE_PROP_UINT32("cpus", struct arm_pe_snapshot, cpus, UINT32_MAX),
	DEFINE_PROP_UINT64("seed", struct arm_pe_snapshot, seed, 1),
	DEFINE_PROP_UINT32("reserved-sse", struct arm_pe_snapshot, config.reserved_sse, 0),
	DEFINE_PROP_UINT32("nc-writes", struct arm_pe_snapshot, nc_writes, 0),
	DEFINE_PROP_BOOL("second-request-completes", struct arm_pe_snapshot,
			 config.second_request_completes, false),
	DEFINE_PROP_BOOL("fgt2", struct arm_pe_snapshot, config.fgt2, false),
};

static const VMStateDescription snapshot_vmstate = {
	.name = TYPE_ARM_PE_SNAPSHOT,
	.unmigratable = 1,
};

static void snapshot_class_init(ObjectClass *class, void *data)
{
	DeviceClass *dc = DEVICE_CLASS(class);

	dc->desc = "PMU snapshots of all CPUs (FEAT_PMUv3_SS)";
	dc->realize = snapshot_realize;
	dc->vmsd = &snapshot_vmstate;
	dc->hotpluggable = false;
	device_class_set_props(dc, snapshot_properties);
}

static const TypeInfo snapshot_type = {
	.name = TYPE_ARM_PE_SNAPSHOT,
	.parent = TYPE_DEVICE,
	.instance_size = sizeof(struct arm_pe_snapshot),
	.class_init = snapshot_class_init,
};

static void snapshot_register_types(void)
{
	type_register_static(&snapshot_type);
}

type_init(snapshot_register_types)
