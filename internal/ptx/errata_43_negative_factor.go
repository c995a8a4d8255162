package ptx

import "github.com/govyre/vyre/ir"

// findNegativeFactors finds the products of 64 bits by constants of what all lanes of a warp have in common. Of those ptxas 11.8
// for sm_75 and sm_80 makes instructions for uniform registers, with what is added to them or what they are taken from. Where a
// word of the factor comes to −1, as of x·(−3), 1000 − 12·x and x·0xffffffff + x, it adds the other word in place of taking
// it away. It does not where the low word's register is no uniform one; for sm_90 it is right. O(rows).
func (s *selector) findNegativeFactors() {
	if s.t.SM >= 90 {
		return
	}
	var common []ir.Level
	for r := range ir.Row(s.p.Rows()) {
		if s.p.Op(r) != ir.OpMul || !is64(s.p.Type(r)) || s.p.Op(s.p.B(r)) != ir.OpConst {
			continue
		}
		if common == nil {
			common = s.p.Uniformity().Value
		}
		if common[s.p.A(r)] <= ir.LevelWarp {
			s.hideLow(r)
			s.negativeFactors++
		}
	}
}
