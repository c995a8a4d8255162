package vyp

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/wire"
)

func program(t testing.TB, rows int) *ir.Program {
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

func encode(t testing.TB, list ...Entry) string {
	t.Helper()
	data, err := Encode(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

//ci:race FileHas
func TestFileHasWhatWasWritten(t *testing.T) {
	up := []Declaration{{"k.go", "Up", [8]byte{1}}, {"../lib/with space.go", "Twice", [8]byte{0xff}}}
	list := []Entry{
		{"Up[uint8]", program(t, 0), [32]byte{1}, up}, {"Up[example.com/m.T]", program(t, 60), [32]byte{2}, up},
		{"Copy", program(t, 4000), [32]byte{3}, []Declaration{{"k.go", "Copy", [8]byte{2}}}}, {"Bare", program(t, 3), [32]byte{4}, nil},
	}
	data := encode(t, list...)
	if encode(t, list...) != data {
		t.Error("written twice, and otherwise")
	}
	f, err := Open(data)
	if err != nil || len(f.Programs) != len(list) {
		t.Fatal(len(f.Programs), err)
	}
	for i, p := range f.Programs {
		want := list[i]
		if p.Name != want.Name || p.Source != want.Source || !slices.Equal(p.Made, want.Made) {
			t.Errorf("%+v is %+v", want, p)
		}
		got, err := f.Decode(p)
		if err != nil || text.Of(got) != text.Of(want.Program) {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

func TestProgramsThatAreAlikeTakeLittleRoom(t *testing.T) {
	var list []Entry
	sum := 0
	for i := range 20 {
		p := program(t, 500+i)
		encoded, err := wire.Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		sum += len(encoded)
		list = append(list, Entry{Name: string(rune('A' + i)), Program: p})
	}
	if n := len(encode(t, list...)); 20*n > sum {
		t.Errorf("%d bytes for %d of wire form", n, sum)
	}
}

func TestLargeProgramsHaveFramesOfTheirOwn(t *testing.T) {
	var list []Entry
	for i := range 3 {
		list = append(list, Entry{Name: string(rune('A' + i)), Program: program(t, 15_000+i)})
	}
	f, err := Open(encode(t, list...))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.frames) < 2 {
		t.Fatalf("%d frames", len(f.frames))
	}
	if _, err := f.Decode(f.Programs[0]); err != nil {
		t.Fatal(err)
	}
	if f.frames[0].bytes == nil || f.frames[len(f.frames)-1].bytes != nil {
		t.Error("to decode a program is to unpack its frame, and no other")
	}
}

// A digest keeps damage out. What is behind it holds without.
func TestTablesThatMakeNoSenseAreErrors(t *testing.T) {
	zeros := strings.Repeat("0", 64)
	file := func(table string, frames ...string) string {
		rest := section(nil, []byte(table))
		for _, f := range frames {
			rest = section(rest, []byte(f))
		}
		return string(rest)
	}
	line := "0 0 4 " + zeros[:16] + " " + zeros + " A\n"
	for name, rest := range map[string]string{
		"nothing": "", "a section that is cut": "\x05ab", "a table that is not packed": "\x02\xff\xff",
		"few words": file("0 0 0 A\n"), "no number": file("x"+line[1:], "1234"), "a frame that is not there": file(line),
		"a short digest": file("0 0 4 00 "+zeros+" A\n", "1234"), "a declaration without a name": file(line+"\t00\n", "1234"),
		"after the end of its frame": file(line, "123"), "no program": file(line, "1234"),
		"a frame that is not packed": file(line) + string(binary.AppendUvarint(nil, 2)) + "\xff\xff",
	} {
		f, err := open(rest)
		if err == nil {
			_, err = f.Decode(f.Programs[0])
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

//ci:inputs 20000
func FuzzOpen(f *testing.F) {
	f.Add(encode(f, Entry{Name: "A", Program: program(f, 2), Made: []Declaration{{"k.go", "A", [8]byte{1}}}})[len(Magic)+digestBytes:])
	f.Fuzz(func(t *testing.T, rest string) {
		if f, err := open(rest); err == nil && len(f.Programs) > 0 {
			_, _ = f.Decode(f.Programs[0])
		}
	})
}
