package code

import (
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/bundle"
	"github.com/govyre/vyre/internal/ptx"
)

// formsOf reads forms such as "sm_80 sm_90a+": a plus is machine code.
func formsOf(t *testing.T, list string) (all []bundle.Form) {
	t.Helper()
	for _, word := range strings.Fields(list) {
		name, cubin := strings.CutSuffix(word, "+")
		target, err := ptx.ParseTarget(name)
		if err != nil {
			t.Fatal(err)
		}
		f := bundle.Form{Target: bundle.Target(number(target))}
		if cubin {
			f.Kind = bundle.Cubin
		}
		all = append(all, f)
	}
	return all
}

// Machine code of the device's own architecture is best, then that of an earlier one of its generation, then the
// highest text. What is for one architecture alone runs on no other.
func TestADeviceTakesTheBestForm(t *testing.T) {
	for _, c := range []struct {
		sm, driver int
		only       string
		has, takes string
	}{
		{90, 13000, "", "sm_80 sm_90 sm_90a sm_80+ sm_90+ sm_90a+", "sm_90a+ sm_90+ sm_90a sm_90 sm_80"},
		{90, 11080, "", "sm_80 sm_90 sm_90a", "sm_90 sm_80"},
		{86, 13000, "", "sm_75+ sm_80+ sm_86+ sm_89+ sm_90+ sm_75", "sm_86+ sm_80+ sm_75"},
		{89, 13000, "", "sm_80+ sm_86+", "sm_86+ sm_80+"},
		{80, 13000, "", "sm_86+ sm_75+", ""},
		{100, 13000, "", "sm_90a+ sm_90a sm_90+ sm_90", "sm_90"},
		{103, 13000, "", "sm_100a+ sm_100+ sm_100a sm_100", "sm_100+ sm_100"},
		{120, 13000, "", "sm_121+ sm_120a+ sm_120+", "sm_120a+ sm_120+"},
		{75, 13000, "", "sm_70+ sm_72+ sm_70 sm_72", "sm_70+ sm_72 sm_70"},
		{72, 13000, "", "sm_70+ sm_72+", "sm_72+"},
		{87, 13000, "", "sm_80+ sm_86+ sm_87+ sm_86", "sm_87+ sm_86"},
		{88, 13000, "", "sm_87+ sm_86+ sm_80", "sm_80"},
		{89, 13000, "", "sm_87+ sm_88+ sm_86+", "sm_86+"},
		{101, 12080, "", "sm_100+ sm_101a+ sm_101+", "sm_101a+ sm_101+"},
		{75, 13000, "", "sm_80 sm_90a+", ""},
		{90, 13000, "sm_80", "sm_80 sm_90 sm_90a+", "sm_80"},
		{90, 13000, "sm_75", "sm_80 sm_90 sm_90a+", ""},
	} {
		want := strings.Fields(c.takes)
		var got []string
		for _, f := range Forms(formsOf(t, c.has), c.sm, c.driver, c.only) {
			name := f.Target.String()
			if f.Kind == bundle.Cubin {
				name += "+"
			}
			got = append(got, name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d of %q: takes %q, want %q", c.sm, c.has, got, want)
		}
	}
}
