package prim_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/prim"
)

func TestScanGivesTheKnownAnswers(t *testing.T) {
	known := map[int][2]string{
		0:       {"af1349b9f5f9a1a6", "af1349b9f5f9a1a6"},
		1:       {"21b0a4229cff306d", "d7155261846777ed"},
		33:      {"35dd473eac7d4334", "b9ab3e360b158638"},
		4097:    {"76f9ce3463040e2b", "ac6ae8187ca52b7a"},
		1048576: {"a2f28dca4ef1d28f", "3781a93d42243f39"},
	}
	for _, name := range devices() {
		for _, n := range sizes(name) {
			t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) {
				d := open(t, name)
				if got := digest(must(prim.ScanSlice(ctx, d, prim.Sum, words(n)))(t)); got != known[n][0] {
					t.Errorf("scan of words has digest %s, want %s", got, known[n][0])
				}
				if got := digest(must(prim.ScanSlice(ctx, d, prim.Sum, uniforms(n)))(t)); got != known[n][1] {
					t.Errorf("scan of uniforms has digest %s, want %s", got, known[n][1])
				}
			})
		}
	}
}

// number is what scans and segments take.
type number interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64 | float32 | float64
}

// combine applies an operator to two integers; floats have a sequential oracle of their own order.
func combine[T number](op prim.Operator, a, b T) T {
	switch op {
	case prim.Sum:
		return a + b
	case prim.Product:
		return a * b
	case prim.Min:
		return min(a, b)
	case prim.Max:
		return max(a, b)
	}
	x, y := uint64(a), uint64(b)
	switch op {
	case prim.And:
		x &= y
	case prim.Or:
		x |= y
	default:
		x ^= y
	}
	return T(x)
}

// draws are n elements, of all bits, or small, or mostly one.
func draws[T number](n int, seed uint64) []T {
	rng := rand.New(rand.NewPCG(seed, 3))
	x := make([]T, n)
	for i := range x {
		x[i] = T(rng.Uint64() >> 11)
		if isFloat[T]() {
			x[i] = T(rng.NormFloat64())
		}
	}
	return x
}

func isFloat[T number]() bool { return T(1)/T(2) != 0 }

// scanned is what a scan leaves. Floats go by the order of the tree.
func scanned[T number](op prim.Operator, exclusive bool, x []T) []T {
	y := inclusive(op, x)
	if exclusive && len(y) > 0 {
		copy(y[1:], y)
		y[0] = emptyOf[T](op)
	}
	return y
}

// inclusive is the rule of floats, of which integers see nothing: the elements of an invocation one after another, lanes by
// doubling, warps one after another, totals of tiles by the same rule.
func inclusive[T number](op prim.Operator, x []T) []T {
	apply := func(a, b *T) *T { // nil is absent
		switch {
		case a == nil:
			return b
		case b == nil:
			return a
		}
		v := combine(op, *a, *b)
		return &v
	}
	y := make([]*T, len(x))
	var totals []T
	for tile := 0; tile < len(x); tile += 4096 {
		var warps *T
		for w := range 8 {
			var lanes [32]*T
			from := tile + 512*w
			for l := range lanes {
				for k := from + 16*l; k < min(from+16*l+16, len(x)); k++ {
					lanes[l] = apply(lanes[l], &x[k])
					y[k] = lanes[l]
				}
			}
			for d := 1; d < 32; d *= 2 {
				for l := 31; l >= d; l-- {
					lanes[l] = apply(lanes[l-d], lanes[l])
				}
			}
			for k := from; k < min(from+512, len(x)); k++ {
				if l := (k - from) / 16; l > 0 {
					y[k] = apply(lanes[l-1], y[k])
				}
				y[k] = apply(warps, y[k])
			}
			warps = apply(warps, lanes[31])
		}
		totals = append(totals, *warps)
	}
	if len(totals) > 1 {
		totals = inclusive(op, totals)
	}
	out := make([]T, len(x))
	for k := range out {
		if tile := k / 4096; tile > 0 {
			y[k] = apply(&totals[tile-1], y[k])
		}
		out[k] = *y[k]
	}
	return out
}

// emptyOf is what nothing gives.
func emptyOf[T number](op prim.Operator) T {
	var least T
	ones := least - 1
	switch {
	case isFloat[T]():
		switch op {
		case prim.Product:
			return 1
		case prim.Min:
			return T(math.Inf(1))
		case prim.Max:
			return T(math.Inf(-1))
		}
		return 0
	case ones < 0:
		bits := 8 * unsafe.Sizeof(least)
		least = T(int64(-1) << (bits - 1))
	default:
		least = 0
	}
	switch op {
	case prim.Product:
		return 1
	case prim.Min:
		return ones - least
	case prim.Max:
		return least
	case prim.And:
		return ones
	}
	return 0
}

// scanSubject is a scan of max elements.
func scanSubject[T number](t *testing.T, d vyre.Device, op prim.Operator, exclusive, inPlace bool, max int) *subject {
	make := prim.NewScan[T]
	if exclusive {
		make = prim.NewExclusiveScan[T]
	}
	p := must(make(ctx, d, op, max))(t)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	data := draws[T](max+2, uint64(op))
	x := hold(t, d, data, max%2)
	y := x
	if !inPlace {
		y = hold(t, d, draws[T](max+2, 99), max%2)
	}
	return &subject{
		d: d, max: max, once: inPlace,
		record: func(seq *vyre.Sequence, n prim.Length) *prim.Step { return p.Record(seq, n, x.Buffer, y.Buffer) },
		begin:  func(t *testing.T) { x.set(t); y.set(t) },
		check: func(t *testing.T, n int) {
			t.Helper()
			y.holds(t, "scan", scanned(op, exclusive, data[max%2:][:n]))
		},
	}
}

// scanCase is one that a test can name.
type scanCase struct {
	name string
	make func(t *testing.T, d vyre.Device, op prim.Operator, exclusive, inPlace bool, max int) *subject
	ops  prim.Operator // so many, from the first
}

var scanTypes = []scanCase{
	{"uint8", scanSubject[uint8], 7}, {"uint16", scanSubject[uint16], 7}, {"uint32", scanSubject[uint32], 7}, {"uint64", scanSubject[uint64], 7},
	{"int8", scanSubject[int8], 7}, {"int16", scanSubject[int16], 7}, {"int32", scanSubject[int32], 7}, {"int64", scanSubject[int64], 7},
	{"float32", scanSubject[float32], 4}, {"float64", scanSubject[float64], 4},
}

func TestScanOfAllTypes(t *testing.T) {
	type combination struct {
		scanCase
		op                 prim.Operator
		exclusive, inPlace bool
	}
	for salt, c := range scanTypes {
		var all []combination
		for op := range c.ops {
			for k := range 4 {
				all = append(all, combination{c, op, k&1 != 0, k&2 != 0})
			}
		}
		for i, one := range some(t, all, 2, 4, uint64(salt)) {
			t.Run(fmt.Sprintf("%s %v exclusive=%t in place=%t", one.name, one.op, one.exclusive, one.inPlace), func(t *testing.T) {
				for k, name := range devices() {
					if shared(i, k) {
						s := one.make(t, open(t, name), one.op, one.exclusive, one.inPlace, 8193+salt%2)
						for _, n := range some(t, tileEdges, 3, 6, uint64(salt+i)) {
							s.simple(t, fmt.Sprint(name, " ", n), n)
						}
					}
				}
			})
		}
	}
}

func TestScanInEveryWay(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	for _, c := range []scanCase{scanTypes[2], scanTypes[7], scanTypes[8]} {
		for _, name := range devices() {
			for _, inPlace := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s %s in place=%t", name, c.name, inPlace), func(t *testing.T) {
					c.make(t, open(t, name), prim.Sum, inPlace, inPlace, 2*4096+5).exercise(t)
				})
			}
		}
	}
}

// Groups that look back at others wait for them whatever the order in which warps run, and no access races.
func TestScanUnderSeededSchedules(t *testing.T) {
	for seed := range long.Seeds(t, 2, 6, 1000) {
		for _, c := range []scanCase{scanTypes[2], scanTypes[3], scanTypes[8]} {
			for _, inPlace := range []bool{false, true} {
				s := c.make(t, seeded(t, seed), prim.Sum, inPlace, inPlace, 5*4096+1)
				prim.ForceGroups(uint32(2 + 5*seed%7))
				s.simple(t, fmt.Sprint(c.name, " ", seed), s.max)
				prim.ForceGroups(0)
			}
		}
	}
}

func TestScanRefuses(t *testing.T) {
	d := open(t, "cpu")
	for what, c := range map[string]struct {
		err  func() error
		want string
	}{
		"a type":          {func() error { _, err := prim.NewScan[[2]uint32](ctx, d, prim.Sum, 1); return err }, "fixed size"},
		"a named type":    {func() error { _, err := prim.NewScan[prim.Operator](ctx, d, prim.Sum, 1); return err }, "fixed size"},
		"bits of floats":  {func() error { _, err := prim.NewScan[float32](ctx, d, prim.Xor, 1); return err }, "integers only"},
		"no operator":     {func() error { _, err := prim.NewScan[uint32](ctx, d, 7, 1); return err }, "operator 7"},
		"a negative size": {func() error { _, err := prim.NewScan[uint32](ctx, d, prim.Sum, -1); return err }, "-1"},
		"no device":       {func() error { _, err := prim.NewScan[uint32](ctx, nil, prim.Sum, 1); return err }, "nil"},
	} {
		var e *vyre.Error
		if err := c.err(); !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	p := must(prim.NewScan[uint32](ctx, d, prim.Sum, 10))(t)
	defer p.Close()
	for what, record := range map[string]func(*vyre.Sequence, *vyre.Buffer[uint32], *prim.Scan[uint32]){
		"length -1 is negative": func(seq *vyre.Sequence, b *vyre.Buffer[uint32], p *prim.Scan[uint32]) {
			p.Record(seq, prim.N(-1), b.View(0, 10), b.View(10, 20))
		},
		"length 11 is above 10": func(seq *vyre.Sequence, b *vyre.Buffer[uint32], p *prim.Scan[uint32]) {
			p.Record(seq, prim.N(11), b, b)
		},
		"a range of 4 elements": func(seq *vyre.Sequence, b *vyre.Buffer[uint32], p *prim.Scan[uint32]) {
			p.Record(seq, prim.N(5), b, b.View(0, 4))
		},
		"shares bytes": func(seq *vyre.Sequence, b *vyre.Buffer[uint32], p *prim.Scan[uint32]) {
			p.Record(seq, prim.N(5), b.View(0, 8), b.View(1, 9))
		},
	} {
		b := must(vyre.Alloc[uint32](d, 20))(t)
		seq := d.NewSequence("refused")
		record(seq, b, p)
		if err := seq.Prepare(); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q: %v", what, err)
		}
		seq.Close()
		b.Close()
	}
}

func ExampleExclusiveScanSlice() {
	dev, err := vyre.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	starts, err := prim.ExclusiveScanSlice(context.Background(), dev, prim.Sum, []uint32{3, 1, 4, 1, 5})
	fmt.Println(starts, err)
	// Output: [0 3 4 8 9] <nil>
}
