// SPDX-License-Identifier: GPL-2.0
#include "load.h"

#include <math.h>
#include <string.h>

#include "../plan.h"

uint64_t load_random(struct load *load)
{
	return next_random(&load->random);
}

double load_uniform(struct load *load)
{
	return (double)(load_random(load) >> 11) / 9007199254740992.0;
}

/* Poisson's distribution; for many events, the normal one is the same. */
static double independent(struct load *load, double mean)
{
	const double pi = 3.14159265358979;
	double n, p;

	if (!(mean > 0))
		return 0;
	if (mean > 50) {
		n = sqrt(-2 * log(1 - load_uniform(load))) * cos(2 * pi * load_uniform(load));
		return fmax(0, floor(mean + sqrt(mean) * n + 0.5));
	}
	n = exp(-mean);
	mean = 0;
	for (p = load_uniform(load); p > n; p *= load_uniform(load))
		mean++;
	return mean;
}

static double events(struct load *load, double mean)
{
	return load->group * independent(load, mean / load->group);
}

void load_init(struct load *load, uint64_t seed, size_t rows, const struct pmcg *pmcg,
	       unsigned int pmcgs)
{
	uint32_t id = 0;
	size_t i;

	memset(load, 0, sizeof(*load));
	load->random = seed;
	load->group = 1;
	load->smmu = (struct smmu){
		.stream_bits = 24,
		.streams = load->streams,
		.streams_number = rows,
		.rows = load->rows,
		.rows_number = rows,
	};
	for (i = 0; i < rows; i++) {
		/* The next function, device, bus, or a bus much further. */
		switch (load_random(load) % 16) {
		case 0:
			id = (id | 0x7) + 1;
			break;
		case 1:
			id = (id | 0xff) + 1;
			break;
		case 2:
			id = (id | 0xfff) + 1;
			break;
		}
		load->loads[i].hits = 9;
		load->streams[i].id = id;
		load->rows[i] = (struct row){
			.id = id,
			.smmu = &load->smmu,
			.streams = &load->streams[i],
			.streams_number = 1,
		};
		id++;
	}
	for (i = 0; i < pmcgs; i++)
		load->pmcgs[i] = *pmcg;
	load->device.described = true;
	load->machine = (struct machine){
		.devices = &load->device,
		.devices_number = 1,
		.smmus = &load->smmu,
		.smmus_number = 1,
		.pmcgs = load->pmcgs,
		.pmcgs_number = pmcgs,
	};
}

/* How much of [0, time) is in the first part of a period, which is so long */
static double pulses(double time, double period, double part)
{
	double whole = floor(time / period);

	return whole * part + fmin(time - whole * period, part);
}

static double moves(const struct load *load, const struct load_row *row, double begin, double end)
{
	unsigned int period = begin / row->period;
	double sum = 0;

	for (; period * row->period < end; period++)
		if (period % load->turns == row->turn)
			sum += fmin(end, (period + 1) * row->period) -
			       fmax(begin, period * row->period);
	return sum;
}

double load_active(const struct load *load, const struct load_row *row, double begin, double end)
{
	switch (row->shape) {
	case SHAPE_PULSES:
		return pulses(end + row->phase, row->period, row->period / 2) -
		       pulses(begin + row->phase, row->period, row->period / 2);
	case SHAPE_BURSTS:
		return pulses(end + row->phase, row->period, 0.5) -
		       pulses(begin + row->phase, row->period, 0.5);
	case SHAPE_LATE:
		return fmax(0, end - fmax(begin, row->phase));
	case SHAPE_MOVING:
		return moves(load, row, begin + row->phase, end + row->phase);
	default:
		return end - begin;
	}
}

static double mean_of(const struct load *load, size_t row, size_t pmcg, double begin, double end)
{
	const struct load_row *this = &load->loads[row];

	if (!(this->rate * this->shares[pmcg] > 0))
		return 0;
	return this->rate * this->shares[pmcg] * load_active(load, this, begin, end);
}

static bool is_in(const struct block *block, uint32_t id)
{
	uint32_t filter, ignored = 0;
	bool span;

	if (block->everything)
		return true;
	/* As IHI 0070 10.4 says, from the filter's value */
	filter = block_filter(block, &span);
	if (span)
		ignored = filter ^ (filter + 1);
	return !((id ^ filter) & ~ignored);
}

static void count_row(struct load *load, size_t row, size_t pmcg, double begin, double end,
		      uint64_t *misses, uint64_t *transactions)
{
	double mean = mean_of(load, row, pmcg, begin, end), counted;

	if (!(mean > 0))
		return;
	counted = events(load, mean);
	load->loads[row].counted[pmcg] += counted;
	load->loads[row].counted_mean[pmcg] += mean;
	*misses += (uint64_t)counted;
	*transactions += (uint64_t)(counted + independent(load, load->loads[row].hits * mean));
}

/* Everything is not counted row by row: that would take long, and is the same. */
static void count_all(struct load *load, size_t pmcg, double begin, double end, uint64_t *misses,
		      uint64_t *transactions)
{
	double mean, sum = 0, hits = 0;
	size_t row;

	for (row = 0; row < load->smmu.rows_number; row++) {
		mean = mean_of(load, row, pmcg, begin, end);
		sum += mean;
		hits += load->loads[row].hits * mean;
	}
	*misses = (uint64_t)events(load, sum);
	*transactions = *misses + (uint64_t)independent(load, hits);
}

void load_count(struct load *load, size_t pmcg, const struct slice *slice, double begin,
		double end, struct slice_counts *counts)
{
	uint64_t misses = 0, transactions = 0;
	const struct spec *spec, *last = NULL;
	unsigned int i;
	size_t row;

	counts->enabled = (uint64_t)((end - begin) * 1e9);
	counts->running = counts->enabled;
	for (i = 0; i < slice->number; i++) {
		spec = &slice->specs[i];
		if (!last || !block_equal(&spec->block, &last->block)) {
			misses = 0;
			transactions = 0;
			if (spec->block.everything)
				count_all(load, pmcg, begin, end, &misses, &transactions);
			for (row = 0; !spec->block.everything && row < load->smmu.rows_number;
			     row++)
				if (is_in(&spec->block, load->rows[row].id))
					count_row(load, row, pmcg, begin, end, &misses,
						  &transactions);
		}
		last = spec;
		counts->counts[i] = spec->event == EVENT_TLB_MISS ? misses :
				    spec->event == EVENT_TRANSACTION ? transactions :
				    /* Of a TCU: a walk has 3.9 accesses. */
				    spec->event == EVENT_WALK_ACCESS ? misses * 39 / 10 : 0;
	}
}

double load_truth(struct load *load, size_t row, double begin, double end)
{
	struct load_row *this = &load->loads[row];
	double sum = 0, mean;
	size_t pmcg;

	for (pmcg = 0; pmcg < load->machine.pmcgs_number; pmcg++) {
		mean = mean_of(load, row, pmcg, begin, end) - this->counted_mean[pmcg];
		sum += this->counted[pmcg] + events(load, mean);
		this->counted[pmcg] = 0;
		this->counted_mean[pmcg] = 0;
	}
	return sum;
}
