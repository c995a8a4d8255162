package opt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/opt"
)

// Every soundness check is needed: with any one of them off some case fails. The cases of the pass that it is named for
// come first, then regressions after that pass alone and after all, then everything.
func TestSoundnessChecksAreEachMissedByACase(t *testing.T) {
	all := cases(t)
	for k := range opt.Checks {
		t.Run(opt.CheckName(k), func(t *testing.T) {
			t.Parallel()
			off := func(o opt.Options) opt.Options { return opt.Weaken(o, k) }
			pass, _, _ := strings.Cut(opt.CheckName(k), "/")
			fails := func(c *passCase) bool { return c.try(off) != nil }
			own := func(c *passCase) bool { return !c.regress && slices.Contains(c.passes, pass) && fails(c) }
			regress := func(c *passCase) bool {
				return c.regress && (c.agree(off(opt.Options{Check: true})) != nil || c.agree(off(only([]string{pass}))) != nil)
			}
			if !slices.ContainsFunc(all, own) && !slices.ContainsFunc(all, regress) && !slices.ContainsFunc(all, fails) {
				t.Error("every case passes without it")
			}
		})
	}
}
