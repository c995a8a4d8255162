//go:build !vyre_nocuda

#include "textflag.h"

// callAll is a C function, by the System V ABI for AMD64:
//
//	long callAll(struct { long fn, args[11]; } *calls, long n)
//
// It makes the calls in their order until one returns something else than 0 in its low half. Its result is how many it
// made before that one, in the upper half, and what that one returned, in the lower.
TEXT ·callAll(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BP
	PUSHQ BX
	PUSHQ R12
	PUSHQ R13
	SUBQ  $40, SP      // five arguments are on the stack, which is aligned here
	MOVQ  DI, BX       // the next call
	MOVQ  SI, R12      // how many are left
	XORL  R13, R13     // how many are made
	XORL  AX, AX

next:
	TESTQ R12, R12
	JZ    done
	MOVQ  56(BX), AX
	MOVQ  AX, 0(SP)
	MOVQ  64(BX), AX
	MOVQ  AX, 8(SP)
	MOVQ  72(BX), AX
	MOVQ  AX, 16(SP)
	MOVQ  80(BX), AX
	MOVQ  AX, 24(SP)
	MOVQ  88(BX), AX
	MOVQ  AX, 32(SP)
	MOVQ  8(BX), DI
	MOVQ  16(BX), SI
	MOVQ  24(BX), DX
	MOVQ  32(BX), CX
	MOVQ  40(BX), R8
	MOVQ  48(BX), R9
	MOVQ  0(BX), R11
	XORL  AX, AX       // no vector registers, for functions with any number of arguments
	CALL  R11
	TESTL AX, AX
	JNZ   done
	ADDQ  $96, BX
	INCQ  R13
	DECQ  R12
	JMP   next

done:
	MOVL  AX, AX       // the low half
	SHLQ  $32, R13
	ORQ   R13, AX
	ADDQ  $40, SP
	POPQ  R13
	POPQ  R12
	POPQ  BX
	POPQ  BP
	RET

// callAllEntry is where callAll begins. Its address in Go would be that of a wrapper.
DATA ·callAllEntry(SB)/8, $·callAll(SB)
GLOBL ·callAllEntry(SB), NOPTR|RODATA, $8
