// SPDX-License-Identifier: GPL-2.0
/*
 * PMAUTHSTATUS of a PMU of the CoreSight Performance Monitoring Unit
 * architecture (IHI 0091 §3.3), in words.
 *
 * It shows the debug authentication of the component. What is counted may
 * depend on other controls (rules WRKQV and DNMWG), so events are not refused
 * because of it; but it may explain a count of zero.
 */

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/device.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

#include "coresight_pmu.h"

#define CSPMU_AUTH_SNID			GENMASK(7, 6)
#define CSPMU_AUTH_NSNID		GENMASK(3, 2)

static const char *cspmu_auth_text(u32 field)
{
	static const char * const texts[] = {
		"unimplemented", "reserved", "disabled", "enabled"
	};

	return texts[field];
}

static ssize_t authentication_show(struct device *dev,
				   struct device_attribute *attr, char *buf)
{
	struct pmu *pmu = dev_get_drvdata(dev);
	struct coresight_pmu *cspmu = to_coresight_pmu(to_arm_syspmu(pmu));
	u32 auth = cspmu->auth;

	return sysfs_emit(buf, "non-secure %s, secure %s\n",
			  cspmu_auth_text(FIELD_GET(CSPMU_AUTH_NSNID, auth)),
			  cspmu_auth_text(FIELD_GET(CSPMU_AUTH_SNID, auth)));
}
static DEVICE_ATTR_RO(authentication);

static struct attribute *cspmu_security_attrs[] = {
	&dev_attr_authentication.attr,
	NULL
};

const struct attribute_group cspmu_security_group = {
	.attrs = cspmu_security_attrs,
};

/**
 * cspmu_security_text - debug authentication for a message at probe
 * @cspmu: the PMU, identified
 *
 * Context: any.
 * Return: text that continues a message; empty unless counting may be off
 */
const char *cspmu_security_text(const struct coresight_pmu *cspmu)
{
	if (FIELD_GET(CSPMU_AUTH_NSNID, cspmu->auth) == 2)
		return ", Non-secure non-invasive debug disabled";

	return "";
}
