package cpu

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Bits moves sets of bits along arcs whose masks have a bit of the filter, until nothing changes: what leaves a node is what
// comes to it, less what it kills, with what it makes. All slices have so many words for each node, one node after another; in
// holds what comes to nodes from elsewhere at first, and all that comes to them in the end.
//
// Errors: slices of another length; a context that ends, after which what was written is worth nothing.
func (e *Engine) Bits(ctx context.Context, words int, gen, kill []uint64, filter uint32, in []uint64) (_ Stats, err error) {
	if err := e.mayStart(ctx, "bits"); err != nil {
		return Stats{}, err
	}
	if want := words * e.g.nodes(); len(gen) != want || len(kill) != want || len(in) != want {
		return Stats{}, fmt.Errorf("graph: %d, %d and %d words of sets, and %d a node for %d nodes", len(in), len(gen), len(kill), words, e.g.nodes())
	}
	e.begin()
	defer e.end(&err)
	r := e.newRounds(nil, true)
	_, err = r.run(ctx, None, func(u uint32) {
		from := int(u) * words
		for k, last := e.g.row(u); k < last; k++ {
			if !e.g.allowed(k, filter) {
				continue
			}
			v := e.g.Targets[k]
			to, grown := int(v)*words, false
			for w := range words {
				x := gen[from+w] | atomic.LoadUint64(&in[from+w])&^kill[from+w]
				if x&^atomic.LoadUint64(&in[to+w]) != 0 && x&^atomic.OrUint64(&in[to+w], x) != 0 {
					grown = true
				}
			}
			if grown {
				r.push(v)
			}
		}
	})
	return r.stats, err
}
