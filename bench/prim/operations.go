package main

import (
	"context"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim"
)

// operation is one of a kind that the reference has, too. make allocates what it needs.
type operation struct {
	name string
	make func(j *job) recorder
	// wall is set for what the reference cannot do without its host: both sides are then timed by the host's clock, from the first
	// call to the end of the work.
	wall  bool
	sizes []int // of results, if not those of all
}

// recorder records an operation and returns its results, none if they are not compared.
type recorder func(seq *vyre.Sequence) []result

// cases are the operations, by the names that the reference has for them.
var cases = []operation{
	{name: "reduce-u32", make: reduce[uint32](wordInput, true)},
	{name: "reduce-u64", make: reduce[uint64](longInput, true)},
	{name: "reduce-f32", make: reduce[float32](uniformInput, false)},
	{name: "reduce-f64", make: reduce[float64](uniformInput, false)},
	{name: "scan-u32", make: scan[uint32](wordInput, true)},
	{name: "scan-u64", make: scan[uint64](longInput, true)},
	{name: "scan-f32", make: scan[float32](uniformInput, false)},
	{name: "sort-u32", make: sort[uint32](wordInput)},
	{name: "sort-u64", make: sort[uint64](longInput)},
	{name: "sort-u32-u32", make: sortPairs[uint32, uint32](wordInput)},
	{name: "sort-u64-u32", make: sortPairs[uint64, uint32](longInput)},
	{name: "sort-u64-u64", make: sortPairs[uint64, uint64](longInput)},
	{name: "select-u32", make: choose(prim.NewSelect[uint32, uint8], true)},
	{name: "partition-u32", make: choose(prim.NewPartition[uint32, uint8], false)}, // CUB reverses the others
	{name: "unique-u32", make: unique},
	{name: "runs-u32", make: runs},
	{name: "reducebykey-u32", make: reduceByKey},
	{name: "segments-u32", make: segments[uint32](wordInput, true)},
	{name: "segments-f32", make: segments[float32](uniformInput, false)},
	{name: "merge-u32", make: merge},
	{name: "merge-u32-u32", make: mergePairs},
	{name: "histogram-u8", make: histogram(prim.EachValue[uint8](), topInput)},
	{name: "histogram-f32", make: histogram(prim.Even[float32](1024, 0, 1.0/1024), uniformInput)},
	{name: "random-words", make: draw[uint32](prim.Words)},
	{name: "random-uniform", make: draw[float32](prim.Uniform)},
	{name: "chain", make: chain, wall: true},
	{name: "matmul-f16", make: matMul[gpu.Float16, float32](halfElement, false), sizes: squares},
	{name: "matmul-bf16", make: matMul[gpu.BFloat16, float32](brainElement, false), sizes: squares},
	{name: "matmul-tf32", make: matMul[float32, float32](floatElement, false), sizes: squares},
	{name: "matmul-f64", make: matMul[float64, float64](doubleElement, false), sizes: squares},
	{name: "matmul-i8", make: matMul[int8, int32](byteElement, true), sizes: squares}, // cuBLAS takes no other
}

func reduce[T vyre.Element](kind uint32, compared bool) func(j *job) recorder {
	return func(j *job) recorder {
		r, err := prim.NewReduce[T](j.ctx, j.dev, prim.Sum, j.n)
		j.keep(r, err)
		x, out := input[T](j, kind, j.n), room[T](j, 1)
		return func(seq *vyre.Sequence) []result {
			r.Record(seq, prim.N(j.n), x, out)
			return only(compared, out)
		}
	}
}

func scan[T vyre.Element](kind uint32, compared bool) func(j *job) recorder {
	return func(j *job) recorder {
		s, err := prim.NewScan[T](j.ctx, j.dev, prim.Sum, j.n)
		j.keep(s, err)
		x, out := input[T](j, kind, j.n), room[T](j, j.n)
		return func(seq *vyre.Sequence) []result {
			s.Record(seq, prim.N(j.n), x, out)
			return only(compared, out)
		}
	}
}

func sort[T vyre.Element](kind uint32) func(j *job) recorder {
	return func(j *job) recorder {
		s, err := prim.NewSort[T](j.ctx, j.dev, j.n, prim.SortOptions{})
		j.keep(s, err)
		x, out := input[T](j, kind, j.n), room[T](j, j.n)
		return func(seq *vyre.Sequence) []result {
			s.Record(seq, prim.N(j.n), x, out)
			return []result{whole(out)}
		}
	}
}

func sortPairs[K, V vyre.Element](kind uint32) func(j *job) recorder {
	return func(j *job) recorder {
		s, err := prim.NewSortPairs[K, V](j.ctx, j.dev, j.n, prim.SortOptions{})
		j.keep(s, err)
		x, values := input[K](j, kind, j.n), input[V](j, indexInput, j.n)
		out, outValues := room[K](j, j.n), room[V](j, j.n)
		return func(seq *vyre.Sequence) []result {
			s.Record(seq, prim.N(j.n), x, values, out, outValues)
			return []result{whole(out), whole(outValues)}
		}
	}
}

func choose(make func(context.Context, vyre.Device, int) (*prim.Select[uint32, uint8], error), compared bool) func(j *job) recorder {
	return func(j *job) recorder {
		s, err := make(j.ctx, j.dev, j.n)
		j.keep(s, err)
		x, flags := input[uint32](j, wordInput, j.n), input[uint8](j, flagInput, j.n)
		out, count := room[uint32](j, j.n), room[uint32](j, 1)
		return func(seq *vyre.Sequence) []result {
			s.Record(seq, prim.N(j.n), x, flags, out, count)
			if !compared {
				return []result{whole(count)}
			}
			return []result{whole(count), counted(out, count)}
		}
	}
}

func unique(j *job) recorder {
	u, err := prim.NewUnique[uint32](j.ctx, j.dev, j.n)
	j.keep(u, err)
	x, out, count := input[uint32](j, runsInput, j.n), room[uint32](j, j.n), room[uint32](j, 1)
	return func(seq *vyre.Sequence) []result {
		u.Record(seq, prim.N(j.n), x, out, count)
		return []result{whole(count), counted(out, count)}
	}
}

func runs(j *job) recorder {
	r, err := prim.NewRunLengths[uint32, uint32](j.ctx, j.dev, j.n)
	j.keep(r, err)
	x, values, lengths, count := input[uint32](j, runsInput, j.n), room[uint32](j, j.n), room[uint32](j, j.n), room[uint32](j, 1)
	return func(seq *vyre.Sequence) []result {
		r.Record(seq, prim.N(j.n), x, values, lengths, count)
		return []result{whole(count), counted(values, count), counted(lengths, count)}
	}
}

func reduceByKey(j *job) recorder {
	r, err := prim.NewReduceByKey[uint32, uint32](j.ctx, j.dev, prim.Sum, j.n)
	j.keep(r, err)
	x, values := input[uint32](j, runsInput, j.n), input[uint32](j, wordInput, j.n)
	keys, sums, count := room[uint32](j, j.n), room[uint32](j, j.n), room[uint32](j, 1)
	return func(seq *vyre.Sequence) []result {
		r.Record(seq, prim.N(j.n), x, values, keys, sums, count)
		return []result{whole(count), counted(keys, count), counted(sums, count)}
	}
}

// segments has 32 elements in a row on average, as the rows of a Kronecker graph have them.
func segments[T vyre.Element](kind uint32, compared bool) func(j *job) recorder {
	return func(j *job) recorder {
		rows := j.n / 32
		r, err := prim.NewSegmentedReduce[T, uint32](j.ctx, j.dev, prim.Sum, rows, j.n)
		j.keep(r, err)
		offsets, x, out := offsets(j, rows), input[T](j, kind, j.n), room[T](j, rows)
		return func(seq *vyre.Sequence) []result {
			r.Record(seq, prim.N(rows), offsets, x, out)
			return only(compared, out)
		}
	}
}

func merge(j *job) recorder {
	m, err := prim.NewMerge[uint32](j.ctx, j.dev, j.n, prim.MergeOptions{})
	j.keep(m, err)
	a, b, out := input[uint32](j, evenInput, j.n/2), input[uint32](j, oddInput, j.n/2), room[uint32](j, j.n)
	return func(seq *vyre.Sequence) []result {
		m.Record(seq, prim.N(j.n/2), prim.N(j.n/2), a, b, out)
		return []result{whole(out)}
	}
}

func mergePairs(j *job) recorder {
	m, err := prim.NewMergePairs[uint32, uint32](j.ctx, j.dev, j.n, prim.MergeOptions{})
	j.keep(m, err)
	a, b := input[uint32](j, evenInput, j.n/2), input[uint32](j, oddInput, j.n/2)
	ofA, ofB := input[uint32](j, indexInput, j.n/2), input[uint32](j, wordInput, j.n/2)
	out, values := room[uint32](j, j.n), room[uint32](j, j.n)
	return func(seq *vyre.Sequence) []result {
		m.Record(seq, prim.N(j.n/2), prim.N(j.n/2), a, ofA, b, ofB, out, values)
		return []result{whole(out), whole(values)}
	}
}

func histogram[T vyre.Element](bins prim.Bins[T], kind uint32) func(j *job) recorder {
	return func(j *job) recorder {
		h, err := prim.NewHistogram(j.ctx, j.dev, bins, j.n)
		j.keep(h, err)
		x, counts := input[T](j, kind, j.n), room[uint32](j, bins.Len())
		return func(seq *vyre.Sequence) []result {
			h.Record(seq, prim.N(j.n), x, counts)
			return []result{whole(counts)}
		}
	}
}

func draw[T vyre.Element](d prim.Distribution) func(j *job) recorder {
	return func(j *job) recorder {
		r, err := prim.NewRandom[T](j.ctx, j.dev, d, j.n)
		j.keep(r, err)
		out := room[T](j, j.n)
		return func(seq *vyre.Sequence) []result {
			r.Record(seq, prim.N(j.n), prim.Source{Seed: 1}, out)
			return nil
		}
	}
}

// chain is five primitives of which each takes what the one before has found: flags choose, the chosen are sorted, equal ones
// are left out, the others summed up, and the sums below 1<<30 counted in 256 bins. Counts stay on the device.
func chain(j *job) recorder {
	choose, err := prim.NewSelect[uint32, uint8](j.ctx, j.dev, j.n)
	j.keep(choose, err)
	sort, err := prim.NewSort[uint32](j.ctx, j.dev, j.n, prim.SortOptions{})
	j.keep(sort, err)
	unique, err := prim.NewUnique[uint32](j.ctx, j.dev, j.n)
	j.keep(unique, err)
	scan, err := prim.NewScan[uint32](j.ctx, j.dev, prim.Sum, j.n)
	j.keep(scan, err)
	bins := prim.Even[uint32](256, 0, 1<<22)
	histogram, err := prim.NewHistogram(j.ctx, j.dev, bins, j.n)
	j.keep(histogram, err)
	x, flags := input[uint32](j, sparseInput, j.n), input[uint8](j, flagInput, j.n)
	chosen, sorted, different, sums := room[uint32](j, j.n), room[uint32](j, j.n), room[uint32](j, j.n), room[uint32](j, j.n)
	count, left, counts := room[uint32](j, 1), room[uint32](j, 1), room[uint32](j, bins.Len())
	return func(seq *vyre.Sequence) []result {
		choose.Record(seq, prim.N(j.n), x, flags, chosen, count)
		sort.Record(seq, prim.At(count), chosen, sorted)
		unique.Record(seq, prim.At(count), sorted, different, left)
		scan.Record(seq, prim.At(left), different, sums)
		histogram.Record(seq, prim.At(left), sums, counts)
		return []result{whole(left), counted(sums, left), whole(counts)}
	}
}
