// SPDX-License-Identifier: GPL-2.0
/*
 * A PCI function that does nothing, so that a machine can have hundreds of them. It has no
 * BARs: with those of real devices, QEMU would be busy for minutes with its address spaces
 * while software enumerates the bus.
 *
 * It has the ID of a virtio device. Linux's driver of these is always there; it looks at the
 * function, which is when older kernels ask firmware for its StreamID, and refuses it.
 */
#include "qemu/osdep.h"
#include "qemu/module.h"
#include "hw/pci/pci_device.h"
#include "migration/vmstate.h"

#define TYPE_SYSPMU_PCI_FUNCTION	"syspmu-pci-function"

/* virtio 1.2, sections 4.1.2.1 and 5.4: an entropy source */
#define VIRTIO_RNG_ID			0x1044

static void realize(PCIDevice *dev, Error **errp)
{
}

static const VMStateDescription vmstate = {
	.name = TYPE_SYSPMU_PCI_FUNCTION,
	.unmigratable = 1,
};

static void pci_function_class_init(ObjectClass *class, void *data)
{
	DeviceClass *dc = DEVICE_CLASS(class);
	PCIDeviceClass *pc = PCI_DEVICE_CLASS(class);

	dc->desc = "PCI function that does nothing";
	dc->vmsd = &vmstate;
	pc->realize = realize;
	pc->vendor_id = PCI_VENDOR_ID_REDHAT_QUMRANET;
	pc->device_id = VIRTIO_RNG_ID;
	pc->revision = 1;
	pc->class_id = PCI_CLASS_OTHERS;
}

static const TypeInfo pci_function_type = {
	.name = TYPE_SYSPMU_PCI_FUNCTION,
	.parent = TYPE_PCI_DEVICE,
	.instance_size = sizeof(PCIDevice),
	.class_init = pci_function_class_init,
	.interfaces = (InterfaceInfo[]) {
		{ INTERFACE_CONVENTIONAL_PCI_DEVICE },
		{ },
	},
};

static void pci_function_register_types(void)
{
	type_register_static(&pci_function_type);
}

type_init(pci_function_register_types)
