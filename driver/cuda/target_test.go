package cuda_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir/wire"
)

func TestATextHasTheLeastVersionOfItsTarget(t *testing.T) {
	for _, c := range []struct {
		version         int // of the driver
		target, emitted string
		text            string // its version; empty if the target is refused
	}{
		{13000, "", "sm_90a", "8.0"},
		{11080, "", "sm_90", "7.8"},
		{13000, "sm_90", "sm_90", "7.8"},
		{13000, "sm_80", "sm_80", "7.0"},
		{13000, "sm_100", "", ""},
		{13000, "sm_120a", "", ""},
		{13000, "sm_88", "sm_88", "9.0"},
		{12090, "sm_88", "", ""},
		{11080, "sm_90a", "", ""},
	} {
		d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}, Version: c.version})
		var m *ptx.Module
		d.OnEmit(func(made *ptx.Module) { m = made })
		_, err := d.Compile(ctx, parse(t, addOne), driver.Options{Target: c.target})
		if c.text == "" {
			if !errors.Is(err, driver.Unsupported) || m != nil {
				t.Errorf("%q under %d: %v", c.target, c.version, err)
			}
			continue
		}
		if err != nil || m.Target.String() != c.emitted || m.Version != c.text {
			t.Errorf("%q under %d: %+v, %v; want %s in version %s", c.target, c.version, m, err, c.emitted, c.text)
		}
	}
}

// TestATargetThatWasRenamedIsRefused: under CUDA 13 the GPU that was sm_101 is sm_110, and no text has the old name.
func TestATargetThatWasRenamedIsRefused(t *testing.T) {
	d, err := cuda.Open(cuda.Options{Driver: described{hopper(), map[cu.Attribute]int{cu.CapabilityMajor: 11}}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := d.Caps().Target; got != "sm_110a" {
		t.Errorf("capability 11.0 under 13.0 has target %s", got)
	}
	if _, err := d.Compile(ctx, parse(t, addOne), driver.Options{Target: "sm_101"}); !errors.Is(err, driver.Unsupported) {
		t.Errorf("sm_101 gives %v", err)
	}
}

func TestADebugSwitchWritesTexts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "texts")
	d, err := cuda.Open(cuda.Options{Driver: newSim(), OpenOptions: driver.OpenOptions{Debug: "passes=" + dir + ",ptx=" + dir}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	adds(t, d, 1)
	unused := strings.NewReplacer("add_one", "unused", "  %v", "  %unused = add.u32 %i, 7_u32\n  %v").Replace(addOne)
	if _, err := d.Compile(ctx, parse(t, unused), driver.Options{}); err != nil {
		t.Fatal(err)
	}
	d.OnEmit(func(m *ptx.Module) { m.Text = strings.Replace(m.Text, "add.u32", "adds.u32", 1) })
	if _, err := d.Compile(ctx, adding(t, 2), driver.Options{Label: "wrong"}); !errors.Is(err, driver.Compile) {
		t.Errorf("got %v", err)
	}
	for pattern, says := range map[string]string{"add_one_*.ptx": "add.u32", "wrong_*.ptx": ".entry wrong_", "wrong_*.log": "line",
		"add_one_*.passes": "// add_one after ptx.select\n"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(found) != 1 {
			t.Errorf("%s is %v, %v", pattern, found, err)
			continue
		}
		if text, err := os.ReadFile(found[0]); err != nil || !strings.Contains(string(text), says) {
			t.Errorf("%s holds %q, %v", pattern, text, err)
		}
	}
	programs, err := filepath.Glob(filepath.Join(dir, "unused_*.vyrb"))
	if err != nil || len(programs) == 0 {
		t.Errorf("programs between passes are %v, %v", programs, err)
	}
	for _, file := range programs {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if p, _, err := wire.Decode(b); err != nil || p.Name() != "unused" {
			t.Errorf("%s holds %v, %v", file, p, err)
		}
	}
}
