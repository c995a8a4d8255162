package launch_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/ir/text"
)

// contract parses the text of one kernel, without its first line, and returns what it demands.
func contract(t *testing.T, source string) launch.Contract {
	t.Helper()
	ps, err := text.Parse("test.vyre", "vyre 1\n"+source)
	if err != nil {
		t.Fatal(err)
	}
	return launch.ContractOf(ps[0])
}

func TestLaunchesThatBreakTheContractAreRefused(t *testing.T) {
	saxpy := contract(t, `kernel @saxpy workgroup(256) {
		param @x: buf<f32> ro
		param @y: buf<f32> rw max 100
		param %n: i8
	}`)
	mem := make([]byte, 64)
	ok := func() launch.Launch {
		return launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{{Mem: mem[:16]}, {Mem: mem[32:48]}, {Bits: 0xFFFF_FFFF}}}
	}
	cases := []struct {
		name   string
		change func(*launch.Launch)
		want   string
	}{
		{"too many groups on y", func(l *launch.Launch) { l.Grid = [3]uint32{1, 70000, 1} },
			"kernel saxpy: invalid launch: grid 1×70000×1 exceeds 65535 groups on axis y; fix: put the long axis on x"},
		{"too many groups on x", func(l *launch.Launch) { l.Grid = [3]uint32{1 << 31, 1, 1} }, "exceeds 2147483647 groups on axis x"},
		{"global ids beyond u32", func(l *launch.Launch) { l.Grid = [3]uint32{1<<24 + 1, 1, 1} },
			"16777217 groups of 256 are 4294967552 invocations on axis x, more than 2³²"},
		{"too few arguments", func(l *launch.Launch) { l.Args = l.Args[:2] }, "2 arguments for 3 parameters"},
		{"half an element", func(l *launch.Launch) { l.Args[0].Mem = mem[:15] },
			"15 bytes for buffer x are not a multiple of 4, the bytes of a f32"},
		{"more than MaxLen", func(l *launch.Launch) { l.Args[1].Mem = make([]byte, 404) }, "101 elements for buffer y, its bound is 100"},
		{"unaligned", func(l *launch.Launch) { l.Args[0].Mem = mem[1:17] }, "buffer x starts at an address that is not a multiple of 4"},
		{"overlap", func(l *launch.Launch) { l.Args[0].Mem = mem[20:36] },
			"the memory of y overlaps that of x, and not both are read-only"},
		{"scalar not widened", func(l *launch.Launch) { l.Args[2].Bits = 0xFF }, "bits 0xff for scalar n are not a i8 widened to i32"},
		{"memory for a scalar", func(l *launch.Launch) { l.Args[2].Mem = mem[:4] }, "for scalar n"},
		{"a rest that is not there", func(l *launch.Launch) { l.Rest = 4 }, "4 elements for a shared array that the program does not have"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := ok()
			c.change(&l)
			wantRefusal(t, saxpy.Check(&l), c.want)
		})
	}
	good := ok()
	if err := saxpy.Check(&good); err != nil {
		t.Errorf("the launch that the cases change is itself refused: %v", err)
	}
	good.Args[0].Mem = mem[24:32]
	if err := saxpy.Check(&good); err != nil {
		t.Errorf("neighbouring memory is refused: %v", err)
	}
}

// wantRefusal reports an error that is not a refusal with a text in it.
func wantRefusal(t *testing.T, err error, want string) {
	t.Helper()
	var refused *launch.ContractError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want a refusal that says %q", err, want)
	}
}

// The length of a shared array that comes with the launch is bounded in bytes, whatever the element.
func TestRestIsBounded(t *testing.T) {
	for element, most := range map[string]int{"u8": 1 << 31, "u32": 1 << 29, "f64": 1 << 28} {
		c := contract(t, "kernel @k workgroup(32) {\n shared @fixed: u32[4]\n shared @tail: "+element+"[?]\n}")
		l := launch.Launch{Grid: [3]uint32{1, 1, 1}, Rest: most}
		if err := c.Check(&l); err != nil {
			t.Errorf("2 GiB of %s: %v", element, err)
		}
		l.Rest++
		wantRefusal(t, c.Check(&l), "for shared array tail, more than 2 GiB")
		l.Rest = -1
		wantRefusal(t, c.Check(&l), "-1 elements for the rest of shared memory")
	}
}

// A launch that keeps the contract is checked before each run, and makes no garbage.
func TestCheckAllocatesNothing(t *testing.T) {
	c := contract(t, `kernel @k workgroup(32) {
		param @x: buf<u32> ro
		param @y: buf<u32> rw
	}`)
	l := launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{{Mem: make([]byte, 64)}, {Mem: make([]byte, 64)}}}
	if n := testing.AllocsPerRun(10, func() {
		if err := c.Check(&l); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Numbers of invocations count each of a grid once, x fastest, and Local takes them apart again.
func TestInvocationsAreNumbered(t *testing.T) {
	grid, size := [3]uint32{2, 3, 2}, [3]uint32{4, 2, 3}
	next := uint64(0)
	for z := range grid[2] * size[2] {
		for y := range grid[1] * size[1] {
			for x := range grid[0] * size[0] {
				at := [3]uint32{x, y, z}
				var by launch.Invocation
				for axis := range at {
					by.Group[axis], by.Local[axis] = at[axis]/size[axis], at[axis]%size[axis]
				}
				if got := by.Linear(grid, size); got != next {
					t.Fatalf("%s has number %d, want %d", by, got, next)
				}
				inGroup := launch.Invocation{Local: by.Local}.Linear([3]uint32{1, 1, 1}, size)
				if got := launch.Local(uint32(inGroup), size); got != by.Local {
					t.Fatalf("number %d of a group is %v, want %v", inGroup, got, by.Local)
				}
				next++
			}
		}
	}
}
