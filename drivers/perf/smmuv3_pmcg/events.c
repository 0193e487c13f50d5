// SPDX-License-Identifier: GPL-2.0
/*
 * Events and capabilities of a Performance Monitor Counter Group in sysfs. The
 * events are the architected ones (§10.3) in CEID and the IMPLEMENTATION
 * DEFINED ones of known products.
 *
 * The products are Arm's MMU-600, MMU-600AE (manual 101412) and MMU-700 (manual
 * 101542), with a group in the translation control unit (TCU) and in each
 * translation buffer unit (TBU). The meaning of an event depends on the unit.
 * The unit is recognised by CEID and not by the part number: groups that count
 * for the whole SMMU often have that of a TCU.
 */

#include <linux/bitfield.h>
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/sysfs.h>

#include "pmcg.h"

/* Layout of IIDR (§10.5.2.15), which the ID registers are converted to */
#define PMCG_IIDR_PRODUCT_ID		GENMASK(31, 20)
#define PMCG_IIDR_IMPLEMENTER		GENMASK(11, 0)
#define PMCG_IMPLEMENTER_ARM		0x43b

#define PMCG_AIDR_SMMUV3_1		0x01
#define PMCG_AIDR_SMMUV3_2		0x02
#define PMCG_AIDR_ANY			0xff

#define PMCG_CEID_TCU			GENMASK_ULL(6, 0)
#define PMCG_CEID_TBU			(BIT_ULL(7) | GENMASK_ULL(2, 0))

/* Bits of products, in each of which is one of these units */
#define PMCG_MMU600_TCU			BIT(0)
#define PMCG_MMU600AE_TCU		BIT(1)
#define PMCG_MMU700_TCU			BIT(2)
#define PMCG_MMU600_TBU			BIT(3)
#define PMCG_MMU600AE_TBU		BIT(4)
#define PMCG_MMU700_TBU			BIT(5)
#define PMCG_MMU600_TCUS		(PMCG_MMU600_TCU | PMCG_MMU600AE_TCU)
#define PMCG_MMU600_TBUS		(PMCG_MMU600_TBU | PMCG_MMU600AE_TBU)
#define PMCG_TCUS			(PMCG_MMU600_TCUS | PMCG_MMU700_TCU)
#define PMCG_TBUS			(PMCG_MMU600_TBUS | PMCG_MMU700_TBU)

struct pmcg_known_product {
	u16 part;
	u8 aidr;
	u64 ceid;
	u8 product;
};

static const struct pmcg_known_product pmcg_known_products[] = {
	{ 0x483, PMCG_AIDR_ANY,	     PMCG_CEID_TCU, PMCG_MMU600_TCU },
	{ 0x483, PMCG_AIDR_ANY,	     PMCG_CEID_TBU, PMCG_MMU600_TBU },
	{ 0x484, PMCG_AIDR_ANY,	     PMCG_CEID_TBU, PMCG_MMU600_TBU },
	{ 0x486, PMCG_AIDR_ANY,	     PMCG_CEID_TBU, PMCG_MMU600AE_TBU },
	{ 0x487, PMCG_AIDR_SMMUV3_1, PMCG_CEID_TCU, PMCG_MMU600AE_TCU },
	{ 0x487, PMCG_AIDR_SMMUV3_2, PMCG_CEID_TCU, PMCG_MMU700_TCU },
	{ 0x488, PMCG_AIDR_ANY,	     PMCG_CEID_TBU, PMCG_MMU700_TBU },
};

/* A file in the directory events */
struct pmcg_event_attr {
	struct device_attribute attr;
	u16 id;
	/* The products that have it; not used for an architected event */
	u8 products;
	/* It belongs to no StreamID, and is only counted if SCR.SO is set. */
	bool no_stream_id;
};

static const struct pmcg_event_attr *to_pmcg_event(const struct attribute *attr)
{
	return container_of_const(attr, struct pmcg_event_attr, attr.attr);
}

static ssize_t pmcg_event_show(struct device *dev,
			       struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "event=0x%02x\n", to_pmcg_event(&attr->attr)->id);
}

#define PMCG_EVENT_ATTR(_name, _id, _products, _no_stream_id)		\
	(&((struct pmcg_event_attr[]) { {				\
		.attr = __ATTR(_name, 0444, pmcg_event_show, NULL),	\
		.id = (_id),						\
		.products = (_products),				\
		.no_stream_id = (_no_stream_id),			\
	} })[0].attr.attr)

/* Architected; of a product; of a product, and without a StreamID */
#define PMCG_EVENT(name, id)	PMCG_EVENT_ATTR(name, id, 0, false)
#define PMCG_OF(name, id, products)	\
	PMCG_EVENT_ATTR(name, id, PMCG_##products, false)
/*
 * A number that has a bit in &smmuv3_pmcg.no_stream_id: for others, the size of
 * the array is negative.
 */
#define PMCG_NAMED_EVENT(id)	\
	(PMCG_NAMED_EVENTS - 1 - sizeof(char[PMCG_NAMED_EVENTS - 1 - (id)]))
#define PMCG_NO_SID(name, id, products)	\
	PMCG_EVENT_ATTR(name, PMCG_NAMED_EVENT(id), PMCG_##products, true)

static struct attribute *pmcg_event_attrs[] = {
	PMCG_EVENT(cycles, PMCG_EVENT_CYCLES),
	PMCG_EVENT(transaction, 1),
	PMCG_EVENT(tlb_miss, 2),
	PMCG_EVENT(config_cache_miss, 3),
	PMCG_EVENT(trans_table_walk_access, 4),
	PMCG_EVENT(config_struct_access, 5),
	PMCG_EVENT(pcie_ats_trans_rq, 6),
	PMCG_EVENT(pcie_ats_trans_passed, 7),

	/* Walk caches: of stage 1 or 2, for entries of levels 0 to 3 */
	PMCG_OF(s1l0wc_lookup, 0x80, TCUS),
	PMCG_OF(s1l0wc_miss, 0x81, TCUS),
	PMCG_OF(s1l1wc_lookup, 0x82, TCUS),
	PMCG_OF(s1l1wc_miss, 0x83, TCUS),
	PMCG_OF(s1l2wc_lookup, 0x84, TCUS),
	PMCG_OF(s1l2wc_miss, 0x85, TCUS),
	PMCG_OF(s1l3wc_lookup, 0x86, TCUS),
	PMCG_OF(s1l3wc_miss, 0x87, TCUS),
	PMCG_OF(s2l0wc_lookup, 0x88, TCUS),
	PMCG_OF(s2l0wc_miss, 0x89, TCUS),
	PMCG_OF(s2l1wc_lookup, 0x8a, TCUS),
	PMCG_OF(s2l1wc_miss, 0x8b, TCUS),
	PMCG_OF(s2l2wc_lookup, 0x8c, TCUS),
	PMCG_OF(s2l2wc_miss, 0x8d, TCUS),
	PMCG_OF(s2l3wc_lookup, 0x8e, TCUS),
	PMCG_OF(s2l3wc_miss, 0x8f, TCUS),
	PMCG_OF(wc_read, 0x90, TCUS),
	PMCG_OF(buffered_translation, 0x91, TCUS),
	/* Configuration cache */
	PMCG_OF(cc_lookup, 0x92, TCUS),
	PMCG_OF(cc_read, 0x93, TCUS),
	PMCG_OF(cc_miss, 0x94, TCUS),
	PMCG_OF(speculative_translation, 0xa0, TCUS),
	/* Corrected errors */
	PMCG_NO_SID(s1l0wc_error, 0xc0, MMU600_TCUS),
	PMCG_NO_SID(s1l1wc_error, 0xc1, MMU600_TCUS),
	PMCG_NO_SID(s1l2wc_error, 0xc2, MMU600_TCUS),
	PMCG_NO_SID(s1l3wc_error, 0xc3, MMU600_TCUS),
	PMCG_NO_SID(s2l0wc_error, 0xc4, MMU600_TCUS),
	PMCG_NO_SID(s2l1wc_error, 0xc5, MMU600_TCUS),
	PMCG_NO_SID(s2l2wc_error, 0xc6, MMU600_TCUS),
	PMCG_NO_SID(s2l3wc_error, 0xc7, MMU600_TCUS),
	PMCG_NO_SID(cc_error, 0xc8, MMU600_TCUS),

	PMCG_OF(main_tlb_lookup, 0x80, TBUS),
	PMCG_OF(main_tlb_miss, 0x81, TBUS),
	PMCG_OF(main_tlb_read, 0x82, TBUS),
	PMCG_OF(micro_tlb_lookup, 0x83, TBUS),
	PMCG_OF(micro_tlb_miss, 0x84, TBUS),
	PMCG_NO_SID(slots_full, 0x85, TBUS),
	PMCG_NO_SID(out_of_translation_tokens, 0x86, TBUS),
	PMCG_NO_SID(write_data_buffer_full, 0x87, TBUS),
	PMCG_OF(translation_request, 0x88, MMU600_TBUS),
	PMCG_OF(write_data_uses_buffer, 0x89, MMU600_TBUS),
	PMCG_OF(write_data_bypasses_buffer, 0x8a, MMU600_TBUS),
	PMCG_OF(make_invalid_downgrade, 0x8b, MMU600_TBUS),
	PMCG_OF(dcmo_downgrade, 0x8b, MMU700_TBU),
	PMCG_OF(stash_fail, 0x8c, TBUS),
	PMCG_NO_SID(fixed_burst_termination, 0x8d, MMU700_TBU),
	PMCG_NO_SID(main_tlb_error, 0xc0, MMU600_TBUS),
	/* One for each LTI port that a TBU can have */
	PMCG_NO_SID(lti0_slots_full, 0xd0, MMU700_TBU),
	PMCG_NO_SID(lti1_slots_full, 0xd1, MMU700_TBU),
	PMCG_NO_SID(lti2_slots_full, 0xd2, MMU700_TBU),
	PMCG_NO_SID(lti3_slots_full, 0xd3, MMU700_TBU),
	PMCG_NO_SID(lti4_slots_full, 0xd4, MMU700_TBU),
	PMCG_NO_SID(lti5_slots_full, 0xd5, MMU700_TBU),
	PMCG_NO_SID(lti6_slots_full, 0xd6, MMU700_TBU),
	PMCG_NO_SID(lti7_slots_full, 0xd7, MMU700_TBU),
	PMCG_NO_SID(lti0_out_of_translation_tokens, 0xe0, MMU700_TBU),
	PMCG_NO_SID(lti1_out_of_translation_tokens, 0xe1, MMU700_TBU),
	PMCG_NO_SID(lti2_out_of_translation_tokens, 0xe2, MMU700_TBU),
	PMCG_NO_SID(lti3_out_of_translation_tokens, 0xe3, MMU700_TBU),
	PMCG_NO_SID(lti4_out_of_translation_tokens, 0xe4, MMU700_TBU),
	PMCG_NO_SID(lti5_out_of_translation_tokens, 0xe5, MMU700_TBU),
	PMCG_NO_SID(lti6_out_of_translation_tokens, 0xe6, MMU700_TBU),
	PMCG_NO_SID(lti7_out_of_translation_tokens, 0xe7, MMU700_TBU),
	NULL
};

static bool pmcg_has_event(const struct smmuv3_pmcg *pmcg,
			   const struct pmcg_event_attr *event)
{
	if (event->id < PMCG_ARCH_EVENTS)
		return test_bit(event->id, pmcg->ceid);

	return event->products & pmcg->product;
}

/* Whether it can count what only Arm's translation control units can. */
bool pmcg_is_tcu(const struct smmuv3_pmcg *pmcg)
{
	return pmcg->ceid[0] == PMCG_CEID_TCU && !pmcg->ceid[1];
}

/* Recognises the product by IIDR, AIDR and the events that it can count. */
void pmcg_identify_product(struct smmuv3_pmcg *pmcg, u32 iidr, u32 aidr)
{
	const struct pmcg_known_product *known = pmcg_known_products;
	const struct pmcg_event_attr *event;
	struct attribute **attr;
	unsigned int i;

	if (FIELD_GET(PMCG_IIDR_IMPLEMENTER, iidr) != PMCG_IMPLEMENTER_ARM)
		return;

	for (i = 0; i < ARRAY_SIZE(pmcg_known_products); i++, known++)
		if (known->part == FIELD_GET(PMCG_IIDR_PRODUCT_ID, iidr) &&
		    known->ceid == pmcg->ceid[0] && !pmcg->ceid[1] &&
		    (known->aidr == PMCG_AIDR_ANY || known->aidr == aidr))
			pmcg->product = known->product;

	for (attr = pmcg_event_attrs; *attr; attr++) {
		event = to_pmcg_event(*attr);
		if (event->no_stream_id && pmcg_has_event(pmcg, event))
			__set_bit(event->id, pmcg->no_stream_id);
	}
}

static umode_t pmcg_event_is_visible(struct kobject *kobj,
				     struct attribute *attr, int n)
{
	struct smmuv3_pmcg *pmcg = dev_to_smmuv3_pmcg(kobj_to_dev(kobj));

	return pmcg_has_event(pmcg, to_pmcg_event(attr)) ? attr->mode : 0;
}

const struct attribute_group pmcg_events_group = {
	.name = "events",
	.attrs = pmcg_event_attrs,
	.is_visible = pmcg_event_is_visible,
};

static ssize_t filter_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%s\n",
			  dev_to_smmuv3_pmcg(dev)->one_filter ? "one" : "each");
}
static DEVICE_ATTR_RO(filter);

static ssize_t streamid_bits_show(struct device *dev,
				  struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n",
			  fls(dev_to_smmuv3_pmcg(dev)->stream_id_bits));
}
static DEVICE_ATTR_RO(streamid_bits);

/* One word for perf: "0x85-0x87,0xc0" */
static ssize_t no_streamid_events_show(struct device *dev,
				       struct device_attribute *attr, char *buf)
{
	struct smmuv3_pmcg *pmcg = dev_to_smmuv3_pmcg(dev);
	unsigned int first, end;
	int length = 0;

	for_each_set_bitrange(first, end, pmcg->no_stream_id,
			      PMCG_NAMED_EVENTS) {
		length += sysfs_emit_at(buf, length, "%s0x%02x",
					length ? "," : "", first);
		if (end > first + 1)
			length += sysfs_emit_at(buf, length, "-0x%02x",
						end - 1);
	}

	return length + sysfs_emit_at(buf, length, "\n");
}
static DEVICE_ATTR_RO(no_streamid_events);

static struct attribute *pmcg_caps_attrs[] = {
	&arm_syspmu_caps_counters.attr,
	&arm_syspmu_caps_counter_width.attr,
	&arm_syspmu_caps_capture.attr,
	&dev_attr_filter.attr,
	&dev_attr_streamid_bits.attr,
	&dev_attr_no_streamid_events.attr,
	NULL
};

static umode_t pmcg_caps_is_visible(struct kobject *kobj,
				    struct attribute *attr, int n)
{
	struct smmuv3_pmcg *pmcg = dev_to_smmuv3_pmcg(kobj_to_dev(kobj));
	bool visible = true;

	if (attr == &dev_attr_streamid_bits.attr)
		visible = pmcg->stream_id_bits;
	else if (attr == &dev_attr_no_streamid_events.attr)
		visible = !bitmap_empty(pmcg->no_stream_id, PMCG_NAMED_EVENTS);

	return visible ? attr->mode : 0;
}

const struct attribute_group pmcg_caps_group = {
	.name = "caps",
	.attrs = pmcg_caps_attrs,
	.is_visible = pmcg_caps_is_visible,
};
