package cpu_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/needs"
)

const store7 = `
kernel @seven workgroup(32) {
  param @x: buf<u32> rw
  %i = global.x
  store @x[%i], 7_u32
}`

// large needs more memory for a group than machine code has.
const large = `
kernel @large workgroup(1024) {
  param @x: buf<u32> rw
  local @big: u32[4096]
  %i = local.x
  %at = load @x[%i]
  store @big[%at], 1_u32
  %v = load @big[%i]
  store @x[%i], %v
}`

func TestEngineIsChosenAndSaid(t *testing.T) {
	needs.MachineCode(t, native.Available())
	type choice struct {
		name             string
		env              string
		o                cpu.Options
		target, reason   string
		nativeN, interpN uint64
	}
	choices := []choice{
		{"default", "", cpu.Options{}, native.Target(), "", 1, 0},
		{"by environment", "interp", cpu.Options{}, "interp", "asked for", 0, 1},
		{"required", "", cpu.Options{OpenOptions: driver.OpenOptions{RequireNative: true}}, native.Target(), "", 1, 0},
		{"the option wins", "native", cpu.Options{Engine: cpu.Interp}, "interp", "asked for", 0, 1},
		{"a schedule", "auto", cpu.Options{Run: interp.Options{Schedule: interp.Reversed}}, "interp", "schedule", 0, 1},
		{"a detector", "auto", cpu.Options{Run: interp.Options{Detect: interp.Races}}, "interp", "detector", 0, 1},
		{"a budget", "auto", cpu.Options{Run: interp.Options{Budget: 1 << 20}}, "interp", "budget", 0, 1},
	}
	for _, target := range native.HostTargets() {
		choices = append(choices, choice{target + " by environment", target, cpu.Options{}, target, "", 1, 0},
			choice{target + " by option", "interp", cpu.Options{Engine: cpu.Engine(target)}, target, "", 1, 0})
	}
	for _, c := range choices {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("VYRE_CPU", c.env)
			d := open(t, c.o)
			if got := d.Caps(); got.Target != c.target || !strings.Contains(got.Reason, c.reason) || (got.Reason == "") != (c.reason == "") {
				t.Errorf("target %q, reason %q", got.Target, got.Reason)
			}
			k := compile(t, d, store7)
			if got := k.Resources(); got.Target != c.target || !strings.Contains(got.Reason, c.reason) {
				t.Errorf("of the kernel: target %q, reason %q", got.Target, got.Reason)
			}
			dst := make([]byte, 128)
			if _, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(dst)); err != nil || dst[124] != 7 {
				t.Errorf("%v, %v", dst[124], err)
			}
			if n, i := d.Stats().Get(metric.NativeLaunches), d.Stats().Get(metric.InterpLaunches); n != c.nativeN || i != c.interpN {
				t.Errorf("%d launches as machine code, %d on the interpreter", n, i)
			}
		})
	}
}

func TestEngineThatCannotIsAnError(t *testing.T) {
	needs.MachineCode(t, native.Available())
	_, err := cpu.Open(cpu.Options{Engine: "jit"})
	wantError(t, err, driver.InvalidArgument, `no engine "jit"`, "interp, native, auto or one of "+native.Target())
	for _, target := range native.Targets() {
		if !slices.Contains(native.HostTargets(), target) {
			_, err = cpu.Open(cpu.Options{Engine: cpu.Engine(target)})
			wantError(t, err, driver.Unsupported, "does not run "+target, native.Target())
		}
	}
	_, err = cpu.Open(cpu.Options{Engine: cpu.Native, Run: interp.Options{Detect: interp.Races}})
	wantError(t, err, driver.InvalidArgument, "a detector is the interpreter's")

	d := open(t, cpu.Options{Engine: cpu.Native})
	_, err = d.Compile(ctx, parse(t, large), driver.Options{})
	wantError(t, err, driver.Unsupported, `compile "large"`, "a frame of", "VYRE_CPU=auto")

	d = open(t, cpu.Options{Engine: cpu.Auto})
	k := compile(t, d, large)
	if got := k.Resources(); got.Target != "interp" || !strings.Contains(got.Reason, "a frame of") {
		t.Errorf("target %q, reason %q", got.Target, got.Reason)
	}
}

// One program for several targets is several kernels of one digest.
func TestTargetChoosesTheEngineOfAKernel(t *testing.T) {
	needs.MachineCode(t, native.Available())
	d := open(t, cpu.Options{Engine: cpu.Auto})
	for _, target := range append(native.HostTargets(), "", "interp") {
		k, err := d.Compile(ctx, parse(t, store7), driver.Options{Target: target})
		if err != nil {
			t.Fatal(err)
		}
		if want := cmp.Or(target, native.Target()); k.Resources().Target != want {
			t.Errorf("asked for %q, got %q", target, k.Resources().Target)
		}
	}
	_, err := d.Compile(ctx, parse(t, store7), driver.Options{Target: "sm_90"})
	wantError(t, err, driver.Unsupported, `no target "sm_90"`)
}

// The contract holds on both engines.
func TestMachineCodeRefusesWhatTheInterpreterDoes(t *testing.T) {
	needs.MachineCode(t, native.Available())
	d := open(t, cpu.Options{Engine: cpu.Native})
	k := compile(t, d, store7)
	if _, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(make([]byte, 6))); err == nil {
		t.Error("a buffer of one and a half elements was taken")
	}
}

// A kernel is prepared for the engine that runs it, and for no other, whatever decides on the engine: the device, the
// environment, options of the kernel, or that machine code refuses the program.
func TestKernelIsPreparedForOneEngine(t *testing.T) {
	needs.MachineCode(t, native.Available())
	for _, c := range []struct {
		name    string
		env     string
		o       cpu.Options
		kernel  driver.Options
		source  string
		decoded bool
	}{
		{"machine code", "", cpu.Options{}, driver.Options{}, store7, false},
		{"machine code that is required", "native", cpu.Options{}, driver.Options{}, store7, false},
		{"machine code without passes", "", cpu.Options{}, driver.Options{Optimise: "0"}, store7, false},
		{"machine code with checks", "", cpu.Options{OpenOptions: driver.OpenOptions{Debug: "memcheck"}}, driver.Options{}, store7, false},
		{"the environment", "interp", cpu.Options{}, driver.Options{}, store7, true},
		{"the device", "", cpu.Options{Engine: cpu.Interp}, driver.Options{}, store7, true},
		{"the kernel", "", cpu.Options{}, driver.Options{Target: "interp"}, store7, true},
		{"a detector", "", cpu.Options{Run: interp.Options{Detect: interp.Races}}, driver.Options{}, store7, true},
		{"a refusal", "", cpu.Options{}, driver.Options{}, large, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("VYRE_CPU", c.env)
			k, err := open(t, c.o).Compile(ctx, parse(t, c.source), c.kernel)
			if err != nil {
				t.Fatal(err)
			}
			if decoded, machine := cpu.Decoded(k), cpu.MachineCode(k) != nil; decoded != c.decoded || machine == c.decoded {
				t.Errorf("decoded for the interpreter is %v, machine code is %v; want %v, %v", decoded, machine, c.decoded, !c.decoded)
			}
			dst := make([]byte, 4096)
			if _, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(dst)); err != nil {
				t.Error(err)
			}
		})
	}
}

// The contract of a launch is that of the program as it was written: passes drop a shared array that nothing reads, and
// launches still give its length.
func TestContractIsThatOfTheProgramAsWritten(t *testing.T) {
	needs.MachineCode(t, native.Available())
	for _, engine := range []cpu.Engine{cpu.Native, cpu.Interp} {
		k := compile(t, open(t, cpu.Options{Engine: engine}), `
kernel @tailed workgroup(32) {
  param @x: buf<u32> rw
  shared @tail: u32[?]
  %i = global.x
  store @tail[%i], 1_u32
  store @x[%i], 7_u32
}`)
		dst := make([]byte, 128)
		if _, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(dst), driver.Rest(64)); err != nil || dst[124] != 7 {
			t.Errorf("%s: %v, %v", engine, dst[124], err)
		}
	}
}
