package sass_test

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	irtext "github.com/govyre/vyre/ir/text"
)

// What is open stays in sight: the smallest program that error 50 is known of. Whoever avoids the error finds here that it is
// avoided, and makes the program a case of the suite.
func TestError50IsStillThere(t *testing.T) {
	a := newAssembler(t)
	const file = "testdata/error-50.vyre"
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ps, err := irtext.Parse(file, string(src))
	if err != nil {
		t.Fatal(err)
	}
	in := make([]byte, 256)
	for i := range 64 {
		binary.LittleEndian.PutUint32(in[4*i:], uint32(i)*0x9e3779b1)
	}
	r := &conform.RandomProgram{Case: conform.Case{Program: ps[0], Launch: conform.Launch{Grid: [3]uint32{2, 1, 1},
		Args: []conform.Arg{{Bits: 2}, {Data: in}, {Data: make([]byte, 16)}, {Data: make([]byte, 512)}}}}}
	m := machine{a, build{90, 3}, make(map[[32]byte]program), 0, ""}
	if err := m.assemble(t.Context(), ps); err != nil {
		t.Fatal(err)
	}
	if err := r.Agree(t.Context(), m); err == nil || !strings.Contains(err.Error(), "lanes wait for others") {
		t.Errorf("it gives %v: make the program a case, and say in assembler-errors.md how the error is avoided", err)
	}
}
