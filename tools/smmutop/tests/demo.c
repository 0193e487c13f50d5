// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a recording to stdout that shows smmutop on any machine. What it counts is simulated: an
 * MMU-600 with a TCU and two TBUs, disks behind the one, and network cards, whose functions were
 * given to virtual machines, behind the other. What is visited when is what smmutop does.
 */
#include <stdio.h>

#include "../plan.h"
#include "../record.h"
#include "load.h"

#define REPORTS		15
#define BEGIN		1795343527
#define INTERVAL	2000000000ULL
#define SLICE		7500000ULL

enum { TCU, TBU0, TBU1, PMCGS };

#define DISKS		16
#define FUNCTIONS	130
#define SPARE		66
#define STREAMS		(FUNCTIONS + DISKS + SPARE)

static struct load load;
static struct device devices[STREAMS];
static size_t number;

/* A function of a PCI device: its misses per s, and how many hits each has */
static struct load_row *add(unsigned int pmcg, unsigned int id, double rate, double hits,
			    const char *driver, const char *domain)
{
	struct load_row *row = &load.loads[number];
	struct device *device = &devices[number];

	load.streams[number].id = id;
	load.streams[number].device = number;
	load.rows[number].id = id;
	snprintf(device->name, sizeof(device->name), "0000:%02x:%02x.%u", id >> 8, id >> 3 & 31,
		 id & 7);
	snprintf(device->group, sizeof(device->group), "%zu", 40 + number);
	copy(device->driver, sizeof(device->driver), driver);
	copy(device->domain, sizeof(device->domain), domain);
	device->described = true;
	row->rate = rate;
	row->hits = hits;
	row->shares[pmcg] = 1;
	row->shares[TCU] = 0.3;
	number++;
	return row;
}

/* A network card: two ports, and their functions, some of which belong to virtual machines */
static void add_functions(void)
{
	static const char * const machines[] = { "web01", "web02", "db", "mail", "build" };
	unsigned int i;

	for (i = 0; i < FUNCTIONS; i++) {
		add(TBU1, 0x4100 + i, i < 2 ? 2000 : i % 13 == 5 ? 60e3 / i : 0, 19,
		    i < 2 ? "mlx5_core" : "vfio-pci", i < 2 ? "lazy" : "vfio");
		if (i < 2)
			snprintf(devices[i].names, NAME_LENGTH, "enp65s0f%unp%u", i, i);
		else if (i % 13 == 5)
			snprintf(devices[i].names, NAME_LENGTH, "enp65s0f%unp%u vf%u,qemu: %s",
				 i % 2, i % 2, i / 2 - 1, machines[i / 13 % 5]);
		else
			snprintf(devices[i].names, NAME_LENGTH, "enp65s0f%unp%u vf%u", i % 2,
				 i % 2, i / 2 - 1);
	}
}

static void add_disks(void)
{
	struct load_row *row;
	unsigned int i;

	for (i = 0; i < DISKS; i++) {
		row = add(TBU0, 0x8100 + (i << 8), i == 3 ? 300e3 : 30e3 / (i + 1), i == 3 ? 6 : 14,
			  "nvme", "lazy");
		snprintf(devices[number - 1].names, NAME_LENGTH, "nvme%un1", i);
		if (i == 7) {
			row->rate = 150e3;
			row->shape = SHAPE_PULSES;
			row->period = 8;
		} else if (i == 11) {
			row->rate = 90e3;
			row->shape = SHAPE_LATE;
			row->phase = 12;
		}
	}
}

static void make_machine(void)
{
	static const struct pmcg none;
	static const char * const labels[] = { "TCU", "TBU0", "TBU1" };
	struct pmcg *pmcg;
	unsigned int i;

	load_init(&load, 1, STREAMS, &none, PMCGS);
	load.machine.devices = devices;
	load.machine.devices_number = STREAMS;
	copy(load.machine.host, NAME_LENGTH, "demo");
	copy(load.smmu.name, NAME_LENGTH, "smmu3.2b400000");
	copy(load.smmu.device, NAME_LENGTH, "arm-smmu-v3.0.auto");
	for (i = 0; i < PMCGS; i++) {
		pmcg = &load.pmcgs[i];
		snprintf(pmcg->name, NAME_LENGTH, "smmuv3_pmcg_2b4%u2", 2 * i);
		copy(pmcg->label, NAME_LENGTH, labels[i]);
		copy(pmcg->part, NAME_LENGTH, "MMU-600");
		copy(pmcg->driver, NAME_LENGTH, "arm_smmuv3_pmcg");
		pmcg->kind = i == TCU ? KIND_TCU : KIND_TBU;
		pmcg->events = i == TCU ? 0x7f : 0x87;
		pmcg->counters = 4;
		pmcg->stream_bits = 24;
	}
	add_functions();
	add_disks();
	for (i = 0; i < SPARE; i++)
		add(TBU0, 0xc100 + i, 0, 9, "", "identity");
}

int main(void)
{
	const struct plan_options options = {
		.columns = (1U << COLUMNS) - 1,
		.sort = COLUMN_MISS,
		.rows = 10,
		.seed = 1,
	};
	uint64_t now = 0, begin, jitter = 1, length;
	struct slice_counts counts;
	struct recorder *recorder;
	unsigned int reports = 0;
	struct figures *figures;
	struct report report;
	struct slice slice;
	struct plan *plan;
	bool search;
	size_t i;

	make_machine();
	plan = plan_new(&load.machine, &options);
	figures = figures_new(&load.machine);
	recorder = recorder_new("-", &load.machine);
	while (recorder && reports < REPORTS) {
		search = plan_begin(plan, INTERVAL / SLICE, !reports);
		for (begin = now; plan_slices(plan); now += length) {
			length = plan_length(&jitter, SLICE);
			for (i = 0; i < PMCGS; i++) {
				plan_next(plan, i, &slice);
				if (!slice.number)
					continue;
				load_count(&load, i, &slice, now / 1e9, (now + length) / 1e9,
					   &counts);
				figures_add(figures, i, &slice, &counts);
				record_slice(recorder, i, &slice, &counts);
			}
		}
		plan_learn(plan, figures);
		if (search) {
			record_word(recorder, "forget");
			figures_forget(figures);
			continue;
		}
		report = (struct report){
			.machine = &load.machine,
			.seconds = BEGIN + now / 1e9,
			.interval = now - begin,
			.slice = SLICE,
			.sort = COLUMN_MISS,
		};
		if (!record_report(recorder, &report))
			break;
		figures_next_interval(figures);
		reports++;
	}
	plan_free(plan);
	figures_free(figures);
	return !recorder_free(recorder) || reports < REPORTS;
}
