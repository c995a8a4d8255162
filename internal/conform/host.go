package conform

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/verify"
	"github.com/govyre/vyre/ir/wire"
)

// front is what cases without a device go through. Tests of the suite break it, to see
// that the cases notice.
type front struct {
	// Findings seals the kernels of a text for a target and returns everything said about them.
	Findings func(text string, target verify.Target) ir.Diags
	Seal     func(*ir.Code) ir.Diags
	Print    func(*ir.Program) string
	Parse    func(name, text string) ([]*ir.Program, error)
	Encode   func(*ir.Program) ([]byte, error)
	Decode   func([]byte) (*ir.Program, ir.Diags, error)
}

// theFront is the packages ir/verify, text and wire as they are.
var theFront = front{
	Findings: findings,
	Seal:     sealing,
	Print:    text.Of,
	Parse:    text.Parse,
	Encode:   wire.Encode,
	Decode:   wire.Decode,
}

func sealing(c *ir.Code) ir.Diags {
	_, err := verify.Seal(c)
	ds, _ := err.(ir.Diags)
	return ds
}

func findings(source string, target verify.Target) ir.Diags {
	codes, err := text.ParseCode("case", source)
	if err != nil {
		return err.(ir.Diags)
	}
	var ds ir.Diags
	for _, c := range codes {
		p, err := verify.Seal(c)
		if err != nil {
			ds = append(ds, err.(ir.Diags)...)
			continue
		}
		ds = append(ds, verify.Program(p, target)...)
	}
	return ds
}

// targetOf reads the comment "// target sm=N shared=BYTES" of a text; without one the target
// has everything.
func targetOf(text string) (t verify.Target, err error) {
	_, line, ok := strings.Cut(text, "// target ")
	if !ok {
		return t, nil
	}
	line, _, _ = strings.Cut(line, "\n")
	for word := range strings.FieldsSeq(line) {
		name, value, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		switch {
		case err == nil && name == "sm":
			t.SM = n
		case err == nil && name == "shared":
			t.SharedBytes = uint64(n)
		default:
			return t, fmt.Errorf("target %q, want sm=N shared=BYTES", line)
		}
	}
	return t, nil
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
func verdictCase(name string, accepted bool, text string) (Case, error) {
	target, err := targetOf(text)
	return Case{Name: name, Host: func(f front) error {
		ds := f.Findings(text, target)
		want := announced(text)
		if len(ds.Errors()) == 0 && !accepted {
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
	}}, err
}
