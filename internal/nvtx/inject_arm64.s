//go:build !vyre_nocuda && linux

#include "textflag.h"

// C functions, by the procedure call standard for AArch64. They use registers that belong to the caller of a function, and no
// stack.

// get returns what is exported under a number.
TEXT ·get(SB), NOSPLIT|NOFRAME, $0
	CMPW $1, R0
	BEQ  callbacks
	CMPW $3, R0
	BEQ  versioned
	MOVD $0, R0
	RET

callbacks:
	MOVD $·callbacks(SB), R0
	RET

versioned:
	MOVD $·versioned(SB), R0
	RET

// table stores the table of a module and its size where the caller wants them.
TEXT ·table(SB), NOSPLIT|NOFRAME, $0
	SUBW $1, R0, R3
	CMPW $6, R3
	BHS  unknown             // also of module 0, as a number without a sign
	MOVD $·listed(SB), R4
	ADD  R3<<4, R4, R4
	CBZ  R1, size
	MOVD 0(R4), R5
	MOVD R5, 0(R1)

size:
	CBZ   R2, known
	MOVWU 8(R4), R5
	MOVW  R5, 0(R2)

known:
	MOVD $1, R0
	RET

unknown:
	MOVD $0, R0
	RET

// set does nothing.
TEXT ·set(SB), NOSPLIT|NOFRAME, $0
	RET
