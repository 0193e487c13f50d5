/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of the emulated SMMUv3. The script install-into adds the calls to QEMU's own source
 * files.
 */
#ifndef SMMUV3_PMCG_HOOKS_H
#define SMMUV3_PMCG_HOOKS_H

/* A transaction arrives while the SMMU is enabled; subsequent events belong to it. */
void smmuv3_pmcg_transaction(uint32_t stream_id);

/* A configuration is not cached; there may be no transaction. */
void smmuv3_pmcg_config_miss(uint32_t stream_id);

/* A part of the configuration is about to be fetched. */
void smmuv3_pmcg_config_access(void);

/*
 * A translation is not in the TLB. Nested stages make more than one lookup, but a transaction is
 * counted once.
 */
void smmuv3_pmcg_tlb_miss(void);

/* A translation table descriptor is about to be fetched. */
void smmuv3_pmcg_table_access(void);

#endif /* SMMUV3_PMCG_HOOKS_H */
