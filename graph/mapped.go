package graph

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/govyre/vyre/internal/guard"
)

// Mapped reports whether arrays of the graph are in the mapping of a file, where a read fails once the file is truncated.
func (g *CSR) Mapped() bool { return g.mapped() != nil }

// Changed returns a *ChangedError if the graph's file changed since it was opened; else nil, as of a graph in memory. cause is
// the error of a call that read the arrays outside of Read, or nil.
func (g *CSR) Changed(cause error) error {
	f := g.mapped()
	if f == nil {
		return nil
	}
	var p *guard.Panic
	errors.As(cause, &p)
	return f.after(p)
}

// Hold keeps the graph's file mapped until release is called, which may be called again. Meanwhile Close answers Busy and names
// who holds it. A graph in memory has nothing to be held. Sessions hold their graph.
//
// Errors: a graph that Close gave back, of kind driver.Closed; *ChangedError.
func (g *CSR) Hold(who string) (release func(), err error) {
	f := g.mapped()
	if f == nil {
		return func() {}, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin(); err != nil {
		return nil, err
	}
	f.end() // what is in holders keeps it as well
	if f.holders == nil {
		f.holders = make(map[string]int)
	}
	f.holders[who]++
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.holders[who]--; f.holders[who] == 0 {
			delete(f.holders, who)
		}
	}), nil
}

// Read calls do, which may read what the graph's arrays hold: those of Row, Targets, Masks, Offsets and Data. The graph stays
// open meanwhile, and if its file changed, the error is a *ChangedError, whatever do returned or panicked with. Goroutines that
// do starts are not looked after. If do panics for another reason, so does Read.
//
// Errors: a graph that Close gave back, of kind driver.Closed; *ChangedError; those of do.
func (g *CSR) Read(do func() error) (err error) {
	f := g.mapped()
	if f == nil {
		return do()
	}
	if err := f.begin(); err != nil {
		return err
	}
	defer f.end()
	p := guard.Run(func() { err = do() })
	if changed := f.after(p); changed != nil {
		return changed
	}
	if p != nil {
		panic(p)
	}
	return err
}

// after returns a *ChangedError if the file changed since it was opened. p is what the reader panicked with, or nil.
func (f *file) after(p *guard.Panic) error {
	if p != nil {
		if changed := f.faulted(p); changed != nil {
			return changed
		}
	}
	now, err := stampOf(f.from)
	if err != nil {
		return f.fails(err)
	}
	f.mu.Lock()
	same := now == f.seen
	f.mu.Unlock()
	if changed := f.changed.Load(); changed != nil {
		return changed
	}
	if same && (p == nil || !p.OfRuntime()) {
		return nil
	}
	// Somebody wrote it, or set its time; or wrote it through a mapping, of which the time may come later.
	if p := guard.Run(func() { err = f.check(unending()) }); p != nil {
		err = fmt.Errorf("%v", p.Value)
	}
	if err != nil {
		return f.fails(err)
	}
	f.mu.Lock()
	f.seen = now
	f.mu.Unlock()
	return nil
}

// Digest returns what identifies the graph: BLAKE3 of "vyre graph 1", the numbers of nodes and arcs, and the digests of
// offsets, of targets, of masks, of node kinds and of tags, which are of nothing where there are none. Numbers are little
// endian, offsets have 64 bits and all others 32, and masks that are all 1 count: the same graph has one digest however it is
// stored. A graph of a file has the one that the file states, which is compared with what is in it. It is found once.
//
// Errors: that of the context; those of Read, and of Verify for a graph of a file; *ParseError if the file states another.
func (g *CSR) Digest(ctx context.Context) (d [32]byte, err error) {
	const work = "digest"
	if err := errOf(ctx, work); err != nil {
		return d, err
	}
	states := g.file != nil && g.file.states(g)
	if states {
		if err := g.Verify(ctx); err != nil {
			return d, err
		}
	}
	p := &polls{ctx: ctx}
	d, err = g.digest.get(ctx, func() (d [32]byte, err error) {
		err = g.Read(func() error {
			if states {
				d = g.file.head.digest
				return g.file.checkDigest(p)
			}
			d = digestOf(p, g)
			return p.err()
		})
		return d, err
	})
	if ended := errOf(ctx, work); err != nil && ended != nil {
		err = ended
	}
	return d, err
}

// Verify looks at all of a graph that Open mapped: the checksums of its sections, that rows ascend and targets are nodes, and what
// its header says of them; Digest compares the digest. It does so once, on all cores, and each time looks whether the file was
// written since. Graphs that were built hold all that already. What a context ends is done anew by the next call.
//
// Errors: that of the context; *ParseError, with the section, the row or the arc; a graph that is nil; one that Close gave back,
// of kind driver.Closed; *ChangedError.
func (g *CSR) Verify(ctx context.Context) error {
	if g == nil {
		return errors.New("graph: the graph is nil; look at the error of what was to load it")
	}
	const work = "verification"
	if err := errOf(ctx, work); err != nil {
		return err
	}
	return g.Read(func() error {
		if g.file == nil {
			return nil
		}
		wrong, err := g.file.wrong.get(ctx, func() (error, error) {
			p := &polls{ctx: ctx}
			wrong := g.file.check(p)
			return wrong, p.err()
		})
		if err != nil {
			return errOf(ctx, work)
		}
		return wrong
	})
}

// Close gives the file of a graph back; the graph, and all that shares its arrays, must not be used again. Closing again does
// nothing. A graph that is in memory has no file, and stays.
//
// Errors: of kind driver.Busy, if sessions of the graph are open, calls go over its arcs, or Hold keeps it; it stays open then.
func (g *CSR) Close() error {
	if g == nil {
		return nil
	}
	if f := g.mapped(); f != nil {
		return f.close()
	}
	return nil
}
