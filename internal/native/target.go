package native

import (
	"fmt"
	"slices"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/internal/native/internal/arm64"
)

// target is an instruction set that machine code can be made for. The generator writes instructions of amd64, over
// vectors of 256 bits; an assembler for another processor makes of each what means the same there.
type target struct {
	name      string
	registers int                      // vector registers that can be handed out
	own       *book                    // rules of its own
	fuses     bool                     // it has one instruction for all logic on three values
	assembler func(far bool) assembler // whose conditional jumps reach all of the code if far
}

func amd64Target() target {
	return target{name: "amd64.avx2", registers: allocatable, assembler: func(bool) assembler { return amd64.New() }}
}

// amd64Target512 is AVX-512 on vectors of 256 bits. The README says why not on longer ones.
func amd64Target512() target {
	return target{name: "amd64.avx512", registers: machineRegisters - 3, own: &book512, fuses: true, assembler: func(bool) assembler { return amd64.New512() }}
}

func arm64Target() target {
	return target{name: "arm64.neon", registers: arm64.Allocatable, assembler: func(far bool) assembler { return arm64.New(far) }}
}

// Target names the instruction set that kernels of this process become code for, the best that the processor and the
// system have; where there is no machine code, that which is listed.
func Target() string { return hostTargets()[0].name }

// HostTargets names the instruction sets that run here, the best first.
//
//go:noinline
func HostTargets() []string {
	var names []string
	for _, t := range hostTargets() {
		names = append(names, t.name)
	}
	return names
}

// hostTarget returns the one with a name, "" is the best.
func hostTarget(name string) (target, error) {
	all := hostTargets()
	if name == "" {
		return all[0], nil
	}
	if i := slices.IndexFunc(all, func(t target) bool { return t.name == name }); i >= 0 {
		return all[i], nil
	}
	return target{}, fmt.Errorf("the processor, or the system, does not run %s", name)
}

// assembler writes instructions, each with the meaning that it has on amd64; package amd64 says which.
type assembler interface {
	NewLabel() amd64.Label
	Bind(amd64.Label)
	Len() int
	Bytes() ([]byte, error)

	Load(amd64.Size, amd64.Reg, amd64.RM)
	LoadAcquire(amd64.Size, amd64.Reg, amd64.Mem)
	LoadZero(amd64.Size, amd64.Reg, amd64.RM)
	LoadSign(amd64.Size, amd64.Reg, amd64.RM)
	LoadSign32(amd64.Reg, amd64.RM)
	Store(amd64.Size, amd64.Mem, amd64.Reg)
	StoreImm(amd64.Size, amd64.Mem, int32)
	Imm32(amd64.Reg, uint32)
	Alu(amd64.Alu, amd64.Size, amd64.Reg, amd64.RM)
	AluTo(amd64.Alu, amd64.Size, amd64.Mem, amd64.Reg)
	AluImm(amd64.Alu, amd64.Size, amd64.RM, int32)
	Lea(amd64.Reg, amd64.Mem)
	Lea4(amd64.Reg, amd64.Mem)
	LeaLabel(amd64.Reg, amd64.Label)
	Test(amd64.Size, amd64.Reg, amd64.Reg)
	Mul(amd64.Size, amd64.Reg, amd64.RM)
	MulWide(amd64.Size, amd64.RM)
	MulWideSigned(amd64.Size, amd64.RM)
	Shift(uint8, amd64.Size, amd64.Reg)
	MulImm(amd64.Size, amd64.Reg, amd64.RM, int32)
	ShiftImm(uint8, amd64.Size, amd64.Reg, uint8)
	Neg(amd64.Size, amd64.Reg)
	Div(amd64.Size, amd64.RM)
	LowestBit(amd64.Reg, amd64.RM)
	ClearLowest(amd64.Reg)
	SetNE(amd64.Reg)
	CMov(amd64.Cond, amd64.Size, amd64.Reg, amd64.RM)
	Lock()
	XAdd(amd64.Size, amd64.Mem, amd64.Reg)
	Xchg(amd64.Size, amd64.Mem, amd64.Reg)
	CmpXchg(amd64.Size, amd64.Mem, amd64.Reg)
	Fence()
	MFence()
	Clock()
	Ret()
	Jmp(amd64.Label)
	JmpTo(amd64.RM)
	Jcc(amd64.Cond, amd64.Label)

	V3(op amd64.Op, d, x amd64.Y, o amd64.RM)
	V3Imm(op amd64.Op, d, x amd64.Y, o amd64.RM, imm uint8)
	V4(op amd64.Op, d, x amd64.Y, o amd64.RM, mask amd64.Y)
	V2(op amd64.Op, d amd64.Y, o amd64.RM)
	V2Imm(op amd64.Op, d amd64.Y, o amd64.RM, imm uint8)
	V2Short(op amd64.Op, d amd64.Y, o amd64.RM)
	VShift(op amd64.Op, d, s amd64.Y, n uint8)
	VAddScalar(size amd64.Size, d, x, y amd64.Y)
	VMove(d, s amd64.Y)
	VLoad(amd64.Y, amd64.Mem)
	VStore(amd64.Mem, amd64.Y)
	VStoreShort(amd64.Mem, amd64.Y)
	VLow(amd64.Size, amd64.Reg, amd64.Y)
	VHigh(amd64.Reg, amd64.Y)
	VSetLow(amd64.Size, amd64.Y, amd64.Reg)
	VHalf(amd64.RM, amd64.Y, uint8)
	VMask(amd64.Reg, amd64.Y)
	VToHalf(amd64.RM, amd64.Y)
	VGather4(d amd64.Y, base amd64.Reg, index, mask amd64.Y)
	VGather8(d amd64.Y, base amd64.Reg, index, mask amd64.Y)
	VMaskStore(size amd64.Size, m amd64.Mem, mask, s amd64.Y)
}
