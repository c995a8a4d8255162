package front_test

import "testing"

// A function value that is nil panics where it is called, after its arguments, and an iterator that goes on after its
// loop was left panics in the loop.
func TestFunctionsThatCannotBeCalledPanic(t *testing.T) {
	for _, c := range []struct {
		name, body, message string
		line                int
		before              int32 // what is stored before the panic
	}{
		{"nil", "var f func(int32) int32\n y := func() int32 { out[0] = 5; return 1 }\n out[0] = f(y())", "call of a nil function", 8, 5},
		{"nil at times", "var f func() int32\n if x > 5 { f = func() int32 { return 1 } }\n out[0] = f()", "call of a nil function", 8, 0},
		{"nil element", "fs := [2]func() int32{func() int32 { return 1 }}\n out[0] = fs[x&1]()", "call of a nil function", 7, 0},
		{"element out of bounds", "fs := [2]func() int32{func() int32 { return 1 }, func() int32 { return 2 }}\n out[0] = fs[x]()", "call of a nil function", 7, 0},
		{"nil iterator", "var f func(func(int32) bool)\n for range f {\n out[0] = 1\n }", "call of a nil function", 7, 0},
		{"iterator goes on", "f := func(yield func(int32) bool) {\n yield(1)\n yield(2)\n out[0] = 9 }\n for range f {\n out[0] = 7\n break\n }",
			"range function continued iteration after the loop was left", 10, 7},
		{"body called later", "var late func(int32) bool\n f := func(yield func(int32) bool) {\n late = yield\n yield(2) }\n for range f {\n out[0]++\n }\n late(3)",
			"range function continued iteration after the loop was left", 10, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := []int32{0}
			res := one(t, "x int32, out []int32", c.body, int32(3), out)
			switch {
			case res.Trap == nil:
				t.Fatalf("no trap; out is %v", out)
			case res.Trap.Code != 1 || res.Trap.Message != c.message || res.Trap.Pos.Line != c.line:
				t.Errorf("trap %+v, want code 1, %q, and line %d", res.Trap, c.message, c.line)
			}
			if out[0] != c.before {
				t.Errorf("stored is %d, want %d", out[0], c.before)
			}
		})
	}
}

// Function values, in forms that package cases lacks.
func TestFunctionsChangeWhatTheyRefer(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       int32
	}{
		{"copy of a captured parameter", "a := [4]int32{1, 2, 3, 4}\n get := func(b [4]int32) func(int32) int32 { return func(i int32) int32 { return b[i&3] } }(a)\n a[x&3] = 9\n out[0] = get(x)", 4},
		{"array by reference", "a := [4]int32{1, 2, 3, 4}\n get := func(i int32) int32 { return a[i&3] }\n a[x&3] = 9\n out[0] = get(x)", 9},
		{"result that is captured", "a := [2]int32{1, 2}\n get := func() [2]int32 { return a }\n set := func() [2]int32 { a[0] = 7; return a }\n p, q := get(), set()\n out[0] = p[0]*10 + q[0]", 17},
		{"local memory of a function that returned", "make := func() func(int32) int32 { var n [8]int32\n n[x] = x\n return func(i int32) int32 { n[i&7]++; return n[i&7] } }\n f, g := make(), make()\n f(3)\n out[0] = f(3)*10 + g(3)", 54},
		{"method value copies", "p := gpu.Vec3{X: 1}\n f := func(v *gpu.Vec3) { v.X = 8 }\n f(&p)\n out[0] = int32(p.X)", 8},
		{"comparison with nil", "var f func()\n n := int32(0)\n if f == nil { n++ }\n f = func() {}\n if f != nil && nil != f { n += 2 }\n out[0] = n", 3},
		{"loop variable of each round", "s := int32(0)\n for i := int32(0); i < 4; i++ { f := func() { i++; s += i }\n f() }\n out[0] = s", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := []int32{0}
			if res := one(t, "x int32, out []int32", c.body, int32(3), out); res.Trap != nil || out[0] != c.want {
				t.Errorf("got %d, trap %v, want %d", out[0], res.Trap, c.want)
			}
		})
	}
}
