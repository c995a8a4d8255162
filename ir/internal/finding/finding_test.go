package finding_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/finding"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestEveryCodeHasOneMessage(t *testing.T) {
	var b strings.Builder
	for _, code := range slices.Sorted(maps.Keys(finding.Rules)) {
		r := finding.Rules[code]
		severity := "error"
		if r.Severity == ir.Warning {
			severity = "warning"
		}
		fmt.Fprintf(&b, "%s %s: %s\n\t%s\n", code, severity, r.Format, r.Fix)
	}
	const golden = "testdata/codes.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, old := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(old)) {
		var g, o string
		if i < len(got) {
			g = got[i]
		}
		if i < len(old) {
			o = old[i]
		}
		if g != o {
			t.Fatalf("%s, line %d:\ngot  %s\nwant %s\nif that is meant: go test ./ir/internal/finding -run EveryCodeHasOneMessage -update", golden, i+1, g, o)
		}
	}
}
