package rules

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/govyre/vyre/internal/lz"
	"github.com/govyre/vyre/ir"
)

// Compare evaluates assignments of a rule at a type in two ways, at the widths that Refute uses, and returns a difference.
func Compare(r *Rule, t ir.Type, n int) error {
	rng := rand.New(rand.NewPCG(1, uint64(t)))
	for _, f := range append(r.narrow(t, Quick), form{}) {
		at := r.instance(t, f)
		p := at.compile()
		var bits [block][]uint64
		for k := range bits {
			for i, v := range at.Vars {
				bits[k] = append(bits[k], rng.Uint64()&f.mask(v.Type))
				p.columns[i][k] = bits[k][i]
			}
		}
		p.run()
		for k := range n {
			left, right, ok := at.Sides(bits[k])
			if ok && (left != p.columns[p.left][k] || right != p.columns[p.right][k]) {
				return fmt.Errorf("%v at %v (%+v) for %#x: %#x and %#x by itself, %#x and %#x with others", r, t, f, bits[k], left, right,
					p.columns[p.left][k], p.columns[p.right][k])
			}
		}
	}
	return nil
}

// SmallFloat returns the number of a float of 8 bits, and RoundSmall the float nearest to a number.
var (
	SmallFloat = fromSmall
	RoundSmall = toSmall
)

// ParseTable parses the table again.
func ParseTable(b interface{ Fatal(...any) }) int {
	text, err := lz.Unpack(packed, maxTable)
	if err != nil {
		b.Fatal(err)
	}
	list, _, err := parse(strings.ReplaceAll(string(text), "\x00", ""))
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range list {
		for t := ir.Bool; t < numTypes; t++ {
			r.At(t)
		}
	}
	return len(list)
}
