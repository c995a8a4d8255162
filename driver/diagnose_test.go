package driver_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir/text"
)

// small is a GPU with little of everything; what it lacks is in the tests.
func small() *driver.Caps {
	c := model("sm_86")
	c.Matrix.Forms = "f64 b1"
	c.Name, c.MaxThreadsPerGroup, c.SharedOptin, c.GridBarrier = "cuda:0", 512, 16<<10, false
	return c
}

func model(name string) *driver.Caps {
	for _, m := range driver.Models() {
		if m.Name == name {
			return m
		}
	}
	return nil
}

func TestDiagnosisNamesEveryFailureInOrder(t *testing.T) {
	need := driver.Requirement{Kernel: "K", Resources: driver.Resources{Target: "sm_90", Shared: 64 << 10}, Group: [3]uint32{1024, 1, 1},
		Flags: driver.Resident, Products: "f16 b1"}
	together := model("sm_80")
	together.Name, together.Units, together.MaxThreadsPerUnit = "cuda:0", 2, 2048
	all := driver.Requirement{Kernel: "a name", Resources: driver.Resources{Target: "sm_90a", Shared: 1 << 20, Registers: 256}, Group: [3]uint32{16, 1, 128},
		Flags: driver.Resident, Products: "bf16", Params: 4097, Grid: driver.Grid{1, 65536}}
	for _, c := range []struct {
		caps *driver.Caps
		need driver.Requirement
		want string
	}{
		{small(), driver.Requirement{Kernel: "K"}, "kernel=K device=cuda:0 status=ok"},
		{small(), need, "kernel=K device=cuda:0 status=blocked target(need=9.0,have=8.6) threads(need=1024,have=512) shared(need=65536,have=16384) cooperative matrix(need=f16,have=f64,b1)"},
		{together, driver.Requirement{Kernel: "K", Group: [3]uint32{128, 2, 1}, Flags: driver.Resident, Grid: driver.Grid{9, 2}},
			"kernel=K device=cuda:0 status=blocked residency(need=18,have=16) grid=[9 2 1] group=[128 2 1] groups=18 threads=256 shared=0"},
		{small(), all, `kernel="a name" device=cuda:0 status=blocked target(need=9.0a,have=8.6) threads(need=2048,have=512) ` +
			`group-dim(need=[16 1 128],have=[1024 1024 64]) registers(need=256,have=32) shared(need=1048576,have=16384) ` +
			`grid-dim(need=[1 65536 1],have=[2147483647 65535 65535]) params(need=4097,have=4096) cooperative residency(need=65536,have=0) matrix(need=bf16,have=f64,b1) ` +
			`grid=[1 65536 1] group=[16 1 128] groups=65536 threads=2048 shared=1048576`},
	} {
		if got := driver.Diagnose(c.caps, c.need).String(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestEveryLimitHasTwoSides: what is just within a limit passes, one more fails by it, and by nothing else.
func TestEveryLimitHasTwoSides(t *testing.T) {
	for _, c := range []struct {
		limit      string
		within     driver.Requirement
		beyond     driver.Requirement
		need, have string
	}{
		{"target", needs("sm_86"), needs("sm_87"), "8.7", "8.6"},
		{"target", needs("sm_70"), needs("sm_80a"), "8.0a", "8.6"},
		{"target", needs("sm_86a"), needs("sm_120"), "12.0", "8.6"},
		{"target", needs("amd64.avx2"), needs("sm_89a"), "8.9a", "8.6"},
		{"threads", driver.Requirement{Group: [3]uint32{32, 32, 1}}, driver.Requirement{Group: [3]uint32{25, 41, 1}}, "1025", "1024"},
		{"threads", driver.Requirement{Group: [3]uint32{16, 1, 64}}, driver.Requirement{Group: [3]uint32{1024, 1024, 64}}, "67108864", "1024"},
		{"group-dim", driver.Requirement{Group: [3]uint32{1, 1, 64}}, driver.Requirement{Group: [3]uint32{1, 1, 65}}, "[1 1 65]", "[1024 1024 64]"},
		{"registers", takes(255, 256), takes(256, 256), "256", "255"},
		{"registers", takes(64, 1024), takes(65, 1024), "65", "64"},
		{"registers", takes(128, 512), takes(129, 512), "129", "128"},
		{"registers", takes(128, 416), takes(129, 416), "129", "128"}, // 13 warps take what 16 do
		{"shared", driver.Requirement{Resources: driver.Resources{Shared: 101376}}, driver.Requirement{Resources: driver.Resources{Shared: 101377}}, "101377", "101376"},
		{"grid-dim", launch(1<<31-1, 65535, 65535), launch(1<<31, 1, 1), "[2147483648 1 1]", "[2147483647 65535 65535]"},
		{"grid-dim", driver.Requirement{Group: [3]uint32{1, 1, 1}, Grid: driver.EmptyGrid()}, launch(1, 1, 65536), "[1 1 65536]", "[2147483647 65535 65535]"},
		{"params", driver.Requirement{Params: 4096}, driver.Requirement{Params: 4097}, "4097", "4096"},
		{"residency", together(82 * 6), together(82*6 + 1), "493", "492"},
	} {
		m := model("sm_86")
		if d := driver.Diagnose(m, c.within); len(d.Failures) > 0 {
			t.Errorf("within %s: %v", c.limit, d)
		}
		d := driver.Diagnose(m, c.beyond)
		if want := (driver.Failure{Limit: c.limit, Need: c.need, Have: c.have}); len(d.Failures) != 1 || d.Failures[0] != want {
			t.Errorf("beyond it the failures are %v, want %v", d.Failures, want)
		}
	}
	// The device's own answer counts before the model's.
	own := together(82 * 6)
	own.Occupancy = driver.Occupancy{Groups: 1, Cooperative: 82, Limit: "driver"}
	if d := driver.Diagnose(model("sm_86"), own); len(d.Failures) != 1 || d.Failures[0].Have != "82" {
		t.Errorf("the device runs 82 groups at once: %v", d)
	}
}

func needs(target string) driver.Requirement {
	return driver.Requirement{Resources: driver.Resources{Target: target}, Group: [3]uint32{1, 1, 1}}
}

func takes(registers int, threads uint32) driver.Requirement {
	return driver.Requirement{Resources: driver.Resources{Registers: registers}, Group: [3]uint32{threads, 1, 1}}
}

func launch(x, y, z uint32) driver.Requirement {
	return driver.Requirement{Group: [3]uint32{1, 1, 1}, Grid: driver.Grid{x, y, z}}
}

func together(groups uint32) driver.Requirement {
	return driver.Requirement{Group: [3]uint32{256, 1, 1}, Flags: driver.Resident, Grid: driver.Groups(groups)}
}

// TestAProgramIsDiagnosedForDevicesThatAreNotThere: which models run a program is known without any of them.
func TestAProgramIsDiagnosedForDevicesThatAreNotThere(t *testing.T) {
	ps, err := text.Parse("t", "vyre 1\nkernel @much workgroup(256) {\n  param @x: buf<u32> rw\n  param %n: u32\n  shared @s: u8[102400]\n}")
	if err != nil {
		t.Fatal(err)
	}
	q := driver.Options{}.Requirement(ps[0])
	if q.Kernel != "much" || q.Shared != 102400 || q.Params != 20 || q.Group != [3]uint32{256, 1, 1} {
		t.Errorf("it needs %+v", q)
	}
	var runs []string
	for _, m := range driver.Models() {
		d := driver.Diagnose(m, q)
		if len(d.Failures) == 0 {
			runs = append(runs, m.Name)
		} else if d.Device != m.Name || d.Failures[0].Limit != "shared" {
			t.Errorf("unexpected %v", d)
		}
	}
	if got := strings.Join(runs, " "); got != "sm_80 sm_90 sm_100" {
		t.Errorf("100 KiB fit %s", got)
	}
}

func TestADiagnosisIsACause(t *testing.T) {
	d := driver.Diagnose(small(), needs("sm_90"))
	var found driver.Diagnosis
	if err := error(&driver.Error{Err: d}); !errors.As(err, &found) || found.String() != d.Error() || len(found.Failures) != 1 {
		t.Errorf("found %v", found)
	}
}
