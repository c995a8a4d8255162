package ptx_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/needs"
)

// crowded is a kernel in which n values are live at once: each is loaded before the first is used, and no two meet in
// the same way.
func crowded(n int) string {
	var b strings.Builder
	b.WriteString("kernel @crowded workgroup(32) {\n  param @x: buf<u32> rw\n  %i = local.x\n")
	for i := range n {
		fmt.Fprintf(&b, "  %%a%d = add.u32 %%i, %d_u32\n  %%v%d = load @x[%%a%d]\n", i, 32*i, i, i)
	}
	b.WriteString("  barrier.wg\n")
	for i := range n {
		fmt.Fprintf(&b, "  store @x[%%a%d], %%v%d\n", i, n-1-i)
	}
	return b.String() + "}\n"
}

func TestMaxRegistersIsPrinted(t *testing.T) {
	p := parse(t, crowded(4))
	for bound, want := range map[int]string{0: ".reqntid 32, 1, 1\n{", 40: ".reqntid 32, 1, 1\n.maxnreg 40\n{"} {
		o := asWritten
		o.MaxRegisters = bound
		m, err := ptx.Compile(p, ptx.Target{SM: 90}, o)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(m.Text, want) {
			t.Errorf("bound %d: there is no %q in\n%s", bound, want, m.Text)
		}
	}
}

// TestMaxRegistersBinds: a kernel that takes more than the bound, without one, keeps it.
func TestMaxRegistersBinds(t *testing.T) {
	ptxas := needs.PTXAS(t)
	p := parse(t, crowded(96))
	used := regexp.MustCompile(`Used (\d+) registers`)
	registers := func(bound int) int {
		o := asWritten
		o.MaxRegisters = bound
		m, err := ptx.Compile(p, ptx.Target{SM: 80}, o)
		if err != nil {
			t.Fatal(err)
		}
		log, err := assemble(t.Context(), t, ptxas, m)
		if err != nil {
			t.Fatal(log)
		}
		found := used.FindStringSubmatch(log)
		if found == nil {
			t.Fatalf("ptxas says nothing of registers: %s", log)
		}
		n, _ := strconv.Atoi(found[1])
		return n
	}
	free := registers(0)
	for _, bound := range []int{32, 64} {
		if got := registers(bound); free <= bound || got > bound {
			t.Errorf("%d registers with a bound of %d, %d without", got, bound, free)
		}
	}
}
