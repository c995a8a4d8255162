package main

import "golang.org/x/tools/go/ssa"

// findPanics finds the procedures of which it matters what panics in them: something is deferred that recovers, and between
// that and what panics there are only calls. To all others a panic is the end.
func (f *flow) findPanics() {
	f.panicking = make(map[*copied]bool)
	callers := make(map[*copied][]*copied)
	var queue []*copied
	panics := make(map[*copied]bool)
	for _, q := range f.procs[1:] {
		for call, list := range q.of.sites {
			if _, is := call.(*ssa.Go); !is {
				for _, c := range list {
					callers[c] = append(callers[c], q.of)
				}
			}
		}
		if panicsWith(q.of.f) {
			panics[q.of] = true
			queue = append(queue, q.of)
		}
	}
	for len(queue) > 0 { // what calls those
		last := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, c := range callers[last] {
			if !panics[c] {
				panics[c] = true
				queue = append(queue, c)
			}
		}
	}
	mark := func(c *copied) {
		if !f.panicking[c] {
			f.panicking[c] = true
			queue = append(queue, c)
		}
	}
	for _, q := range f.procs[1:] {
		for call, list := range q.of.sites {
			if _, is := call.(*ssa.Defer); is && panics[q.of] {
				for _, c := range list {
					if recovers(c.f) {
						f.panicking[c] = true
						mark(q.of)
					}
				}
			}
		}
	}
	for len(queue) > 0 { // what they call
		last := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for call, list := range last.sites {
			if _, is := call.(*ssa.Go); !is {
				for _, c := range list {
					if panics[c] {
						mark(c)
					}
				}
			}
		}
	}
}

// panicsWith reports whether a function panics with something that is no constant.
func panicsWith(f *ssa.Function) bool {
	for _, b := range f.Blocks {
		if len(b.Instrs) == 0 {
			continue
		}
		if p, is := b.Instrs[len(b.Instrs)-1].(*ssa.Panic); is {
			if made, is := p.X.(*ssa.MakeInterface); is {
				if _, is := made.X.(*ssa.Const); is {
					continue
				}
			}
			return true
		}
	}
	return false
}

// recovers reports whether a function calls recover, which does something where the function is deferred.
func recovers(f *ssa.Function) bool {
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if call, is := i.(*ssa.Call); is {
				if built, is := call.Call.Value.(*ssa.Builtin); is && built.Name() == "recover" {
					return true
				}
			}
		}
	}
	return false
}
