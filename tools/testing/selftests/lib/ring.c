// SPDX-License-Identifier: GPL-2.0
/* The ring buffer to which perf writes the samples of an event. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring.h"

#define DATA_PAGES	64

/* Map the ring buffer of an event. */
int ring_open(struct ring *ring, int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *mapping;

	memset(ring, 0, sizeof(*ring));
	mapping = mmap(NULL, (1 + DATA_PAGES) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mapping == MAP_FAILED)
		return -errno;
	ring->control = mapping;
	ring->data = (const char *)mapping + page;
	ring->length = (1 + DATA_PAGES) * page;
	return 0;
}

/* Undo ring_open(). */
void ring_close(struct ring *ring)
{
	if (ring->control)
		munmap(ring->control, ring->length);
	ring->control = NULL;
}

/* The size of the data is a power of two; positions are not wrapped. */
static void copy_out(const struct ring *ring, __u64 position, void *data, size_t size)
{
	__u64 mask = ring->control->data_size - 1;
	char *to = data;
	size_t i;

	for (i = 0; i < size; i++)
		to[i] = ring->data[(position + i) & mask];
}

/* Removes the oldest record. */
static bool next_record(struct ring *ring, struct perf_event_header *header, __u64 *body,
			size_t size)
{
	__u64 head = __atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE);
	__u64 tail = ring->control->data_tail;
	size_t length;

	if (head == tail)
		return false;
	copy_out(ring, tail, header, sizeof(*header));
	length = header->size - sizeof(*header);
	copy_out(ring, tail + sizeof(*header), body, length < size ? length : size);
	__atomic_store_n(&ring->control->data_tail, tail + header->size, __ATOMIC_RELEASE);
	return true;
}

/* The fields are in the order of their bits in sample_type. */
static void parse_sample(const __u64 *body, struct ring_sample *sample)
{
	sample->ip = body[0];
	sample->cpu = body[1];
	sample->period = body[2];
	sample->number = body[3];
	if (sample->number > RING_MAX_VALUES)
		sample->number = 0;
	memcpy(sample->values, body + 4, sample->number * sizeof(*body));
}

/*
 * Remove records up to the next sample, with RING_SAMPLE_TYPE, or the same without PERF_SAMPLE_READ
 * or PERF_SAMPLE_IP. Returns false if there is none.
 */
bool ring_next_sample(struct ring *ring, struct ring_tally *tally, struct ring_sample *sample)
{
	struct perf_event_header header;
	__u64 body[4 + RING_MAX_VALUES] = { 0 };

	while (next_record(ring, &header, body, sizeof(body))) {
		switch (header.type) {
		case PERF_RECORD_SAMPLE:
			tally->samples++;
			tally->unpaired += tally->is_throttled && !tally->one_too_many;
			tally->one_too_many = false;
			parse_sample(body, sample);
			return true;
		case PERF_RECORD_THROTTLE:
			tally->throttled++;
			tally->unpaired += tally->is_throttled;
			tally->is_throttled = true;
			tally->one_too_many = true;
			break;
		case PERF_RECORD_UNTHROTTLE:
			tally->unthrottled++;
			tally->is_throttled = false;
			break;
		case PERF_RECORD_LOST:
			tally->lost += body[1];
			break;
		}
	}
	return false;
}

/* Remove records up to the next sample of a tracepoint. Returns false if there is none. */
bool ring_next_raw(struct ring *ring, void *data, size_t size, size_t *length)
{
	struct perf_event_header header;
	__u64 body[512];
	__u32 raw;

	while (next_record(ring, &header, body, sizeof(body))) {
		if (header.type != PERF_RECORD_SAMPLE)
			continue;
		memcpy(&raw, body, sizeof(raw));
		if (raw > sizeof(body) - sizeof(raw))
			continue;
		*length = raw < size ? raw : size;
		memcpy(data, (char *)body + sizeof(raw), *length);
		return true;
	}
	return false;
}

/* Remove all records. */
void ring_drain(struct ring *ring, struct ring_tally *tally)
{
	struct ring_sample sample;

	while (ring_next_sample(ring, tally, &sample))
		;
}
