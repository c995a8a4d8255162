package native_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/native"
)

// Warp 0 waits until warp 1 has written, and how it learns of that differs. Vectors that ran one after the other would
// wait for ever.
func TestVectorsThatWaitTakeTurns(t *testing.T) {
	for name, body := range map[string]string{
		"by a condition": `loop ^l () {
				%v = atomic_load.acquire.dev @x[0_u32]
				%there = ne.u32 %v, 0_u32
				if %there { break ^l }
				continue ^l
			}`,
		"by what the round before read": `loop ^l (%last: u32 = 0_u32) {
				%there = ne.u32 %last, 0_u32
				if %there { break ^l }
				%v = atomic_load.acquire.dev @x[0_u32]
				continue ^l (%v)
			}`,
		"by a local array": `loop ^l (%k: u32 = 0_u32) {
				%v = atomic_load.acquire.dev @x[0_u32]
				%at = and.u32 %k, 3_u32
				store @local[%at], %v
				%n = add.u32 %k, 1_u32
				%before = and.u32 %n, 3_u32
				%old = load @local[%before]
				%there = ne.u32 %old, 0_u32
				if %there { break ^l }
				continue ^l (%n)
			}`,
		"by the arm that is taken": `loop ^l () {
				%v = atomic_load.acquire.dev @x[0_u32]
				%some = ne.u32 %v, 0_u32
				%n = if %some -> (u32) { %more = load @x[1_u32]; %sum = add.u32 %more, 3_u32; yield %sum } else { yield 0_u32 }
				%there = lt.u32 2_u32, %n
				if %there { break ^l }
				continue ^l
			}`,
		"by a way around the exit": `loop ^l () {
				%v = atomic_load.acquire.dev @x[0_u32]
				%none = eq.u32 %v, 0_u32
				block ^around { if %none { break ^around }; break ^l }
				continue ^l
			}`,
	} {
		t.Run(name, func(t *testing.T) {
			local := ""
			if strings.Contains(body, "@local") {
				local = "local @local: u32[4]"
			}
			k := kernelOf(t, `kernel @wait workgroup(64) {
		param @x: buf<u32> rw
		`+local+`
		%w = warp
		%first = eq.u32 %w, 0_u32
		if %first {
			`+body+`
			store @x[2_u32], 5_u32
		} else {
			atomic_store.release.dev @x[0_u32], 1_u32
		}
	}`)
			if native.RunsAlone(k.Program()) {
				t.Error("vectors may run one after the other")
			}
			mem := aligned(make([]byte, 12))
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if _, err := k.Run(ctx, &launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{{Mem: mem}}}, native.RunOptions{}); err != nil || mem[8] != 5 {
				t.Errorf("%v, % x", err, mem)
			}
		})
	}
}

// Loops of these read what the program writes, and end whatever that is.
func TestVectorsThatOnlyReadRunAlone(t *testing.T) {
	for name, body := range map[string]string{
		"and copy": `%v = load @x[%k]; %to = add.u32 %k, 7_u32; store @x[%to], %v`,
		"and choose": `%v = load @x[%k]; %big = lt.u32 9_u32, %v; %to = if %big -> (u32) { yield 1_u32 } else { yield 2_u32 }
				store @x[%to], %k`,
		"and take places": `%to = atomic_add.relaxed.dev @x[0_u32], 1_u32; store @x[%to], %k`,
	} {
		t.Run(name, func(t *testing.T) {
			k := kernelOf(t, `kernel @reads workgroup(64) {
		param @x: buf<u32> rw
		loop ^l (%k: u32 = 0_u32) {
			%end = lt.u32 8_u32, %k
			if %end { break ^l }
			`+body+`
			%n = add.u32 %k, 1_u32
			continue ^l (%n)
		}
	}`)
			if !native.RunsAlone(k.Program()) {
				t.Error("vectors take turns")
			}
		})
	}
}
