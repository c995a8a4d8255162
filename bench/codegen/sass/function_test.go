package main

import "testing"

const nest = `
	Function : Kernel
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   MOV R1, c[0x0][0x28] ;                      /* 0x00000a0000017a02 */
                                                                               /* 0x000fe40000000f00 */
        /*0010*/                   LDG.E R2, [R4.64] ;                         /* 0x0000000404027981 */
        /*0020*/                   LDS.128 R8, [R2] ;                          /* 0x0000000002087984 */
        /*0030*/                   FFMA R3, R8, R9, R3 ;                       /* 0x0000000908037223 */
        /*0040*/                   FFMA R3, R10, R11, R3 ;                     /* 0x0000000b0a037223 */
        /*0050*/              @!P0 BRA 0x20 ;                                  /* 0xffffffc000008947 */
        /*0060*/              @P1 BRA 0x10 ;                                   /* 0xffffffa000001947 */
        /*0070*/                   EXIT ;                                      /* 0x000000000000794d */
        /*0080*/                   BRA 0x80;                                   /* 0xfffffff000007947 */
        /*0090*/                   NOP;                                        /* 0x0000000000007918 */
`

const report = `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'Kernel' for 'sm_90'
ptxas info    : Function properties for Kernel
    0 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 12 registers, 368 bytes cmem[0]
`

func TestHotLoopIsTheInnermostThatDoesTheWork(t *testing.T) {
	f := Parse(nest, report)["Kernel"]
	if f == nil {
		t.Fatal("the kernel was not found")
	}
	for _, c := range []struct {
		name string
		unit unit
		want Count
	}{
		{"inner loop, two units a round", unit{"product", `^FFMA`, 1}, Count{2, 0.5, 2}},
		{"inner loop, half a unit an instruction", unit{"pair", `^FFMA`, 2}, Count{4, 1, 1}},
		{"outer loop, whose work stands in front of the inner one", unit{"load", `^LDG`, 1}, Count{6, 2, 1}},
		{"no loop does it", unit{"move", `^MOV`, 1}, Count{8, 2, 1}},
		{"no unit", unit{}, Count{8, 2, 0}},
	} {
		if got := f.Hot(c.unit); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	if f.Registers != 12 || f.Spills != 8 {
		t.Errorf("got %d registers and %d bytes spilled, want 12 and 8", f.Registers, f.Spills)
	}
}
