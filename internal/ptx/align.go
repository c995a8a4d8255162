package ptx

// align is the stage that finds the barriers at which the lanes of a warp come together: since they last
// waited for each other, no branch has parted them. Those take the aligned form. At a label the lanes of
// all branches to it meet. Knowledge only gets worse, so a round that learns nothing new of what branches
// bring is the last; each round takes what backward branches bring one loop further out.
func (f *function) align() {
	f.keepAsWords()
	arriving := make([]bool, f.labels+1) // parted at a branch to the label
	for changed := true; changed; {
		changed = false
		parted := false
		for i := range f.insts {
			f.visits++
			in := &f.insts[i]
			f.at = in.row
			switch {
			case in.op == opLabel:
				parted = parted || arriving[in.dst.bits]
			case in.op == opBra:
				parted = parted || in.guard != noReg && !in.mod.uni
				if parted && !arriving[in.dst.bits] {
					arriving[in.dst.bits], changed = true, true
				}
				if in.guard == noReg {
					parted = false // nobody goes on
				}
			case in.op.has(convergent):
				in.mod.align = !parted
				parted = false
			}
		}
	}
	f.meetBefore()
}

// meetBefore puts a barrier of the warp (bar.warp.sync) before each mma and ldmatrix that lanes may reach on different paths. These
// instructions exist only in an aligned form, which needs all lanes at once.
func (f *function) meetBefore() {
	e := edits{}
	for i := range f.insts {
		if in := &f.insts[i]; in.op >= opMmaF16 && in.op <= opLdMatrixT4 && !in.mod.align {
			e.added = append(e.added, inst{op: opBarWarp, src: [4]operand{u32(^uint32(0))}, row: in.row, guard: in.guard, sense: in.sense})
			e.put(i, false)
		}
	}
	f.insts = e.apply(f.insts, nil)
}
