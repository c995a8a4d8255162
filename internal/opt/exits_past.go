package opt

import "github.com/govyre/vyre/ir"

// leavesPast reports, by first region of an op, whether an exit inside it goes past its end.
func (w *work) leavesPast() []bool {
	past := make([]bool, len(w.Regions))
	outer := make([]int32, len(w.Regions)) // the depth of the outermost op that an exit inside goes to
	depth := make([]int32, len(w.Regions)) // of the op that owns the region
	for i := range outer {
		outer[i] = 1 << 30
	}
	note := func(reg uint32, d int32) {
		if reg != 0 {
			x := w.X[w.owner(reg)]
			outer[x] = min(outer[x], d)
		}
	}
	for it := w.rows(); it.control(); {
		r := it.row
		switch {
		case it.at == atEnd:
			x := w.X[r]
			past[x] = outer[x] < depth[x]
			if past[x] {
				note(w.Region[r], outer[x])
			}
		case it.at == atElse:
		case w.structured(r):
			d := int32(1)
			if w.Region[r] != 0 {
				d = depth[w.Region[r]] + 1
			}
			for i := range uint32(w.info(r).Owns) {
				depth[w.X[r]+i] = d
			}
		case w.Op[r] == ir.OpReturn:
			note(w.Region[r], 0)
		case w.Op[r] == ir.OpBreak, w.Op[r] == ir.OpContinue:
			note(w.Region[r], depth[w.X[w.exitTarget(r)]])
		}
	}
	return past
}
