package driver_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
)

func TestDebugSwitchesAreACommaList(t *testing.T) {
	for _, c := range []struct {
		list string
		want driver.Debug
	}{
		{"", driver.Debug{}},
		{"off", driver.Debug{}},
		{"sync", driver.Debug{Sync: true}},
		{"memcheck,leaks", driver.Debug{Memcheck: true, Leaks: true}},
		{" log , ptx=/tmp/x=y,", driver.Debug{Log: true, PTX: "/tmp/x=y"}},
		{"passes=a,ptx=b", driver.Debug{Passes: "a", PTX: "b"}},
	} {
		got, err := driver.ParseDebugList(c.list)
		got.Output = nil
		if err != nil || got != c.want {
			t.Errorf("%q is %+v, %v; want %+v", c.list, got, err, c.want)
		}
	}
	for _, list := range []string{"memchk", "ptx", "ptx=", "passes=", "sync=1", "=", "off,sync"} {
		if _, err := driver.ParseDebugList(list); !errors.Is(err, driver.InvalidArgument) {
			t.Errorf("%q gives %v", list, err)
		}
	}
}

func TestOptionsComeBeforeTheDebugEnvironment(t *testing.T) {
	t.Setenv(driver.EnvDebug, "leaks")
	for list, want := range map[string]bool{"": true, "off": false, "sync": false} {
		d, err := cpu.Open(cpu.Options{OpenOptions: driver.OpenOptions{Debug: list, DebugOutput: t.Output()}})
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Debug().Leaks; got != want {
			t.Errorf("with %q leaks are looked for: %v", list, got)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Setenv(driver.EnvDebug, "everything")
	if _, err := driver.Open("cpu", driver.OpenOptions{}); !errors.Is(err, driver.InvalidArgument) {
		t.Errorf("a switch that there is not gives %v", err)
	}
}

func TestLeaksAreListedWithTheirPlace(t *testing.T) {
	var out strings.Builder
	d, err := cpu.Open(cpu.Options{OpenOptions: driver.OpenOptions{Debug: "leaks", DebugOutput: &out}})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := d.Alloc(8, driver.AllocOptions{Label: "kept"})
	if err != nil {
		t.Fatal(err)
	}
	gone, err := d.Alloc(8, driver.AllocOptions{Label: "gone"})
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	s := d.NewSequence("open")
	s.Copy(driver.All(kept), driver.All(s.Scratch(8)))
	if err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	for _, want := range []string{"cpu closes with 2 objects open", `buffer "kept" made at`, `sequence "open" made at`, "TestLeaksAreListedWithTheirPlace", "debug_test.go:"} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "gone") {
		t.Errorf("the report names what was closed:\n%s", got)
	}
}
