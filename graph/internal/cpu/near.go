package cpu

import "context"

// Nearby is a node that is near others.
type Nearby struct {
	Node  uint32
	Arcs  uint32 // of the shortest path to it
	Kinds uint32 // masks of the arcs that are the last of such a path, one or the other; 0 for the nodes asked about
}

// Near finds the nodes that are at most so many allowed arcs away from some seed, and appends them to a list: the seeds first,
// and then as Levels finds them. One core walks their arcs and touches nothing else, but the first call takes 4 bytes a node.
//
// Errors: those of Levels.
func (e *Engine) Near(ctx context.Context, seeds []uint32, filter, arcs uint32, list []Nearby) (_ []Nearby, err error) {
	if err := e.mayStart(ctx, "near"); err != nil {
		return nil, err
	}
	if err := e.check(seeds, 0, 0, "nodes"); err != nil {
		return nil, err
	}
	e.begin()
	defer e.end(&err)
	if e.places == nil {
		e.places = make([]uint32, e.g.nodes())
	}
	w := nearWalk{e.places, list[:len(list):len(list)], len(list)}
	defer func() { // also after a context has ended
		for _, n := range w.list[w.first:] {
			w.places[n.Node] = 0
		}
	}()
	for _, v := range seeds {
		w.reach(v, 0, 0)
	}
	if e.g.Masks == nil && filter&1 == 0 {
		return w.list, nil // every mask is 1
	}
	for at := w.first; at < len(w.list) && w.list[at].Arcs < arcs; at++ {
		if at%nearAsked == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		from := w.list[at]
		for k, last := e.g.row(from.Node); k < last; k++ {
			mask := uint32(1)
			if e.g.Masks != nil {
				mask = e.g.Masks[k]
			}
			if mask&filter != 0 {
				w.reach(e.g.Targets[k], from.Arcs+1, mask)
			}
		}
	}
	return w.list, nil
}

// nearAsked is after how many nodes a context is asked.
const nearAsked = 1 << 10

// nearWalk is the list of a question, and where in it each node is.
type nearWalk struct {
	places []uint32 // by node, from 1 on; 0 if it has not been found
	list   []Nearby
	first  int // of the question
}

// reach appends a node that had not been found, or adds the kinds of another arc of a shortest path to it.
func (w *nearWalk) reach(node, arcs, mask uint32) {
	if at := w.places[node]; at == 0 {
		w.list = append(w.list, Nearby{node, arcs, mask})
		w.places[node] = uint32(len(w.list) - w.first)
	} else if found := &w.list[w.first+int(at)-1]; found.Arcs == arcs {
		found.Kinds |= mask
	}
}
