//go:build linux || darwin

#include "textflag.h"

// func enter(code, group, vector, index uintptr)
// Machine code uses registers 0 to 17, 19 and 20 and the vector registers, all of which are the caller's, and no stack;
// register 18 is the system's on macOS.
// It sees floats that round to nearest and keep subnormals and NaNs, whatever a C library in the process has set.
TEXT ·enter(SB), NOSPLIT, $16-32
	MOVD code+0(FP), R16
	MOVD group+8(FP), R7
	MOVD vector+16(FP), R6
	MOVD index+24(FP), R15
	MRS FPCR, R8
	CBNZ R8, other
	CALL (R16)
	RET
other:
	MOVD R8, state-8(SP)
	MSR ZR, FPCR
	CALL (R16)
	MOVD state-8(SP), R8
	MSR R8, FPCR
	RET

// func synchronizeCaches(start, end uintptr)
// First data goes to where instructions come from, line by line, then instructions that were kept are dropped.
TEXT ·synchronizeCaches(SB), NOSPLIT, $0-16
	MOVD end+8(FP), R1
	WORD $0xD53B0022 // mrs x2, ctr_el0
	MOVD $4, R3
	UBFX $16, R2, $4, R4
	LSL R4, R3, R4 // bytes of a line of data
	AND $15, R2, R2
	LSL R2, R3, R5 // and of instructions
	MOVD start+0(FP), R0
data:
	WORD $0xD50B7B20 // dc cvau, x0
	ADD R4, R0
	CMP R1, R0
	BLO data
	WORD $0xD5033B9F // dsb ish
	MOVD start+0(FP), R0
instructions:
	WORD $0xD50B7520 // ic ivau, x0
	ADD R5, R0
	CMP R1, R0
	BLO instructions
	WORD $0xD5033B9F // dsb ish
	WORD $0xD5033FDF // isb
	RET
