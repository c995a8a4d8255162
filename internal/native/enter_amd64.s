//go:build linux || darwin || windows

#include "textflag.h"

// func enter(code, group, vector, index uintptr)
// Machine code runs on this stack and needs none of it but the place to return to. It sees floats that round to
// nearest and keep subnormals, whatever a C library in the process has set.
TEXT ·enter(SB), NOSPLIT, $16-32
	MOVQ code+0(FP), AX
	MOVQ group+8(FP), DI
	MOVQ vector+16(FP), SI
	MOVQ index+24(FP), R15
	STMXCSR state-16(SP)
	MOVL state-16(SP), R8
	ANDL $~0x3F, R8 // all but what has happened so far
	CMPL R8, $0x1F80
	JNE other
	CALL AX
	VZEROUPPER
	RET
other:
	MOVL $0x1F80, wanted-8(SP)
	LDMXCSR wanted-8(SP)
	CALL AX
	VZEROUPPER
	LDMXCSR state-16(SP)
	RET

// func cpuid(leaf, sub uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL sub+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET

// func xgetbv() (low uint32)
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, low+0(FP)
	RET
