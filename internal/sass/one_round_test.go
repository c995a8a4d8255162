package sass_test

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	irtext "github.com/govyre/vyre/ir/text"
)

// Error 50 of the assembler needs a loop of one round that it does not know as such. The passes make a block of it; without
// them the error is still there. Whoever avoids it in the text as well finds that here.
func TestLoopsOfOneRoundHideError50(t *testing.T) {
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
	for passes, hangs := range map[string]bool{"": false, "2,-unroll": true} {
		m := machine{a, build{90, 3}, make(map[[32]byte]program), 0, passes}
		if err := m.assemble(t.Context(), ps); err != nil {
			t.Fatal(err)
		}
		err := r.Agree(t.Context(), m)
		if hung := err != nil && strings.Contains(err.Error(), "lanes wait for others"); hung != hangs || err != nil && !hung {
			t.Errorf("with passes %q it gives %v", passes, err)
		}
	}
}
