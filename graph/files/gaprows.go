package files

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/little"
	"github.com/govyre/vyre/internal/guard"
)

// gapReader reads the rows of the GAP benchmark.
type gapReader struct{ *reader }

func (r gapReader) badGAP(at int64, got, want string) error {
	return &graph.ParseError{File: r.name, Offset: at, Got: fmt.Sprintf("%s at %d", got, at), Want: want}
}

func (r gapReader) short(err error, want string) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return &graph.ParseError{File: r.name, Offset: r.in.n, Got: fmt.Sprintf("the file ends after %d bytes", r.in.n), Want: want}
	}
	return err
}

// gapRows are rows as they are in a file.
type gapRows struct {
	r                *reader
	starts           []uint64
	targets, weights []uint32     // weights are nil where none are wanted
	first, size      int64        // where the targets are in the file, and how many bytes one takes there
	sums             [2][2]uint64 // over the arcs, and over the arcs turned round
	ascend           bool         // all rows do, and no target is there twice
	made             *graph.CSR   // of arrays that are right as they are
}

func (g *gapRows) bytes() int64 {
	return 8*int64(len(g.starts)) + 4*int64(len(g.targets)+len(g.weights))
}

// rows reads offsets and targets, and looks at all of them.
func (r gapReader) rows(n, m int64, weighted, summed bool) (*gapRows, error) {
	at := r.in.n
	b, err := r.array(8*(n+1), "offsets")
	if err != nil {
		return nil, err
	}
	g := &gapRows{r: r.reader, starts: little.Words[uint64](b), size: 4}
	last := uint64(0)
	for i, v := range g.starts {
		at := at + 8*int64(i)
		switch {
		case i == 0 && v != 0, v < last, v > uint64(m), i == int(n) && v != uint64(m):
			return nil, r.badGAP(at, fmt.Sprintf("offset %d of row %d", int64(v), i), fmt.Sprintf("offsets start at 0, never fall, and end at %d; this is after %d", m, last))
		case v-last > math.MaxUint32:
			return nil, r.badGAP(at, fmt.Sprintf("%d arcs of row %d", v-last, i-1), fmt.Sprintf("at most %d", uint32(math.MaxUint32)))
		}
		last = v
	}
	g.first = r.in.n
	if weighted {
		g.size = 8
	}
	if b, err = r.array(g.size*m, "targets"); err != nil {
		return nil, err
	}
	words := little.Words[uint32](b)
	if g.targets = words; weighted {
		if err := g.pairs(words, m); err != nil {
			return nil, err
		}
	}
	if !summed && g.weights == nil && r.o.Build == (graph.BuildOptions{}) {
		if g.made, err = graph.New(r.ctx, g.starts, g.targets, nil); err == nil {
			return g, nil
		}
	}
	return g, g.look(summed) // which says where in the file something is wrong
}

// pairs takes targets and weights apart, the targets in place.
func (g *gapRows) pairs(words []uint32, m int64) error {
	if g.targets = words[:m:m]; !g.r.o.NoWeights {
		if err := g.r.hold(4*m, "weights"); err != nil {
			return err
		}
		g.weights = make([]uint32, m)
	}
	for i := range m {
		if g.weights != nil {
			g.weights[i] = words[2*i+1]
		}
		g.targets[i] = words[2*i]
	}
	return nil
}

// look checks all arcs on all cores.
func (g *gapRows) look(summed bool) error {
	var all guard.Group
	var mu sync.Mutex
	var wrong error
	least := uint64(math.MaxUint64)
	g.ascend = true
	for _, part := range g.parts() {
		all.Go(func() {
			sums, ascend, at, err := g.lookAt(part[0], part[1], summed)
			mu.Lock()
			defer mu.Unlock()
			g.ascend = g.ascend && ascend
			for k := range sums {
				for i, s := range sums[k] {
					g.sums[k][i] += s
				}
			}
			if err != nil && at < least {
				least, wrong = at, err
			}
		})
	}
	all.Wait()
	if wrong == nil {
		wrong = g.r.ctx.Err()
	}
	return wrong
}

// parts are rows with about as many arcs for each worker.
func (g *gapRows) parts() (list [][2]int) {
	n, first := len(g.starts)-1, 0
	for k := range g.r.o.Workers {
		end := uint64(len(g.targets)) * uint64(k+1) / uint64(g.r.o.Workers)
		last := sort.Search(n, func(u int) bool { return g.starts[u] >= end })
		if k == g.r.o.Workers-1 {
			last = n
		}
		list, first = append(list, [2]int{first, max(first, last)}), max(first, last)
	}
	return list
}

// lookAt looks at the arcs of some rows, to the first that is wrong, and says which that is.
func (g *gapRows) lookAt(first, last int, summed bool) (sums [2][2]uint64, ascend bool, at uint64, err error) {
	ascend = true
	n := len(g.starts) - 1
	for u := first; u < last; u++ {
		if u%4096 == 0 && g.r.ctx.Err() != nil {
			return
		}
		for k := g.starts[u]; k < g.starts[u+1]; k++ {
			v := g.targets[k]
			where := g.first + g.size*int64(k)
			bad := func(got, want string) error {
				return &graph.ParseError{File: g.r.name, Offset: where, Got: fmt.Sprintf("%s at %d", got, where), Want: want}
			}
			if int64(int32(v)) < 0 || int(v) >= n {
				return sums, ascend, k, bad(fmt.Sprintf("arc %d of row %d: target %d", k, u, int32(v)), fmt.Sprintf("n = %d", n))
			}
			if g.weights != nil && int32(g.weights[k]) < 0 {
				return sums, ascend, k, bad(fmt.Sprintf("weight %d", int32(g.weights[k])), "weights are not negative; --no-weights leaves weights out")
			}
			if k > g.starts[u] && g.targets[k-1] >= v {
				ascend = false
			}
			if summed {
				sumOf(&sums[0], uint32(u), v)
				sumOf(&sums[1], v, uint32(u))
			}
		}
	}
	return sums, ascend, 0, nil
}

// settle makes the rows those of a graph, and reports whether it could: arcs without columns of their own are sorted in place.
func (g *gapRows) settle() bool {
	if g.made != nil || g.ascend {
		return true
	}
	if g.weights != nil {
		return false
	}
	var all guard.Group
	for _, part := range g.parts() {
		all.Go(func() {
			for u := part[0]; u < part[1]; u++ {
				slices.Sort(g.targets[g.starts[u]:g.starts[u+1]])
			}
		})
	}
	all.Wait()
	return true
}

// graph is that of the rows.
func (g *gapRows) graph() (*graph.CSR, error) {
	if g.made != nil {
		return g.made, nil
	}
	made, err := graph.New(g.r.ctx, g.starts, g.targets, nil)
	if err != nil || g.weights == nil {
		return made, err
	}
	return made.With(graph.Data{Weights: settledWeights(g.weights, 1)})
}

// arrayPiece is how many bytes a worker reads at a time.
const arrayPiece = 4 << 20

// array reads so many bytes, aligned as words are. Memory grows with what was read, unless the file is known to be as long.
func (r gapReader) array(total int64, what string) (b []byte, err error) {
	known := r.file != nil && !r.in.packed && r.o.MaxBytes == 0 && r.total-r.in.n >= total
	for int64(len(b)) < total {
		done := int64(len(b))
		more := min(total-done, max(done, 1<<20))
		if known {
			more = total
		}
		if err := r.hold(more, "%s", what); err != nil {
			return nil, err
		}
		grown := little.Bytes(make([]uint64, (done+more+7)/8))[:done+more]
		copy(grown, b)
		if b = grown; known {
			err = r.together(b, what)
		} else {
			err = r.oneByOne(b, done, total, what)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (r gapReader) oneByOne(b []byte, done, total int64, what string) error {
	for done < int64(len(b)) {
		piece := b[done:min(done+64<<10, int64(len(b)))]
		if _, err := io.ReadFull(r.in, piece); err != nil {
			return r.short(err, fmt.Sprintf("%d bytes of %s, of which %d are there", total, what, done))
		}
		done += int64(len(piece))
		r.tell("reading", done/4)
	}
	return nil
}

// together reads a part of the file on all cores.
func (r gapReader) together(b []byte, what string) error {
	for done := 0; done < len(b); {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		var all guard.Group
		failed := make([]error, r.o.Workers)
		end := done
		for k := range failed {
			piece := b[end:min(end+arrayPiece, len(b))]
			at := r.in.n + int64(end-done)
			all.Go(func() { _, failed[k] = r.file.ReadAt(piece, at) })
			if end += len(piece); end == len(b) {
				break
			}
		}
		all.Wait()
		for _, err := range failed {
			if err != nil {
				return r.short(err, fmt.Sprintf("%d bytes of %s, of which %d are there", len(b), what, done))
			}
		}
		r.in.n += int64(end - done)
		r.in.stored.n.Store(r.in.n)
		done = end
		r.tell("reading", int64(done/4))
	}
	if _, err := r.file.Seek(r.in.n, io.SeekStart); err != nil {
		return err
	}
	r.in.text.Reset(r.in.stored)
	return nil
}

// sumOf adds an arc to sums over arcs in any order, which tell apart what differs by accident.
func sumOf(s *[2]uint64, from, to uint32) {
	x := uint64(from)<<32 | uint64(to)
	for k := range s {
		z := x*0x9E3779B97F4A7C15 + uint64(k)*0xBF58476D1CE4E5B9
		z ^= z >> 29
		z *= 0x94D049BB133111EB
		s[k] += z ^ z>>32
	}
}
