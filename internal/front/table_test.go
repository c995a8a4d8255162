package front_test

import (
	"strings"
	"testing"

	"github.com/govyre/vyre/ir/text"
)

// A variable that nothing assigns to and that starts as a part of a constant table is that part, and one that may change is a
// copy.
func TestVariablesOfTablesAreCopiedIfTheyChange(t *testing.T) {
	const table = "var rows = [4][3]uint32{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}\n"
	for _, c := range []struct {
		body   string
		copies int
		want   int32
	}{
		{"for _, r := range rows { for k, c := range r { out[0] += int32(c) * int32(k) } }", 0, (2 + 5 + 8 + 11) + 2*(3+6+9+12)},
		{"r := rows[x&3]\n for k := range x { out[0] += int32(r[k]) }", 0, 33},
		{"r := rows[x&3]\n f := func(k int32) int32 { return int32(r[k%3]) }\n x = 1\n out[0] = f(x)", 0, 11},
		{"r := rows[x&3]\n r[x%3] = 70\n for k := range x { out[0] += int32(r[k]) }", 1, 93},
		{"r := rows[x&3]\n s := r[:]\n s[x%3]++\n for k := range x { out[0] += int32(r[k]) }", 1, 34},
	} {
		k := compiled(t, table+"//vyre:kernel workgroup=1\nfunc K(t gpu.Thread, x int32, out []int32) {\n"+c.body+"\n}\n")
		out := []int32{0}
		if res := launchOne(t, k, int32(3), out); res.Trap != nil || out[0] != c.want {
			t.Errorf("%s\ngot %d, want %d", c.body, out[0], c.want)
		}
		if n := strings.Count(text.Of(k.Program), "local @"); n != c.copies {
			t.Errorf("%s\n%d local arrays, want %d", c.body, n, c.copies)
		}
	}
}
