package arm64

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/internal/native/internal/amd64/objdump"
)

var update = flag.Bool("update", false, "write the disassembler's text of the instructions anew")

// every writes each row of the table with several operands: low and high registers, constants at their ends.
func every() []byte {
	a := New(false)
	for op := none + 1; op < numInsts; op++ {
		for k := range uint32(6) {
			var v []uint32
			for i := range forms[op].operands {
				v = append(v, sample(&forms[op].operands[i], k+7*uint32(i))...)
			}
			a.i(op, v...)
		}
	}
	code, err := a.Bytes()
	if err != nil {
		panic(err)
	}
	return code
}

// sample are values of an operand.
func sample(o *operand, k uint32) []uint32 {
	reg := (5*k + 3) % 31
	switch o.kind {
	case 'l', 'q':
		size := uint32(4)
		if o.text == "d" {
			size = 2
		}
		return []uint32{reg, k % size}
	case 'u':
		return []uint32{reg, k * 300 % 4096 << (o.text[0] - '0')}
	case 'o':
		return []uint32{reg, ^(k * 40)}
	case 'p':
		return []uint32{reg, (k - 3) * 16 * 20}
	case 'c', '!', '+':
		return []uint32{k % 14}
	case 'x':
		return []uint32{k % 5}
	case '<':
		return []uint32{k % 4}
	case '=', 'L':
		return nil
	case '#':
		switch o.text[0] {
		case 'z', 'k':
			return []uint32{k*1000 + 1, k % (o.where[1].mask()>>21 + 1)}
		case 'n', '1':
			return []uint32{k * 77}
		case 'e', 'b':
			return []uint32{k % 16}
		case 'i':
			return []uint32{k * 17 % 256}
		}
		return []uint32{1 + 5*k%31} // of shifts
	}
	return []uint32{reg}
}

// golden returns the disassembler's text of what every writes, which is committed.
func golden(t *testing.T) []objdump.Inst {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "every.txt"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := objdump.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The text in testdata is a disassembler's, of these very bytes; and what Read makes of them is the same, word for word.
func TestEncodingsAreWhatADisassemblerReads(t *testing.T) {
	code := every()
	if *update {
		text, err := objdump.RunARM64(code)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join("testdata", "every.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := golden(t)
	if len(all) != int(numInsts-1)*6 {
		t.Fatalf("the text has %d instructions, the table %d", len(all), numInsts)
	}
	failed := 0
	for i, want := range all {
		if !bytes.Equal(code[4*i:4*i+4], want.Bytes) {
			t.Fatalf("at %#x the code is not % x, %s", 4*i, want.Bytes, want.Text)
		}
		in, err := Read(code, 4*i, objdump.Place)
		if err != nil {
			t.Errorf("%v; it is %s, of %s", err, want.Text, rows[i/6+1].name)
			failed++
		} else if got := in.String(); got != want.Text {
			t.Errorf("at %#x: %s; the disassembler says %s", 4*i, got, want.Text)
			failed++
		}
		if name, _, _ := strings.Cut(want.Text, " "); !strings.HasPrefix(name, rows[i/6+1].name) {
			t.Errorf("%s is read as %s", rows[i/6+1].name, want.Text)
		}
		if failed > 40 {
			t.FailNow()
		}
	}
}

// Whatever the bytes are, Read comes to an end: with an instruction or an error.
//
//ci:race !AnyBytes
func TestReadTakesAnyBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	code, read := make([]byte, 4), 0
	for range 300_000 {
		op := 1 + r.IntN(int(numInsts-1))
		w := rows[op].bits | r.Uint32()&^forms[op].mask
		for i := range code {
			code[i] = byte(w >> (8 * i))
		}
		in, err := Read(code, 0, objdump.Place)
		if err == nil && (in.Len != 4 || in.Name == "") {
			t.Fatalf("% x is read as %s", code, in)
		}
		if err == nil {
			read++
		}
	}
	if read < 200_000 {
		t.Errorf("only %d were instructions", read)
	}
	for _, other := range [][]byte{{}, {0, 0, 0}, {0, 0, 0, 0}, {0xFF, 0xFF, 0xFF, 0xFF}} {
		if in, err := Read(other, 0, objdump.Place); err == nil {
			t.Errorf("% x is read as %s", other, in)
		}
	}
}

func TestLabelThatStandsNowhereIsAnError(t *testing.T) {
	a := New(false)
	a.Jmp(a.NewLabel())
	if _, err := a.Bytes(); err == nil {
		t.Error("no error")
	}
}

// What has no form here is an error that says so, and no code.
func TestUnknownInstructionIsAnError(t *testing.T) {
	a := New(false)
	a.V3(amd64.VPSHUFB, 0, 1, amd64.Y(2).RM())
	if _, err := a.Bytes(); err == nil || !strings.Contains(err.Error(), "vpshufb") {
		t.Errorf("the error is %v", err)
	}
}
