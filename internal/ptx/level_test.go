package ptx_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/kernel"
)

// packages are those with kernels that -long takes too, beside examples.
var packages = []string{"prim/internal/kernels", "prim/internal/product", "graph/internal/waves", "graph/internal/flows",
	"graph/internal/cycles", "graph/internal/dominance", "graph/ifds/internal/tabulation", "bench/codegen/kernels"}

// ptxInstructions counts those of a module's text.
func ptxInstructions(text string) (n int) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasSuffix(line, ";") && !strings.HasPrefix(line, ".") {
			n++
		}
	}
	return n
}

// TestNoProgramHasMoreInstructionsAtO3: e-graphs cost no instruction. With -long and an assembler, registers are counted too.
func TestNoProgramHasMoreInstructionsAtO3(t *testing.T) {
	every, n := uint64(long.Every(16, 1)), long.Seed(t, 0)
	turn := func() bool { // of one in so many programs, which others begin for each seed
		n++
		return n%every == 0
	}
	t.Run("corpus", func(t *testing.T) {
		l := levels{t: t}
		for _, g := range corpus(t, 60) {
			for _, p := range g.ps {
				if turn() {
					l.compare(g.name, p)
				}
			}
		}
		l.log()
	})
	if !long.Enabled() {
		return
	}
	for _, dir := range packages {
		t.Run(dir, func(t *testing.T) {
			pkg, err := kernel.Load(context.Background(), "../../"+dir)
			if err != nil {
				t.Fatal(err)
			}
			l := levels{t: t, ptxas: needs.PTXAS(t)}
			for _, p := range pkg {
				if turn() {
					l.compare(dir, p)
				}
			}
			l.log()
		})
	}
}

// TestTheSumWithOneIsAsShortInAllSpellings: at O3 x + y + 1 is x - ^y, which has no constant, and one machine instruction both.
func TestTheSumWithOneIsAsShortInAllSpellings(t *testing.T) {
	want := 0
	for _, body := range []string{"%s = add.u32 %x, %y\n%d = add.u32 %s, 1_u32", "%n = not.u32 %y\n%d = sub.u32 %x, %n", "%n = not.u32 %y\n%m = neg.u32 %n\n%d = add.u32 %x, %m"} {
		m, err := ptx.Compile(parse(t, "kernel @k workgroup(64) {\nparam @a: buf<u32> rw\n%i = global.x\n%x = load @a[%i]\n%j = add.u32 %i, 9_u32\n%y = load @a[%j]\n"+
			body+"\nstore @a[%i], %d\n}\n"), sm90,
			ptx.Options{Passes: compile.Choice{Level: compile.O3}})
		if err != nil {
			t.Fatal(err)
		}
		n := ptxInstructions(m.Text)
		if want == 0 {
			want = n
		}
		if n != want || strings.Contains(m.Text, "not.b32") {
			t.Errorf("%q becomes %d instructions, want %d, without a not:\n%s", body, n, want, m.Text)
		}
	}
}

// levels are sums over programs at O2 and O3.
type levels struct {
	t               *testing.T
	ptxas           string
	programs, fewer int
	sum, registers  [2]int
	time            [2]time.Duration
}

func (l *levels) compare(name string, p *ir.Program) {
	target := ptx.Target{SM: 80}
	var n [2]int
	var texts [2]string
	for i, level := range []compile.Level{compile.O2, compile.O3} {
		start := time.Now()
		m, err := ptx.Compile(p, target, ptx.Options{Passes: compile.Choice{Level: level}})
		l.time[i] += time.Since(start)
		if err != nil {
			if i == 1 {
				l.t.Errorf("%s, %s: %v", name, p.Name(), err)
			}
			return
		}
		texts[i], n[i] = m.Text, ptxInstructions(m.Text)
	}
	l.programs++
	if n[1] > n[0] {
		l.decide(name, p.Name(), target, texts)
	}
	if n[1] < n[0] {
		l.t.Logf("%s, %s: %d instructions at O2, %d at O3", name, p.Name(), n[0], n[1])
		l.fewer++
	}
	for i := range n {
		l.sum[i] += n[i]
	}
	if l.ptxas == "" || texts[0] == texts[1] {
		return
	}
	var regs [2]int
	for i, text := range texts {
		log, err := assemble(l.t.Context(), l.t, l.ptxas, &ptx.Module{Text: text, Target: target})
		if err != nil {
			l.t.Errorf("%s, %s: %v", name, p.Name(), err)
			return
		}
		regs[i] = resources(log).registers
		l.registers[i] += regs[i]
	}
	if regs[0] != regs[1] {
		l.t.Logf("%s, %s: %d registers at O2, %d at O3", name, p.Name(), regs[0], regs[1])
	}
}

// decide looks at machine code where the text got longer: e-graphs make two operations of 32 bits of one of 64, which is two instructions there.
func (l *levels) decide(name, kernel string, target ptx.Target, texts [2]string) {
	ptxas := needs.PTXAS(l.t)
	var n [2]int
	for i, text := range texts {
		n[i] = machineInstructions(l.t.Context(), l.t, ptxas, &ptx.Module{Text: text, Target: target})
	}
	if n[1] > n[0] {
		l.t.Errorf("%s, %s: %d instructions at O2, %d at O3", name, kernel, n[0], n[1])
	}
}

func (l *levels) log() {
	l.t.Logf("%d programs, of which %d have fewer instructions at O3; instructions %d and %d; registers of those that differ %d and %d; time %v and %v",
		l.programs, l.fewer, l.sum[0], l.sum[1], l.registers[0], l.registers[1], l.time[0], l.time[1])
}
