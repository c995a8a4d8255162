package conform

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
)

// hostFamilies are about programs in themselves; no device is needed.
func hostFamilies() []Family {
	return []Family{
		withFiles("verify-neg", "what the verifier refuses, and what it must not", damagedCases),
		{"text", "a printed program parses to the same digest", func() []Case { return roundTrips("text", textTrip) }},
		{"wire", "an encoded program decodes to the same digest", wireCases},
	}
}

// deviceFamilies are the families with programs.
func deviceFamilies() [][]Family {
	return [][]Family{opFamilies(), memFamilies(), controlFamilies(), atomicFamilies(), groupFamilies(), matrixFamilies(), launchFamilies(), regressions()}
}

// damagedCases break the columns of a sound program in ways that no text can.
func damagedCases() []Case {
	base := func() *ir.Code {
		b := build.New("sound", build.Workgroup(32))
		x, y := b.Buffer("x", ir.U32, ir.RO), b.Buffer("y", ir.U32, ir.WO)
		v := b.Load(x, b.Global(0))
		r := b.Choose(b.Eq(v, b.U32(7)), func() []build.Value { return []build.Value{b.U32(1)} }, func() []build.Value { return []build.Value{v} })
		b.Store(y, b.Global(0), b.Add(r[0], b.Len(x)))
		return must(b.Program()).Edit()
	}
	row := func(c *ir.Code, op ir.Op) ir.Row {
		for r, o := range c.Op {
			if o == op {
				return ir.Row(r)
			}
		}
		panic("BUG: the sound program lacks " + op.String())
	}
	var cases []Case
	for _, d := range []struct {
		code, what string
		damage     func(c *ir.Code)
	}{
		{"VY001", "no rows", func(c *ir.Code) { *c = ir.Code{Workgroup: [3]uint32{1, 1, 1}} }},
		{"VY002", "operand beyond the rows", func(c *ir.Code) { c.A[row(c, ir.OpEq)] = 1 << 20 }},
		{"VY003", "row in another region", func(c *ir.Code) { c.Region[row(c, ir.OpEq)] = 1 }},
		{"VY005", "operand defined later", func(c *ir.Code) { c.A[row(c, ir.OpEq)] = row(c, ir.OpAdd) }},
		{"VY007", "result misnumbered", func(c *ir.Code) { c.X[row(c, ir.OpRes)] = 1 }},
		{"VY013", "unknown flag", func(c *ir.Code) { c.Flags[row(c, ir.OpAdd)] = 1 << 20 }},
		{"VY013", "proof of bounds where none can be", func(c *ir.Code) { c.Flags[row(c, ir.OpAdd)] = ir.InBounds }},
		{"VY014", "opcode that is reserved", func(c *ir.Code) { c.Op[row(c, ir.OpAdd)] = 0x330 }},
		{"VY103", "result of another type", func(c *ir.Code) { c.Type[row(c, ir.OpAdd)] = ir.I32 }},
		{"VY112", "constant beyond its type", func(c *ir.Code) { c.Pool[c.X[row(c, ir.OpConst)]] = 1 << 40 }},
		{"VY208", "length of another type", func(c *ir.Code) { c.Type[row(c, ir.OpLen)] = ir.U64 }},
		{"VY502", "too many parameters", func(c *ir.Code) {
			for i := range 200 {
				c.Params = append(c.Params, ir.Param{Name: fmt.Sprintf("more%d", i), Type: ir.U32, Access: ir.RO, Align: 2, MaxLen: 1})
			}
		}},
	} {
		cases = append(cases, Case{Name: "damaged: " + d.code + " " + d.what, Host: func(f front) error {
			c := base()
			d.damage(c)
			ds := f.Seal(c)
			for _, found := range ds {
				if found.Code == d.code {
					return nil
				}
			}
			return fmt.Errorf("must be refused with %s, but the findings are:\n%w", d.code, ds)
		}})
	}
	return cases
}

// roundTrips makes a case of every family's programs, and one of constants.
func roundTrips(family string, trip func(front, *ir.Program) error) []Case {
	var cases []Case
	add := func(name string, programs func() []*ir.Program) {
		cases = append(cases, Case{Family: family, Name: name, Host: func(f front) error {
			for _, p := range programs() {
				if err := trip(f, p); err != nil {
					return fmt.Errorf("kernel %s: %w", p.Name(), err)
				}
			}
			return nil
		}})
	}
	for _, f := range slices.Concat(deviceFamilies()...) {
		add(f.Name, func() []*ir.Program { return suitePrograms()[f.Name] })
	}
	for _, t := range valueTypes {
		add("constants."+t.String(), func() []*ir.Program { return []*ir.Program{constants(t)} })
	}
	return cases
}

// suitePrograms are the programs of each family, equal ones once. They are kept, since the text and
// the wire cases both go over them.
var suitePrograms = sync.OnceValue(func() map[string][]*ir.Program {
	programs := make(map[string][]*ir.Program)
	seen := make(map[[32]byte]bool)
	for _, f := range slices.Concat(deviceFamilies()...) {
		for _, c := range f.Cases() {
			if c.Program != nil && !seen[c.Program.Digest()] {
				seen[c.Program.Digest()] = true
				programs[f.Name] = append(programs[f.Name], c.Program)
			}
		}
	}
	return programs
})

// constants stores every bit pattern of a small type, edge values and random ones of the others.
func constants(t ir.Type) *ir.Program {
	vals := edges(t)
	rng := rand.New(rand.NewPCG(9, uint64(t)))
	for range 5000 {
		vals = append(vals, rng.Uint64(), nearOne(rng, t), rng.Uint64()>>rng.UintN(64))
	}
	if t.Bits() <= 16 {
		for v := range uint64(1) << t.Bits() {
			vals = append(vals, v)
		}
	}
	b := build.New("constants")
	y := b.Buffer("y", t, ir.WO)
	for i, v := range unique(vals, t.Mask()) {
		b.Store(y, b.U32(uint32(i)), b.Const(t, v))
	}
	return must(b.Program())
}

// textTrip prints and parses.
func textTrip(f front, p *ir.Program) error {
	text := f.Print(p)
	again, err := f.Parse("printed", text)
	switch {
	case err != nil:
		return fmt.Errorf("what was printed does not parse: %w", err)
	case len(again) != 1 || again[0].Digest() != p.Digest():
		return fmt.Errorf("the digest changed on the way through text:\n%s", short(text))
	case f.Print(again[0]) != text:
		return fmt.Errorf("printed twice, the text differs:\n%s", short(text))
	}
	return nil
}

// short cuts a text that nobody will read to its end.
func short(text string) string {
	const most = 4000
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// wireTrip encodes and decodes.
func wireTrip(f front, p *ir.Program) error {
	b, err := f.Encode(p)
	if err != nil {
		return err
	}
	q, notes, err := f.Decode(b)
	switch {
	case err != nil:
		return fmt.Errorf("what was encoded does not decode: %w", err)
	case len(notes) > 0:
		return fmt.Errorf("something was dropped: %w", notes)
	case q.Digest() != p.Digest():
		return fmt.Errorf("the digest changed on the way through the wire form")
	case text.Of(q) != text.Of(p):
		return fmt.Errorf("names changed on the way through the wire form:\n%s", short(text.Of(q)))
	}
	if again, err := f.Encode(q); err != nil || !bytes.Equal(again, b) {
		return fmt.Errorf("encoded twice, the bytes differ (%v)", err)
	}
	return nil
}

func wireCases() []Case {
	cases := roundTrips("wire", wireTrip)
	small := func(f front) ([]byte, *ir.Program, error) {
		p := opCases(ir.OpAdd)[0].program(64, false)
		b, err := f.Encode(p)
		return b, p, err
	}
	return append(cases,
		Case{Family: "wire", Name: "cut short", Host: func(f front) error {
			b, _, err := small(f)
			if err != nil {
				return err
			}
			for n := range b {
				if _, _, err := f.Decode(b[:n:n]); err == nil {
					return fmt.Errorf("the first %d of %d bytes are accepted", n, len(b))
				}
			}
			return nil
		}},
		Case{Family: "wire", Name: "damaged", Host: func(f front) error {
			b, p, err := small(f)
			if err != nil {
				return err
			}
			for i := range b {
				for bit := range 8 {
					damaged := bytes.Clone(b)
					damaged[i] ^= 1 << bit
					// Names may change without the digest; nothing else may.
					if q, _, err := f.Decode(damaged); err == nil && q.Digest() != p.Digest() {
						return fmt.Errorf("another program is read when bit %d of byte %d is flipped", bit, i)
					}
				}
			}
			return nil
		}})
}
