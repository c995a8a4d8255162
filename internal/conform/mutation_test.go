package conform_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/verify"
	"github.com/govyre/vyre/ir/wire"
)

// fronts break package ir, for the families that need no device.
var fronts = []struct {
	family string
	rule   string
	broken func(f *conform.Front)
}{
	{"verify-neg", "a group barrier needs uniform control", func(f *conform.Front) {
		f.Findings = func(text string, target verify.Target) ir.Diags {
			return slices.DeleteFunc(conform.TheFront.Findings(text, target), func(d ir.Diag) bool { return d.Code == "VY401" })
		}
	}},
	{"text", "floats print as the shortest decimal that reads back", func(f *conform.Front) {
		f.Print = func(p *ir.Program) string { return longFloat.ReplaceAllString(text.Of(p), "${1}0_f32") }
	}},
	{"wire", "the pool is part of the wire form", func(f *conform.Front) {
		f.Encode = func(p *ir.Program) ([]byte, error) {
			c := p.Edit()
			for i := range c.Pool {
				c.Pool[i] &^= 1
			}
			q, err := verify.Seal(c)
			if err != nil {
				return nil, err
			}
			return wire.Encode(q)
		}
	}},
}

var longFloat = regexp.MustCompile(`(\d\.\d{3})\d+_f32`)

// The families that need a device are held against an interpreter with broken rules, in package interp.
func TestHostFamiliesNoticeABrokenRule(t *testing.T) {
	covered := map[string]bool{}
	for _, m := range fronts {
		covered[m.family] = true
		t.Run(m.family+"/"+m.rule, func(t *testing.T) {
			f := conform.TheFront
			m.broken(&f)
			if !slices.ContainsFunc(suite()[m.family], func(c conform.Case) bool { return c.Host(f) != nil }) {
				t.Error("every case still passes")
			}
		})
	}
	for name, cases := range suite() {
		if !covered[name] && cases[0].Host != nil {
			t.Errorf("no mutation shows that family %s notices anything", name)
		}
	}
}
