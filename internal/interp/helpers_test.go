package interp_test

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// prepare parses the text of one kernel, without its first line, and decodes it.
func prepare(t testing.TB, src string) *interp.Kernel {
	t.Helper()
	ps, err := text.Parse("test.vyre", "vyre 1\n"+src)
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	return decoded(t, ps[0])
}

func decoded(t testing.TB, p *ir.Program) *interp.Kernel {
	t.Helper()
	k, err := interp.Prepare(p)
	if err != nil {
		t.Fatalf("prepare: %v", err)
	}
	return k
}

// breaking prepares k's program again, with broken rules.
func breaking(t testing.TB, k *interp.Kernel, m interp.Mutation) *interp.Kernel {
	t.Helper()
	broken, err := m.Prepare(k.Program())
	if err != nil {
		t.Fatalf("prepare: %v", err)
	}
	return broken
}

// run launches k over groups along x and fails the test on any error.
func run(t testing.TB, k *interp.Kernel, groups uint32, o interp.Options, args ...launch.Arg) *interp.Result {
	t.Helper()
	res, err := k.Run(context.Background(), launch.Launch{Grid: [3]uint32{groups, 1, 1}, Args: args}, o)
	if err != nil {
		t.Fatalf("run %s: %v", k.Program().Name(), err)
	}
	return res
}

// fails launches k and returns the error, which must be of type E.
func fails[E error](t *testing.T, k *interp.Kernel, l launch.Launch, o interp.Options) E {
	t.Helper()
	_, err := k.Run(context.Background(), l, o)
	e, ok := err.(E)
	if !ok {
		t.Fatalf("run %s: got error %v (%T), want a %T", k.Program().Name(), err, err, e)
	}
	return e
}

// u32s is a buffer argument that holds the given words.
func u32s(words ...uint32) launch.Arg {
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return launch.Arg{Mem: b}
}

// words reads a buffer argument back.
func words(a launch.Arg) []uint32 {
	var w []uint32
	for b := a.Mem; len(b) > 0; b = b[4:] {
		w = append(w, binary.LittleEndian.Uint32(b))
	}
	return w
}

func scalar(bits uint64) launch.Arg { return launch.Arg{Bits: bits} }

// wantWords compares a buffer with the words it should hold.
func wantWords(t testing.TB, what string, a launch.Arg, want ...uint32) {
	t.Helper()
	got := words(a)
	if slices.Equal(got, want) {
		return
	}
	for i := range got {
		if i >= len(want) || got[i] != want[i] {
			t.Errorf("%s: first difference at element %d\n got %v\nwant %v", what, i, got, want)
			return
		}
	}
	t.Errorf("%s: got %v, want %v", what, got, want)
}

// schedules are those every race-free program must give one result under.
var schedules = []interp.Schedule{interp.Forward, interp.Reversed, interp.Seeded(1), interp.Seeded(2)}

// wantText reports when s lacks one of the parts.
func wantText(t *testing.T, s string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(s, p) {
			t.Errorf("text %q\nlacks %q", s, p)
		}
	}
}

// launched is run with a whole Launch.
func launched(t testing.TB, k *interp.Kernel, l launch.Launch, o interp.Options) *interp.Result {
	t.Helper()
	res, err := k.Run(context.Background(), l, o)
	if err != nil {
		t.Fatalf("run %s: %v", k.Program().Name(), err)
	}
	return res
}
