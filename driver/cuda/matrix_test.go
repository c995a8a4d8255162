package cuda_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/matrix/cases"
	"github.com/govyre/vyre/internal/testing/long"
)

// Devices of each generation have the bits of theirs, and exact products where they have no units for them; so does the text
// for an older one where that is the same.
func TestProductsAreThoseOfTheDevicesGeneration(t *testing.T) {
	var cases []*conform.Case
	for _, family := range []string{"mat-form/", "mat-layout/", "mat-bounds/", "mat-words/", "mat-tiles/"} {
		cases = slices.AppendSeq(cases, conform.Cases(family))
	}
	every := long.Count(9, 1, 1)
	for i, c := range []struct {
		model, target string
		forms         int
	}{{"sm_70", "", 4}, {"sm_75", "", 6}, {"sm_86", "", 8}, {"sm_90", "", 8}, {"sm_90", "sm_80", 8}, {"sm_120", "", 8}} {
		d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Named(c.model)}, Strict: true})
		if n := len(strings.Fields(d.Caps().Matrix.Forms)); n != c.forms {
			t.Errorf("%s has %d forms, want %d", c.model, n, c.forms)
		}
		tried := 0
		for n := i; n < len(cases); n += every {
			conf := cases[n]
			o := driver.Options{Optimise: []string{"0", ""}[n/every%2], Target: c.target}
			if err := conform.Try(t.Context(), conform.OnWith(d, o), conf); err != nil && !errors.Is(err, conform.ErrSkipped) {
				t.Errorf("%s for %q: %s: %v", c.model, c.target, conf, err)
			}
			tried++
		}
		if tried < 10 {
			t.Errorf("%d cases", tried)
		}
	}
}

// A GPU has its own generation. Text for less than sm_80 would ask it for another order of the sums.
func TestAnotherGenerationIsRefused(t *testing.T) {
	d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	for _, c := range []struct {
		program string
		o       driver.Options
		says    string // "" if it is accepted
	}{
		{cases.Float16Program, driver.Options{}, ""},
		{cases.Float16Program, driver.Options{Matrix: "sm_100"}, ""},
		{cases.Float16Program, driver.Options{Matrix: "sm_75"}, "float products as sm_75 computes them, and the device computes as sm_90; fix: use device cpu"},
		{cases.Float16Program, driver.Options{Matrix: "sm_86"}, "as sm_75 computes them"},
		{cases.Float16Program, driver.Options{Matrix: "volta"}, `no tensor cores compute as "volta"`},
		{cases.Float16Program, driver.Options{Target: "sm_75"}, "float products for target sm_75"},
		{strings.Replace(cases.Float16Program, "m16n8k16.f16", "m16n8k16.bf16", 1), driver.Options{Matrix: "sm_70"}, "sm_70 has no mma.m16n8k16.bf16"},
		{addOne, driver.Options{Matrix: "sm_75"}, ""},
	} {
		k, err := d.Compile(ctx, parse(t, c.program), c.o)
		switch {
		case c.says != "":
			if !errors.Is(err, driver.Unsupported) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%+v: %v, want %q", c.o, err, c.says)
			}
			continue
		case err != nil:
			t.Errorf("%+v: %v", c.o, err)
			continue
		}
		want := ""
		if c.program == cases.Float16Program {
			want = "sm_90"
		}
		if got := k.Resources().Matrix; got != want {
			t.Errorf("%+v: computed as %q, want %q", c.o, got, want)
		}
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	}
	old, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Named("sm_70")}})
	_, err := old.Compile(ctx, parse(t, cases.Float16Program), driver.Options{})
	if !errors.Is(err, driver.Unsupported) || !strings.Contains(err.Error(), "sm_70 has other fragments [VY508]") {
		t.Errorf("a device without: %v", err)
	}
}
