package machine_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cusim/internal/asm"
	"github.com/govyre/vyre/internal/cusim/internal/machine"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
)

var usedRegisters = regexp.MustCompile(`Used (\d+) registers`)

// TestRegistersAreEstimated compares the estimate with what ptxas gives the same text.
func TestRegistersAreEstimated(t *testing.T) {
	ptxas := needs.PTXAS(t)
	programs := uint64(long.Count(20, 80, 400))
	var ours, theirs, off, n int
	for seed := range programs {
		emitted, err := ptx.Compile(conform.Random(seed).Program, target(t, "sm_90"), ptx.Options{Passes: compile.Choice{Level: compile.O0}})
		if err != nil {
			continue // the target lacks an op
		}
		module, err := asm.Parse(emitted.Text)
		if err != nil {
			t.Fatal(err)
		}
		image, err := machine.Load(module, machine.NewMemory())
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "k.ptx")
		if err := os.WriteFile(file, []byte(emitted.Text), 0o666); err != nil {
			t.Fatal(err)
		}
		log, err := exec.Command(ptxas, "-v", "-arch=sm_90", "-o", os.DevNull, file).CombinedOutput()
		if err != nil {
			continue // this ptxas is older than the text
		}
		m := usedRegisters.FindSubmatch(log)
		if m == nil {
			t.Fatalf("ptxas says nothing of registers: %s", log)
		}
		want, _ := strconv.Atoi(string(m[1]))
		got := image.Kernel(emitted.Kernels[0].Entry).EstimatedRegisters()
		ours, theirs, n = ours+got, theirs+want, n+1
		if got > 2*want || want > 2*got {
			off++
			t.Logf("seed %d: estimated %d, ptxas gives %d", seed, got, want)
		}
	}
	if uint64(n) < programs/2 {
		t.Fatalf("only %d of %d programs could be compared", n, programs)
	}
	t.Logf("%d kernels: estimated %d registers, ptxas gives %d; %d are off by more than a factor of two", n, ours, theirs, off)
	if 10*off > n || 4*ours < 3*theirs || 3*ours > 4*theirs {
		t.Errorf("the estimate is off: %d registers in %d kernels, ptxas gives %d; %d are off by more than two", ours, n, theirs, off)
	}
}

// TestRegistersLetTheDemandedGroupRun has more registers live than a group of 1,024 leaves to each invocation.
func TestRegistersLetTheDemandedGroupRun(t *testing.T) {
	var b strings.Builder
	b.WriteString(".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n.reqntid 1024, 1, 1\n{\n.reg .b32 %r<101>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n")
	for i := range 100 {
		fmt.Fprintf(&b, "ld.global.u32 %%r%d, [%%rd1+%d];\n", i+1, 4*i)
	}
	for i := range 100 {
		fmt.Fprintf(&b, "st.global.u32 [%%rd1+%d], %%r%d;\n", 4*i, i+1)
	}
	b.WriteString("ret;\n}\n")
	module, err := asm.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	image, err := machine.Load(module, machine.NewMemory())
	if err != nil {
		t.Fatal(err)
	}
	if got := image.Kernel("k").EstimatedRegisters(); got != 64 {
		t.Errorf("%d registers, want 64", got)
	}
}
