/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the counting files of the driver need of the kernel's headers, in
 * userland: every <linux/...> and <asm/...> that they include is this file. An
 * operation that another context can come before or after is a point of the
 * exploration.
 */
#ifndef EXPLORE_STAND_INS_H
#define EXPLORE_STAND_INS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef long long s64;
typedef s64 ktime_t;
typedef int clockid_t;

/* Another context may do something here; @seen is what the operation returned. */
void point(void);
u64 observe(u64 seen);

#define __iomem
#define __percpu
#define __same_type(a, b)	__builtin_types_compatible_p(typeof(a), typeof(b))
#define local_clock()		0ULL
#define __printf(a, b)
#define EXPORT_SYMBOL_GPL(symbol)
#define KERNEL_VERSION(a, b, c)	((a) << 16 | (b) << 8 | (c))
#define SINCE(a, b)		(LINUX_VERSION_CODE >= KERNEL_VERSION(a, b, 0))
#define U8_MAX			UINT8_MAX
#define U32_MAX			UINT32_MAX
#define U64_MAX			UINT64_MAX
#define BITS_PER_LONG		64
#define BITS_TO_LONGS(n)	(((n) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define GENMASK_ULL(high, low)	(~0ULL >> (63 - (high)) & ~0ULL << (low))
#define lower_32_bits(n)	((u32)(n))
#define upper_32_bits(n)	((u32)((u64)(n) >> 32))
#define min(a, b)		({ typeof(a) a_ = (a); typeof(b) b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b)		({ typeof(a) a_ = (a); typeof(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define min_t(type, a, b)	({ type a_ = (a), b_ = (b); a_ < b_ ? a_ : b_; })
#define max_t(type, a, b)	({ type a_ = (a), b_ = (b); a_ > b_ ? a_ : b_; })
#define clamp_t(type, v, low, high)	\
	({ type v_ = (v), l_ = (low), h_ = (high); v_ < l_ ? l_ : v_ > h_ ? h_ : v_; })
#define div_u64(a, b)		((u64)(a) / (b))
#define div64_u64(a, b)		((u64)(a) / (b))
#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define container_of_const	container_of

/* Memory that other contexts access, too */
#define barrier()		({ point(); __asm__ __volatile__("" : : : "memory"); })
#define READ_ONCE(x)		(*(volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, value)	(*(volatile typeof(x) *)&(x) = (value))
#define smp_load_acquire(p)	READ_ONCE(*(p))
#define smp_store_release(p, value)	WRITE_ONCE(*(p), value)
#define cmpxchg(p, old, new)	\
	({ typeof(*(p)) was_ = *(p); *(p) = was_ == (old) ? (new) : was_; was_; })

typedef struct { s64 value; } local64_t;
typedef struct { int value; } atomic_t;
typedef struct { int value; } refcount_t;

#define local64_read(l)		({ point(); (s64)observe((l)->value); })
#define local64_set(l, n)	({ s64 n_ = (n); point(); (l)->value = n_; })
#define local64_add(n, l)	({ s64 n_ = (n); point(); (l)->value += n_; })
#define local64_sub(n, l)	local64_add(-(n), l)
#define local64_cmpxchg(l, old, new)	\
	({ point(); observe(cmpxchg(&(l)->value, (s64)(old), (s64)(new))); })
#define local64_xchg(l, n)	\
	({ s64 old_; point(); old_ = (l)->value; (l)->value = (n); observe(old_); })

/* Bitmaps: one word is enough for the counters of the exploration. */
#define DECLARE_BITMAP(name, bits)	unsigned long name[BITS_TO_LONGS(bits)]
#define test_bit(bit, map)		((map)[0] >> (bit) & 1)
unsigned int existing(unsigned int bit);
#define __set_bit(bit, map)		((void)((map)[0] |= 1UL << existing(bit)))
#define __clear_bit(bit, map)		((void)((map)[0] &= ~(1UL << existing(bit))))
#define __assign_bit(bit, map, value)	\
	({ if (value) __set_bit(bit, map); else __clear_bit(bit, map); })
#define bitmap_zero(to, n)		((void)((to)[0] = 0))
#define bitmap_copy(to, from, n)	((void)((to)[0] = (from)[0]))
#define bitmap_and(to, a, b, n)		({ (to)[0] = (a)[0] & (b)[0]; (to)[0] != 0; })
#define bitmap_andnot(to, a, b, n)	({ (to)[0] = (a)[0] & ~(b)[0]; (to)[0] != 0; })
#define bitmap_or(to, a, b, n)		((void)((to)[0] = (a)[0] | (b)[0]))
#define bitmap_empty(map, n)		(!(map)[0])
#define bitmap_subset(a, b, n)		(!((a)[0] & ~(b)[0]))
#define bitmap_intersects(a, b, n)	(((a)[0] & (b)[0]) != 0)

static inline unsigned int find_next(unsigned long word, unsigned int from, unsigned int n)
{
	word &= ~0UL << from;
	return word ? (unsigned int)__builtin_ctzl(word) : n;
}

#define find_first_bit(map, n)		find_next((map)[0], 0, n)
#define find_first_zero_bit(map, n)	min(find_next(~(map)[0], 0, n), (unsigned int)(n))
#define for_each_and_bit(bit, a, b, n)	\
	for ((bit) = find_next((a)[0] & (b)[0], 0, n); (bit) < (n); \
	     (bit) = find_next((a)[0] & (b)[0], (bit) + 1, n))
#define for_each_set_bit(bit, map, n)	for_each_and_bit(bit, map, map, n)

/* Lists */
struct list_head { struct list_head *next, *prev; };
struct hlist_node { struct hlist_node *next; };

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list_head *list)
{
	return list->next == list;
}

static inline void list_del_init(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	INIT_LIST_HEAD(entry);
}

static inline void list_move_tail(struct list_head *entry, struct list_head *list)
{
	list_del_init(entry);
	*entry = (struct list_head){ .next = list, .prev = list->prev };
	list->prev->next = entry;
	list->prev = entry;
}

#define list_for_each_entry_safe(pos, n, list, member)	\
	for (pos = container_of((list)->next, typeof(*pos), member); \
	     n = container_of((pos)->member.next, typeof(*pos), member), \
	     &(pos)->member != (list); pos = n)

/* Locks: a handler that waits for a lock that its own CPU holds never ends. */
typedef struct { bool held; } raw_spinlock_t;
struct mutex { int unused; };
void raw_spin_lock(raw_spinlock_t *lock);
void raw_spin_unlock(raw_spinlock_t *lock);

/* Timers */
#define NSEC_PER_USEC			1000L
#define NSEC_PER_SEC			1000000000L
#define TICK_NSEC			4000000L
#define CLOCK_MONOTONIC			1
#define HRTIMER_MODE_REL_PINNED_HARD	0
#define ns_to_ktime(ns)			((ktime_t)(ns))

enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };

struct hrtimer {
	enum hrtimer_restart (*function)(struct hrtimer *timer);
	ktime_t remaining;
	bool queued;
};

#define ARM_SYSPMU_HAS_HRTIMER_SETUP
#define hrtimer_setup(timer, f, clock, mode)	((timer)->function = (f))
#define hrtimer_start(timer, after, mode)	\
	({ (timer)->remaining = (after); (timer)->queued = true; })
#define hrtimer_try_to_cancel(timer)		((timer)->queued = false)
#define hrtimer_is_queued(timer)		((timer)->queued)
#define hrtimer_get_remaining(timer)		((timer)->remaining)

extern unsigned long jiffies;
#define time_is_before_jiffies(time)	((long)((time) - jiffies) < 0)

/* CPUs: the one that runs is a variable. */
struct cpumask { unsigned long bits; };
extern unsigned int this_cpu;
#define nr_cpu_ids			2U
#define smp_processor_id()		this_cpu
#define this_cpu_ptr(p)			(p)
#define DEFINE_PER_CPU(type, name)	struct arm_syspmu_tick name
#define per_cpu_ptr(p, cpu)		(p)
#define cpumask_set_cpu(cpu, mask)	((mask)->bits |= 1UL << (cpu))

struct work_struct { int unused; };
struct irq_work { int unused; };
struct ratelimit_state { int unused; };
struct msi_msg { int unused; };
struct __call_single_data { int unused; };
struct pt_regs { int unused; };
struct device;
typedef void (*smp_call_func_t)(void *info);
#define irq_work_queue(work)		((void)(work))
#define get_irq_regs()			((struct pt_regs *)NULL)
#define perf_fetch_caller_regs(regs)	((void)(regs))

#define GFP_KERNEL			0
void *kcalloc(size_t n, size_t size, int flags);

/* perf */
#define PERF_HES_STOPPED		1
#define PERF_HES_UPTODATE		2
#define PERF_EF_START			1
#define PERF_EF_RELOAD			2
#define PERF_EF_UPDATE			4
#define PERF_PMU_TXN_ADD		1
#define PERF_PMU_TXN_READ		2
#define PERF_SAMPLE_READ		1

enum perf_event_state {
	PERF_EVENT_STATE_DEAD = -4,
	PERF_EVENT_STATE_ERROR = -2,
	PERF_EVENT_STATE_OFF = -1,
	PERF_EVENT_STATE_INACTIVE = 0,
	PERF_EVENT_STATE_ACTIVE = 1,
};

struct perf_event;
struct perf_cpu_context;

struct pmu {
	struct perf_cpu_context *pmu_cpu_context;
	void (*pmu_enable)(struct pmu *pmu);
	void (*pmu_disable)(struct pmu *pmu);
	int (*add)(struct perf_event *event, int flags);
	void (*del)(struct perf_event *event, int flags);
	void (*start)(struct perf_event *event, int flags);
	void (*stop)(struct perf_event *event, int flags);
	void (*read)(struct perf_event *event);
	void (*start_txn)(struct pmu *pmu, unsigned int flags);
	int (*commit_txn)(struct pmu *pmu);
	void (*cancel_txn)(struct pmu *pmu);
};

struct hw_perf_event {
	int idx, state;
	u64 interrupts, interrupts_seq, sample_period, last_period;
	local64_t period_left;
};

struct perf_event_context { raw_spinlock_t lock; };

struct perf_event {
	struct { u64 sample_type; bool freq, pinned; } attr;
	struct hw_perf_event hw;
	struct pmu *pmu;
	void *pmu_private;
	struct perf_event *group_leader;
	struct perf_event_context *ctx;
	enum perf_event_state state;
	int oncpu, cpu;
	local64_t count;
};

struct perf_sample_data { u64 period; };

#define is_sampling_event(event)	((event)->hw.sample_period != 0)
#define perf_event_update_userpage(event)	((void)(event))
#define perf_sample_data_init(data, addr, length)	((data)->period = (length))
struct perf_event *next_sibling(struct perf_event *leader, struct perf_event *event);
#define for_each_sibling_event(sibling, leader)	\
	for ((sibling) = next_sibling(leader, leader); (sibling); \
	     (sibling) = next_sibling(leader, sibling))

/* include/trace/events/arm_syspmu.h */
#define trace_arm_syspmu_program(...)	((void)0)
#define trace_arm_syspmu_overflow(...)	((void)0)
#define trace_arm_syspmu_capture(...)	((void)0)
#define trace_arm_syspmu_fault(...)	((void)0)

#endif /* EXPLORE_STAND_INS_H */
