package opt_test

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// spelling is a term over two parameters of type u32: a parameter, or an op of earlier spellings.
type spelling struct {
	op   ir.Op // 0 for a parameter
	a, b int   // the parameter in a
	ops  int
}

var (
	spellingBinary = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpAnd, ir.OpOr, ir.OpXor}
	spellingUnary  = []ir.Op{ir.OpNeg, ir.OpNot}
)

// spellings are all terms of at most n ops: 26, 554 and 15,050 of them with parameters.
func spellings(n int) []spelling {
	list := []spelling{{a: 0}, {a: 1}}
	for ops := 1; ops <= n; ops++ {
		before := len(list)
		for a := range before {
			if list[a].ops != ops-1 {
				continue
			}
			for _, op := range spellingUnary {
				list = append(list, spelling{op, a, a, ops})
			}
		}
		for a := range before {
			for b := range before {
				if list[a].ops+list[b].ops != ops-1 {
					continue
				}
				for _, op := range spellingBinary {
					list = append(list, spelling{op, a, b, ops})
				}
			}
		}
	}
	return list
}

func spelt(all []spelling, k int) string {
	s := all[k]
	switch {
	case s.op == 0:
		return string(rune('x' + s.a))
	case s.op.Info().Args == 1:
		return "(" + s.op.Info().Name + " " + spelt(all, s.a) + ")"
	}
	return "(" + s.op.Info().Name + " " + spelt(all, s.a) + " " + spelt(all, s.b) + ")"
}

// meanings are hashes of each term's values: for all values of both parameters at 8 bits, and for samples of 32 bits.
func meanings(all []spelling) []uint64 {
	const samples = 4096
	seed := maphash.MakeSeed()
	rng := rand.New(rand.NewPCG(1, 2))
	columns := make([][]byte, len(all))
	words := make([][]uint64, len(all))
	list := make([]uint64, len(all))
	for k, s := range all {
		c, w := make([]byte, 1<<16), make([]uint64, samples)
		if s.op == 0 {
			for i := range c {
				c[i] = byte(i >> (8 * s.a))
			}
			for i := range w {
				w[i] = uint64(rng.Uint32())
			}
		} else {
			fn := exact.Of(s.op)
			tiny := exact.Types{In: ir.U32, Out: ir.U32, Width: 8}
			for i, a := range columns[s.a] {
				c[i] = byte(fn(tiny, 0, uint64(a), uint64(columns[s.b][i]), 0))
			}
			for i, a := range words[s.a] {
				w[i] = exact.Eval(s.op, ir.U32, ir.U32, 0, a, words[s.b][i], 0)
			}
		}
		var h maphash.Hash
		h.SetSeed(seed)
		h.Write(c)
		for _, v := range w {
			maphash.WriteComparable(&h, v)
		}
		list[k] = h.Sum64()
		if s.ops < all[len(all)-1].ops { // others are not part of any
			columns[k], words[k] = c, w
		}
	}
	return list
}

// rowsLeft is the number of rows that a term's value needs after the passes of a level, parameters not counted, and how many
// of them are constants.
func rowsLeft(t *testing.T, all []spelling, k int, level compile.Level) (rows, constants int) {
	t.Helper()
	b := build.New("k", build.Workgroup(1))
	x, y := b.Scalar("x", ir.U32), b.Scalar("y", ir.U32)
	out := b.Buffer("out", ir.U32, ir.WO)
	var value func(k int) build.Value
	value = func(k int) build.Value {
		s := all[k]
		switch {
		case s.op == 0:
			return []build.Value{x, y}[s.a]
		case s.op.Info().Args == 1:
			return b.Op(s.op, value(s.a))
		}
		return b.Op(s.op, value(s.a), value(s.b))
	}
	b.Store(out, b.U32(0), value(k))
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	if p, _, err = opt.Run(p, opt.Options{Passes: compile.Choice{Level: level}}); err != nil {
		t.Fatal(err)
	}
	return coneOfStore(p)
}

// coneOfStore counts the rows that the value of the program's store is computed from, itself included, and the constants among
// them.
func coneOfStore(p *ir.Program) (rows, constants int) {
	seen := make(map[ir.Row]bool)
	var count func(r ir.Row)
	count = func(r ir.Row) {
		if r == ir.NoRow || seen[r] || p.Op(r) == ir.OpArg {
			return
		}
		seen[r] = true
		if p.Op(r) == ir.OpConst {
			constants++
		}
		for _, v := range []ir.Row{p.A(r), p.B(r), p.C(r)} {
			count(v)
		}
	}
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) == ir.OpStore {
			count(p.B(r))
		}
	}
	return len(seen), constants
}

// TestFewTermsStayDearer counts the terms that the passes leave with more rows than another spelling of the
// same value: rules that go down one at a time block each other. -v lists the forms that stay.
func TestFewTermsStayDearer(t *testing.T) {
	ops := 2
	most := map[compile.Level]dearerTerms{compile.O2: {}, compile.O3: {}}
	if long.Enabled() {
		ops = 3
		most = map[compile.Level]dearerTerms{compile.O2: {rows: 20}, compile.O3: {}}
	}
	all := spellings(ops)
	same := meanings(all)
	drawn := long.Seed(t, 0)
	for level, most := range most {
		if long.Enabled() && !long.Whole() && uint64(level)%2 != drawn%2 {
			continue // another commit's
		}
		n, lines := countDearer(t, all, same, level)
		t.Logf("O%d: of %d terms %d are left with more rows than an equal one, %d of them with more ops", level-compile.O0, len(all), n.rows, n.ops)
		if testing.Verbose() {
			t.Log("\n" + strings.Join(lines, "\n"))
		}
		if n.rows > most.rows || n.ops > most.ops {
			t.Errorf("O%d: %+v terms are left dearer than an equal one, and %+v are the most", level-compile.O0, n, most)
		}
	}
}

// dearerTerms are the terms with more rows than an equal one, constants among them, and those of them with more ops too.
type dearerTerms struct{ rows, ops int }

func countDearer(t *testing.T, all []spelling, same []uint64, level compile.Level) (n dearerTerms, lines []string) {
	rows, ops := make([]int, len(all)), make([]int, len(all))
	least := make(map[uint64]int)
	for k := range all {
		r, c := rowsLeft(t, all, k, level)
		rows[k], ops[k] = r, r-c
		if l, ok := least[same[k]]; !ok || rows[k] < rows[l] {
			least[same[k]] = k
		}
	}
	for k := range all {
		if l := least[same[k]]; rows[k] > rows[l] {
			n.rows++
			if ops[k] > ops[l] {
				n.ops++
			}
			lines = append(lines, fmt.Sprintf("%s: %d rows, %d ops; %s: %d, %d", spelt(all, k), rows[k], ops[k], spelt(all, l), rows[l], ops[l]))
		}
	}
	slices.Sort(lines)
	return n, lines
}
