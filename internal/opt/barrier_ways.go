package opt

import "github.com/govyre/vyre/ir"

// back walks the program with what lies in front of each row.
func (b *ordering) back() {
	w := b.w
	now := b.ends()
	run, since := 0, 0 // runs of rows without a structured op so far; the one that the barrier nearest stands in
	for it := w.rows(); it.step(); {
		r := it.row
		x := uint32(0)
		if w.structured(r) {
			x = w.X[r]
			run++
		}
		switch {
		case it.at == atElse:
			now = b.entry[x]
		case it.at == atEnd:
			now = b.end[x]
		case x != 0:
			if w.info(r).Attr&ir.Repeats != 0 {
				now = now.weakest(b.head[x])
			}
			b.entry[x], b.end[x] = now, all
		case w.Op[r] == ir.OpYield, w.Op[r] == ir.OpBreak:
			t := w.X[w.exitTarget(r)]
			b.end[t] = b.end[t].weakest(now)
			if w.must(checkEveryWay, false) {
				b.end[t] = now
			}
		case w.Op[r] == ir.OpContinue:
			b.lower(w.X[w.exitTarget(r)], now)
		default:
			n := len(b.redundant)
			now = b.step(r, now, b.settled && !w.must(checkSettled, since == run))
			if o, barrier, _ := w.gives(r); barrier && len(b.redundant) == n && o.barrier >= now.barrier {
				since = run
			}
		}
	}
}

// ahead walks the program from its end, with what lies after each row.
func (b *ordering) ahead() { b.region(0) }

// region walks a region from its end and returns the state at its start. Nesting bounds the recursion.
func (b *ordering) region(reg uint32) (now order) {
	w := b.w
	for r := w.tail[reg]; r != ir.NoRow; r = w.prev[r] {
		x := w.X[r]
		switch {
		case w.Op[r] == ir.OpYield, w.Op[r] == ir.OpBreak:
			now = b.end[w.X[w.exitTarget(r)]]
		case w.Op[r] == ir.OpContinue:
			now = b.head[w.X[w.exitTarget(r)]]
		case w.Op[r] == ir.OpReturn:
			now = b.ends()
		case w.Op[r] == ir.OpUnreachable:
			now = all
		case w.Op[r] == ir.OpIf:
			b.end[x] = now
			now = b.region(x)
			if other := b.region(x + 1); !w.must(checkEveryWay, false) {
				now = now.weakest(other)
			}
		case w.info(r).Attr&ir.Repeats != 0:
			b.end[x] = now
			b.lower(x, b.region(x))
			now = b.head[x]
		case w.structured(r):
			b.end[x] = now
			now = b.region(x)
		default:
			now = b.step(r, now, false)
		}
	}
	return now
}
