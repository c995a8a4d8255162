package columns

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/verify"
)

// Spoil changes one to three entries of a program's columns, to what is near or anything. Often the program is broken
// then. A seed spoils a program always alike.
func Spoil(c *ir.Code, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0x5EED))
	for range 1 + r.IntN(3) {
		spoilOne(c, r)
	}
}

func spoilOne(c *ir.Code, r *rand.Rand) {
	n := c.Rows()
	row := r.IntN(n)
	number := func(near, most uint32) uint32 {
		return []uint32{near + 1, near - 1, uint32(r.IntN(int(most) + 2)), 0, 1 << 31, None}[r.IntN(6)]
	}
	operand := []*ir.Row{&c.A[row], &c.B[row], &c.C[row]}[r.IntN(3)]
	switch r.IntN(13) {
	case 0:
		if op := ir.Ops()[r.IntN(len(ir.Ops()))]; !copies(op) {
			c.Op[row] = op
		}
	case 1:
		c.Op[row] = []ir.Op{c.Op[r.IntN(n)], 0, 0x3FF, 0xFFFF}[r.IntN(4)]
	case 2:
		c.Type[row] = []ir.Type{c.Type[r.IntN(n)], ir.Type(r.IntN(15)), ir.Type(r.IntN(256)), ir.Type(r.IntN(10)) | ir.V2}[r.IntN(4)]
	case 3:
		c.Flags[row] ^= ir.Flags([]int{1 << r.IntN(17), r.IntN(32)}[r.IntN(2)])
	case 4:
		c.Region[row] = number(c.Region[row], uint32(len(c.Regions)))
	case 5, 6, 7:
		*operand = ir.Row(number(uint32(*operand), uint32(n)))
	case 8:
		c.X[row] = number(c.X[row], uint32(n))
		if g := c.Regions[r.IntN(len(c.Regions))]; r.IntN(2) == 0 {
			c.X[row] = uint32(g.Op) // where a label is, perhaps
		}
	case 9:
		c.Args[row] = number(c.Args[row], uint32(len(c.Extra)))
	case 10:
		if k := len(c.Extra); k > 0 {
			k = r.IntN(k)
			c.Extra[k] = number(c.Extra[k], uint32(n))
		}
	case 11:
		g := &c.Regions[r.IntN(len(c.Regions))]
		at := []*ir.Row{&g.Op, &g.First, &g.End}[r.IntN(3)]
		*at = ir.Row(number(uint32(*at), uint32(n)))
	case 12:
		if len(c.Pool) > 0 {
			c.Pool[r.IntN(len(c.Pool))] = r.Uint64() >> r.IntN(64)
		}
		if len(c.Params) > 0 {
			c.Params[r.IntN(len(c.Params))].Access = ir.Access(r.IntN(4))
		}
	}
}

// HostMost is where the host stops: it has no more findings of a program.
const HostMost = 1000

// Sealed seals a copy of a program, and returns what the host finds of what a Validator looks for, sorted, and the
// columns that it finds it in: if nothing is wrong with the structure, sealing has brought them into canonical form.
func Sealed(c *ir.Code, program int) ([]Finding, *ir.Code) {
	c = c.Clone()
	_, err := verify.Seal(c)
	var found ir.Diags
	errors.As(err, &found)
	var all []Finding
	for _, d := range found.Errors() {
		whole := d.Row == ir.NoRow && d.Code != "VY001" && d.Code != "VY003" // a declaration
		if !whole && !strings.HasPrefix(d.Code, "VY4") {
			all = append(all, Finding{program, d.Row, d.Code})
		}
	}
	slices.SortFunc(all, Finding.compare)
	return all, c
}
