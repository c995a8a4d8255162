package conform

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/govyre/vyre/ir"
)

// Front is what cases without a device go through. Tests of the suite break it, to see
// that the cases notice.
type Front struct {
	// Findings seals the kernels of a text and returns everything said about them.
	Findings func(text string) ir.Diags
	Print    func(*ir.Program) string
	Parse    func(name, text string) ([]*ir.Program, error)
}

// TheFront is package ir as it is.
var TheFront = Front{
	Findings: findings,
	Print:    (*ir.Program).Text,
	Parse:    ir.Parse,
}

func findings(text string) ir.Diags {
	codes, err := ir.ParseCode("case", text)
	if err != nil {
		return err.(ir.Diags)
	}
	var ds ir.Diags
	for _, c := range codes {
		p, err := c.Seal()
		if err != nil {
			ds = append(ds, err.(ir.Diags)...)
			continue
		}
		_ = p
	}
	return ds
}

var announcement = regexp.MustCompile(`// want((?: V[YT]\d{3})+)`)

// announced lists the codes that a text asks for, as "line:code"; line 0 is the whole kernel.
func announced(text string) []string {
	var list []string
	for i, line := range strings.Split(text, "\n") {
		m := announcement.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		at := i + 1
		if strings.HasPrefix(strings.TrimSpace(line), "//") {
			at = 0
		}
		for code := range strings.FieldsSeq(m[1]) {
			list = append(list, fmt.Sprintf("%d:%s", at, code))
		}
	}
	slices.Sort(list)
	return list
}

// verdictCase is a case about what must be said about a text.
func verdictCase(name string, accepted bool, text string) Case {
	return Case{Name: name, Host: func(f Front) error {
		ds := f.Findings(text)
		want := announced(text)
		if errs := ds.Errors(); accepted && len(errs) > 0 {
			return fmt.Errorf("must be accepted, but is refused:\n%w\n%s", errs, text)
		} else if !accepted && len(errs) == 0 {
			return fmt.Errorf("must be refused with %v, but is accepted:\n%s", want, text)
		}
		var got []string
		for _, d := range ds {
			s := fmt.Sprintf("%d:%s", d.Pos.Line, d.Code)
			if d.Severity == ir.Warning && !slices.Contains(want, s) {
				continue
			}
			got = append(got, s)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			return fmt.Errorf("findings are %v, want %v:\n%w\n%s", got, want, ds, text)
		}
		return nil
	}}
}
