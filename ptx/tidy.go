package ptx

// tidy drops what nobody reaches, results that nobody reads, branches to the instruction behind them, and
// labels that nothing leads to.
func (f *function) tidy() {
	f.dropUnreached()
	f.dropUnread()
	used := make([]int, f.labels+1)
	keep := make([]bool, len(f.insts))
	// Going up, near holds the labels that stand directly behind an instruction: those of the current run.
	near := make([]int, f.labels+1)
	run := 1
	for i := len(f.insts) - 1; i >= 0; i-- {
		f.visits++
		in := &f.insts[i]
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
	out := f.insts[:0]
	for i, in := range f.insts {
		if keep[i] && (in.op != opLabel || used[in.dst.bits] > 0) {
			out = append(out, in)
		}
	}
	f.insts = out
}

// dropUnreached drops what stands behind an unconditional branch or exit, up to the next label that something
// before it leads to. A loop is entered at its top, so branches backward reach nothing new.
func (f *function) dropUnreached() {
	led := make([]bool, f.labels+1)
	out := f.insts[:0]
	reached := true
	for _, in := range f.insts {
		if in.op == opLabel && led[in.dst.bits] {
			reached = true
		}
		if !reached {
			continue
		}
		if in.op == opBra {
			led[in.dst.bits] = true
		}
		if (in.op == opBra || in.op == opExit) && in.guard == noReg {
			reached = false
		}
		out = append(out, in)
	}
	f.insts = out
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
		idle := in.op.has(pure) || in.op == opLd && in.mod.order == noOrder
		f.eachWrite(in, func(x reg) { idle = idle && reads[x.class()][x.num()] == 0 })
		if idle {
			f.eachRead(in, func(x reg) { count(x, -1) })
			if in.guard != noReg {
				count(in.guard, -1)
			}
			continue
		}
		keep--
		f.insts[keep] = *in
	}
	f.insts = f.insts[keep:]
}
