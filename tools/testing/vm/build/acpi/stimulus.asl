// SPDX-License-Identifier: GPL-2.0
//
// Where the stimulus page is: what the node "arm-syspmu,stimulus" says in the devicetree. SPMU0001
// is this lab's own name.
DefinitionBlock ("", "SSDT", 2, "SYSPMU", "STIMULUS", 1)
{
	Scope (\_SB)
	{
		Device (STIM)
		{
			Name (_HID, "SPMU0001")
			Name (_UID, 0)
			Name (_CRS, ResourceTemplate ()
			{
				Memory32Fixed (ReadWrite, 0x0b000000, 0x1000)
			})
		}
	}
}
