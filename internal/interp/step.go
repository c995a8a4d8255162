package interp

import (
	"math/bits"
	"runtime"

	"github.com/govyre/vyre/internal/launch"
)

func firstLane(mask uint32) int { return bits.TrailingZeros32(mask) }

func lastLane(mask uint32) int { return 31 - bits.LeadingZeros32(mask) }

// step runs at most rows rows of w and returns how many it ran. It stops after a
// memory op, fence, pause or barrier unless the warp is alone, and where the warp's status changes.
func (x *worker) step(w *warp, rows int, alone bool) int {
	code := x.code
	pc, live := w.pc, w.live
	ran, laneRows := 0, uint64(0)
	hook := x.o.Hook != nil
loop:
	for ran < rows {
		in := &code[pc]
		if hook && in.cost != 0 {
			x.callHook(w, in, live)
		}
		pc++
		ran += int(in.cost)
		laneRows += uint64(in.cost) * uint64(bits.OnesCount32(live))

		switch in.kind {
		case doElse:
			f := &w.frames[in.depth]
			if live, f.again = f.again, 0; live == 0 {
				pc = in.to
			}
		case doEndIf, doEndBlock:
			if live = w.frames[in.depth].out; live == 0 {
				pc = in.exit
			}
		case doEndLoop:
			f := &w.frames[in.depth]
			x.k.rules.round(f)
			if live = f.again; live != 0 {
				f.again = 0
				pc = in.to
			} else if live = f.out; live == 0 {
				pc = in.exit
			}
		case doHalt:
			w.status = ended
			break loop

		case doIf:
			taken := x.test(w, in, live)
			w.frames[in.depth].out = live &^ taken
			if live = taken; taken == 0 {
				pc = in.to
			}
		case doIfElse:
			taken := x.test(w, in, live)
			w.frames[in.depth] = frame{again: live &^ taken}
			if live = taken; taken == 0 {
				pc = in.to
			}
		case doLoop:
			w.move(in.moves, live)
			w.frames[in.depth] = frame{}
		case doBlock:
			w.frames[in.depth] = frame{}
		case doYield, doBreak:
			w.move(in.moves, live)
			w.frames[in.depth].out |= live
			live = 0
		case doContinue:
			w.move(in.moves, live)
			w.frames[in.depth].again |= live
			live = 0
		case doReturn:
			live = 0
		case doUnreachable:
			panic("BUG: interp: control reached " + x.k.p.Name() + ", " + place(x.k.p.Pos(in.row), in.row) + ", which the verifier found unreachable")

		case doPure1, doPure2, doPure3:
			w.pure(in, live)
		case doPureUniform:
			if x.det != nil { // a run that looks for mistakes does not rest on the verifier's proof
				w.pure(in, live)
				continue
			}
			v := in.fn(in.t, in.x, w.at(in.a)[0], w.at(in.b)[0], w.at(in.c)[0])
			fill(w.at(in.dst), v)
		case doMoves:
			w.move(in.moves, live)

		case doLocal:
			w.put(in.dst, live, &x.k.localID[in.x][w.index])
		case doGroup:
			w.set(in.dst, live, uint64(w.g.at[in.x]))
		case doGlobal:
			w.global(in.dst, live, &x.k.localID[in.x][w.index], uint64(w.g.at[in.x])*uint64(x.k.size[in.x]))
		case doLane:
			w.put(in.dst, live, &laneIDs)
		case doWarp:
			w.set(in.dst, live, uint64(w.index))
		case doClock:
			w.set(in.dst, live, x.rows+uint64(ran))
		case doTimer:
			w.set(in.dst, live, launch.Nanoseconds())

		case doLoad, doStore, doLoadVec, doStoreVec, doAtomic, doFence, doCopy, doCopyCommit, doCopyWait:
			if !x.memory(w, in, live) {
				w.status = interrupted
				break loop
			}
			if !alone {
				break loop
			}
		case doPrefetch:
		case doPause: // whoever is waited for may run on
			if x.many {
				runtime.Gosched()
			}
			if !alone {
				break loop
			}

		case doBarrierWarp:
			if !x.arrive(w, in, live) {
				break loop
			}
			x.passWarpBarrier(w)
			if !alone {
				break loop
			}
		case doBarrierGroup:
			if x.arrive(w, in, live) {
				w.status = atGroup
			}
			break loop
		case doBarrierGrid:
			if x.arrive(w, in, live) {
				w.status = atGrid
			}
			break loop
		case doBarrierFirst:
			if w.g.id >= uint64(in.x) { // it is not about this group
				if in.dst >= 0 {
					w.set(in.dst, live, 0)
				}
				continue
			}
			if x.arrive(w, in, live) {
				w.status = atFirst
			}
			break loop
		case doSubgroup:
			x.subgroup(w, in)
		case doMulAdd:
			x.mulAdd(w, in)

		case doTrap:
			x.trapped(w, in, live)
		case doTrace:
			x.traced(w, in, live)
		}
	}
	w.pc, w.live = pc, live
	x.rows += uint64(ran)
	x.laneRows += laneRows
	return ran
}

// test returns the lanes of live in which the condition of in holds.
func (x *worker) test(w *warp, in *instr, live uint32) uint32 {
	c := w.at(in.a)
	if in.uniform && x.det == nil {
		return live & -uint32(c[0]&1)
	}
	var m uint32
	for l := range c {
		m |= uint32(c[l]&1) << l // the slot may hold something else for other lanes
	}
	return m & live
}

// pure runs a pure op in the live lanes. Lanes that do not exist are never live.
func (w *warp) pure(in *instr, live uint32) {
	d, a, b, c := w.at(in.dst), w.at(in.a), w.at(in.b), w.at(in.c)
	fn, t, imm := in.fn, in.t, in.x
	if live == ^uint32(0) {
		switch in.kind {
		case doPure1:
			for l := range d {
				d[l] = fn(t, imm, a[l], 0, 0)
			}
		case doPure2:
			for l := range d {
				d[l] = fn(t, imm, a[l], b[l], 0)
			}
		default:
			for l := range d {
				d[l] = fn(t, imm, a[l], b[l], c[l])
			}
		}
		return
	}
	for m := live; m != 0; m &= m - 1 {
		l := firstLane(m) & 31
		d[l] = fn(t, imm, a[l], b[l], c[l])
	}
}

// move does the copies of in, one after the other, in the live lanes.
func (w *warp) move(moves []move, live uint32) {
	for _, m := range moves {
		w.put(m.dst, live, w.at(m.src))
	}
}

// put copies v to slot dst in the live lanes.
func (w *warp) put(dst int32, live uint32, v *lanes) {
	d := w.at(dst)
	if live == ^uint32(0) {
		*d = *v
		return
	}
	for m := live; m != 0; m &= m - 1 {
		l := firstLane(m) & 31
		d[l] = v[l]
	}
}

// set sets slot dst to v in the live lanes.
func (w *warp) set(dst int32, live uint32, v uint64) {
	d := w.at(dst)
	for m := live; m != 0; m &= m - 1 {
		d[firstLane(m)&31] = v
	}
}

// global sets slot dst to local id plus origin. The sum fits u32 by the launch contract.
func (w *warp) global(dst int32, live uint32, local *lanes, origin uint64) {
	d := w.at(dst)
	for m := live; m != 0; m &= m - 1 {
		l := firstLane(m) & 31
		d[l] = origin + local[l]
	}
}

var laneIDs = func() (v lanes) {
	for i := range v {
		v[i] = uint64(i)
	}
	return v
}()
