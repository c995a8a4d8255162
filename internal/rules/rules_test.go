package rules_test

import (
	"context"
	"os"
	"testing"

	"github.com/govyre/vyre/internal/lz"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

func effort() rules.Effort {
	return rules.Effort(long.Count(int(rules.Quick), int(rules.Full), int(rules.Full)))
}

// refuted searches at all types of the class.
func refuted(t *testing.T, r *rules.Rule, e rules.Effort) *rules.Counterexample {
	t.Helper()
	for typ := ir.Bool; typ <= ir.BF16; typ++ {
		c, err := rules.Refute(context.Background(), r, typ, e)
		if c != nil || err != nil {
			return c
		}
	}
	return nil
}

func TestRulesAreTrue(t *testing.T) {
	for _, r := range rules.Table() {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			for typ := ir.Bool; typ <= ir.BF16; typ++ {
				if c, err := rules.Refute(context.Background(), r, typ, effort()); c != nil || err != nil {
					t.Error(c, err)
				}
			}
		})
	}
}

func TestTableIsWhatItsFilesSay(t *testing.T) {
	var all []byte
	for _, name := range []string{"simplify", "idioms", "equalities"} {
		b, err := os.ReadFile(name + ".rules")
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, b...); name != "equalities" {
			all = append(all, 0)
		}
	}
	packed, err := os.ReadFile("table.lz")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := lz.Unpack(packed, 1<<20); err != nil || string(text) != string(all) {
		t.Errorf("table.lz is not those files (%v): go generate ./internal/rules writes it", err)
	}
}
