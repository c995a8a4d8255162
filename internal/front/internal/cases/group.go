package cases

import "github.com/govyre/vyre/gpu"

// Saxpy is the first kernel of the documentation.
//
//vyre:kernel workgroup=256
func Saxpy(t gpu.Thread, a float32, x, y []float32) {
	i := t.Global().X
	if i >= uint32(len(y)) {
		return
	}
	y[i] = float32(a*x[i]) + y[i]
}

// Histogram counts in shared memory first.
//
//vyre:kernel workgroup=256
func Histogram(t gpu.Thread, data []uint8, bins []uint32) {
	part := gpu.Shared[uint32](t, 256)
	l := t.Local().X
	part[l] = 0
	t.Barrier()
	for i := t.Global().X; i < uint32(len(data)); i += t.Groups().X * 256 {
		gpu.AtomicAdd(&part[data[i]], 1)
	}
	t.Barrier()
	gpu.AtomicAdd(&bins[l], part[l])
}

// Scan scans a group's values in a helper that owns the shared memory.
//
//vyre:kernel workgroup=64
func Scan(t gpu.Thread, in []int32, out []int32) {
	i := t.Global().X
	out[i] = scanGroup(t, in[i])
}

func scanGroup(t gpu.Thread, v int32) int32 {
	cells := gpu.Shared[int32](t, 64)
	l := t.LocalIndex()
	cells[l] = v
	t.Barrier()
	for d := uint32(1); d < 64; d *= 2 {
		var add int32
		if l >= d {
			add = cells[l-d]
		}
		t.Barrier()
		cells[l] += add
		t.Barrier()
	}
	return cells[l]
}

// Ids writes every id and size.
//
//vyre:kernel workgroup=8x4x2
func Ids(t gpu.Thread, out []uint64) {
	i := t.GlobalIndex()
	g, l, n, s := t.Global(), t.Local(), t.Groups(), t.GroupSize()
	id := t.Group()
	out[i] = uint64(g.X+g.Y*3+g.Z*5+l.X*7+l.Y*11+l.Z*13+n.X*17+n.Y*19+n.Z*23+s.X*29+s.Y*31+s.Z*37+id.X*41+id.Y*43) +
		uint64(t.LocalIndex())<<20 + uint64(t.Lane())<<30 + uint64(t.Warp())<<40
}

// Warps uses the subgroup ops, on narrow types too.
//
//vyre:kernel workgroup=48
func Warps(t gpu.Thread, in []int32, out []int64) {
	i := t.Global().X
	v := in[i]
	b := int8(v)
	s := int64(gpu.ReduceAdd(t, v)) + int64(gpu.ReduceMin(t, b))*3 + int64(gpu.ReduceXor(t, uint16(v)))*5
	s = s*7 + int64(gpu.ReduceAdd(t, b)) + int64(gpu.ScanAdd(t, b))*3 + int64(gpu.ScanMax(t, v))
	s = s*7 + int64(gpu.ExclusiveScanMin(t, b)) + int64(gpu.ExclusiveScanMax(t, b))*3 + int64(gpu.ExclusiveScanMin(t, uint8(v)))*9
	s = s*7 + int64(gpu.ExclusiveScanAdd(t, v)) + int64(gpu.ExclusiveScanAnd(t, uint8(v))) + int64(gpu.ExclusiveScanMul(t, b))
	s = s*7 + int64(gpu.Shuffle(t, b, 5)) + int64(gpu.ShuffleXor(t, v, 1)) + int64(gpu.ShuffleUp(t, int64(v)<<33, 2)) + int64(gpu.ShuffleDown(t, uint8(v), 3))
	s = s*7 + int64(t.Ballot(v > 0)) + int64(gpu.Match(t, uint32(v)&3))
	if t.Any(v == 5) && !t.All(v < 100) {
		s++
	}
	if t.Elect() {
		s += 1000
	}
	t.WarpBarrier()
	if gpu.Shuffle(t, v > 3, 0) {
		s = -s
	}
	out[i] = s
}

// Votes uses the barriers that tell something.
//
//vyre:kernel workgroup=64
func Votes(t gpu.Thread, in []int32, out []uint32) {
	i := t.Global().X
	v := in[i]
	rounds := uint32(0)
	for t.BarrierAny(v > 0) {
		v -= int32(t.Local().X%5) + 1
		rounds++
	}
	n := t.BarrierAdd(uint32(v & 3))
	first := gpu.BarrierBroadcast(t, int8(in[i]))
	if t.BarrierAll(n > 3) {
		rounds += 100
	}
	out[i] = rounds + n<<8 + uint32(uint8(first))<<24
}

// Grids spans the grid with its barriers.
//
//vyre:kernel workgroup=32
func Grids(t gpu.Thread, cells []uint32, out []uint32) {
	i := t.GlobalIndex()
	n := uint64(len(cells))
	for range 3 {
		v := cells[(i+1)%n] + cells[i]
		t.GridBarrier()
		cells[i] = v
		t.GridBarrier()
	}
	again := t.GridBarrierAny(cells[i] > 50)
	total := t.GridBarrierAdd(cells[i] & 7)
	both := t.GridBarrierAdd64(uint64(cells[i]&3)<<32|0xFFFFFFF) + t.BarrierAdd64(uint64(cells[i])<<40)
	total += uint32(both>>32) ^ uint32(both)
	if again && t.GridBarrierAll(total > 1) {
		total += gpu.GridBarrierBroadcast(t, cells[i])
	}
	out[i] = total
}

// Firsts has the first groups of a grid go on alone until what they sum is great enough.
//
//vyre:kernel workgroup=48
func Firsts(t gpu.Thread, cells []uint32, out []uint64) {
	const few = 3
	i := t.GlobalIndex()
	if t.Group().X < few {
		n := min(uint64(len(cells)), few*48)
		for {
			next := cells[(i+48)%n]
			t.FirstGroupsBarrier(few)
			cells[i] = next + 1
			sum := t.FirstGroupsBarrierAdd(few, next)
			both := t.FirstGroupsBarrierAdd64(few, uint64(next)<<32|1)
			out[i] += both ^ uint64(sum)<<16
			if sum > 2000 {
				break
			}
		}
	}
	out[i] += uint64(t.FirstGroupsBarrierAdd(few, uint32(i))) + t.GridBarrierAdd64(out[i])
}

// Atomics uses each atomic on a cell of its own for each invocation, with orders and scopes.
//
//vyre:kernel workgroup=32
func Atomics(t gpu.Thread, a []int32, u []uint64, f []float32, out []int64) {
	i := int(t.Global().X)
	part := gpu.Shared[uint32](t, 32)
	gpu.AtomicStore(&part[i%32], uint32(i))
	s := int64(gpu.AtomicAdd(&a[i], 5)) + int64(gpu.AtomicSub(&a[i], 2))*3 + int64(gpu.AtomicMin(&a[i], 40))*5 + int64(gpu.AtomicMax(&a[i], -40))*7
	s = s*11 + int64(gpu.AtomicAnd(&u[i], 0xFFFF0)) + int64(gpu.AtomicOr(&u[i], 3)) + int64(gpu.AtomicXor(&u[i], 9))
	s = s*11 + int64(gpu.AtomicExchange(&a[i], 77)) + int64(gpu.AtomicCompareExchange(&a[i], 77, 78)) + int64(gpu.AtomicCompareExchange(&a[i], 5, 6))
	s = s*11 + int64(gpu.AtomicAdd(&f[i], 1.5)) + int64(gpu.AtomicLoad(&f[i])*4)
	s += int64(gpu.AtomicAddOrdered(&u[i], 4, gpu.AcqRel, gpu.Device)) + int64(gpu.AtomicLoadOrdered(&a[i], gpu.Acquire, gpu.System))
	gpu.AtomicStoreOrdered(&a[i], 12, gpu.Release, gpu.Device)
	t.Fence(gpu.SeqCst, gpu.Workgroup)
	out[i] = s + int64(gpu.AtomicLoad(&part[i%32]))
}

// Waits hands a value from the first warp of a group to the second, which pauses while it is not there.
//
//vyre:kernel workgroup=64
func Waits(t gpu.Thread, in, out []uint32) {
	cell := gpu.Shared[uint32](t, 2)
	l, g := t.Local().X, t.Group().X
	if l < 2 {
		cell[l] = 0
	}
	t.Barrier()
	if l == 0 {
		cell[1] = in[g]
		gpu.AtomicStoreOrdered(&cell[0], 1, gpu.Release, gpu.Workgroup)
	}
	if l == 32 {
		for ns := uint32(8); gpu.AtomicLoadOrdered(&cell[0], gpu.Acquire, gpu.Workgroup) == 0; ns = min(2*ns, 256) {
			gpu.Pause(ns)
		}
		out[g] = cell[1]
	}
}

// Chained has each group wait for the next one.
//
//vyre:kernel workgroup=32
func Chained(t gpu.Thread, in, flags, out []uint32) {
	t.Resident()
	g := t.Group().X
	if t.Local().X != 0 {
		return
	}
	sum := in[g]
	if g+1 < t.Groups().X {
		for gpu.AtomicLoadOrdered(&flags[g+1], gpu.Acquire, gpu.Device) == 0 {
			gpu.Pause(50)
		}
		sum += out[g+1]
	}
	out[g] = sum
	gpu.AtomicStoreOrdered(&flags[g], 1, gpu.Release, gpu.Device)
}

// Outside reads and writes out of bounds, which At and Put define natively too.
//
//vyre:kernel workgroup=32
func Outside(t gpu.Thread, in []int32, at []int64, out []int32) {
	i := t.Global().X
	if i >= uint32(len(at)) {
		return
	}
	k := at[i]
	v := in[2:6]
	gpu.Prefetch(in, k)
	s := gpu.At(in, k) + gpu.At(in, uint64(k))*3 + gpu.At(in, int32(k))*5 + gpu.At(in, uint8(k))*7 + gpu.At(in, uint32(k))*11 + gpu.At(in, int8(k))*13
	s = s*17 + gpu.At(v, k) + gpu.At(v, uint64(k))*3 + gpu.At(v, int32(k))*5 + gpu.At(v, uint16(k))*7 + gpu.At(v[1:], uint32(k))*11
	gpu.Put(out, k<<40|int64(i), s)
	if k >= 0 && k < 100 {
		gpu.Put(out, int(i), s)
	}
}

// Staged copies rounds ahead of what it sums, in three stages, and beyond the end of in.
//
//vyre:kernel workgroup=32
func Staged(t gpu.Thread, in []uint16, out []uint32) {
	const stages, unit, round = 3, 8, 32 * 8
	s := gpu.Shared[uint16](t, stages*round)
	l := t.LocalIndex()
	rounds := uint32(len(in)+round-1) / round
	for r := range uint32(stages - 1) {
		copyBatch(t, s, r*32+l, in, r*32+l, unit)
	}
	sum := uint32(0)
	for r := range rounds {
		gpu.CopyWait(t, stages-2)
		t.Barrier()
		next := r + stages - 1
		copyBatch(t, s, next%stages*32+l, in, next*32+l, unit)
		for k := range uint32(unit) {
			sum = sum*3 + uint32(s[r%stages*round+(31-l)*unit+k])
		}
	}
	gpu.CopyWait(t, 0)
	gpu.Put(out, t.Global().X, sum)
}

func copyBatch[T gpu.Scalar](t gpu.Thread, s []T, at uint32, in []T, from, unit uint32) {
	gpu.CopyAsync(t, s, at, in, from, int(unit)) // unit is constant where it is inlined
	gpu.CopyCommit(t)
}

// Hinted advises caches, about scalars, vectors and records, and looks before it claims.
//
//vyre:kernel workgroup=32
func Hinted(t gpu.Thread, in []uint32, quads [][4]float32, pairs []Pair, claimed, out []uint32) {
	i := t.Global().X
	q := gpu.LoadHint(&quads[i], gpu.HintStream)
	p := gpu.LoadHint(&pairs[i], gpu.HintL2)
	v := gpu.LoadHint(&in[i], gpu.HintKeep) + uint32(q[0]+q[3]) + p.A
	gpu.StoreHint(&pairs[i].A, v, gpu.HintStream)
	gpu.StoreHint(&quads[i], [4]float32{q[3], q[2], q[1], q[0]}, gpu.HintL2)
	first := uint32(0)
	if c := i % 8; gpu.LoadStale(&claimed[c]) == 0 && gpu.AtomicCompareExchange(&claimed[c], 0, 1) == 0 {
		first = 1
	}
	gpu.StoreHint(&out[i], v+gpu.ReduceAdd(t, first)<<16, gpu.HintStream)
}

// Pair is a record.
type Pair struct{ A, B uint32 }

// Rest works in the shared array that the launch sizes.
//
//vyre:kernel workgroup=32
func Rest(t gpu.Thread, out []uint32) {
	rest := gpu.SharedRest[uint32](t)
	for i := t.Local().X; int(i) < len(rest); i += 32 {
		rest[i] = i * i
	}
	t.Barrier()
	half := rest[len(rest)/2:]
	out[t.Global().X] = half[t.Local().X%uint32(len(half))]
}

// Extremes takes least and greatest floats, in cells of its own and in some that all invocations share, with results and without.
//
//vyre:kernel workgroup=64
func Extremes(t gpu.Thread, x []float32, y []float64, own []float32, wide []float64, shared []float32, out []float64) {
	part := gpu.Shared[float32](t, 2)
	doubles := gpu.Shared[float64](t, 2)
	i, l := t.GlobalIndex(), t.Local().X
	if l < 2 {
		part[l], doubles[l] = x[l], 0
	}
	t.Barrier()
	gpu.AtomicMin(&part[0], x[i])
	gpu.AtomicMaxOrdered(&part[1], x[i], gpu.AcqRel, gpu.Workgroup)
	if l%3 == 0 {
		gpu.AtomicMin(&doubles[0], y[i])
	} else {
		gpu.AtomicMax(&doubles[1], y[i])
	}
	gpu.AtomicMin(&shared[2*t.Group().X], x[i])
	gpu.AtomicMaxOrdered(&shared[2*t.Group().X+1], x[i], gpu.SeqCst, gpu.Device)
	old := gpu.AtomicMin(&own[i], x[i])
	last := gpu.AtomicMaxOrdered(&wide[i], y[i], gpu.Release, gpu.System)
	t.Barrier()
	if old == old && last == last {
		out[2*i] = float64(old) + last + float64(gpu.AtomicMax(&own[i], 1))
	}
	out[2*i+1] = doubles[l%2] + float64(part[l/2%2])
}
