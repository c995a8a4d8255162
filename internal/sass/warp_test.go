package sass_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/sass"
)

// onLanes runs code in a group of so many invocations, R0 the invocation's number, and returns what each leaves in R6. A line
// "NAME:" is a label; "begin" is there, 0x20 bytes before the code.
func onLanes(t *testing.T, code string, group int, schedule uint64) ([]uint32, error) {
	t.Helper()
	var b strings.Builder
	at := 0
	for _, line := range slices.Concat([]string{"begin:", "S2R R0, SR_TID.X", "MOV R6, RZ"}, strings.Split(code, "; "),
		[]string{"IMAD R8, R0, 0x4, RZ", "IADD3 R8, R8, 0x1000, RZ", "MOV R9, RZ", "STG.E [R8.64], R6", "EXIT"}) {
		if strings.HasSuffix(line, ":") {
			fmt.Fprintln(&b, line)
			continue
		}
		fmt.Fprintf(&b, "        /*%04x*/                   %s ;\n", at, line)
		at += 16
	}
	c, err := sass.Parse(b.String())
	if err != nil {
		return nil, err
	}
	out := make([]byte, 4*group)
	err = c.Run(sass.Launch{Memory: []sass.Segment{{At: 0x1000, Data: out}}, Shared: 256, Grid: one, Group: [3]uint32{uint32(group), 1, 1}, Schedule: schedule})
	var words []uint32
	for at := 0; at < len(out); at += 4 {
		words = append(words, binary.LittleEndian.Uint32(out[at:]))
	}
	return words, err
}

// TestLanesTogether runs a few lines on all lanes of a group, whoever goes on first.
func TestLanesTogether(t *testing.T) {
	odd := "LOP3.LUT R1, R0, 0x1, RZ, 0xc0, !PT; ISETP.NE.U32.AND P0, PT, R1, RZ, PT"
	rows := []struct {
		name, code string
		group      int
		want       func(i int) uint32
	}{
		{"who is there", "VOTE.ANY R6, PT, PT", 40, func(i int) uint32 {
			if i < 32 {
				return 0xFFFFFFFF
			}
			return 0xFF // the last warp has 8 lanes
		}},
		{"lanes that parted meet at BSYNC", odd + "; BSSY B0, `(.L_1); @P0 BRA `(.L_2); IADD3 R6, R6, 0x5, RZ; .L_2:; BSYNC B0; .L_1:; VOTE.ANY R6, PT, PT", 32,
			func(int) uint32 { return 0xFFFFFFFF }},
		{"they do not without", odd + "; @P0 BRA `(.L_2); IADD3 R6, R6, 0x5, RZ; .L_2:; VOTE.ANY R6, PT, PT", 32,
			func(i int) uint32 { return 0x55555555 << (i % 2) }},
		{"who has left by BREAK is not waited for", odd + "; BSSY B0, `(.L_1); @P0 BREAK B0; @P0 BRA `(.L_2); BSYNC B0; .L_1:; VOTE.ANY R6, PT, PT; .L_2:; WARPSYNC.ALL", 32,
			func(i int) uint32 { return 0x55555555 * uint32(1-i%2) }},
		{"nor who has ended", odd + "; BSSY B0, `(.L_1); @P0 EXIT; BSYNC B0; .L_1:; VOTE.ANY R6, PT, PT", 32,
			func(i int) uint32 { return 0x55555555 * uint32(1-i%2) }},
		{"WARPSYNC waits for a mask", odd + "; MOV R2, 0xffff; ISETP.GT.U32.AND P1, PT, R0, 0xf, PT; @P1 EXIT; @P0 BRA `(.L_2); NOP; .L_2:; WARPSYNC R2; VOTE.ANY R6, PT, P0", 32,
			func(i int) uint32 { return 0xAAAA * b2u(i < 16) }},
		{"a barrier kept in a register", "BSSY B0, `(.L_1); BMOV.32.CLEAR R3, B0; " + odd + "; @P0 BRA `(.L_2); NOP; .L_2:; BMOV.32 B0, R3; BSYNC B0; .L_1:; VOTE.ANY R6, PT, PT", 32,
			func(int) uint32 { return 0xFFFFFFFF }},
		{"a branch by whether all are here", odd + "; @P0 BRA `(.L_2); BRA.DIV ~URZ, `(.L_3); MOV R6, 0x1; BRA `(.L_3); .L_2:; BRA.CONV ~URZ, `(.L_3); MOV R6, 0x2; .L_3:; WARPSYNC.ALL", 32,
			func(i int) uint32 { return 2 * uint32(i%2) }},
		{"a branch for all or nobody", odd + "; @P0 BRA.U `(.L_2); IADD3 R6, R6, 0x1, RZ; @P0 BRA `(.L_2); IADD3 R6, R6, 0x2, RZ; .L_2:; WARPSYNC.ALL; ISETP.GE.U32.AND P1, PT, R0, RZ, PT; @P1 BRA.U `(.L_3); MOV R6, 0x63; .L_3:", 32,
			func(i int) uint32 { return 1 + 2*uint32(1-i%2) }},
		{"a call returns to where each came from", odd + "; MOV R10, 0x80; MOV R11, RZ; @P0 BRA `(.L_2); CALL.REL.NOINC `(.L_4); BRA `(.L_3); .L_2:; MOV R10, 0xb0; CALL.REL.NOINC `(.L_4); IADD3 R6, R6, 0x100, RZ; .L_3:; BRA `(.L_5); .L_4:; IADD3 R6, R0, 0x1, RZ; RET.REL.NODEC R10 `(begin); .L_5:", 8,
			func(i int) uint32 { return uint32(i + 1 + i%2*0x100) }},
		{"a return on a condition", odd + "; MOV R10, 0x80; MOV R11, RZ; @P0 BRA `(.L_2); CALL.REL.NOINC `(.L_4); BRA `(.L_3); .L_2:; MOV R10, 0xb0; CALL.REL.NOINC `(.L_4); IADD3 R6, R6, 0x100, RZ; .L_3:; BRA `(.L_5); .L_4:; IADD3 R6, R0, 0x1, RZ; RET.REL.NODEC !P0, R10 `(begin); IADD3 R6, R6, 0x200, RZ; RET.REL.NODEC R10 `(begin); .L_5:", 8,
			func(i int) uint32 { return uint32(i + 1 + i%2*0x300) }},
		{"VOTE.ALL", "ISETP.LT.U32.AND P0, PT, R0, 0x20, PT; VOTE.ALL P1, P0; SEL R6, R0, RZ, P1", 64, func(i int) uint32 { return uint32(i) * b2u(i < 32) }},
		{"SHFL.UP", "SHFL.UP P0, R6, R0, 0x3, RZ; @!P0 MOV R6, 0x63", 32, func(i int) uint32 {
			if i < 3 {
				return 99
			}
			return uint32(i - 3)
		}},
		{"SHFL.DOWN of the lanes that there are", "SHFL.DOWN P0, R6, R0, 0x2, 0x6; @!P0 IADD3 R6, R6, 0x64, RZ", 7, func(i int) uint32 {
			if i > 4 {
				return uint32(i + 100)
			}
			return uint32(i + 2)
		}},
		{"SHFL.BFLY in segments", "SHFL.BFLY PT, R6, R0, 0x1, 0x181f", 32, func(i int) uint32 { return uint32(i ^ 1) }},
		{"SHFL.IDX in segments", "SHFL.IDX PT, R6, R0, 0x6, 0x181f", 32, func(i int) uint32 { return uint32(i&24 | 6) }},
		{"MATCH.ANY", "LOP3.LUT R1, R0, 0x3, RZ, 0xc0, !PT; MATCH.ANY R6, R1", 32, func(i int) uint32 { return 0x11111111 << (i % 4) }},
		{"REDUX.SUM", "REDUX.SUM UR4, R0; MOV R6, UR4", 34, func(i int) uint32 {
			if i < 32 {
				return 31 * 16
			}
			return 32 + 33
		}},
		{"REDUX.MIN.S32", "IADD3 R1, -R0, RZ, RZ; REDUX.MIN.S32 UR4, R1; MOV R6, UR4", 32, func(int) uint32 { return ^uint32(30) }},
		{"one value of a warp", "R2UR UR4, R0; MOV R6, UR4", 64, func(i int) uint32 { return uint32(i &^ 31) }},
		{"a barrier, and a vote of the group", odd + "; STS [R0.X4], R0; BAR.RED.POPC 0x0, P0; B2R.RESULT R5; IADD3 R1, -R0, 0x2f, RZ; LDS R2, [R1.X4]; IADD3 R6, R2, R5, RZ", 48,
			func(i int) uint32 { return uint32(47 - i + 24) }},
		{"updates of shared memory", "STS [RZ], RZ; BAR.SYNC 0x0; ATOMS.ADD RZ, [RZ], R0; ATOMS.MAX RZ, [RZ+0x8], RZ; BAR.SYNC 0x0; LDS R6, [RZ]", 64, func(int) uint32 { return 63 * 32 }},
		{"a count of lanes", "STS [RZ], RZ; BAR.SYNC 0x0; ATOMS.POPC.INC.32 RZ, [RZ]; DEPBAR.LE SB0, 0x0, {5}; BAR.SYNC 0x0; LDS R6, [RZ]", 40, func(int) uint32 { return 40 }},
		{"a compare-and-swap that says whether", "MOV R2, RZ; MOV R3, RZ; STS.64 [RZ], R2; BAR.SYNC 0x0; .L_1:; LDS.64 R2, [RZ]; IADD3 R4, R2, R0, RZ; MOV R5, RZ; ATOMS.CAST.SPIN.64 R2, [RZ], R2, R4; ISETP.NE.U32.AND P0, PT, R2, 0x1, PT; @P0 BRA `(.L_1); WARPSYNC.ALL; BAR.SYNC 0x0; LDS R6, [RZ]", 64,
			func(int) uint32 { return 63 * 32 }},
		{"a lock, for which lanes spin", "STS [RZ], RZ; STS [RZ+0x4], RZ; BAR.SYNC 0x0; IADD3 R4, R0, 0x1, RZ; .L_1:; ATOMS.CAS R2, [RZ], RZ, R4; YIELD; ISETP.NE.U32.AND P0, PT, R2, RZ, PT; @P0 BRA `(.L_1); LDS R3, [RZ+0x4]; IADD3 R3, R3, 0x1, RZ; STS [RZ+0x4], R3; ATOMS.EXCH RZ, [RZ], RZ; WARPSYNC.ALL; BAR.SYNC 0x0; LDS R6, [RZ+0x4]", 40,
			func(int) uint32 { return 40 }},
	}
	for _, r := range rows {
		for schedule := range uint64(5) {
			got, err := onLanes(t, r.code, r.group, schedule)
			if err != nil {
				t.Errorf("%s, schedule %d: %v", r.name, schedule, err)
				continue
			}
			for i, v := range got {
				if want := r.want(i); v != want {
					t.Errorf("%s, schedule %d: invocation %d has %#x, want %#x", r.name, schedule, i, v, want)
					break
				}
			}
		}
	}
}

func b2u(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// TestWhoWaitsInVainIsFound: what a GPU would hang or die of.
func TestWhoWaitsInVainIsFound(t *testing.T) {
	odd := "LOP3.LUT R1, R0, 0x1, RZ, 0xc0, !PT; ISETP.NE.U32.AND P0, PT, R1, RZ, PT; "
	for _, r := range []struct{ code, want string }{
		{odd + "BSSY B0, `(.L_1); @P0 BRA `(.L_2); BSYNC B0; .L_1:; NOP; .L_2:; WARPSYNC.ALL", "wait for others that do not come"},
		{odd + "@P0 BRA `(.L_2); BAR.SYNC 0x0; .L_2:", "come without"},
		{"MOV R2, 0xf; WARPSYNC R2", "does not belong"},
		{"STS [R0.X8], R0; LDS R6, [R0.X16]", "no 4 bytes at"},
		{"IADD3 R1, R0, 0x1, RZ; LDS R6, [R1]", "no place for 4 bytes"},
		{".L_1:; BRA `(.L_1)", "more than"},
	} {
		if _, err := onLanes(t, r.code, 32, 1); err == nil || !strings.Contains(err.Error(), r.want) {
			t.Errorf("%s: %v, want that %q", r.code, err, r.want)
		}
	}
}
