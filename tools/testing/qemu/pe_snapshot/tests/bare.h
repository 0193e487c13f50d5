/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests that run without an operating system at the Exception level EL: System registers,
 * exceptions, a second CPU, and expectations.
 */
#ifndef BARE_H
#define BARE_H

#include <stdbool.h>
#include <stdint.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define BIT(n)		(UINT64_C(1) << (n))

#define SCR_EL3_USUAL	(BIT(0) | BIT(8) | BIT(10))	/* NS, HCE, RW */
#define HCR_EL2_RW	BIT(31)

#define PSCI_CPU_OFF		0x84000002
#define PSCI_CPU_ON		0xc4000003
#define PSCI_AFFINITY_INFO	0xc4000004

#define EC_UNDEFINED	0x00
#define EC_MSR		0x18
#define NOTHING		0xff

#define READ(reg) ({							\
	uint64_t value_;						\
									\
	asm volatile("mrs %0, " reg : "=r" (value_) : : "memory");	\
	value_;								\
})
#define WRITE(reg, value) ({							\
	asm volatile("msr " reg ", %0\n\tisb" : : "r" ((uint64_t)(value)) : "memory"); \
})

/* start.S; the Exception level and the syndrome of the last exception */
void print(const char *text);
void run_at(unsigned int el, void (*function)(void));
int64_t psci(uint64_t function, uint64_t a, uint64_t b);
void secondary_start(void);
void secondary(void);
extern volatile uint64_t taken[2];
extern char vectors_el1[], vectors_el2[], vectors_el3[];

static unsigned int failures;

static void print_number(uint64_t value, unsigned int base)
{
	char text[24], *p = text + sizeof(text) - 1;

	*p = 0;
	do {
		*--p = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	print(p);
}

/* Returns whether it is as expected. */
static bool expect(uint64_t expected, uint64_t value, unsigned int line)
{
	if (expected == value)
		return true;
	failures++;
	print("# line ");
	print_number(line, 10);
	print(": expected 0x");
	print_number(expected, 16);
	print(", is 0x");
	print_number(value, 16);
	print("\n");
	return false;
}

#define EXPECT_EQ(expected, value)	expect(expected, value, __LINE__)
#define EXPECT_TRUE(value)		expect(true, !!(value), __LINE__)

/* What the access did: the Exception level << 8 | EC, or NOTHING. */
#define CONSEQUENCE(access) ({						\
	taken[0] = 0;							\
	access;								\
	asm volatile("isb");						\
	taken[0] ? taken[0] << 8 | taken[1] >> 26 : NOTHING;		\
})
#define UNDEFINED_AT(el)	((el) << 8 | EC_UNDEFINED)
#define TRAP_TO(el)		((el) << 8 | EC_MSR)

static void prepare(void)
{
	WRITE("VBAR_EL1", (uint64_t)vectors_el1);
	if (EL >= 2) {
		WRITE("VBAR_EL2", (uint64_t)vectors_el2);
		WRITE("HCR_EL2", HCR_EL2_RW);
	}
	if (EL == 3) {
		WRITE("VBAR_EL3", (uint64_t)vectors_el3);
		WRITE("SCR_EL3", SCR_EL3_USUAL);
	}
}

/* With the time of instructions, QEMU runs one CPU at a time, which has to give way. */
static void give_way(void)
{
	asm volatile("yield" : : : "memory");
}

#endif /* BARE_H */
