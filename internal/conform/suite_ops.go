package conform

import (
	"math/rand/v2"
	"strings"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
)

// opFamily makes a family of all edge values of the ops that want accepts.
func opFamily(name, about string, want func(ir.Op, ir.Type) bool) Family {
	return Family{name, about, func() []Case {
		var cases []Case
		for _, op := range ir.Ops() {
			for _, o := range opCases(op) {
				if want(op, o.typed()) {
					cases = append(cases, o.on(name, o.Name(), o.edgeRows()))
				}
			}
		}
		return cases
	}}
}

// oneOf reports whether op is among list.
func oneOf(op ir.Op, list ...ir.Op) bool {
	for _, o := range list {
		if o == op {
			return true
		}
	}
	return false
}

func isShift(op ir.Op) bool { return oneOf(op, ir.OpShl, ir.OpShr, ir.OpRotl, ir.OpRotr) }

func isFloat(t ir.Type) bool { return t.IsFloat() || t.IsHalf() }

func isExact(op ir.Op) bool { return op.Info().Attr&(ir.Expanded|ir.Approximate) == 0 }

// opFamilies are the families that run one pure op over edge values.
func opFamilies() []Family {
	return []Family{
		opFamily("int-edge", "integer ops and comparisons over pairs of edge values", func(op ir.Op, t ir.Type) bool {
			return (t.IsInt() || t == ir.Bool) && !isShift(op) && !oneOf(op, ir.OpDiv, ir.OpRem)
		}),
		{"int-shift", "shifts saturate their count, rotates take it modulo the width", shiftCases},
		opFamily("int-div", "division is total", func(op ir.Op, t ir.Type) bool {
			return t.IsInt() && oneOf(op, ir.OpDiv, ir.OpRem)
		}),
		opFamily("float-edge", "float ops over zeros, subnormals, infinities and NaNs", func(op ir.Op, t ir.Type) bool {
			return isFloat(t) && isExact(op) && !oneOf(op, ir.OpMin, ir.OpMax, ir.OpMinp, ir.OpMaxp)
		}),
		{"float-round", "one rounding an op: random operands, and all f16 and bf16 values", roundCases},
		opFamily("float-min", "a NaN loses in min and max, wins in minp and maxp; −0 is below +0", func(op ir.Op, t ir.Type) bool {
			return isFloat(t) && oneOf(op, ir.OpMin, ir.OpMax, ir.OpMinp, ir.OpMaxp)
		}),
		{"convert", "every legal conversion over edge values; f16 and bf16 exhaustively", convertCases},
		fileFamily("recipe-ulp", "accurate functions keep their bound, against values from a reference"),
		{"recipe-same", "accurate functions have the same bits everywhere, expanded or not", recipeCases},
		{"fast-tolerance", "fast_ functions keep to their tolerance", fastCases},
	}
}

func shiftCases() []Case {
	var cases []Case
	for _, op := range []ir.Op{ir.OpShl, ir.OpShr, ir.OpRotl, ir.OpRotr} {
		for _, o := range opCases(op) {
			var rows [][3]uint64
			for _, v := range edges(o.in[0]) {
				for n := range uint64(2*o.in[0].Bits() + 1) {
					rows = append(rows, [3]uint64{v, n})
				}
				for _, n := range []uint64{1 << 31, 1<<32 - 1, 1<<32 - 32, 256, 257} {
					rows = append(rows, [3]uint64{v, n})
				}
			}
			cases = append(cases, o.on("int-shift", o.Name(), rows))
		}
	}
	return cases
}

// roundCases draws operands whose exponents are near each other, where rounding
// decides, and runs the unary half ops over everything.
func roundCases() []Case {
	rng := rand.New(rand.NewPCG(1, 2))
	var cases []Case
	for _, op := range ir.Ops() {
		for _, o := range opCases(op) {
			t := o.typed()
			if !isFloat(t) || !isExact(op) {
				continue
			}
			var rows [][3]uint64
			if t.IsHalf() && len(o.in) == 1 {
				for v := range uint64(1 << 16) {
					rows = append(rows, [3]uint64{v})
				}
			} else {
				for range 4096 {
					var r [3]uint64
					for i := range o.in {
						r[i] = nearOne(rng, o.in[i])
					}
					rows = append(rows, r)
				}
			}
			cases = append(cases, o.on("float-round", o.Name(), rows))
		}
	}
	return cases
}

// nearOne draws bits of type t; floats get an exponent within 2 to the ±30 or so.
func nearOne(rng *rand.Rand, t ir.Type) uint64 {
	v := rng.Uint64() & t.Mask()
	switch t {
	case ir.F32:
		return v&0x807F_FFFF | uint64(127-30+rng.IntN(60))<<23
	case ir.F64:
		return v&0x800F_FFFF_FFFF_FFFF | uint64(1023-60+rng.IntN(120))<<52
	}
	return v
}

func convertCases() []Case {
	var cases []Case
	for _, op := range []ir.Op{ir.OpCvt, ir.OpBitcast} {
		for _, o := range conversions(op) {
			rows := o.edgeRows()
			rng := rand.New(rand.NewPCG(uint64(o.in[0]), uint64(o.out)))
			for range 2048 {
				rows = append(rows, [3]uint64{rng.Uint64() & o.in[0].Mask()}, [3]uint64{nearOne(rng, o.in[0])})
			}
			if o.in[0].IsHalf() {
				rows = rows[:0]
				for v := range uint64(1 << 16) {
					rows = append(rows, [3]uint64{v})
				}
			}
			cases = append(cases, o.on("convert", o.Name(), rows))
		}
	}
	return cases
}

// recipeCases run every accurate function as one op, and as the basic ops of its recipe.
func recipeCases() []Case {
	plain := opFamily("recipe-same", "", func(op ir.Op, t ir.Type) bool { return exact.RecipeOf(op) != nil }).Cases()
	var cases []Case
	for _, c := range plain {
		expanded := c
		expanded.Name += "/expanded"
		expanded.Program = must(opt.Expand(c.Program))
		cases = append(cases, c, expanded)
	}
	return cases
}

// fastCases compare within the tolerance that the language states for each function.
func fastCases() []Case {
	var cases []Case
	for _, op := range ir.Ops() {
		if !strings.HasPrefix(op.String(), "fast_") {
			continue
		}
		for _, o := range opCases(op) {
			cases = append(cases, fastCase(o, false))
			if oneOf(op, ir.OpFastSin, ir.OpFastCos) {
				cases = append(cases, fastCase(o, true))
			}
		}
	}
	return cases
}

func fastCase(o OpCase, wide bool) Case {
	rng := rand.New(rand.NewPCG(3, uint64(o.op)))
	var rows [][3]uint64
	for range 4096 {
		var r [3]uint64
		for i := range o.in {
			r[i] = fastInput(rng, o.op, wide)
		}
		rows = append(rows, r)
	}
	name := o.Name()
	if wide {
		name += ".wide"
	}
	c := o.on("fast-tolerance", name, rows)
	c.Tolerance = fastTolerance(o.op, wide)
	return c
}
