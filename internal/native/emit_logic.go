package native

import "github.com/govyre/vyre/internal/native/internal/amd64"

// logic writes d ← a function of three registers, bit by bit. The instruction has the first of them where the result goes,
// and the last may be in memory: so they change places, and the table with them.
func (e *emitter) logic(in *ins) {
	if !e.inReg(in.d) {
		e.latest = nil // scratch2 is written before all is read
	}
	d, of, table := e.dst(in.d), [3]vreg{in.a, in.b, in.c}, in.imm
	swap := func(i, k int) {
		if i != k {
			of[i], of[k] = of[k], of[i]
			table = swapped3(table, i, k)
		}
	}
	first := 0
	for k, v := range of {
		if e.inReg(v) && amd64.Y(e.f.vregs[v].reg) == d {
			first = k
			break
		}
		if !e.inReg(v) && e.inReg(of[first]) {
			first = k // it is loaded to there, and not copied
		}
	}
	swap(0, first)
	if !e.inReg(of[1]) {
		swap(1, 2)
	}
	second := e.reg(of[1], scratch0)
	e.copyTo(d, of[0])
	e.V3Imm(amd64.VPTERNLOGD, d, second, e.rm(of[2]), table)
	if !e.inReg(in.d) {
		e.put(in.d, d)
	}
}

// swapped3 is a table whose operands i and k have changed places.
func swapped3(table uint8, i, k int) (out uint8) {
	for n := range uint8(8) {
		a, b := n>>(2-i)&1, n>>(2-k)&1
		m := n&^(1<<(2-i)|1<<(2-k)) | b<<(2-i) | a<<(2-k)
		out |= table >> m & 1 << n
	}
	return out
}
