package machine

import (
	"math/bits"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// members checks the member mask in slot s: it is one for all lanes, holds each of them, and names no lane
// that lives elsewhere.
func (w *warp) members(in *inst, s int32, m uint32) uint32 {
	w.needs(in, s, m, "member mask")
	mask := uint32(w.at(s)[bits.TrailingZeros32(m)])
	for rest := m; rest != 0; rest &= rest - 1 {
		if l := bits.TrailingZeros32(rest); uint32(w.at(s)[l]) != mask {
			w.fault(Diverged, in, 1<<l, "lanes of one subgroup operation name the members %#x and %#x", mask, uint32(w.at(s)[l]))
		}
	}
	switch {
	case m&^mask != 0:
		w.fault(Diverged, in, m&^mask, "lanes %#x are here and not among the members %#x", m&^mask, mask)
	case mask&w.live&^m != 0:
		w.fault(Diverged, in, m, "members %#x are not here: only lanes %#x are", mask&w.live&^m, m)
	}
	return mask
}

func runBarWarp(w *warp, in *inst, m uint32) { w.members(in, in.a, m) }

func (dec *decoder) subgroup(in *inst, src *asm.Inst) {
	args := src.Args
	switch src.Op {
	case "activemask":
		in.run, in.d = runActive, dec.dest(&args[0])
		return
	case "elect":
		in.d, in.a = dec.dest(&args[0]), dec.value(&args[1])
		in.e = dec.second(&args[0])
		in.run = runElect
		return
	case "vote":
		in.d, in.a, in.b = dec.dest(&args[0]), dec.pred(&args[1]), dec.value(&args[2])
		in.run, in.x = runVote, vote{src.One("all", "any", "uni", "ballot"), args[1].Not}
		return
	case "match":
		in.d, in.a, in.b = dec.dest(&args[0]), dec.value(&args[1]), dec.value(&args[2])
		in.e = dec.second(&args[0])
		in.run = runMatch
		return
	case "redux":
		in.d, in.a, in.b = dec.dest(&args[0]), dec.value(&args[1]), dec.value(&args[2])
		in.f2 = integer2(&asm.Inst{Op: src.One("add", "min", "max", "and", "or", "xor"), Type: src.Type})
		in.run = runRedux
		return
	}
	in.d, in.a, in.b, in.c = dec.dest(&args[0]), dec.value(&args[1]), dec.value(&args[2]), dec.value(&args[3])
	in.e = dec.second(&args[0])
	in.x = &shuffle{mode: src.One("up", "down", "bfly", "idx"), members: dec.value(&args[4])}
	in.run = runShuffle
}

// second is the predicate after an operand's bar, −1 without.
func (dec *decoder) second(o *asm.Operand) int32 {
	if o.Second == asm.NoReg {
		return -1
	}
	return dec.slot[o.Second]
}

func runActive(w *warp, in *inst, m uint32) {
	// The path's own lanes: the guard leaves lanes out that are as active.
	w.setAll(in.d, m, uint64(m))
}

// setAll gives all lanes of m one value.
func (w *warp) setAll(d int32, m uint32, v uint64) {
	if d < 0 {
		return
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		w.at(d)[bits.TrailingZeros32(rest)&31] = v
	}
	w.defined(d, m, all)
}

func runElect(w *warp, in *inst, m uint32) {
	w.members(in, in.a, m)
	leader := bits.TrailingZeros32(m)
	w.setAll(in.d, m, uint64(leader))
	w.setPred(in.e, m, 1<<leader, all)
}

type vote struct {
	mode string
	not  bool
}

func runVote(w *warp, in *inst, m uint32) {
	w.members(in, in.b, m)
	x := in.x.(vote)
	p := w.preds[in.a]
	if x.not {
		p = ^p
	}
	p &= m
	if unknown := m &^ w.predDef[in.a]; unknown != 0 {
		w.found(UndefinedRegister, in, unknown, "the predicate depends on a register that nothing wrote")
	}
	if x.mode == "ballot" {
		w.setAll(in.d, m, uint64(p))
		return
	}
	holds := map[string]bool{"all": p == m, "any": p != 0, "uni": p == m || p == 0}[x.mode]
	r := uint32(0)
	if holds {
		r = all
	}
	w.setPred(in.d, m, r, all)
}

func runMatch(w *warp, in *inst, m uint32) {
	w.members(in, in.b, m)
	w.needs(in, in.a, m, "operand")
	a := *w.at(in.a)
	if in.src.Has("all") {
		same := true
		for rest := m; rest != 0; rest &= rest - 1 {
			same = same && a[bits.TrailingZeros32(rest)] == a[bits.TrailingZeros32(m)]
		}
		if same {
			w.setAll(in.d, m, uint64(m))
			w.setPred(in.e, m, all, all)
		} else {
			w.setAll(in.d, m, 0)
			w.setPred(in.e, m, 0, all)
		}
		return
	}
	for rest := m; rest != 0; {
		v := a[bits.TrailingZeros32(rest)]
		same := uint32(0)
		for r := rest; r != 0; r &= r - 1 {
			if l := bits.TrailingZeros32(r); a[l] == v {
				same |= 1 << l
			}
		}
		w.setAll(in.d, same, uint64(same))
		rest &^= same
	}
}

func runRedux(w *warp, in *inst, m uint32) {
	w.members(in, in.b, m)
	w.needs(in, in.a, m, "operand")
	a := *w.at(in.a)
	r := a[bits.TrailingZeros32(m)]
	for rest := m & (m - 1); rest != 0; rest &= rest - 1 {
		r = in.f2(r, a[bits.TrailingZeros32(rest)])
	}
	w.setAll(in.d, m, r)
}

type shuffle struct {
	mode    string
	members int32
}

// runShuffle: the third operand holds the last lane that may be read and, eight bits up, the bits of the lane
// that name its segment. What is read from a lane that does not take part is undefined.
func runShuffle(w *warp, in *inst, m uint32) {
	x := in.x.(*shuffle)
	w.members(in, x.members, m)
	w.needs(in, in.b, m, "lane")
	w.needs(in, in.c, m, "bounds")
	a, from, valid := w.at(in.a), w.def[in.a]&m, uint32(0)
	var r values
	def := uint32(0)
	for rest := m; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest)
		b, c := int(w.at(in.b)[l]&31), w.at(in.c)[l]
		clamp, segment := int(c&31), int(c>>8&31)
		least := l & segment
		most := least | clamp&^segment
		j, ok := 0, false
		switch x.mode {
		case "up":
			j = l - b
			ok = j >= most
		case "down":
			j = l + b
			ok = j <= most
		case "bfly":
			j = l ^ b
			ok = j <= most
		default:
			j = least | b&^segment
			ok = j <= most
		}
		if !ok {
			j = l
		} else {
			valid |= 1 << l
		}
		r[l] = a[j&31]
		if m>>j&1 == 0 {
			r[l] = undefinedLane
		}
		if from>>j&1 != 0 {
			def |= 1 << l
		}
	}
	if in.d >= 0 {
		for rest := m; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest)
			w.at(in.d)[l] = r[l]
		}
		w.defined(in.d, m, def)
	}
	w.setPred(in.e, m, valid, all)
}

// undefinedLane is what a shuffle reads from a lane that is not there.
const undefinedLane = 0xA5A5_A5A5
