// SPDX-License-Identifier: GPL-2.0
/*
 * What is known about PMUs of the CoreSight Performance Monitoring Unit
 * architecture by their identification: names of the PMU, its events and the
 * fields of its filters. Names and numbers are those of the in-tree driver,
 * whose command lines work with this one.
 */

#include <linux/device.h>
#include <linux/sysfs.h>

#include "products.h"

/* JEP106 codes of PMIIDR.Implementer, PMIIDR without Implementer */
#define NVIDIA				0x36b
#define AMPERE				0xa16
#define CSPMU_PRODUCT			GENMASK(31, 12)

/* IMPDEF<n> (§3.2) */
#define CSPMU_IMPDEF(n)			(0xd80 + 4 * (n))

static ssize_t cspmu_event_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	struct perf_pmu_events_attr *event =
		container_of(attr, struct perf_pmu_events_attr, attr);

	return sysfs_emit(buf, "event=0x%llx\n", event->id);
}

#define CSPMU_CYCLES		CSPMU_EVENT(cycles, CSPMU_EVENT_CYCLES)

/* The same name can stand for different bits of different products. */
#define CSPMU_FORMAT(_name, _format)					\
	(&((struct dev_ext_attribute[]) {{				\
		.attr = __ATTR(_name, 0444, cspmu_format_show, NULL),	\
		.var = _format,						\
	}})[0].attr.attr)

static ssize_t cspmu_format_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	struct dev_ext_attribute *format =
		container_of(attr, struct dev_ext_attribute, attr);

	return sysfs_emit(buf, "%s\n", (const char *)format->var);
}

static struct attribute *cspmu_cycles_events[] = {
	CSPMU_CYCLES,
	NULL
};

static struct attribute *cspmu_number_format[] = {
	CSPMU_FORMAT(event, "config:0-32"),
	CSPMU_FORMAT(filter, "config1:0-31"),
	CSPMU_FORMAT(filter2, "config2:0-31"),
	NULL
};

static const struct cspmu_product cspmu_unknown = {
	.events = cspmu_cycles_events,
	.format = cspmu_number_format,
	.config1 = GENMASK_ULL(31, 0),
	.config2 = GENMASK_ULL(31, 0),
};

static const struct cspmu_product cspmu_unknown_ext64 = {
	.events = cspmu_cycles_events,
	.format = (struct attribute *[]) {
		CSPMU_FORMAT(event, "config:0-63"),
		CSPMU_FORMAT(filter, "config1:0-63"),
		CSPMU_FORMAT(filter2, "config2:0-63"),
		NULL
	},
	.config = U64_MAX,
	.config1 = U64_MAX,
	.config2 = U64_MAX,
};

static struct attribute *nvidia_scf_events[] = {
	CSPMU_EVENT(bus_cycles, 0x1d),
	CSPMU_EVENT(scf_cache_allocate, 0xf0),
	CSPMU_EVENT(scf_cache_refill, 0xf1),
	CSPMU_EVENT(scf_cache, 0xf2),
	CSPMU_EVENT(scf_cache_wb, 0xf3),
	CSPMU_EVENT(socket_0_rd_data, 0x101),
	CSPMU_EVENT(socket_1_rd_data, 0x102),
	CSPMU_EVENT(socket_2_rd_data, 0x103),
	CSPMU_EVENT(socket_3_rd_data, 0x104),
	CSPMU_EVENT(socket_0_wb_data, 0x109),
	CSPMU_EVENT(socket_1_wb_data, 0x10a),
	CSPMU_EVENT(socket_2_wb_data, 0x10b),
	CSPMU_EVENT(socket_3_wb_data, 0x10c),
	CSPMU_EVENT(socket_0_rd_outstanding, 0x115),
	CSPMU_EVENT(socket_1_rd_outstanding, 0x116),
	CSPMU_EVENT(socket_2_rd_outstanding, 0x117),
	CSPMU_EVENT(socket_3_rd_outstanding, 0x118),
	CSPMU_EVENT(socket_0_rd_access, 0x12d),
	CSPMU_EVENT(socket_1_rd_access, 0x12e),
	CSPMU_EVENT(socket_2_rd_access, 0x12f),
	CSPMU_EVENT(socket_3_rd_access, 0x130),
	CSPMU_EVENT(socket_0_wb_access, 0x135),
	CSPMU_EVENT(socket_1_wb_access, 0x136),
	CSPMU_EVENT(socket_2_wb_access, 0x137),
	CSPMU_EVENT(socket_3_wb_access, 0x138),
	CSPMU_EVENT(socket_0_wr_access, 0x139),
	CSPMU_EVENT(socket_1_wr_access, 0x13a),
	CSPMU_EVENT(socket_2_wr_access, 0x13b),
	CSPMU_EVENT(socket_3_wr_access, 0x13c),
	CSPMU_EVENT(gmem_rd_data, 0x16d),
	CSPMU_EVENT(gmem_rd_access, 0x16e),
	CSPMU_EVENT(gmem_rd_outstanding, 0x16f),
	CSPMU_EVENT(gmem_wb_data, 0x173),
	CSPMU_EVENT(gmem_wb_access, 0x174),
	CSPMU_EVENT(gmem_wr_data, 0x179),
	CSPMU_EVENT(gmem_wr_access, 0x17b),
	CSPMU_EVENT(socket_0_wr_data, 0x17c),
	CSPMU_EVENT(socket_1_wr_data, 0x17d),
	CSPMU_EVENT(socket_2_wr_data, 0x17e),
	CSPMU_EVENT(socket_3_wr_data, 0x17f),
	CSPMU_EVENT(gmem_wr_total_bytes, 0x1a0),
	CSPMU_EVENT(remote_socket_wr_total_bytes, 0x1a1),
	CSPMU_EVENT(remote_socket_rd_data, 0x1a2),
	CSPMU_EVENT(remote_socket_rd_outstanding, 0x1a3),
	CSPMU_EVENT(remote_socket_rd_access, 0x1a4),
	CSPMU_EVENT(cmem_rd_data, 0x1a5),
	CSPMU_EVENT(cmem_rd_access, 0x1a6),
	CSPMU_EVENT(cmem_rd_outstanding, 0x1a7),
	CSPMU_EVENT(cmem_wb_data, 0x1ab),
	CSPMU_EVENT(cmem_wb_access, 0x1ac),
	CSPMU_EVENT(cmem_wr_data, 0x1b1),
	CSPMU_EVENT(cmem_wr_access, 0x1ca),
	CSPMU_EVENT(cmem_wr_total_bytes, 0x1db),
	CSPMU_CYCLES,
	NULL
};

/* PCIe, NVLink C2C and CNVLink of Grace */
static struct attribute *nvidia_mcf_events[] = {
	CSPMU_EVENT(rd_bytes_loc, 0x0),
	CSPMU_EVENT(rd_bytes_rem, 0x1),
	CSPMU_EVENT(wr_bytes_loc, 0x2),
	CSPMU_EVENT(wr_bytes_rem, 0x3),
	CSPMU_EVENT(total_bytes_loc, 0x4),
	CSPMU_EVENT(total_bytes_rem, 0x5),
	CSPMU_EVENT(rd_req_loc, 0x6),
	CSPMU_EVENT(rd_req_rem, 0x7),
	CSPMU_EVENT(wr_req_loc, 0x8),
	CSPMU_EVENT(wr_req_rem, 0x9),
	CSPMU_EVENT(total_req_loc, 0xa),
	CSPMU_EVENT(total_req_rem, 0xb),
	CSPMU_EVENT(rd_cum_outs_loc, 0xc),
	CSPMU_EVENT(rd_cum_outs_rem, 0xd),
	CSPMU_CYCLES,
	NULL
};

static struct attribute *nvidia_ucf_events[] = {
	CSPMU_EVENT(bus_cycles, 0x1d),
	CSPMU_EVENT(slc_allocate, 0xf0),
	CSPMU_EVENT(slc_wb, 0xf3),
	CSPMU_EVENT(slc_refill_rd, 0x109),
	CSPMU_EVENT(slc_refill_wr, 0x10a),
	CSPMU_EVENT(slc_hit_rd, 0x119),
	CSPMU_EVENT(slc_access_dataless, 0x183),
	CSPMU_EVENT(slc_access_atomic, 0x184),
	CSPMU_EVENT(slc_access_rd, 0x111),
	CSPMU_EVENT(slc_access_wr, 0x112),
	CSPMU_EVENT(slc_bytes_rd, 0x113),
	CSPMU_EVENT(slc_bytes_wr, 0x114),
	CSPMU_EVENT(mem_access_rd, 0x121),
	CSPMU_EVENT(mem_access_wr, 0x122),
	CSPMU_EVENT(mem_bytes_rd, 0x123),
	CSPMU_EVENT(mem_bytes_wr, 0x124),
	CSPMU_EVENT(local_snoop, 0x180),
	CSPMU_EVENT(ext_snp_access, 0x181),
	CSPMU_EVENT(ext_snp_evict, 0x182),
	CSPMU_CYCLES,
	NULL
};

static struct attribute *ampere_mcu_events[] = {
	CSPMU_EVENT(cycle_count, 0x00),
	CSPMU_EVENT(act_sent, 0x01),
	CSPMU_EVENT(pre_sent, 0x02),
	CSPMU_EVENT(rd_sent, 0x03),
	CSPMU_EVENT(rda_sent, 0x04),
	CSPMU_EVENT(wr_sent, 0x05),
	CSPMU_EVENT(wra_sent, 0x06),
	CSPMU_EVENT(pd_entry_vld, 0x07),
	CSPMU_EVENT(sref_entry_vld, 0x08),
	CSPMU_EVENT(prea_sent, 0x09),
	CSPMU_EVENT(pre_sb_sent, 0x0a),
	CSPMU_EVENT(ref_sent, 0x0b),
	CSPMU_EVENT(rfm_sent, 0x0c),
	CSPMU_EVENT(ref_sb_sent, 0x0d),
	CSPMU_EVENT(rfm_sb_sent, 0x0e),
	CSPMU_EVENT(rd_rda_sent, 0x0f),
	CSPMU_EVENT(wr_wra_sent, 0x10),
	CSPMU_EVENT(raw_hazard, 0x11),
	CSPMU_EVENT(war_hazard, 0x12),
	CSPMU_EVENT(waw_hazard, 0x13),
	CSPMU_EVENT(rar_hazard, 0x14),
	CSPMU_EVENT(raw_war_waw_hazard, 0x15),
	CSPMU_EVENT(hprd_lprd_wr_req_vld, 0x16),
	CSPMU_EVENT(lprd_req_vld, 0x17),
	CSPMU_EVENT(hprd_req_vld, 0x18),
	CSPMU_EVENT(hprd_lprd_req_vld, 0x19),
	CSPMU_EVENT(prefetch_tgt, 0x1a),
	CSPMU_EVENT(wr_req_vld, 0x1b),
	CSPMU_EVENT(partial_wr_req_vld, 0x1c),
	CSPMU_EVENT(rd_retry, 0x1d),
	CSPMU_EVENT(wr_retry, 0x1e),
	CSPMU_EVENT(retry_gnt, 0x1f),
	CSPMU_EVENT(rank_change, 0x20),
	CSPMU_EVENT(dir_change, 0x21),
	CSPMU_EVENT(rank_dir_change, 0x22),
	CSPMU_EVENT(rank_active, 0x23),
	CSPMU_EVENT(rank_idle, 0x24),
	CSPMU_EVENT(rank_pd, 0x25),
	CSPMU_EVENT(rank_sref, 0x26),
	CSPMU_EVENT(queue_fill_gt_thresh, 0x27),
	CSPMU_EVENT(queue_rds_gt_thresh, 0x28),
	CSPMU_EVENT(queue_wrs_gt_thresh, 0x29),
	CSPMU_EVENT(phy_updt_complt, 0x2a),
	CSPMU_EVENT(tz_fail, 0x2b),
	CSPMU_EVENT(dram_errc, 0x2c),
	CSPMU_EVENT(dram_errd, 0x2d),
	CSPMU_EVENT(read_data_return, 0x32),
	CSPMU_EVENT(chi_wr_data_delta, 0x33),
	CSPMU_EVENT(zq_start, 0x34),
	CSPMU_EVENT(zq_latch, 0x35),
	CSPMU_EVENT(wr_fifo_full, 0x36),
	CSPMU_EVENT(info_fifo_full, 0x37),
	CSPMU_EVENT(cmd_fifo_full, 0x38),
	CSPMU_EVENT(dfi_nop, 0x39),
	CSPMU_EVENT(dfi_cmd, 0x3a),
	CSPMU_EVENT(rd_run_len, 0x3b),
	CSPMU_EVENT(wr_run_len, 0x3c),
	CSPMU_CYCLES,
	NULL
};

/* Those of nvidia_mcf_events count by ports, or by remote sockets. */
#define NVIDIA_MCF(_part, _name, _field, _bits, _mask)			\
	{								\
		.iidr = (_part) << 20 | NVIDIA,				\
		.name = (_name),					\
		.events = nvidia_mcf_events,				\
		.format = (struct attribute *[]) {			\
			CSPMU_FORMAT(event, "config:0-32"),		\
			CSPMU_FORMAT(_field, "config1:" _bits),		\
			NULL						\
		},							\
		.all1 = { (_mask) },					\
	}

/* The last one of an implementer is for what is not known of it. */
static const struct cspmu_product cspmu_products[] = {
	NVIDIA_MCF(0x103, "nvidia_pcie_pmu_%u", root_port, "0-9",
		   GENMASK(9, 0)),
	NVIDIA_MCF(0x104, "nvidia_nvlink_c2c1_pmu_%u", port, "0-1",
		   GENMASK(1, 0)),
	NVIDIA_MCF(0x105, "nvidia_nvlink_c2c0_pmu_%u", port, "0-1",
		   GENMASK(1, 0)),
	NVIDIA_MCF(0x106, "nvidia_cnvlink_pmu_%u", rem_socket, "0-3",
		   GENMASK(3, 0)),
	{
		.iidr = 0x2cf00000 | NVIDIA,
		.name = "nvidia_scf_pmu_%u",
		.zero_filter = true,
		.events = nvidia_scf_events,
		.format = (struct attribute *[]) {
			CSPMU_FORMAT(event, "config:0-32"),
			NULL
		},
	}, {
		.iidr = 0x2cf20000 | NVIDIA,
		.name = "nvidia_ucf_pmu_%u",
		.events = nvidia_ucf_events,
		.format = (struct attribute *[]) {
			CSPMU_FORMAT(event, "config:0-32"),
			CSPMU_FORMAT(src_loc_noncpu, "config1:0"),
			CSPMU_FORMAT(src_loc_cpu, "config1:1"),
			CSPMU_FORMAT(src_rem, "config1:2"),
			CSPMU_FORMAT(dst_loc_cmem, "config1:8"),
			CSPMU_FORMAT(dst_loc_gmem, "config1:9"),
			CSPMU_FORMAT(dst_loc_other, "config1:10"),
			CSPMU_FORMAT(dst_rem, "config1:11"),
			NULL
		},
		/* Sources and destinations */
		.all1 = { GENMASK(2, 0), GENMASK(11, 8) },
	}, {
		/* Vera: root ports, or one requester for all monitors */
		.iidr = 0x10301000 | NVIDIA,
		.name = "nvidia_pcie_pmu_%u_rc_%u",
		.has_instance = true,
		.events = (struct attribute *[]) {
			CSPMU_EVENT(rd_bytes, 0x0),
			CSPMU_EVENT(wr_bytes, 0x1),
			CSPMU_EVENT(rd_req, 0x2),
			CSPMU_EVENT(wr_req, 0x3),
			CSPMU_EVENT(rd_cum_outs, 0x4),
			CSPMU_CYCLES,
			NULL
		},
		.format = (struct attribute *[]) {
			CSPMU_FORMAT(event, "config:0-32"),
			CSPMU_FORMAT(src_rp_mask, "config1:0-7"),
			CSPMU_FORMAT(src_bdf, "config1:8-23"),
			CSPMU_FORMAT(src_bdf_en, "config1:24"),
			CSPMU_FORMAT(dst_loc_cmem, "config2:0"),
			CSPMU_FORMAT(dst_loc_gmem, "config2:1"),
			CSPMU_FORMAT(dst_loc_pcie_p2p, "config2:2"),
			CSPMU_FORMAT(dst_loc_pcie_cxl, "config2:3"),
			CSPMU_FORMAT(dst_rem, "config2:4"),
			NULL
		},
		.config2 = GENMASK_ULL(4, 0),
		.all1 = { GENMASK(7, 0) },
		.all2 = GENMASK(4, 0),
		.requester = GENMASK(23, 8),
		.requester_enable = BIT(24),
		.shared = GENMASK(24, 8),
	}, {
		.iidr = 0x10700000 | NVIDIA,
		.name = "nvidia_pcie_tgt_pmu_%u_rc_%u",
		.has_instance = true,
		.events = (struct attribute *[]) {
			CSPMU_EVENT(rd_bytes, 0x0),
			CSPMU_EVENT(wr_bytes, 0x1),
			CSPMU_EVENT(rd_req, 0x2),
			CSPMU_EVENT(wr_req, 0x3),
			CSPMU_EVENT(cycles, 0x4),
			NULL
		},
		.format = (struct attribute *[]) {
			CSPMU_FORMAT(event, "config:0-2"),
			CSPMU_FORMAT(dst_rp_mask, "config:3-10"),
			CSPMU_FORMAT(dst_addr_en, "config:11"),
			CSPMU_FORMAT(dst_addr_base, "config1:0-63"),
			CSPMU_FORMAT(dst_addr_mask, "config2:0-63"),
			NULL
		},
		.config = GENMASK_ULL(11, 0),
		.cycles = 4,
		.slots = true,
		.config1 = U64_MAX,
		.config2 = U64_MAX,
	}, {
		.iidr = NVIDIA,
		.ignored = CSPMU_PRODUCT,
		.name = "nvidia_uncore_pmu_%u",
		.counted = true,
		.events = cspmu_cycles_events,
		.format = cspmu_number_format,
		.config2 = GENMASK_ULL(31, 0),
		.all1 = { GENMASK(31, 0) },
		.all2 = GENMASK(31, 0),
	}, {
		/* PMAUXR0 to PMAUXR2 apply to all monitors. */
		.iidr = AMPERE,
		.ignored = CSPMU_PRODUCT,
		.name = "ampere_mcu_pmu_%u",
		.counted = true,
		.events = ampere_mcu_events,
		.format = (struct attribute *[]) {
			CSPMU_FORMAT(event, "config:0-32"),
			CSPMU_FORMAT(threshold, "config1:0-7"),
			CSPMU_FORMAT(rank, "config1:8-23"),
			CSPMU_FORMAT(bank, "config1:24-55"),
			NULL
		},
		.shared = GENMASK_ULL(55, 0),
		.common = {
			{ CSPMU_IMPDEF(0), GENMASK_ULL(7, 0) },
			{ CSPMU_IMPDEF(1), GENMASK_ULL(23, 8) },
			{ CSPMU_IMPDEF(2), GENMASK_ULL(55, 24) },
		},
	},
};

/* Returns one without a name if the product is not known. */
const struct cspmu_product *cspmu_find_product(u32 iidr, bool ext64)
{
	const struct cspmu_product *product;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cspmu_products); i++) {
		product = &cspmu_products[i];
		if (!((iidr ^ product->iidr) & ~product->ignored))
			return product;
	}
	return ext64 ? &cspmu_unknown_ext64 : &cspmu_unknown;
}
