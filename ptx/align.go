package ptx

// align is the stage that finds the barriers at which the lanes of a warp come together: since they last
// waited for each other, no branch has parted them. Those take the aligned form. At a label the lanes of
// all branches to it meet; a loop in which they may part is taken to start parted.
func (f *function) align() {
	at := make([]int, f.labels+1) // instruction of each label
	for i, in := range f.insts {
		if in.op == opLabel {
			at[in.dst.bits] = i
		}
	}
	parts := make([]int, len(f.insts)+1) // branches so far that may part lanes
	for i, in := range f.insts {
		parts[i+1] = parts[i]
		if in.op == opBra && in.guard != noReg && !in.mod.uni {
			parts[i+1]++
		}
	}
	parted := false
	arriving := make([]bool, f.labels+1) // parted at a branch to the label
	for i, in := range f.insts {         // what a backward branch brings is there from the start
		if in.op == opBra && at[in.dst.bits] < i && parts[i+1] > parts[at[in.dst.bits]] {
			arriving[in.dst.bits] = true
		}
	}
	for i := range f.insts {
		in := &f.insts[i]
		switch {
		case in.op == opLabel:
			parted = parted || arriving[in.dst.bits]
		case in.op == opBra:
			parted = parted || in.guard != noReg && !in.mod.uni
			arriving[in.dst.bits] = arriving[in.dst.bits] || parted
			if in.guard == noReg {
				parted = false // nobody goes on
			}
		case in.op.has(convergent):
			in.mod.align = !parted
			parted = false
		}
	}
}
