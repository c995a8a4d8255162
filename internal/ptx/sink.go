package ptx

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// sink is the stage that moves what the entry computes from parameters, such as lengths in vectors, past loops that
// do not read it. It would hold registers while they run: the assembler loads a parameter, or makes an address of one,
// again where that is better, but keeps what was computed. A loop that lacks a few registers runs the rounds that were
// unrolled in it one after the other.
//
// An instruction goes as far down as it still stands in front of everything that reads it, on every way there, and
// in no loop. It stays if it would not pass a loop.
func (f *function) sink() {
	head := 0
	for head < len(f.insts) && f.insts[head].row == ir.NoRow && f.insts[head].op.has(pure|memory) {
		head++
	}
	jumps, loop := f.jumps()
	if loop == len(f.insts) || head == 0 {
		return
	}
	d := sinking{function: f, registry: f.registry(), jumps: jumps, spans: make([]span, head)}
	movable := d.movable()
	if !slices.Contains(movable, true) {
		return
	}
	for i := head; i < len(f.insts); i++ {
		f.visits++
		d.read(&f.insts[i], i)
	}
	to := make([]int, head) // before which instruction each goes
	moved := false
	for i := head - 1; i >= 0; i-- {
		to[i] = i
		if movable[i] {
			if at := d.lowest(d.spans[i]); at > loop {
				to[i], moved = at, true
			}
		}
		d.read(&f.insts[i], to[i])
	}
	if moved {
		f.move(to)
	}
}

// jump is a branch and where it leads, as numbers of instructions.
type jump struct{ from, to int }

// jumps returns all branches, and where the first loop ends; after the last instruction if there is none.
func (f *function) jumps() (all []jump, loop int) {
	at := make([]int, f.labels+1)
	for i := range f.insts {
		f.visits++
		if in := &f.insts[i]; in.op == opLabel {
			at[in.dst.bits] = i
		}
	}
	loop = len(f.insts)
	for i := range f.insts {
		if in := &f.insts[i]; in.op == opBra {
			j := jump{i, at[in.dst.bits]}
			if all = append(all, j); j.to < j.from {
				loop = min(loop, i)
			}
		}
	}
	return all, loop
}

// span is the first and the last instruction that reads a register; zero for one that nobody reads.
type span struct{ first, last int }

// sinking is the state of the stage.
type sinking struct {
	*function
	*registry
	jumps []jump
	spans []span // by instruction of the head: of what it writes
}

// movable says which instructions of the head compute from parameters alone, into a register of their own.
func (d *sinking) movable() []bool {
	movable := make([]bool, len(d.spans))
	parameter := make([]bool, len(d.spans)) // or its address in global space
	for i := range movable {
		in := &d.insts[i]
		if in.guard != noReg || in.dst.kind != isReg || d.only(in.dst.reg) != i {
			continue
		}
		values, others := 0, 0
		d.eachRead(in, func(x reg) {
			values++
			if from := d.only(x); from < 0 || from >= i || !movable[from] && !parameter[from] {
				others++
			}
		})
		for j := range in.src {
			if k := in.src[j].kind; k == isSpecial || k == isSymbol {
				others++
			}
		}
		switch {
		case others > 0:
		case in.op == opLd, in.op == opToGlobal:
			parameter[i] = in.op == opToGlobal || in.mod.space == param
		default:
			movable[i] = values > 0 && in.op.has(pure)
		}
	}
	return movable
}

// read notes that in, standing at instruction i, reads its operands.
func (d *sinking) read(in *inst, i int) {
	note := func(x reg) {
		k := d.only(x)
		if k < 0 || k >= len(d.spans) {
			return
		}
		s := &d.spans[k]
		if s.last == 0 {
			s.first = i
		}
		s.first, s.last = min(s.first, i), max(s.last, i)
	}
	d.eachRead(in, note)
	if in.guard != noReg {
		note(in.guard)
	}
}

// lowest returns the last place, outside all loops, that every way to an instruction in s passes.
func (d *sinking) lowest(s span) int {
	at, last := s.first, s.last
	for again := true; again; {
		again = false
		for _, j := range d.jumps {
			d.visits++
			switch {
			case j.to < j.from && j.to <= at && at <= j.from: // a loop around it
				at, again = j.to, again || j.to < at
			case j.to < j.from && j.to <= last && last < j.from: // a loop that starts after it is passed as a whole
				last, again = j.from, true
			case j.from < at && at <= j.to && j.to <= last: // a way around it
				at, again = j.from, true
			}
		}
	}
	return at
}

// move puts each of the first instructions in front of the one that to names, which is none before it: so what is written
// never comes past what is read.
func (f *function) move(to []int) {
	put := make(map[int][]inst)
	for i, at := range to {
		if at != i {
			put[at] = append(put[at], f.insts[i])
		}
	}
	out := f.insts[:0]
	for i := range f.insts {
		if len(put) > 0 {
			out = append(out, put[i]...)
			delete(put, i)
		}
		if i >= len(to) || to[i] == i {
			out = append(out, f.insts[i])
		}
	}
	f.insts = out
}
