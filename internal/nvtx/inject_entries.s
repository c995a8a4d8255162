//go:build !vyre_nocuda && linux && (amd64 || arm64)

#include "textflag.h"

// Where they begin. Their addresses in Go would be those of wrappers.
DATA ·getEntry(SB)/8, $·get(SB)
GLOBL ·getEntry(SB), NOPTR|RODATA, $8
DATA ·tableEntry(SB)/8, $·table(SB)
GLOBL ·tableEntry(SB), NOPTR|RODATA, $8
DATA ·setEntry(SB)/8, $·set(SB)
GLOBL ·setEntry(SB), NOPTR|RODATA, $8
