package megakernel

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// turn measures what arcs.Turn weighs, over random bits for nodes: an arc forward, which looks at a bit and sets it if it is 0;
// looks backward, of which four are in flight together; and nodes in words that a round backward reads one after another. The
// costs are the geometric means over sets that fit caches and sets that do not.
func (c *calibration) turn() error {
	scales, accesses := []int{17, 20, 23, 26}, uint32(1<<24)
	if c.budget == 0 {
		scales, accesses = []int{10}, 1<<10
	}
	var forward, scan float64
	for _, scale := range scales {
		arc, look, node, err := c.accesses(scale, accesses)
		if err != nil {
			return err
		}
		forward += math.Log(4*arc/look) / float64(len(scales))
		scan += math.Log(16*node/look) / float64(len(scales))
	}
	c.out.Forward, c.out.Scan = turnCost(forward), turnCost(scan)
	return nil
}

// turnCost rounds the exponential of a cost into what arcs.Turn takes.
func turnCost(log float64) uint32 {
	return uint32(min(max(math.Round(math.Exp(log)), 1), mostTurnCost))
}

const mostTurnCost = 64

// accesses returns the nanoseconds of an arc, of a look and of a node, in a set of 1<<scale nodes.
func (c *calibration) accesses(scale int, n uint32) (arc, look, node float64, err error) {
	words := int64(1) << scale / 32
	bits, err := c.dev.Alloc(4*words, driver.AllocOptions{Label: "calibrate"})
	if err != nil {
		return 0, 0, 0, err
	}
	defer func() { err = errors.Join(err, bits.Close()) }()
	for _, m := range []struct {
		to    *float64
		body  func(b *build.Builder, set ir.Object, i build.Value) build.Value
		count uint32 // of threads
		each  uint32 // accesses of one
	}{{&arc, claimed, n / 8, 8}, {&look, lookedAt, n / 8, 8}, {&node, scanned, uint32(words), 32}} {
		p, err := accessing(m.body, 1<<scale, m.count)
		if err != nil {
			return 0, 0, 0, fmt.Errorf("BUG: a kernel to calibrate by: %w", err)
		}
		ns, err := c.launched(p, m.count, bits)
		if err != nil {
			return 0, 0, 0, err
		}
		*m.to = max(ns, 1) / float64(m.count) / float64(m.each)
	}
	return arc, look, node, nil
}

// accessing is a kernel with a body for each thread of so many, over the bits of a set of so many nodes.
func accessing(body func(b *build.Builder, set ir.Object, i build.Value) build.Value, nodes, threads uint32) (*ir.Program, error) {
	b := build.New("accesses", build.Workgroup(256))
	set := b.Buffer("set", ir.U32, ir.RW)
	i := b.Global(0)
	b.If(b.Lt(i, b.U32(threads)), func() {
		// What is read counts, but nothing comes to be written.
		b.If(b.Eq(body(b, set, i), b.U32(math.MaxUint32)), func() { b.Store(set, b.U32(0), b.U32(nodes)) })
	})
	return b.Program()
}

// random is the word and the bit of a node that a number stands for.
func random(b *build.Builder, set ir.Object, number build.Value) (word, bit build.Value) {
	x := b.Mul(b.Xor(number, b.Shr(number, b.U32(16))), b.U32(0x7FEB352D))
	x = b.Mul(b.Xor(x, b.Shr(x, b.U32(15))), b.U32(0x846CA68B))
	words := b.Cvt(ir.U32, b.Len(set))
	return b.And(b.Shr(x, b.U32(5)), b.Sub(words, b.U32(1))), b.Shl(b.U32(1), b.And(x, b.U32(31)))
}

// claimed goes along 8 arcs.
func claimed(b *build.Builder, set ir.Object, i build.Value) build.Value {
	sum := b.U32(0)
	for k := range uint32(8) {
		word, bit := random(b, set, b.Add(b.Mul(i, b.U32(8)), b.U32(k)))
		old := b.Atomic(ir.OpAtomicLoad, set, ir.Relaxed, ir.Device, word)
		open := b.Eq(b.And(old, bit), b.U32(0))
		sum = b.Add(sum, b.Choose(open, func() []build.Value {
			return []build.Value{b.Atomic(ir.OpAtomicOr, set, ir.Relaxed, ir.Device, word, bit)}
		}, func() []build.Value { return []build.Value{b.U32(1)} })[0])
	}
	return sum
}

// lookedAt looks at 8 bits, four of them together, and if all are 0 at the other four.
func lookedAt(b *build.Builder, set ir.Object, i build.Value) build.Value {
	four := func(k uint32) []build.Value {
		var all []build.Value
		for j := range uint32(4) {
			word, bit := random(b, set, b.Add(b.Mul(i, b.U32(8)), b.U32(k+j)))
			all = append(all, b.And(b.Load(set, word), bit))
		}
		return []build.Value{b.Or(b.Or(all[0], all[1]), b.Or(all[2], all[3]))}
	}
	first := four(0)
	return b.Choose(b.Eq(first[0], b.U32(0)), func() []build.Value { return four(4) }, func() []build.Value { return first })[0]
}

// scanned reads a word.
func scanned(b *build.Builder, set ir.Object, i build.Value) build.Value {
	return b.Select(b.Eq(b.Load(set, i), b.U32(math.MaxUint32-1)), b.U32(math.MaxUint32), b.U32(0))
}

// launched returns the middle time of launches, each over an empty set, in nanoseconds.
func (c *calibration) launched(p *ir.Program, threads uint32, set driver.Buffer) (ns float64, err error) {
	k, err := c.dev.Compile(c.ctx, p, driver.Options{Label: "calibrate"})
	if err != nil {
		return 0, err
	}
	empty, launch := c.dev.NewSequence("calibrate"), c.dev.NewSequence("calibrate")
	defer func() { err = errors.Join(err, launch.Close(), empty.Close(), k.Close()) }()
	empty.Fill(driver.All(set), 0, 4)
	launch.Launch(k, driver.Groups((threads+255)/256), driver.All(set))
	var all []float64
	for range warmRuns + fewestRuns {
		if _, err := empty.Run(c.ctx); err != nil {
			return 0, err
		}
		r, err := launch.Run(c.ctx)
		if err != nil {
			return 0, err
		}
		took := r.Wall
		if r.HasDevice {
			took = r.Device
		}
		all = append(all, float64(took))
	}
	all = all[warmRuns:]
	slices.Sort(all)
	return all[len(all)/2], nil
}
