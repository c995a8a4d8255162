package ptx

// dce is the stage that drops dead code: what nobody reaches, results that nobody reads, branches to the next
// instruction, and labels that nothing leads to.
func (f *function) dce() {
	f.dropUnreached()
	f.dropUnread()
	used := make([]int, f.labels+1)
	keep := make([]bool, len(f.insts))
	// Going up, near holds the labels that stand directly after an instruction: those of the current run.
	near := make([]int, f.labels+1)
	run := 1
	for i := len(f.insts) - 1; i >= 0; i-- {
		f.visits++
		in := &f.insts[i]
		f.at = in.row
		keep[i] = in.op != opBra || near[in.dst.bits] != run
		switch {
		case in.op == opLabel:
			near[in.dst.bits] = run
		case keep[i]:
			run++
		}
		if in.op == opBra && keep[i] {
			used[in.dst.bits]++
		}
	}
	for i := range f.insts {
		if in := &f.insts[i]; in.op == opLabel && used[in.dst.bits] == 0 {
			keep[i] = false
		}
	}
	f.keep(keep)
}

// keep drops the instructions that are not kept.
func (f *function) keep(keep []bool) {
	n := 0
	for i := range f.insts {
		if !keep[i] {
			continue
		}
		if n < i {
			f.insts[n] = f.insts[i]
		}
		n++
	}
	f.insts = f.insts[:n]
}

// dropUnreached drops what no way from the entry leads to. Ways may lead back to what nothing in front of it
// leads to: the end of a loop's round, from an arm that stands after the loop.
func (f *function) dropUnreached() {
	at := make([]int, f.labels+1)
	for i := range f.insts {
		if in := &f.insts[i]; in.op == opLabel {
			at[in.dst.bits] = i
		}
	}
	reached := make([]bool, len(f.insts))
	from := []int{0}
	for len(from) > 0 {
		i := from[len(from)-1]
		from = from[:len(from)-1]
		for ; i < len(f.insts) && !reached[i]; i++ {
			reached[i] = true
			in := &f.insts[i]
			if in.op == opBra {
				from = append(from, at[in.dst.bits])
			}
			if (in.op == opBra || in.op == opExit) && in.guard == noReg {
				break
			}
		}
	}
	f.keep(reached)
}

// dropUnread drops computations and plain loads whose results nobody reads.
func (f *function) dropUnread() {
	reads := f.registry().reads
	count := func(x reg, by int32) { reads[x.class()][x.num()] += by }
	for i := range f.insts {
		if in := &f.insts[i]; in.guard != noReg {
			count(in.guard, 1)
		}
	}
	keep := len(f.insts)
	for i := len(f.insts) - 1; i >= 0; i-- {
		in := &f.insts[i]
		f.at = in.row
		idle := in.op.has(pure) || in.op == opLd && in.mod.order == noOrder
		f.eachWrite(in, func(x reg) { idle = idle && reads[x.class()][x.num()] == 0 })
		if idle {
			f.eachRead(in, func(x reg) { count(x, -1) })
			if in.guard != noReg {
				count(in.guard, -1)
			}
			continue
		}
		if keep--; keep > i {
			f.insts[keep] = *in
		}
	}
	f.insts = f.insts[keep:]
}
