package packed_test

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/wire"
	"github.com/govyre/vyre/kernel/packed"
)

// program has enough rows for repetition to pay.
func program(t *testing.T, rows int) *ir.Program {
	t.Helper()
	b := build.New("chain", build.Workgroup(64))
	x := b.Buffer("x", ir.U32, ir.RW)
	i := b.Global(0)
	v := b.Load(x, i)
	for k := range rows {
		v = b.Add(b.Mul(v, b.U32(uint32(k))), i)
	}
	b.Store(x, i, v)
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func packedText(t *testing.T, p *ir.Program) string {
	t.Helper()
	s, err := packed.Text(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestProgramSurvivesPacking(t *testing.T) {
	for _, rows := range []int{0, 1, 50, 3000} {
		p := program(t, rows)
		back, err := packed.Program(packedText(t, p))
		if err != nil {
			t.Fatalf("%d rows: %v", rows, err)
		}
		if back.Digest() != p.Digest() || text.Of(back) != text.Of(p) {
			t.Errorf("%d rows: came back as\n%s\nwant\n%s", rows, text.Of(back), text.Of(p))
		}
	}
}

func TestPackingHalvesEvenSmallPrograms(t *testing.T) {
	for _, rows := range []int{5, 100} {
		p := program(t, rows)
		wire, err := wire.Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(packedText(t, p)); n > len(wire) {
			t.Errorf("%d rows: %d bytes of text for %d bytes of wire form", rows, n, len(wire))
		}
	}
}

func TestTextDoesNotVary(t *testing.T) {
	first := packedText(t, program(t, 500))
	for range 5 {
		if packedText(t, program(t, 500)) != first {
			t.Fatal("equal programs became different texts")
		}
	}
}

func TestDamagedTextIsRefused(t *testing.T) {
	good := packedText(t, program(t, 5))
	steps := func(numbers ...uint64) string {
		var b []byte
		for _, n := range numbers {
			b = binary.AppendUvarint(b, n)
		}
		return base64.StdEncoding.EncodeToString(b)
	}
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "middle of a step"},
		{"no base64", "äöü", "illegal base64"},
		{"cut", good[:len(good)/8*4], ""},
		{"a letter changed", strings.Replace(good, "Y2hhaW4", "Y2hhaW5", 1), ""},
		{"literals beyond the end", steps(200), "middle of a step"},
		{"copy from before the start", steps(0, 0, 1), "with 0 bytes there"},
		{"copy from nowhere", steps(1, 65, 0, 0), "0 bytes back"},
		{"too much", steps(1, 65, 1<<40, 1), "more than"},
		{"sum of sizes wraps", steps(1, 65, 1<<64-5, 1), "more than"},
		{"unfinished number", base64.StdEncoding.EncodeToString([]byte{0x80}), "middle of a step"},
		{"no program inside", steps(3, 1, 2, 3), "VW001"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.text == good {
				t.Fatal("the case damages nothing")
			}
			p, err := packed.Program(c.text)
			if err == nil || p != nil {
				t.Fatalf("accepted as %v", p)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, want something with %q", err, c.want)
			}
		})
	}
}

//ci:inputs 75000
func FuzzProgram(f *testing.F) {
	f.Add([]byte{1, 65, 0, 1})
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<12 {
			return
		}
		packed.Program(base64.StdEncoding.EncodeToString(b))
	})
}

func TestNthOfProgramsThatArePackedTogether(t *testing.T) {
	list := []*ir.Program{program(t, 3), program(t, 40), program(t, 41)}
	text, err := packed.Texts(list...)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range list {
		got, err := packed.Nth(text, i)
		if err != nil || got.Digest() != want.Digest() {
			t.Errorf("program %d: %v", i, err)
		}
	}
	for _, i := range []int{3, 100} {
		if _, err := packed.Nth(text, i); err == nil {
			t.Errorf("there is a program %d of 3", i)
		}
	}
	if _, err := packed.Nth(packedText(t, list[0]), 0); err == nil {
		t.Error("the text of one program is taken for one of many")
	}
}
