package amd64

// every512 writes each instruction in each form with registers that only AVX-512 has: as result, first operand and second
// one, alone and together, and beside all kinds of memory, whose displacements count in units.
func every512() []byte {
	a := New512()
	mems := []Mem{{Base: DI}, {Base: SI, Disp: 8}, {Base: DI, Disp: 4096}, {Base: DI, Disp: 4064}, {Base: R13}, {Base: R12, Disp: -32}, {Base: R12, Disp: -4128},
		{Base: SI, Index: CX, Scale: 4, Disp: 64}, {Base: DI, Index: R15, Scale: 1, Disp: 512}, {Base: SP, Disp: 16}}
	type use struct {
		d, x Y
		o    RM
	}
	uses := []use{{17, 2, Y(3).RM()}, {1, 26, Y(12).RM()}, {9, 10, Y(20).RM()}, {31, 24, Y(16).RM()}, {1, 2, Y(3).RM()}, {14, 29, Y(30).RM()}}
	for i, m := range mems[1:6] {
		uses = append(uses, use{Y(16 + i), Y(31 - 16*(i%2)), m.RM()})
	}
	for op := range numRows {
		for _, u := range uses {
			every512Of(a, op, u.d, u.x, u.o)
		}
	}
	for _, m := range mems {
		for _, s := range []Size{4, 8} {
			a.VMaskStore(s, m, 9, 3)
			a.VMaskStore(s, m, 19, 23)
		}
		a.VLoad(24, m)
		a.VStore(m, 23)
		a.VStore(m, 3)
		a.VStoreShort(m, 20)
		a.VHalf(m.RM(), 25, 1)
		a.VToHalf(m.RM(), 21)
	}
	for _, s := range []Size{4, 8} {
		a.VLow(s, R8, 22)
		a.VLow(s, AX, 12)
		a.VSetLow(s, 22, AX)
		a.VSetLow(s, 30, R9)
	}
	a.VMove(3, 22)
	a.VMove(22, 3)
	a.VMove(22, 22)
	a.VHigh(R11, 23)
	a.VMask(R9, 24)
	a.VMask(AX, 4)
	a.VToHalf(Y(12).RM(), 23)
	a.VHalf(Y(23).RM(), 12, 0)
	a.VGather4(1, DX, 23, 14)
	a.VGather4(1, DX, 3, 14)
	a.VGather8(20, R8, 30, 24)
	a.VGather4(22, R13, 4, 5)
	a.VGather8(2, AX, 12, 25)
	a.V2Short(VMOVUPS, 22, mems[9].RM())
	for predicate := range uint8(32) {
		a.V3Imm(VCMPPS, 1, 22, Y(3).RM(), predicate)
	}
	code, err := a.Bytes()
	if err != nil {
		panic(err)
	}
	return code
}

// every512Of writes an instruction by the method that its form has.
func every512Of(a *Asm, op Op, d, x Y, o RM) {
	switch {
	case op == VPERM2F128:
		a.V3Imm(op, d, x, o, 0x21)
	case op >= VPROLD && op <= VPSRAQ, op >= VPSLLD && op < numOps:
		a.VShift(op, d, x, 31)
	case op >= VPSHUFD && op < VPSLLD:
		a.V2Imm(op, x, o, 0x0B)
	case op >= VMOVUPS && op < VPSHUFD, op >= VPABSQ && op < VPROLD:
		a.V2(op, x, o)
	case op == VBLENDVPS, op == VBLENDVPD:
		a.V4(op, d, x, o, 9)
		a.V4(op, d, x, o, 19)
	case op >= VSHUFPS && op < VBLENDVPS, op >= VPTERNLOGD && op < VPROLVD:
		a.V3Imm(op, d, x, o, 1)
	case op < VSHUFPS, op >= VPROLVD && op < VPABSQ:
		a.V3(op, d, x, o)
	}
}
