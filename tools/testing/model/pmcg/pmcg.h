/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A register-accurate model of one SMMUv3 Performance Monitor Counter Group
 * (PMCG), IHI 0070 chapter 10, as Non-secure software sees it.
 *
 * Portable C11, independent of any operating system or emulator. A PMCG is a plain
 * object without locks; its owner serialises the calls.
 */
#ifndef PMCG_H
#define PMCG_H

#include "syspmu.h"

#define PMCG_MAX_COUNTERS	64

/*
 * Implementation choices and firmware settings of a PMCG. Without CFGR.MPAM, MPAMIDR is present if
 * FILTER_PARTID_PMG is set, but its fields are RES0 (§10.5.2.27). This can be read in three ways:
 * they have the limits nevertheless, they are zero although there are other limits
 * (@mpamidr_needs_mpam), or they are zero because the limits are (@partid_max and @pmg_max of 0).
 */
struct pmcg_config {
	/*
	 * Those of any family; split accesses are those of §10.5, and page 1 has the registers
	 * that CFGR.RELOC_CTRS moves
	 */
	struct syspmu_config common;
	unsigned int counters;	/* number of counters, 1 to 64 */
	/*
	 * CFGR.SIZE, the bits of a counter less one; a reserved value makes a block that does not
	 * conform, for software that must refuse it
	 */
	unsigned int size;
	unsigned int event_bits;	/* implemented bits of EVTYPER.EVENT, 1 to 16 */
	unsigned int stream_id_bits;	/* implemented bits of SMR.STREAMID, 1 to 32 */
	unsigned int address_bits;	/* implemented address bits of IRQ_CFG0, 32 to 56 */
	bool global_filter;	/* CFGR.SID_FILTER_TYPE, one filter for all counters */
	bool relocate;	/* CFGR.RELOC_CTRS, counter registers are in page 1 */
	bool capture;	/* CFGR.CAPTURE, shadow registers exist */
	bool msi;	/* CFGR.MSI, the MSI configuration registers exist */
	bool mpam;	/* CFGR.MPAM, MSIs carry PARTID and PMG; needs @msi and SMMUv3.2 */
	bool filter_partid_pmg;	/* CFGR.FILTER_PARTID_PMG; needs SMMUv3.3 */
	uint16_t partid_max;	/* MPAMIDR.PARTID_MAX */
	uint8_t pmg_max;	/* MPAMIDR.PMG_MAX */
	/* MPAMIDR is zero without CFGR.MPAM, whatever the limits are */
	bool mpamidr_needs_mpam;
	uint16_t secure_partid_max;	/* S_MPAMIDR.PARTID_MAX */
	uint8_t secure_pmg_max;	/* S_MPAMIDR.PMG_MAX */
	uint64_t ceid0;	/* CEID0, events 0 to 63 */
	uint64_t ceid1;	/* CEID1, events 64 to 127 */
	uint32_t iidr;	/* IIDR, 0 if the register is not implemented */
	uint32_t aidr;	/* AIDR, 0 to 5 for SMMUv3.0 to SMMUv3.5 */
	bool coresight_ids;	/* the CoreSight ID registers exist */
	uint32_t peripheral_id;	/* the identity in the CoreSight ID registers, laid out as IIDR */
	uint8_t customer_modified;	/* PIDR3.CMOD */
	/* EVTYPERn has no FILTER_SID_SPAN, which the specification does not allow */
	bool no_span;
	bool secure;	/* the PMCG supports Secure state (§10.6) */
	bool nsra;	/* SCR.NSRA; if clear, Non-secure software only reads zeros */
	bool secure_observation;	/* SCR.SO */
	/* ROOTCR.ROOTCR_IMPL, the PMCG has the controls for Realm and Root (§10.7) */
	bool root;
	bool root_observation;	/* ROOTCR.RTO */
	bool realm_observation;	/* ROOTCR.RLO */
};

/* One Performance Monitor Counter Group. */
struct pmcg {
	struct syspmu_model model;
	/* private: */
	struct pmcg_config config;

	uint64_t shadow[PMCG_MAX_COUNTERS];
	uint32_t type[PMCG_MAX_COUNTERS];
	uint32_t stream_match[PMCG_MAX_COUNTERS];
	uint64_t irq_address;
	uint32_t irq_data;
	uint32_t irq_attributes;
	uint32_t irq_status;
	uint32_t irq_control;
	uint32_t irq_acknowledged;
	uint32_t control;
	uint32_t gmpam;

	bool initial_nsra;
	bool initial_secure_observation;
	uint32_t acknowledge_delay;
	uint32_t acknowledge_reads;
};

/*
 * The configuration of an ordinary PMCG. Eight 64-bit counters, all StreamID and EVENT bits, a
 * filter for each counter, events 0 to 7, Non-secure state only.
 */
void pmcg_default_config(struct pmcg_config *config);

/*
 * Initialise a PMCG. @pmcg: filled in; reset it before use. @owner: receives its interrupts, which
 * are edges or MSIs; NULL: not connected. Returns NULL, or the reason why no such PMCG can exist.
 */
const char *pmcg_init(struct pmcg *pmcg, const struct pmcg_config *config,
		      const struct syspmu_owner *owner);

/*
 * Write SCR as Secure software does. @pmcg: the PMCG; nothing happens if it does not support Secure
 * state, or has no power. @nsra: SCR.NSRA. @observation: SCR.SO. Reset restores the configured
 * values.
 */
void pmcg_set_secure_control(struct pmcg *pmcg, bool nsra, bool observation);

/* SCR.NSRA. Returns whether Non-secure software can access the PMCG, if it has power. */
bool pmcg_nsra(const struct pmcg *pmcg);

/* SCR.SO: whether Secure events can be counted. */
bool pmcg_secure_observation(const struct pmcg *pmcg);

/*
 * Delay the end of Updates of IRQEN. @reads: number of reads of IRQ_CTRLACK that return the old
 * value after an Update.
 */
void pmcg_delay_acknowledgment(struct pmcg *pmcg, uint32_t reads);

/* The request of pmcg_delay_acknowledgment(). */
uint32_t pmcg_acknowledgment_delay(const struct pmcg *pmcg);

#endif /* PMCG_H */
