/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A simulated machine for the tests: an SMMU with counter groups, and devices with loads. Time is
 * virtual, and all numbers are pseudo-random, from a seed.
 */
#ifndef SMMUTOP_TESTS_LOAD_H
#define SMMUTOP_TESTS_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../counting.h"
#include "../machine.h"

#define MAX_ROWS	2048
#define MAX_PMCGS	8

/**
 * enum load_shape - when a device is active
 * @SHAPE_STEADY: always
 * @SHAPE_PULSES: in the first half of each period
 * @SHAPE_LATE: from a time on
 * @SHAPE_MOVING: in some periods
 * @SHAPE_BURSTS: for half a second in each period
 */
enum load_shape {
	SHAPE_STEADY,
	SHAPE_PULSES,
	SHAPE_LATE,
	SHAPE_MOVING,
	SHAPE_BURSTS,
};

/**
 * struct load_row - what comes with one StreamID
 * @rate: misses per s while it is active
 * @shape: when it is active
 * @period: of pulses and of what moves, in s
 * @phase: when a period begins; of what starts late, when that is
 * @turn: of what moves: active in the periods that are this one, modulo load.turns
 * @shares: of each counter group
 * @hits: transactions that hit, for each miss
 * @active: until when it was active, of the interval, on each counter group; the time not counted
 * @counted: misses that were counted, by counter group
 * @counted_mean: how many were expected
 */
struct load_row {
	double rate;
	enum load_shape shape;
	double period;
	double phase;
	unsigned int turn;
	double shares[MAX_PMCGS];
	double hits;
	double counted[MAX_PMCGS];
	double counted_mean[MAX_PMCGS];
};

/**
 * struct load - what an SMMU does
 * @machine: that is simulated
 * @smmu: of it
 * @pmcgs: of it
 * @device: has all streams
 * @streams: of it, one for each row
 * @rows: of it
 * @loads: of the rows
 * @group: misses come in groups of so many
 * @turns: how many places a load moves to
 * @random: state of the generator
 */
struct load {
	struct machine machine;
	struct smmu smmu;
	struct pmcg pmcgs[MAX_PMCGS];
	struct device device;
	struct stream streams[MAX_ROWS];
	struct row rows[MAX_ROWS];
	struct load_row loads[MAX_ROWS];
	double group;
	unsigned int turns;
	uint64_t random;
};

/* 64 random bits */
uint64_t load_random(struct load *load);

/* 0 to 1, without 1 */
double load_uniform(struct load *load);

/* Starts again, with so many rows without load: functions of PCI devices. */
void load_init(struct load *load, uint64_t seed, size_t rows, const struct pmcg *pmcg,
	       unsigned int pmcgs);

/* How long a row is active between two times, in s */
double load_active(const struct load *load, const struct load_row *row, double begin, double end);

/* Counts what a counter group does in a slice from a time on. */
void load_count(struct load *load, size_t pmcg, const struct slice *slice, double begin,
		double end, struct slice_counts *counts);

/* How many misses a row has had in an interval, with what was counted of it; forgets that. */
double load_truth(struct load *load, size_t row, double begin, double end);

#endif
