package sass_test

import (
	"regexp"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/ir"
)

// TestWhatIsLeftOutIsSeen: of programs whose machine code does not have its lanes meet, or its invocations wait for each
// other, some do not agree with the interpreter any more. So that the others agree says something about their lanes.
func TestWhatIsLeftOutIsSeen(t *testing.T) {
	a := newAssembler(t)
	var rs []*conform.RandomProgram
	var ps []*ir.Program
	for seed := range uint64(100) {
		r := conform.RandomGo(seed)
		if seed%2 == 0 {
			r = conform.Random(seed)
		}
		rs, ps = append(rs, r), append(ps, r.Program)
	}
	m := machine{a, build{80, 3}, make(map[[32]byte]program), 1}
	if err := m.assemble(t.Context(), ps); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{`BSYNC B\d+`, `BAR.SYNC 0x0`, `SHFL\.\w+ P\w, `, `VOTE\.ANY R`} {
		part := regexp.MustCompile(`(?m)^(        /\*[0-9a-f]{4}\*/).* ` + what + `.*;(.*)$`)
		had, seen := 0, 0
		for _, r := range rs {
			whole := m.made[r.Program.Digest()]
			without := whole
			if without.listing = part.ReplaceAllString(whole.listing, "$1 NOP ;$2"); without.listing == whole.listing {
				continue
			}
			had++
			m.made[r.Program.Digest()] = without
			if r.Agree(t.Context(), m) != nil {
				seen++
			}
			m.made[r.Program.Digest()] = whole
		}
		t.Logf("%s: %d of %d programs differ without", what, seen, had)
		if seen == 0 {
			t.Errorf("without %s all %d programs that have it agree", what, had)
		}
	}
}
