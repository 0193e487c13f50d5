// SPDX-License-Identifier: GPL-2.0
/*
 * Fields and filters of the events of a Performance Monitor Counter Group.
 *
 * Events can be filtered by the StreamID of the device that causes them
 * (§10.4), for example by all from 0x40 to 0x47:
 *
 *   perf stat -a -e smmuv3_pmcg_2b442/tlb_miss,filter_enable=1,
 *		     filter_span=1,filter_stream_id=0x43/
 *
 * or by PARTID and PMG (§10.4.3).
 */

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/device.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

#include "pmcg.h"

/* Fields of perf_event_attr; up to FILTER_ENABLE those of the in-tree driver */
#define PMCG_CONFIG_EVENT		GENMASK_ULL(15, 0)
#define PMCG_CONFIG1_FILTER_STREAM_ID	GENMASK_ULL(31, 0)
#define PMCG_CONFIG1_FILTER_SPAN	BIT_ULL(32)
#define PMCG_CONFIG1_FILTER_ENABLE	BIT_ULL(33)
#define PMCG_CONFIG1_FILTER_SEC_SID	BIT_ULL(34)
#define PMCG_CONFIG1_FILTER_REALM_SID	BIT_ULL(35)
#define PMCG_CONFIG2_FILTER_PARTID	GENMASK_ULL(15, 0)
#define PMCG_CONFIG2_FILTER_PMG		GENMASK_ULL(23, 16)
#define PMCG_CONFIG2_PARTID_ENABLE	BIT_ULL(24)
#define PMCG_CONFIG2_PMG_ENABLE		BIT_ULL(25)
#define PMCG_CONFIG2_FILTER_MPAM_SP	GENMASK_ULL(27, 26)

#define PMCG_MPAM_SP_SECURE		0
#define PMCG_MPAM_SP_NON_SECURE		1
#define PMCG_MPAM_SP_RESERVED		2
#define PMCG_MPAM_SP_REALM		3

/* The fields that exist depend on what the counter group implements. */
void pmcg_set_format(struct smmuv3_pmcg *pmcg)
{
	u64 *fields = pmcg->syspmu.config_fields;

	pmcg->syspmu.clock = PMCG_EVENT_CYCLES;
	fields[0] = PMCG_CONFIG_EVENT;
	fields[1] = PMCG_CONFIG1_FILTER_STREAM_ID | PMCG_CONFIG1_FILTER_ENABLE;
	if (pmcg->type_bits & PMCG_EVTYPER_FILTER_SID_SPAN)
		fields[1] |= PMCG_CONFIG1_FILTER_SPAN;
	if (pmcg->type_bits & PMCG_EVTYPER_FILTER_SEC_SID)
		fields[1] |= PMCG_CONFIG1_FILTER_SEC_SID;
	if (pmcg->type_bits & PMCG_EVTYPER_FILTER_REALM_SID)
		fields[1] |= PMCG_CONFIG1_FILTER_REALM_SID;
	if (pmcg->partid_filter)
		fields[2] = PMCG_CONFIG2_FILTER_PARTID |
			    PMCG_CONFIG2_FILTER_PMG |
			    PMCG_CONFIG2_PARTID_ENABLE |
			    PMCG_CONFIG2_PMG_ENABLE |
			    PMCG_CONFIG2_FILTER_MPAM_SP;
}

static int pmcg_check_event(struct smmuv3_pmcg *pmcg, u32 id)
{
	u32 event_bits = pmcg->type_bits & PMCG_EVTYPER_EVENT;

	if (id < PMCG_ARCH_EVENTS && !test_bit(id, pmcg->ceid))
		return arm_syspmu_refuse(&pmcg->syspmu, -EINVAL,
					 "event 0x%x: this counter group cannot count it, see the events directory",
					 id);
	if (id & ~event_bits)
		return arm_syspmu_refuse(&pmcg->syspmu, -EINVAL,
					 "event 0x%x: this counter group has events up to 0x%x",
					 id, event_bits);
	return 0;
}

/* 0 is the Secure space if it is implemented and observed (§10.5.2.2). */
static bool pmcg_is_non_secure_space(const struct smmuv3_pmcg *pmcg, u32 space)
{
	if (space == PMCG_MPAM_SP_SECURE)
		return !(pmcg->type_bits & PMCG_EVTYPER_FILTER_SEC_SID);

	return space == PMCG_MPAM_SP_NON_SECURE;
}

static int pmcg_check_partid(struct smmuv3_pmcg *pmcg,
			     const struct perf_event_attr *attr)
{
	u32 partid = FIELD_GET(PMCG_CONFIG2_FILTER_PARTID, attr->config2);
	u32 pmg = FIELD_GET(PMCG_CONFIG2_FILTER_PMG, attr->config2);
	u32 space = FIELD_GET(PMCG_CONFIG2_FILTER_MPAM_SP, attr->config2);
	bool by_partid = attr->config2 & PMCG_CONFIG2_PARTID_ENABLE;
	bool by_pmg = attr->config2 & PMCG_CONFIG2_PMG_ENABLE;
	struct arm_syspmu *syspmu = &pmcg->syspmu;

	if ((partid && !by_partid) || (pmg && !by_pmg) ||
	    !(by_partid || by_pmg))
		return arm_syspmu_refuse(syspmu, -EINVAL,
					 "config2 0x%llx: filter_partid needs filter_partid_enable=1, filter_pmg needs filter_pmg_enable=1, and filter_mpam_sp one of these",
					 attr->config2);
	/* StreamIDs are ignored if either filter is enabled (§10.4.3). */
	if (attr->config1)
		return arm_syspmu_refuse(syspmu, -EINVAL,
					 "config1 0x%llx: events are filtered by PARTID or PMG, or by StreamID, not by both",
					 attr->config1);
	if (FIELD_GET(PMCG_CONFIG_EVENT, attr->config) == PMCG_EVENT_CYCLES)
		return arm_syspmu_refuse(syspmu, -EINVAL,
					 "event 0x0: clock cycles cannot be filtered by PARTID or PMG, remove the filter");
	if (space == PMCG_MPAM_SP_RESERVED ||
	    space & ~FIELD_GET(PMCG_EVTYPER_FILTER_MPAM_SP, pmcg->type_bits))
		return arm_syspmu_refuse(syspmu, -EINVAL,
					 "filter_mpam_sp %u: this counter group has no such PARTID space",
					 space);
	/*
	 * Higher values never match (§10.4.3). The limits of the other spaces
	 * cannot be read here (§10.5.2.27).
	 */
	if (!pmcg_is_non_secure_space(pmcg, space))
		return 0;
	if (partid > pmcg->partid_max)
		return arm_syspmu_refuse(syspmu, -EINVAL,
					 "filter_partid 0x%x: the highest PARTID is 0x%x",
					 partid, pmcg->partid_max);
	if (pmg > pmcg->pmg_max)
		return arm_syspmu_refuse(syspmu, -EINVAL,
					 "filter_pmg 0x%x: the highest PMG is 0x%x",
					 pmg, pmcg->pmg_max);
	return 0;
}

/*
 * Returns the StreamID filter fields of EVTYPERn, and sets @smr to SMRn
 * (§10.4). SMRn with all bits set matches several states at once; with the top
 * implemented bit clear it matches all StreamIDs of one state.
 */
static u32 pmcg_decode_stream_id(const struct smmuv3_pmcg *pmcg, u64 config1,
				 u32 *smr)
{
	bool secure = config1 & PMCG_CONFIG1_FILTER_SEC_SID;
	bool realm = config1 & PMCG_CONFIG1_FILTER_REALM_SID;
	bool enable = config1 & PMCG_CONFIG1_FILTER_ENABLE;
	bool span = !enable || config1 & PMCG_CONFIG1_FILTER_SPAN;

	*smr = enable ? FIELD_GET(PMCG_CONFIG1_FILTER_STREAM_ID, config1) :
			PMCG_SMR_ALL;
	if (secure != realm && span && !(pmcg->stream_id_bits & ~*smr))
		*smr = pmcg->stream_id_bits >> 1;

	return FIELD_PREP(PMCG_EVTYPER_FILTER_SID_SPAN, span) |
	       FIELD_PREP(PMCG_EVTYPER_FILTER_SEC_SID, secure) |
	       FIELD_PREP(PMCG_EVTYPER_FILTER_REALM_SID, realm);
}

/*
 * Whether FILTER_SEC_SID and FILTER_REALM_SID apply together with these filters
 * is ambiguous (§10.4.3, §10.5.2.2): set them to match the PARTID space.
 */
static u32 pmcg_decode_partid(const struct smmuv3_pmcg *pmcg, u64 config2,
			      u32 *smr)
{
	u32 space = FIELD_GET(PMCG_CONFIG2_FILTER_MPAM_SP, config2);
	bool realm = space == PMCG_MPAM_SP_REALM;
	bool secure = !realm && !pmcg_is_non_secure_space(pmcg, space);

	/* Both have PARTID and PMG in the same bits. */
	*smr = config2 & (PMCG_SMR_PARTID | PMCG_SMR_PMG);

	return FIELD_PREP(PMCG_EVTYPER_FILTER_PARTID,
			  FIELD_GET(PMCG_CONFIG2_PARTID_ENABLE, config2)) |
	       FIELD_PREP(PMCG_EVTYPER_FILTER_PMG,
			  FIELD_GET(PMCG_CONFIG2_PMG_ENABLE, config2)) |
	       FIELD_PREP(PMCG_EVTYPER_FILTER_MPAM_SP, space) |
	       FIELD_PREP(PMCG_EVTYPER_FILTER_SEC_SID, secure) |
	       FIELD_PREP(PMCG_EVTYPER_FILTER_REALM_SID, realm);
}

/*
 * Filters do not apply to clock cycles (§10.3), nor to events of known products
 * that do not belong to a StreamID (§10.4, §10.5.2.2), unless filters are by
 * PARTID: they may belong to one. With one filter, such events can count with
 * any others.
 */
static bool pmcg_is_filtered(const struct smmuv3_pmcg *pmcg, u32 id)
{
	if (pmcg->one_filter && !pmcg->partid_filter &&
	    id < PMCG_NAMED_EVENTS && test_bit(id, pmcg->no_stream_id))
		return false;

	return id != PMCG_EVENT_CYCLES;
}

int pmcg_event_init(struct arm_syspmu *syspmu, struct perf_event *event)
{
	u64 both = PMCG_CONFIG1_FILTER_SEC_SID | PMCG_CONFIG1_FILTER_REALM_SID |
		   PMCG_CONFIG1_FILTER_ENABLE;
	struct smmuv3_pmcg *pmcg = to_smmuv3_pmcg(syspmu);
	const struct perf_event_attr *attr = &event->attr;
	u32 id = FIELD_GET(PMCG_CONFIG_EVENT, attr->config);
	struct arm_syspmu_event *pe = event->pmu_private;
	u32 filter, smr;
	int err;

	err = pmcg_check_event(pmcg, id);
	if (!err && attr->config2)
		err = pmcg_check_partid(pmcg, attr);
	if (err)
		return err;
	if ((attr->config1 & both) == both)
		return arm_syspmu_refuse(syspmu, -EINVAL,
					 "filter_sec_sid and filter_realm_sid: a StreamID belongs to one of them, set only that one");

	if (attr->config2)
		filter = pmcg_decode_partid(pmcg, attr->config2, &smr);
	else
		filter = pmcg_decode_stream_id(pmcg, attr->config1, &smr);

	event->hw.config_base = FIELD_PREP(PMCG_EVTYPER_OVFCAP, pe->captures) |
				FIELD_PREP(PMCG_EVTYPER_EVENT, id) | filter;
	event->hw.event_base = smr;
	pe->filter = pmcg_is_filtered(pmcg, id);
	pe->uses_shared_filter = pmcg->one_filter && pe->filter;
	pe->shared_filter = (u64)filter << 32 | smr;

	return 0;
}

PMU_FORMAT_ATTR(event,			"config:0-15");
PMU_FORMAT_ATTR(filter_stream_id,	"config1:0-31");
PMU_FORMAT_ATTR(filter_span,		"config1:32");
PMU_FORMAT_ATTR(filter_enable,		"config1:33");
PMU_FORMAT_ATTR(filter_sec_sid,		"config1:34");
PMU_FORMAT_ATTR(filter_realm_sid,	"config1:35");
PMU_FORMAT_ATTR(filter_partid,		"config2:0-15");
PMU_FORMAT_ATTR(filter_pmg,		"config2:16-23");
PMU_FORMAT_ATTR(filter_partid_enable,	"config2:24");
PMU_FORMAT_ATTR(filter_pmg_enable,	"config2:25");
PMU_FORMAT_ATTR(filter_mpam_sp,		"config2:26-27");

/* Index of the first field that only groups with this filter have */
#define PMCG_FIRST_PARTID_ATTR		6

static struct attribute *pmcg_format_attrs[] = {
	&format_attr_event.attr,
	&format_attr_filter_stream_id.attr,
	&format_attr_filter_span.attr,
	&format_attr_filter_enable.attr,
	&format_attr_filter_sec_sid.attr,
	&format_attr_filter_realm_sid.attr,
	&format_attr_filter_partid.attr,
	&format_attr_filter_pmg.attr,
	&format_attr_filter_partid_enable.attr,
	&format_attr_filter_pmg_enable.attr,
	&format_attr_filter_mpam_sp.attr,
	NULL
};

static umode_t pmcg_format_is_visible(struct kobject *kobj,
				      struct attribute *attr, int n)
{
	struct smmuv3_pmcg *pmcg = dev_to_smmuv3_pmcg(kobj_to_dev(kobj));
	bool visible = true;

	if (attr == &format_attr_filter_span.attr)
		visible = pmcg->type_bits & PMCG_EVTYPER_FILTER_SID_SPAN;
	else if (attr == &format_attr_filter_sec_sid.attr)
		visible = pmcg->type_bits & PMCG_EVTYPER_FILTER_SEC_SID;
	else if (attr == &format_attr_filter_realm_sid.attr)
		visible = pmcg->type_bits & PMCG_EVTYPER_FILTER_REALM_SID;
	else if (n >= PMCG_FIRST_PARTID_ATTR)
		visible = pmcg->partid_filter;

	return visible ? attr->mode : 0;
}

const struct attribute_group pmcg_format_group = {
	.name = "format",
	.attrs = pmcg_format_attrs,
	.is_visible = pmcg_format_is_visible,
};
