package opt_test

import (
	"testing"

	"github.com/govyre/vyre/internal/opt"
)

// Every soundness check is needed: with any one of them off some case fails.
func TestWithoutAnyCheckSomeCaseFails(t *testing.T) {
	all := cases(t)
	for k := range opt.Checks {
		t.Run(opt.CheckName(k), func(t *testing.T) {
			t.Parallel()
			for _, c := range all {
				if c.try(func(o opt.Options) opt.Options { return opt.Weaken(o, k) }) != nil {
					return
				}
			}
			t.Error("every case passes without it")
		})
	}
}
