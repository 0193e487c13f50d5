/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The start of a program without an operating system, at the highest Exception level that the
 * machine has, and its exceptions: the next instruction follows, and "taken" says what happened.
 */
	.text
	.global	_start
_start:
	adrp	x0, stack_top
	add	x0, x0, :lo12:stack_top
	mov	sp, x0
	bl	main
	mov	x1, x0
	/* ADP_Stopped_ApplicationExit, and the status, for SYS_EXIT */
	adrp	x2, exit_block
	add	x2, x2, :lo12:exit_block
	str	x1, [x2, #8]
	mov	w0, #0x18
	mov	x1, x2
	hlt	#0xf000

	/* The start of the second CPU */
	.global	secondary_start
secondary_start:
	adrp	x0, secondary_stack_top
	add	x0, x0, :lo12:secondary_stack_top
	mov	sp, x0
	b	secondary

	/* psci(function, a, b): at EL1 */
	.global	psci
psci:
	mov	x3, #0
	hvc	#0
	ret

	/* void print(const char *text): SYS_WRITE0 */
	.global	print
print:
	mov	x1, x0
	mov	w0, #0x04
	hlt	#0xf000
	ret

	/*
	 * run_at(el, function): call it at a lower Exception level of AArch64, with a stack of its
	 * own. It returns by SVC, HVC or SMC, which go to the Exception level that called it.
	 */
	.global	run_at
run_at:
	stp	x29, x30, [sp, #-96]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	mov	x19, x1
	adrp	x2, saved_sp
	add	x2, x2, :lo12:saved_sp
	mov	x3, sp
	str	x3, [x2]
	adrp	x4, lower_stack_top
	add	x4, x4, :lo12:lower_stack_top
	adr	x5, lower
	/* SPSR: SP_ELx, except at EL0; interrupts are masked */
	lsl	x6, x0, #2
	orr	x7, x6, #0x3c0
	orr	x7, x7, #1
	cmp	x0, #0
	mov	x8, #0x3c0
	csel	x7, x8, x7, eq
	mrs	x9, CurrentEL
	/* The stack of that Exception level; EL0 has its own. */
	cmp	x0, #0
	b.eq	1f
	cmp	x0, #1
	b.eq	2f
	msr	sp_el2, x4
	b	3f
1:	msr	sp_el0, x4
	b	3f
2:	msr	sp_el1, x4
	/* Of exceptions that go there */
	cmp	x9, #12
	b.ne	3f
	adrp	x4, el2_stack_top
	add	x4, x4, :lo12:el2_stack_top
	msr	sp_el2, x4
3:	cmp	x9, #8
	b.eq	5f
	b.hi	6f
	mov	x20, #1
	msr	elr_el1, x5
	msr	spsr_el1, x7
	eret
5:	mov	x20, #2
	msr	elr_el2, x5
	msr	spsr_el2, x7
	eret
6:	mov	x20, #3
	msr	elr_el3, x5
	msr	spsr_el3, x7
	eret
lower:
	blr	x19
	cmp	x20, #2
	b.eq	1f
	b.hi	2f
	svc	#0
1:	hvc	#0
2:	smc	#0
back:
	adrp	x2, saved_sp
	add	x2, x2, :lo12:saved_sp
	ldr	x3, [x2]
	mov	sp, x3
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #96
	ret

	/* Record the Exception level and the syndrome, and continue after the instruction. */
	.macro	exception el
	stp	x0, x1, [sp, #-16]!
	stp	x2, x3, [sp, #-16]!
	mrs	x0, esr_el\el
	lsr	x1, x0, #26
	/* SVC, HVC, SMC */
	sub	x2, x1, #0x15
	cmp	x2, #3
	b.lo	back_el\el
	adrp	x2, taken
	add	x2, x2, :lo12:taken
	mov	x3, #\el
	str	x3, [x2]
	str	x0, [x2, #8]
	mrs	x0, elr_el\el
	add	x0, x0, #4
	msr	elr_el\el, x0
	ldp	x2, x3, [sp], #16
	ldp	x0, x1, [sp], #16
	eret
back_el\el:
	b	back
	.endm

	.macro	entry label
	.balign	0x80
	b	\label
	.endm

	.macro	vector_table el
	.balign	0x800
	.global	vectors_el\el
vectors_el\el:
	.rept	16
	entry	sync_el\el
	.endr
sync_el\el:
	exception \el
	.endm

	vector_table 1
	vector_table 2
	vector_table 3

	.data
	.balign	16
exit_block:
	.quad	0x20026, 0
saved_sp:
	.quad	0
	.global	taken
taken:
	.quad	0, 0

	.bss
	.balign	16
	.skip	0x4000
stack_top:
	.skip	0x4000
lower_stack_top:
	.skip	0x1000
el2_stack_top:
	.skip	0x4000
secondary_stack_top:
