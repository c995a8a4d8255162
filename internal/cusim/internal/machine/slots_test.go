package machine

import (
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cusim/internal/asm"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/long"
)

// TestRegistersThatShareASlotAreNeverNeededTogether goes through every place of random programs: what is written there, what is
// read, and what is live after it have slots of their own. The class: a value that another one destroys, or one that is defined
// because another one is.
func TestRegistersThatShareASlotAreNeverNeededTogether(t *testing.T) {
	target, err := ptx.ParseTarget("sm_90")
	if err != nil {
		t.Fatal(err)
	}
	registers, slots := 0, 0
	for seed := range long.Seeds(t, 20, 200, 2000) {
		emitted, err := ptx.Compile(conform.Random(seed).Program, target, ptx.Options{Passes: compile.Choice{Level: compile.O0}})
		if err != nil {
			continue // the target lacks an op
		}
		m, err := asm.Parse(emitted.Text)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range m.Kernels {
			n := newLiveness(k)
			slot, values, _ := n.slots(k)
			registers, slots = registers+len(k.Regs), slots+values
			together := func(set []uint64, where int) {
				owner := make(map[int32]int)
				for r, info := range k.Regs {
					if info.Type == asm.Pred || set[r/64]>>(r%64)&1 == 0 {
						continue
					}
					if o, ok := owner[slot[r]]; ok {
						t.Fatalf("seed %d, instruction %d, %s: registers %d and %d are both in slot %d", seed, where, &k.Code[where], o, r, slot[r])
					}
					owner[slot[r]] = r
				}
			}
			entry := n.start(0)
			for b, blk := range n.g.blocks {
				live := append([]uint64(nil), n.end(b)...)
				for i := blk.end - 1; i >= blk.first; i-- {
					here := append([]uint64(nil), live...)
					k.Code[i].Registers(func(r asm.Reg, _ bool) { here[r/64] |= 1 << (r % 64) })
					for w := range here { // undefined registers may be read anywhere
						here[w] |= entry[w]
					}
					together(here, i)
					before(&k.Code[i], live, func(asm.Reg, bool) {})
				}
			}
		}
	}
	t.Logf("%d registers in %d slots", registers, slots)
	if slots == 0 || 2*slots > registers {
		t.Errorf("%d registers are in %d slots", registers, slots)
	}
}
