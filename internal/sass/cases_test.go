package sass_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/sass"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// TestMachineCodeOfCasesIsRight: the cases of the conformance suite about what the emitter avoids are right as ptxas makes
// them, with our passes and without: ptxas knows more of a program that is as it was written. A device would say so too, but there is
// one for every target here. A quick run takes one target.
func TestMachineCodeOfCasesIsRight(t *testing.T) {
	a := newAssembler(t)
	var cases []*conform.Case
	var ps []*ir.Program
	n, every := 0, long.Every(40, 1)
	for _, family := range []string{"emission/", "copy-async/"} {
		for c := range conform.Cases(family) {
			generated := strings.Contains(c.Name, "[")
			if n++; c.Program == nil || c.Host != nil || c.Refused != "" || c.Flawed() || generated && n%every != 0 {
				continue
			}
			cases, ps = append(cases, c), append(ps, c.Program)
		}
	}
	for _, how := range []struct {
		build
		passes string
	}{{build{80, 3}, ""}, {build{80, 3}, "0"}, {build{75, 3}, ""}, {build{90, 3}, ""}, {build{90, 3}, "0"}} {
		b := how.build
		m := machine{a, b, make(map[[32]byte]program), 1, how.passes}
		if err := m.assemble(t.Context(), ps); err != nil {
			t.Logf("all cases together: %v", err)
		}
		judged := 0
		for _, c := range cases {
			err := conform.Try(t.Context(), m, c)
			var not *sass.UnknownError
			if errors.As(err, &not) || err != nil && strings.Contains(err.Error(), "is not known; see the package's comment") {
				t.Logf("%s: %v", c, err)
				continue
			}
			judged++
			if err != nil {
				t.Errorf("%s, passes %q, %s: %v", b, how.passes, c, err)
			}
		}
		t.Logf("%s: %d of %d cases were judged", b, judged, len(cases))
		if judged == 0 {
			t.Error("none was judged")
		}
		if !long.Enabled() && how.passes != "" {
			break
		}
	}
}
