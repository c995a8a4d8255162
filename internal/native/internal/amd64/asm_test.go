package amd64

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/native/internal/amd64/objdump"
)

var update = flag.Bool("update", false, "write the disassembler's text of the instructions anew")

// every writes each instruction in each form: low and high registers, all kinds of memory.
func every() []byte {
	a := New()
	mems := []Mem{{Base: DI}, {Base: SI, Disp: 8}, {Base: DI, Disp: 4096}, {Base: R13}, {Base: R12, Disp: -8}, {Base: SI, Index: CX, Scale: 4, Disp: 64},
		{Base: DI, Index: R15, Scale: 1, Disp: 512}, {Base: DX, Index: AX, Scale: 8}, {Base: R13, Index: R9, Scale: 2}, {Base: SP, Disp: 16}}
	operands := []RM{Y(2).RM(), Y(12).RM(), mems[0].RM(), mems[4].RM(), mems[5].RM(), mems[6].RM()}
	for op := range numOps {
		for i, o := range operands {
			d, x := Y(i), Y(15-i)
			switch {
			case op >= VPSLLD:
				a.VShift(op, d, x, 31)
			case op >= VPSHUFD:
				a.V2Imm(op, x, o, 0x1B)
			case op >= VMOVUPS:
				a.V2(op, x, o)
			case op >= VBLENDVPS:
				a.V4(op, d, x, o, 9)
			case op >= VSHUFPS:
				a.V3Imm(op, d, x, o, 1)
			default:
				a.V3(op, d, x, o)
			}
		}
	}
	for _, m := range mems {
		for _, s := range []Size{1, 2, 4, 8} {
			a.Load(s, R10, m.RM())
			a.Store(s, m, BX)
			a.Store(s, m, SI)
			a.Alu(CMP, s, R8, m.RM())
			a.AluTo(OR, s, m, DX)
		}
		for _, s := range []Size{4, 8} {
			a.StoreImm(s, m, -2)
			a.AluImm(SUB, s, m.RM(), 1)
			a.AluImm(ADD, s, m.RM(), 128)
			a.XAdd(s, m, R8)
			a.Xchg(s, m, DX)
			a.Lock()
			a.CmpXchg(s, m, R10)
			a.VMaskStore(s, m, 9, 3)
		}
		for _, s := range []Size{1, 2} {
			a.LoadZero(s, R9, m.RM())
			a.LoadSign(s, CX, m.RM())
		}
		a.LoadSign32(DX, m.RM())
		a.Lea(R11, m)
		a.Lea4(R9, m)
		a.VLoad(14, m)
		a.VStore(m, 3)
		a.VStoreShort(m, 10)
		a.VHalf(m.RM(), 5, 1)
		a.VToHalf(m.RM(), 11)
		a.JmpTo(m.RM())
	}
	for _, s := range []Size{4, 8} {
		for _, op := range []Alu{ADD, OR, ADC, SBB, AND, SUB, XOR, CMP} {
			a.Alu(op, s, AX, R9.RM())
			a.AluImm(op, s, R9.RM(), 1000)
			a.AluImm(op, s, DX.RM(), -128)
		}
		a.Test(s, AX, R8)
		a.MulImm(s, R8, DX.RM(), 12)
		a.MulImm(s, DX, R8.RM(), 1200)
		a.Mul(s, R8, DX.RM())
		a.ShiftImm(4, s, R8, 5)
		a.ShiftImm(5, s, AX, 5)
		a.ShiftImm(7, s, CX, 5)
		a.Shift(4, s, R8)
		a.Shift(5, s, AX)
		a.Shift(7, s, R9)
		a.Neg(s, R8)
		a.MulWide(s, R8.RM())
		a.MulWideSigned(s, R9.RM())
		a.Div(s, R8.RM())
		a.IDiv(s, CX.RM())
		a.CDQ(s)
		a.CMov(L, s, R10, R8.RM())
		a.VAddScalar(s, 3, 13, 4)
		a.VLow(s, R8, 12)
		a.VSetLow(s, 12, AX)
	}
	a.Imm32(R9, 7)
	a.Imm64(R9, 1<<40)
	a.Load(4, AX, R9.RM())
	a.LoadZero(1, SI, SI.RM())
	a.LowestBit(CX, R9.RM())
	a.ClearLowest(R9)
	a.ClearLowest(AX)
	a.SetNE(R8)
	a.SetNE(SI)
	a.MFence()
	a.RDTSC()
	a.VMove(3, 12)
	a.VHigh(R11, 13)
	a.VHigh(AX, 3)
	a.VMask(R9, 14)
	a.VMask(AX, 4)
	a.VToHalf(Y(12).RM(), 3)
	a.VHalf(Y(3).RM(), 12, 0)
	a.VGather4(1, DX, 13, 14)
	a.VGather8(10, R8, 3, 4)
	a.VGather4(2, R13, 4, 5)
	a.V2Short(VMOVUPS, 12, mems[1].RM())
	for predicate := range uint8(32) {
		a.V3Imm(VCMPPS, 1, 12, Y(3).RM(), predicate)
	}
	a.VZeroUpper()
	back, on := a.NewLabel(), a.NewLabel()
	a.Bind(back)
	for _, c := range []Cond{B, AE, E, NE, BE, A, S, NS, L, GE, LE, G} {
		a.Jcc(c, on)
	}
	a.LeaLabel(R8, on)
	a.Jmp(back)
	a.Bind(on)
	a.Ret()
	code, err := a.Bytes()
	if err != nil {
		panic(err)
	}
	return code
}

// written is what the tests look at, by the name of the file that has the disassembler's text of it.
var written = map[string]func() []byte{"every": every, "every512": every512}

// golden returns the disassembler's text of what was written, which is committed.
func golden(t *testing.T, name string) []objdump.Inst {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := objdump.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The text in testdata is a disassembler's, of these very bytes: who changes an encoding sees what it has become.
func TestEncodingsAreWhatADisassemblerReads(t *testing.T) {
	for name, write := range written {
		code := write()
		if *update {
			text, err := objdump.Run(code)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join("testdata", name+".txt"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		at := 0
		for _, in := range golden(t, name) {
			if strings.Contains(in.Text, "(bad)") {
				t.Errorf("the disassembler does not know % x", in.Bytes)
			}
			if !bytes.HasPrefix(code[min(at, len(code)):], in.Bytes) {
				t.Fatalf("%s: at %#x the code is not % x, %s", name, at, in.Bytes, in.Text)
			}
			at += len(in.Bytes)
		}
		if at != len(code) {
			t.Errorf("%s: the text ends at %#x, the code at %#x", name, at, len(code))
		}
	}
}

// What was asked for is what the disassembler names, in the order asked.
func TestMnemonicsAreThoseOfTheTable(t *testing.T) {
	all := golden(t, "every")
	for op := range numOps {
		for i := range 6 {
			got, _, _ := strings.Cut(all[int(op)*6+i].Text, " ")
			want := op.String()
			if got != want && !(strings.HasPrefix(want, "vcmp") && strings.HasPrefix(got, "vcmplt")) {
				t.Errorf("%s is read as %s", want, got)
			}
		}
	}
}

func TestLabelThatStandsNowhereIsAnError(t *testing.T) {
	a := New()
	a.Jmp(a.NewLabel())
	if _, err := a.Bytes(); err == nil {
		t.Error("no error")
	}
}

// What Read makes of the code is, word for word, what a disassembler makes of it.
func TestReadSaysWhatADisassemblerSays(t *testing.T) {
	for name, write := range written {
		code, at := write(), 0
		for _, want := range golden(t, name) {
			in, err := Read(code, at, objdump.Place)
			if err != nil {
				t.Fatalf("%v; it is %s", err, want.Text)
			}
			if got := in.String(); got != want.Text || in.Len != len(want.Bytes) {
				t.Errorf("at %#x: %s of %d bytes; the disassembler says %s", at, got, in.Len, want.Text)
			}
			at += len(want.Bytes)
		}
	}
}

// Code that no assembler has written is an error, wherever it ends.
func TestReadRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, write := range written {
		code := write()
		for at := 0; at < len(code); {
			in, err := Read(code, at, objdump.Place)
			if err != nil {
				t.Fatal(err)
			}
			for n := range in.Len {
				if in, err := Read(code[:at+n], at, objdump.Place); err == nil && in.Len > n {
					t.Fatalf("of the first %d bytes at %#x it reads %d", n, at, in.Len)
				}
			}
			at += in.Len
		}
	}
	for _, other := range [][]byte{{}, {0x0F}, {0xD8, 0xC0}, {0x14, 0xC0}, {0xC5, 0xFC, 0x00, 0xC0}, {0xF0, 0xF0}, {0x0F, 0xA2}, {0x66, 0x66}, {0x62}, {0x62, 0xF1, 0x7D, 0x28, 0x0C, 0xC0}} {
		if in, err := Read(other, 0, objdump.Place); err == nil {
			t.Errorf("% x is read as %s", other, in)
		}
	}
}

// Whatever the bytes are, Read comes to an end inside them.
//
//ci:race !AnyBytes
func TestReadTakesAnyBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	starts := []byte{0x0F, 0xC4, 0xC5, 0x62, 0x66, 0xF0, 0xF3, 0x48, 0x41}
	read := 0
	for range 300_000 {
		code := make([]byte, r.IntN(16))
		for i := range code {
			code[i] = byte(r.Uint32())
		}
		if len(code) > 0 && r.IntN(2) == 0 {
			code[0] = starts[r.IntN(len(starts))]
		}
		in, err := Read(code, 0, objdump.Place)
		if err == nil && (in.Len < 1 || in.Len > len(code) || in.Name == "" || strings.Contains(in.String(), "?")) {
			t.Fatalf("% x is read as %s, of %d bytes", code, in, in.Len)
		}
		if err == nil {
			read++
		}
	}
	if read < 10_000 {
		t.Errorf("only %d were instructions", read)
	}
}
