package ptx_test

import (
	"context"
	"flag"
	"fmt"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// `make gpu-suite` builds this package's tests for machines with another ptxas than the one in continuous integration.
var (
	assembleEvery = flag.Int("assemble-every", 0, "assemble one program of so many for each architecture; 1 is all, 0 leaves that to -long")
	assembleLimit = flag.Duration("assemble-limit", 10*time.Minute, "when that stops, with what it has")
)

// TestEmitAssemblesForEveryArchitecture gives programs, as written and as the passes leave them, to the assembler for
// all targets that it knows. Registers are counted and not compared: testdata/registers.txt is of one version of
// the assembler.
func TestEmitAssemblesForEveryArchitecture(t *testing.T) {
	begin := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), *assembleLimit)
	defer cancel()
	s := sweep{t: t, ptxas: needs.PTXAS(t)}
	release := releaseOf(ctx, t, s.ptxas)
	var unknown []string
	for _, target := range ptx.Targets() {
		if knows(ctx, t, s.ptxas, target) {
			s.targets = append(s.targets, target)
		} else {
			unknown = append(unknown, target.String())
		}
	}
	if len(s.targets) == 0 {
		t.Fatalf("%s knows none of our targets", s.ptxas)
	}
	var ps []*ir.Program
	for _, g := range corpus(t, 300) {
		ps = append(ps, g.ps...)
	}
	every := *assembleEvery
	if every == 0 {
		every = long.Every(1<<14, 256)
	}
	ps = oneOf(every, ps)
	s.groups = []group{{"as written", ps}, {"optimised", optimised(ctx, t, ps)}}

	var all used
	var registers []string
	for i, sum := range s.run(ctx) {
		var u used
		for _, v := range sum {
			u.add(v)
		}
		all.add(u)
		registers = append(registers, fmt.Sprintf("%s:%d/%d", s.targets[i], u.registers, u.kernels))
	}
	if all.programs+all.refused == 0 {
		t.Errorf("nothing was assembled in %v", *assembleLimit)
	}
	if all.kernels != all.programs {
		t.Errorf("the log of ptxas tells of %d kernels, there were %d; registers and spills are wrong", all.kernels, all.programs)
	}
	verdict, few := "ok", ""
	if t.Failed() {
		verdict = "FAIL"
	}
	if ctx.Err() != nil {
		few = fmt.Sprintf(" stopped after %v", *assembleLimit)
	}
	if len(unknown) > 0 {
		few += " unknown to this ptxas: " + strings.Join(unknown, " ")
	}
	fmt.Printf("gpu-total assemble %s ptxas=%s cases=%d architectures=%d assembled=%d refused=%d spilled=%dB seconds=%.0f registers/kernels=%s%s\n",
		verdict, release, len(s.groups[0].ps)+len(s.groups[1].ps), len(s.targets), all.programs, all.refused, all.spilled,
		time.Since(begin).Seconds(), strings.Join(registers, ","), few)
}

var releaseWord = regexp.MustCompile(`release ([0-9.]+)`)

// releaseOf returns the release of CUDA that the assembler is of, such as 11.8.
func releaseOf(ctx context.Context, t *testing.T, ptxas string) string {
	says, err := exec.CommandContext(ctx, ptxas, "--version").CombinedOutput()
	m := releaseWord.FindSubmatch(says)
	if err != nil || m == nil {
		t.Fatalf("%s --version: %v\n%s", ptxas, err, says)
	}
	return string(m[1])
}

// knows reports whether the assembler has a target, by a kernel that does nothing.
func knows(ctx context.Context, t *testing.T, ptxas string, target ptx.Target) bool {
	m, err := emit(parse(t, "kernel @k workgroup(32) { }"), target)
	if err != nil {
		t.Fatal(err)
	}
	log, err := assemble(ctx, t, ptxas, m)
	if err != nil && !strings.Contains(log, "is not defined for option 'gpu-name'") {
		t.Errorf("%s: a kernel that does nothing: %s", target, log)
	}
	return err == nil
}

// optimised returns what the passes make of programs, without those that they leave as they are. When ctx ends,
// it is what there was until then.
func optimised(ctx context.Context, t *testing.T, ps []*ir.Program) []*ir.Program {
	after := make([]*ir.Program, len(ps))
	next := make(chan int)
	var running sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			for i := range next {
				if q, _, err := opt.Run(ps[i], opt.Options{}); err != nil {
					t.Errorf("%v\n%s", err, text.Of(ps[i]))
				} else if q.Digest() != ps[i].Digest() {
					after[i] = q
				}
			}
		})
	}
	for i := range ps {
		if ctx.Err() == nil {
			next <- i
		}
	}
	close(next)
	running.Wait()
	return slices.DeleteFunc(after, func(p *ir.Program) bool { return p == nil })
}
