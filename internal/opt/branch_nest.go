package opt

import "github.com/govyre/vyre/ir"

// maxNested bounds the exits of a block that become arms: each is one more level.
const maxNested = 4

// nest makes ifs with two arms of the exits of block r that stand in arms of ifs of its own region: what comes after such
// an exit is the other arm.
//
//	block ^b { A; if %c { break ^b (v) }; B; break ^b (w) }   =>   A; %r = if %c { yield v } else { B; yield w }
//
// The rows that run are the same, under the same conditions; as arms they may lose their branches. Rows that rely on
// uniform control stay where they are.
func (b *branches) nest(r ir.Row) {
	w := b.w
	x := w.X[r]
	e := w.tail[x]
	if n := b.left[x]; w.Op[r] != ir.OpBlock || n < 2 || n > maxNested || !w.exitsTo(e, r) {
		return
	}
	for at := w.prev[e]; at != ir.NoRow; at = w.prev[at] {
		w.visits++
		if w.info(at).Attr&ir.Convergent != 0 || w.structured(at) && b.relies(at) {
			return
		}
		if w.Op[at] != ir.OpIf {
			continue
		}
		for arm := range uint32(2) {
			if w.exitsTo(w.tail[w.X[at]+arm], r) && w.Op[w.tail[w.X[at]+1-arm]] == ir.OpYield && b.fitAll(at, w.tail[w.X[at]+1-arm]) {
				b.arm(r, at, arm)
				b.flatten(at)
				at = w.tail[x]
				break
			}
		}
	}
}

// relies reports whether a row inside op r relies on uniform control. Nesting bounds the recursion.
func (b *branches) relies(r ir.Row) bool {
	w := b.w
	for i := range uint32(w.info(r).Owns) {
		for at := w.head[w.X[r]+i]; at != ir.NoRow; at = w.next[at] {
			w.visits++
			if w.info(at).Attr&ir.Convergent != 0 || b.relies(at) {
				return true
			}
		}
	}
	return false
}

// arm moves the rows of block r after if at, one arm of which leaves the block, to the end of its other arm.
func (b *branches) arm(r, at ir.Row, arm uint32) {
	w := b.w
	leave, stay := w.tail[w.X[at]+arm], w.tail[w.X[at]+1-arm]
	for k := w.next[at]; w.Op[k] == ir.OpRes; k = w.next[k] {
		w.replaceAlways(k, ir.Row(w.Operands(stay)[w.X[k]]))
		w.remove(k)
	}
	b.tally(leave, -1)
	w.Op[leave], w.X[leave] = ir.OpYield, 0
	b.tally(leave, 1)

	e := w.tail[w.X[r]]
	values := append([]uint32(nil), w.Operands(e)...)
	other := w.X[at] + 1 - arm
	w.remove(stay)
	for k := w.next[at]; k != e; {
		next := w.next[k]
		if !w.gone[k] {
			w.unlink(k)
			w.append(other, k)
			w.visits++
		}
		k = next
	}
	again := w.make(e, ir.OpYield, ir.None, 0, ir.NoRow, ir.NoRow, ir.NoRow)
	w.setList(again, values)
	w.append(other, again)
	results := make([]uint32, len(values))
	was := w.next[r]
	for k := range values {
		res := w.make(was, ir.OpRes, w.Type[was], uint32(k), ir.NoRow, ir.NoRow, ir.NoRow)
		w.level[res] = w.level[was]
		w.link(res, e)
		results[k] = uint32(res)
		was = w.next[was]
	}
	w.setList(e, results)
	w.hit("exit-arm")
}
