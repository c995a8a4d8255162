package columns

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/govyre/vyre/ir"
)

// Plain runs the passes in plain Go, in one way through each program: what the device is compared with, and measured
// beside.
type Plain struct {
	arena   Arena // that is worked on
	live    []bool
	out     Output
	workers []plain
}

// plain works on a program. Its columns are counted from the program's first row.
type plain struct {
	*Plain
	first    uint32
	rows     [][4]uint32
	tag      []uint32
	live     []bool
	leader   []uint32
	inside   []uint32 // by owner of regions: objects that change in there
	slots    []uint32
	exits    []uint32 // by target: 1 + its last exit; by exit: 1 + the one before
	earlier  []uint32
	queue    []uint32
	position []uint32
}

// Run optimises an arena with so many goroutines. The result is overwritten by the next run.
func (h *Plain) Run(a *Arena, workers int) *Output {
	w := &h.arena
	w.Heads, w.Chunk, w.Objects, w.Data = a.Heads, a.Chunk, a.Objects, a.Data
	w.Rows, w.Tag, w.More = append(w.Rows[:0], a.Rows...), append(w.Tag[:0], a.Tag...), append(w.More[:0], a.More...)
	n := len(a.Rows)
	h.live = resized(h.live, n)
	o := &h.out
	asked, words := a.asked()
	o.Heads, o.Rows, o.Tag = resized(o.Heads, len(a.Heads)), resized(o.Rows, asked), resized(o.Tag, asked)
	o.From, o.More = resized(o.From, asked), resized(o.More, words)
	for len(h.workers) < workers {
		h.workers = append(h.workers, plain{Plain: h})
	}
	h.each(workers, func(p *plain, i uint32) { p.optimise(i) })
	to, list := uint32(0), uint32(0)
	for i := 0; i < len(o.Heads); i += HeadWords {
		o.Heads[i], o.Heads[i+2] = to, list
		if o.Heads[i+7] != 0 {
			to, list = to+(o.Heads[i+1]+31)&^31, list+o.Heads[i+3]
		}
	}
	h.each(workers, func(p *plain, i uint32) { p.compact(i) })
	return o
}

// each calls f for the number of each program.
func (h *Plain) each(workers int, f func(p *plain, i uint32)) {
	var next atomic.Uint32
	var all sync.WaitGroup
	for k := range workers {
		all.Go(func() {
			for i := next.Add(1) - 1; i < uint32(len(h.arena.Heads)/HeadWords); i = next.Add(1) - 1 {
				f(&h.workers[k], i)
			}
		})
	}
	all.Wait()
}

// resized returns n zeros.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

func (p *plain) begin(i uint32) {
	head := p.arena.Heads[i*HeadWords:]
	p.first = head[0]
	end := head[0] + head[1]
	p.rows, p.tag, p.live = p.arena.Rows[head[0]:end], p.arena.Tag[head[0]:end], p.Plain.live[head[0]:end]
}

// list is the list of a row.
func (p *plain) list(x [4]uint32) []uint32 {
	if Ops[x[0]&OpMask]&List == 0 || x[2] == None {
		return nil
	}
	return p.arena.More[x[2]+1 : x[2]+1+p.arena.More[x[2]]]
}

// owner is what has the region of a row, if it is not the body.
func (p *plain) owner(r uint32) (uint32, bool) {
	return p.tag[r]>>1 - p.first, p.tag[r] < Body
}

func (p *plain) optimise(i uint32) {
	p.begin(i)
	p.fold(Body|i, p.arena.Heads[i*HeadWords:][:HeadWords])
	p.epochs(p.arena.Heads[i*HeadWords+4])
	p.number()
	p.reach()
	count, words := uint32(0), uint32(0)
	for r, x := range p.rows {
		if p.live[r] {
			count++
			if n := p.kept(uint32(r), x, nil); n > 0 {
				words += n + 1
			}
		}
	}
	out := p.out.Heads[i*HeadWords:]
	copy(out[4:HeadWords], p.arena.Heads[i*HeadWords+4:])
	out[1], out[3] = count, words
}

// epochs gives each load the version of its object.
func (p *plain) epochs(visible uint32) {
	p.inside = resized(p.inside, len(p.rows))
	changes := func(x [4]uint32) (set uint32) {
		if x[0]&Orders != 0 {
			set = visible
		}
		if Ops[x[0]&OpMask]&Writes != 0 {
			set |= 1 << object(x)
		}
		return set
	}
	for r, x := range p.rows {
		if set := changes(x); set != 0 {
			for o, ok := p.owner(uint32(r)); ok && p.inside[o]|set != p.inside[o]; o, ok = p.owner(o) {
				p.inside[o] |= set
			}
		}
	}
	var now [32]uint32
	for r, x := range p.rows {
		op, set := Ops[x[0]&OpMask], changes(x)
		if op&Loads != 0 {
			p.rows[r][3] = now[object(x)]
		}
		if op&Repeats != 0 {
			set |= p.inside[r]
		}
		if o, ok := p.owner(uint32(r)); ok && op&Ends != 0 && p.rows[o][3] == p.first+uint32(r)+1 {
			set |= p.inside[o]
		}
		for ; set != 0; set &= set - 1 {
			now[bits.TrailingZeros32(set)] = uint32(r) + 1
		}
	}
}

func object(x [4]uint32) uint32 { return min(x[0]>>ImmShift&ImmMask, 31) }

// foldOf is the number in Folds, counted from 1, by id.
var foldOf = sync.OnceValue(func() []uint16 {
	all := make([]uint16, (OpMask+1)<<8)
	for i, f := range Folds {
		all[f.id()] = uint16(i + 1)
	}
	return all
})

// number replaces operands and finds leaders, in program order: a leader is there before what it leads.
func (p *plain) number() {
	n := uint32(len(p.rows))
	p.leader = resized(p.leader, len(p.rows))
	p.slots = resized(p.slots, 1<<bits.Len(uint(2*n-1)))
	mask := uint32(len(p.slots) - 1)
	for r := range n {
		p.leader[r] = p.first + r
		x := &p.rows[r]
		op := Ops[x[0]&OpMask]
		for k := range op & 3 {
			x[1+k] = p.leader[x[1+k]-p.first]
		}
		list := p.list(*x)
		for k, v := range list {
			list[k] = p.leader[v-p.first]
		}
		if op&Merges == 0 {
			continue
		}
		k := key(*x, op)
		for at := signature(k, p.tag[r], op) & mask; ; at = (at + 1) & mask {
			w := p.slots[at] - 1
			if w == None {
				p.slots[at] = r + 1
				break
			}
			if key(p.rows[w], op) != k || op&Convergent != 0 && p.tag[w] != p.tag[r] {
				continue
			}
			if !p.encloses(p.tag[w], r) {
				p.slots[at] = r + 1
				break
			}
			p.leader[r] = p.first + w
			break
		}
	}
}

// fold makes constants of the rows that are known, and takes away accesses that do nothing.
func (p *plain) fold(body uint32, head []uint32) {
	known := foldOf()
	for r := range p.rows {
		x := &p.rows[r]
		w, imm := Ops[x[0]&OpMask], x[0]>>ImmShift&ImmMask
		v, ok := uint64(0), false
		switch op := ir.Op(x[0] & OpMask); {
		case op == ir.OpLocal:
			ok = head[5]>>imm&1 != 0
		case op == ir.OpWarp:
			ok = head[5]&idleWarp != 0
		case op == ir.OpLane:
			ok = head[5]&idleLane != 0
		case op == ir.OpLen:
			o := p.arena.Objects[head[6]+imm]
			v, ok = uint64(o[2])|uint64(o[3])<<32, o[0]&objectFixed != 0
		case w&Indexed != 0:
			var gone bool
			if v, ok, gone = p.access(*x, w, p.arena.Objects[head[6]+imm]); gone {
				*x, p.tag[r] = [4]uint32{3: None}, body
				continue
			}
		case w&3 != 0:
			v, ok = p.pure(*x, w, known)
		}
		if ok {
			*x = [4]uint32{x[0]&(TypeMask<<TypeShift) | uint32(ir.OpConst), uint32(v), uint32(v >> 32), None}
			p.tag[r] = body
		}
	}
}

// access decides an access with a constant index.
func (p *plain) access(x [4]uint32, w uint32, o [4]uint32) (v uint64, ok, gone bool) {
	y := p.rows[x[1]-p.first]
	if y[0]&OpMask != uint32(ir.OpConst) {
		return 0, false, false
	}
	i, length := uint64(y[1])|uint64(y[2])<<32, uint64(o[2])|uint64(o[3])<<32
	t, to := ir.Type(y[0]>>TypeShift&TypeMask), x[0]>>TypeShift&TypeMask
	switch {
	case t.IsSigned() && i>>(t.Bits()-1)&1 != 0, length != ir.RestLen && (i >= length || i*uint64(w>>LanesShift) >= length):
		return 0, to > 0 && to < 16, to == 0
	case x[0]&OpMask == uint32(ir.OpLoad) && o[0]&objectTable != 0:
		at := 2 * (uint64(o[1]) + i)
		return uint64(p.arena.Data[at]) | uint64(p.arena.Data[at+1])<<32, true, false
	}
	return 0, false, false
}

// pure computes a row of constants.
func (p *plain) pure(x [4]uint32, op uint32, known []uint16) (uint64, bool) {
	var args [3]uint64
	var types [3]uint32
	for k := range op & 3 {
		y := p.rows[x[1+k]-p.first]
		if y[0]&OpMask != uint32(ir.OpConst) {
			return 0, false
		}
		args[k], types[k] = uint64(y[1])|uint64(y[2])<<32, y[0]>>TypeShift&TypeMask
	}
	in := types[0]
	if x[0]&OpMask == uint32(ir.OpSelect) {
		in = types[1]
	}
	f := known[x[0]&OpMask<<8|in<<4|x[0]>>TypeShift&15]
	if f == 0 {
		return 0, false
	}
	return Folds[f-1].Eval(x[0]>>ImmShift&ImmMask, args), true
}

// encloses reports whether a region is that of row r, or one around it.
func (p *plain) encloses(region, r uint32) bool {
	for {
		if p.tag[r] == region {
			return true
		}
		o, ok := p.owner(r)
		if !ok {
			return region >= Body
		}
		r = o
	}
}

// reach finds what effects depend on.
func (p *plain) reach() {
	n := len(p.rows)
	p.exits, p.earlier, p.queue = resized(p.exits, n), resized(p.earlier, n), p.queue[:0]
	for r, x := range p.rows {
		op := Ops[x[0]&OpMask]
		to, ok := p.owner(uint32(r))
		if op&(Break|Continue) != 0 {
			to, ok = x[3]-p.first, true
		}
		if op&Ends != 0 && ok {
			p.exits[to], p.earlier[r] = uint32(r)+1, p.exits[to]
		}
		if op&Root != 0 || op&Argument != 0 && x[3] == None {
			p.mark(p.first + uint32(r))
		}
	}
	for len(p.queue) > 0 {
		r := p.queue[len(p.queue)-1]
		p.queue = p.queue[:len(p.queue)-1]
		p.needs(r)
	}
	for r, x := range p.rows {
		if o, ok := p.owner(uint32(r)); Ops[x[0]&OpMask]&Ends != 0 && (!ok || p.live[o]) {
			p.live[r] = true
		}
	}
}

func (p *plain) mark(v uint32) {
	if v -= p.first; !p.live[v] {
		p.live[v] = true
		p.queue = append(p.queue, v)
	}
}

// needs marks what a live row depends on.
func (p *plain) needs(r uint32) {
	x := p.rows[r]
	op := Ops[x[0]&OpMask]
	for k := range op & 3 {
		p.mark(x[1+k])
	}
	if o, ok := p.owner(r); ok {
		p.mark(p.first + o)
	}
	switch {
	case op&(Argument|Result) != 0 && x[3] != None:
		p.mark(x[3])
		to, begin := x[3]-p.first, x[3]+1
		if op&Result != 0 {
			begin = p.rows[to][3]
		} else {
			p.mark(p.list(p.rows[to])[p.first+r-begin])
		}
		for e := p.exits[to]; e > 0; e = p.earlier[e-1] {
			if y := p.rows[e-1]; (Ops[y[0]&OpMask]&Continue != 0) == (op&Argument != 0) && len(p.list(y)) > 0 {
				p.mark(p.list(y)[p.first+r-begin])
			}
		}
	case op&Owns != 0:
		for e := p.exits[r]; e > 0; e = p.earlier[e-1] {
			if Ops[p.rows[e-1][0]&OpMask]&(Break|Continue) != 0 {
				p.mark(p.first + e - 1)
			}
		}
	case op&(List|Ends) == List:
		for _, v := range p.list(x) {
			p.mark(v)
		}
	}
}

// kept is how long the list of a row becomes, and calls f for what stays in it.
func (p *plain) kept(r uint32, x [4]uint32, f func(v uint32)) (n uint32) {
	feeds := fed(p.first+r, Ops[x[0]&OpMask], x, p.arena.Tag, p.arena.Rows)
	for k, v := range p.list(x) {
		if feeds == None || p.live[feeds+uint32(k)-p.first] {
			n++
			if f != nil {
				f(v)
			}
		}
	}
	return n
}

// compact moves the live rows of a program.
func (p *plain) compact(i uint32) {
	o := &p.out
	if o.Heads[i*HeadWords+7] == 0 {
		return
	}
	p.begin(i)
	first, words := o.Heads[i*HeadWords], o.Heads[i*HeadWords+2]
	p.position = resized(p.position, len(p.rows))
	to := first
	for r := range p.rows {
		p.position[r] = to
		if p.live[r] {
			to++
		}
	}
	id := func(v *uint32) { *v = p.position[*v-p.first] }
	for r, x := range p.rows {
		if !p.live[r] {
			continue
		}
		op, to, tag := Ops[x[0]&OpMask], p.position[r], p.tag[r]
		if own, ok := p.owner(uint32(r)); ok {
			tag = 2*p.position[own] + tag&1
		}
		o.From[to], o.Tag[to] = uint32(r), tag
		was := x
		for k := range op & 3 {
			id(&x[1+k])
		}
		if op&List != 0 {
			at := words + 1
			n := p.kept(uint32(r), was, func(v uint32) {
				id(&v)
				o.More[at] = v
				at++
			})
			x[2] = None
			if n > 0 {
				o.More[words], x[2], words = n, words, at
			}
		}
		if op&(Owns|Argument|Result|Break|Continue) != 0 && x[3] != None {
			id(&x[3])
		}
		if op&(Argument|Result) != 0 && was[3] != None {
			begin := was[3] + 1
			if op&Result != 0 {
				begin = p.rows[was[3]-p.first][3]
			}
			x[0] = x[0]&^(ImmMask<<ImmShift) | (to-p.position[begin-p.first])<<ImmShift
		}
		o.Rows[to] = x
	}
}
