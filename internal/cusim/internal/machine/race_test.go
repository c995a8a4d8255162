package machine_test

import (
	"testing"

	"github.com/govyre/vyre/internal/cusim/internal/machine"
)

//ci:race Races
func TestRacesAreFound(t *testing.T) {
	const shared = `mov.u32 %r1, tile;
		xor.b32 %r2, %r0, 63;
		mad.lo.u32 %r3, %r2, 4, %r1;
		mad.lo.u32 %r1, %r0, 4, %r1;
		st.shared.u32 [%r1], %r0;`
	const flag = `mov.u32 %r1, %ctaid.x;
		setp.ne.u32 %p2, %r1, 0;
		@%p2 bra OTHER;
		setp.ne.u32 %p1, %r0, 0;
		@%p1 exit;`
	const either = "whichever comes later"
	for _, c := range []struct {
		name, code string
		grid       uint32
		at         string // the line that is reported, "" if nothing is
	}{
		{"shared memory without a barrier", shared + "ld.shared.u32 %r4, [%r3];\nst.global.u32 [%rd1], %r4;", 1, "ld.shared.u32 %r4"},
		{"shared memory with a barrier", shared + "bar.sync 0;\nld.shared.u32 %r4, [%r3];\nst.global.u32 [%rd1], %r4;", 1, ""},
		{"written again without a second barrier", shared + "bar.sync 0;\nld.shared.u32 %r4, [%r3];\nst.shared.u32 [%r1], %r4;", 1, "st.shared.u32 [%r1], %r4"},
		{"two warps on one word", "st.global.u32 [%rd0], %r0;", 1, "st.global.u32 [%rd0]"},
		{"lanes of one store", "setp.lt.u32 %p1, %r0, 2;\n@%p1 st.global.u32 [%rd0], %r0;", 1, "@%p1 st.global"},
		{"two groups on one word", "mov.u32 %r1, %ctaid.x;\nst.global.u32 [%rd1], %r1;", 2, "st.global.u32 [%rd1], %r1"},
		{"equal values", "st.global.u32 [%rd1], %r0;", 2, ""},
		{"atomics", "red.relaxed.gpu.global.add.u32 [%rd0], 1;", 2, ""},
		{"an atomic and a store", "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra L;\nred.relaxed.gpu.global.add.u32 [%rd0], 1;\nexit;\nL: setp.eq.u32 %p2, %r0, 0;\n@%p2 st.global.u32 [%rd0], %r0;", 1, either},
		{"passed on with a release", flag + `st.global.u32 [%rd0], 7;
			st.release.gpu.global.u32 [%rd0+4], 1;
			exit;
		OTHER:	ld.acquire.gpu.global.u32 %r2, [%rd0+4];
			setp.eq.u32 %p3, %r2, 0;
			@%p3 bra OTHER;
			ld.global.u32 %r3, [%rd0];`, 2, ""},
		{"passed on without one", flag + `st.global.u32 [%rd0], 7;
			st.relaxed.gpu.global.u32 [%rd0+4], 1;
			exit;
		OTHER:	ld.relaxed.gpu.global.u32 %r2, [%rd0+4];
			setp.eq.u32 %p3, %r2, 0;
			@%p3 bra OTHER;
			ld.global.u32 %r3, [%rd0];`, 2, "ld.global.u32 %r3"},
		{"bytes side by side", "cvt.u64.u32 %rd2, %r0;\nadd.u64 %rd2, %rd0, %rd2;\nst.global.u8 [%rd2], %r0;", 1, ""},
	} {
		for seed := range uint64(3) {
			_, r, err := launch(t, c.code, 64, machine.Launch{Grid: [3]uint32{c.grid, 1, 1}, Seed: seed, Races: true})
			if err != nil {
				t.Errorf("%s, seed %d: %v", c.name, seed, err)
				continue
			}
			line := 0
			for _, f := range r.Findings {
				if f.Kind == machine.Race {
					line = f.Line
				}
			}
			want := 0
			if c.at == either {
				want = line
				if line == 0 {
					t.Errorf("%s, seed %d: no race", c.name, seed)
				}
			} else if c.at != "" {
				want = lineOf(c.code, c.at)
			}
			if line != want {
				t.Errorf("%s, seed %d: a race in line %d, want %d\n%v", c.name, seed, line, want, r)
			}
		}
	}
}
