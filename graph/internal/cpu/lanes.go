package cpu

import (
	"context"
	"fmt"
	"sync/atomic"
)

// lanes is the state of a search of up to 64 queries at once, a bit each.
type lanes struct {
	*search
	seen, news []uint64 // which queries reach a node; which of these since it was last in a list
}

// Lanes searches for up to 64 queries at once, each from seeds of its own, along the arcs that the filter allows. It writes to
// seen, a word a node, which queries reach it: bit q for query q. Words that several workers change are changed by atomics.
// O(arcs × levels at which new queries come to a node), at most 64 times what one query takes.
//
// Errors: those of Levels; more than 64 queries.
func (e *Engine) Lanes(ctx context.Context, queries [][]uint32, filter uint32, seen []uint64) (_ Stats, err error) {
	if err := e.mayStart(ctx, "lanes"); err != nil {
		return Stats{}, err
	}
	if len(queries) > 64 {
		return Stats{}, fmt.Errorf("graph: %d queries, at most 64 run together", len(queries))
	}
	for q, seeds := range queries {
		if err := e.check(seeds, len(seen), e.g.nodes(), "words"); err != nil {
			return Stats{}, fmt.Errorf("query %d: %w", q, err)
		}
	}
	e.begin()
	defer e.end(&err)
	l := &lanes{search: e.newSearch(), seen: seen, news: make([]uint64, len(seen))}
	l.filter, l.filtered = filter, l.g.Masks != nil && filter != None
	l.forward = l.walk
	l.beginAll(queries)
	err = l.run(ctx)
	for _, w := range seen {
		if w != 0 {
			l.stats.Reached++
		}
	}
	return l.stats, err
}

func (l *lanes) beginAll(queries [][]uint32) {
	clear(l.seen)
	l.list = l.list[:0]
	for q, seeds := range queries {
		for _, v := range seeds {
			if l.news[v] == 0 {
				l.list = append(l.list, v)
			}
			l.seen[v] |= 1 << q
			l.news[v] |= 1 << q
		}
	}
}

func (l *lanes) run(ctx context.Context) error {
	if l.g.Masks == nil && l.filter&1 == 0 {
		return nil // every mask is 1
	}
	going := make([]uint64, 0, len(l.list)) // what each node of the list brings
	for len(l.list) > 0 {
		if l.stats.Rounds%askedAgain == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		going = going[:0]
		for _, u := range l.list {
			going = append(going, l.news[u])
			l.news[u] = 0
		}
		l.out = going
		l.next = l.next[:cap(l.next)]
		l.tail.Store(0)
		l.deal.reset(len(l.list), chunkNodes)
		if l.workers > 1 && len(l.list) >= l.sharedNodes {
			l.team.do(l.others(len(l.list)), l.forward)
			l.stats.Shared++
		} else {
			l.forward(0)
		}
		l.list, l.next = l.next[:l.tail.Load()], l.list
		l.stats.Rounds++
	}
	return nil
}

// walk is what a worker does of a list: it hands on what each node brings.
func (l *lanes) walk(worker int) {
	own := l.found[worker].own[:0]
	for from, to, ok := l.deal.take(); ok; from, to, ok = l.deal.take() {
		for i, u := range l.list[from:to] {
			bring := l.out[from+i]
			first, last := l.g.row(u)
			for k, v := range l.g.Targets[first:last] {
				fresh := bring &^ atomic.LoadUint64(&l.seen[v])
				if fresh == 0 || l.filtered && l.g.Masks[first+uint64(k)]&l.filter == 0 {
					continue
				}
				if fresh &^= atomic.OrUint64(&l.seen[v], fresh); fresh == 0 || atomic.OrUint64(&l.news[v], fresh) != 0 {
					continue
				}
				if own = append(own, v); len(own) == ownedBuffer {
					l.publish(own)
					own = own[:0]
				}
			}
		}
	}
	l.publish(own)
	l.found[worker].own = own[:0]
}
