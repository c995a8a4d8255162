package driver

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/govyre/vyre/ir"
)

// AutoWorkgroup as Options.Workgroup lets the device choose the size of a group: the one that Tune measured and kept
// for as many items, else the one that a model of the device predicts. A program that knows its group size keeps it.
// So does a program whose groups have more than one row of invocations, because no size along x alone replaces them.
//
// The grid has to be one for Kernel.Workgroup, as that of Cover, and the program has to leave out what is beyond its items.
var AutoWorkgroup = [3]uint32{math.MaxUint32, math.MaxUint32, math.MaxUint32}

// groupSize is a size that a group may have, with what the model says of it.
type groupSize struct {
	threads   int
	cost      uint64 // thread slots of the busiest unit
	occupancy int    // in 1/10000
}

// usual is the size that is preferred if nothing else decides.
const usual = 256

// groupSizes returns the sizes that a group of a program may have, best first by the model: the powers of two from 32 to
// 1024, and the declared size, as far as they run; and the least cost among them. None runs if the device has too little
// for each.
func groupSizes(c *Caps, r Resources, declared int, items uint64) (all []groupSize, least uint64) {
	sizes := []int{32, 64, 128, 256, 512, 1024}
	if !slices.Contains(sizes, declared) {
		sizes = append(sizes, declared)
	}
	for _, n := range sizes {
		groups := uint64(0)
		if items > 0 {
			groups = (items-1)/uint64(n) + 1
		}
		o := Occupy(c, r.Registers, r.Shared, n)
		if o.Groups == 0 || n > int(c.MaxGroupDim[0]) || groups > uint64(c.MaxGridDim[0]) {
			continue
		}
		units, at := uint64(max(c.Units, 1)), uint64(o.Groups)
		full := groups / (at * units)
		rest := groups - full*at*units
		slots := uint64(ceilDiv(n, warpSize) * warpSize)
		all = append(all, groupSize{n, mulSat(full*at+(rest+units-1)/units, slots), o.TenThousand})
	}
	least = math.MaxUint64
	for _, s := range all {
		least = min(least, s.cost)
	}
	slices.SortFunc(all, func(a, b groupSize) int {
		nearA, nearB := a.within(least, 20), b.within(least, 20)
		byCost := cmp.Compare(a.cost, b.cost)
		if nearA && nearB {
			byCost = 0
		}
		return cmp.Or(byCost, cmp.Compare(b.occupancy, a.occupancy), cmp.Compare(a.fromUsual(), b.fromUsual()), cmp.Compare(a.threads, b.threads))
	})
	return all, least
}

// within reports whether the size costs at most 1/share more than the least.
func (s groupSize) within(least, share uint64) bool { return s.cost-least <= least/share }

func (s groupSize) fromUsual() int { return max(s.threads-usual, usual-s.threads) }

// sizable returns nil for a program that may have another group size, along x, or says why not.
func sizable(p *ir.Program) error {
	if w := p.Workgroup(); w[1] != 1 || w[2] != 1 {
		return errors.New("the group of program " + p.Name() + " has more than one row of invocations")
	}
	return dependsOnGroup(p)
}

// Sized is a device's Compile for every group size of the options. Of AutoWorkgroup it makes the size that was kept or is
// predicted; compile does the rest.
func (c *Core) Sized(p *ir.Program, o Options, compile func(Options) (Kernel, error)) (Kernel, error) {
	auto, items := o.Workgroup == AutoWorkgroup, o.Items
	if o.Items = 0; !auto {
		return compile(o)
	}
	o.Workgroup = [3]uint32{}
	if p == nil || p.GroupSize() == 0 || sizable(p) != nil {
		return compile(o)
	}
	caps := c.device.Caps()
	key := tuningKey(caps, p, o, items)
	if size, known := c.sizeOf(key); known {
		o.Workgroup = size
		if k, err := compile(o); err == nil || !errors.Is(err, Unsupported) {
			return k, err
		}
		o.Workgroup = [3]uint32{} // the file is of a build whose code took less
	}
	k, err := compile(o)
	if err != nil {
		return nil, err
	}
	sizes, _ := groupSizes(caps, k.Resources(), p.GroupSize(), items)
	if len(sizes) == 0 || sizes[0].threads == p.GroupSize() {
		c.noteSize(key, p.Workgroup())
		return k, nil
	}
	o.Workgroup = along(sizes[0].threads)
	sized, err := compile(o)
	if errors.Is(err, Unsupported) || errors.Is(err, Compile) {
		return k, nil // of other code for other sizes, which takes more
	}
	if closed := k.Close(); err == nil && closed != nil {
		return nil, errors.Join(closed, sized.Close())
	}
	if err == nil {
		c.noteSize(key, o.Workgroup)
	}
	return sized, err
}

// along is the group of n invocations along x.
func along(n int) [3]uint32 { return [3]uint32{uint32(n), 1, 1} }
