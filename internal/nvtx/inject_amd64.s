//go:build !vyre_nocuda && linux

#include "textflag.h"

// C functions, by the System V ABI for AMD64. They use registers that belong to the caller of a function, and no stack.

// get returns what is exported under a number.
TEXT ·get(SB), NOSPLIT|NOFRAME, $0
	CMPL DI, $1
	JEQ  callbacks
	CMPL DI, $3
	JEQ  versioned
	XORL AX, AX
	RET

callbacks:
	LEAQ ·callbacks(SB), AX
	RET

versioned:
	LEAQ ·versioned(SB), AX
	RET

// table stores the table of a module and its size where the caller wants them.
TEXT ·table(SB), NOSPLIT|NOFRAME, $0
	LEAL  -1(DI), AX
	CMPL  AX, $6
	JCC   unknown         // also of module 0, as a number without a sign
	SHLQ  $4, AX
	LEAQ  ·listed(SB), R8
	ADDQ  AX, R8
	TESTQ SI, SI
	JZ    size
	MOVQ  0(R8), R9
	MOVQ  R9, 0(SI)

size:
	TESTQ DX, DX
	JZ    known
	MOVL  8(R8), R9
	MOVL  R9, 0(DX)

known:
	MOVL $1, AX
	RET

unknown:
	XORL AX, AX
	RET

// set does nothing.
TEXT ·set(SB), NOSPLIT|NOFRAME, $0
	RET
