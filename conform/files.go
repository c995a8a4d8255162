package conform

import (
	"embed"
	"fmt"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/rogpeppe/go-internal/txtar"
)

// cases holds the families that are written by hand: cases/<family>/<case>.txtar with
// the sections
//
//	program   one kernel in text form
//	launch    lines "grid X [Y [Z]]", "rest N", "arg NAME = VALUES"
//	want      lines "NAME = VALUES", "trap CODE VALUE", "trace TAG LINEAR V…", "refused TEXT"
//
// VALUES are numbers of the parameter's type, 0x… meaning raw bits; nan, inf and -inf; true and false; or
// "zeros N", "iota N", "fill V N", and concatenations of those with "|". The comment above the first
// section says what the case is about. A program or launch with several kernels is an error.
//
//go:embed cases
var cases embed.FS

// fileFamily makes a family of the directory of that name.
func fileFamily(name, about string) Family {
	return Family{name, about, func() []Case {
		files, err := fs.Glob(cases, path.Join("cases", name, "*.txtar"))
		if err != nil || len(files) == 0 {
			panic(fmt.Sprintf("BUG: family %s has no cases: %v", name, err))
		}
		var list []Case
		for _, f := range files {
			c, err := readCase(f)
			if err != nil {
				panic(fmt.Sprintf("BUG: %v", err))
			}
			c.Family, c.Name = name, strings.TrimSuffix(path.Base(f), ".txtar")
			list = append(list, *c)
		}
		return list
	}}
}

// readCase reads one embedded case.
func readCase(name string) (*Case, error) {
	data, err := cases.ReadFile(name)
	if err != nil {
		return nil, err
	}
	c, err := ParseCase(name, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// ParseCase reads a case in the format of the suite's own files.
func ParseCase(name string, data []byte) (*Case, error) {
	var c Case
	sections := make(map[string]string)
	for _, f := range txtar.Parse(data).Files {
		sections[f.Name] = string(f.Data)
	}
	progs, err := ir.Parse(name, sections["program"])
	if err != nil {
		return nil, err
	}
	if len(progs) != 1 {
		return nil, fmt.Errorf("%d kernels, want one", len(progs))
	}
	c.Program = progs[0]
	params := c.Program.Params()
	c.Launch = Launch{Grid: [3]uint32{1, 1, 1}, Args: make([]Arg, len(params))}
	c.Want = make([][]byte, len(params))
	set := make([]bool, len(params))
	for _, line := range lines(sections["launch"]) {
		if err := c.launchLine(line, set); err != nil {
			return nil, fmt.Errorf("launch: %q: %w", line, err)
		}
	}
	for i, ok := range set {
		if !ok {
			return nil, fmt.Errorf("launch: parameter %s has no argument", params[i].Name)
		}
	}
	var checks wants
	for _, line := range lines(sections["want"]) {
		if err := c.wantLine(line, &checks); err != nil {
			return nil, fmt.Errorf("want: %q: %w", line, err)
		}
	}
	c.Check = checks.check
	return &c, nil
}

// lines returns the lines of s that say something.
func lines(s string) []string {
	var out []string
	for l := range strings.Lines(s) {
		l, _, _ = strings.Cut(l, "//")
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

func (c *Case) launchLine(line string, set []bool) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "grid":
		for i, f := range strings.Fields(rest) {
			n, err := strconv.ParseUint(f, 0, 32)
			if err != nil || i > 2 {
				return fmt.Errorf("a grid has one to three counts")
			}
			c.Launch.Grid[i] = uint32(n)
		}
		return nil
	case "rest":
		n, err := strconv.Atoi(rest)
		c.Launch.Rest = n
		return err
	case "arg":
		i, data, err := c.values(rest)
		if err != nil {
			return err
		}
		p := c.Program.Params()[i]
		set[i] = true
		if p.IsBuffer() {
			c.Launch.Args[i].Data = data
			return nil
		}
		if len(data) != p.Type.Size() {
			return fmt.Errorf("a scalar has one value")
		}
		c.Launch.Args[i].Bits = widen(p.Type, bitsOf(p.Type, data))
		return nil
	}
	return fmt.Errorf("want grid, rest or arg")
}

// widen gives the raw bits of a scalar argument's value type.
func widen(t ir.Type, bits uint64) uint64 {
	switch t {
	case ir.I8:
		return uint64(uint32(int8(bits)))
	case ir.I16:
		return uint64(uint32(int16(bits)))
	}
	return bits
}

// values reads "NAME = VALUES".
func (c *Case) values(s string) (param int, data []byte, err error) {
	name, list, ok := strings.Cut(s, "=")
	if !ok {
		return 0, nil, fmt.Errorf("want NAME = VALUES")
	}
	name = strings.TrimSpace(name)
	for i, p := range c.Program.Params() {
		if p.Name != name {
			continue
		}
		for part := range strings.SplitSeq(list, "|") {
			if data, err = appendValues(data, p.Type, strings.Fields(part)); err != nil {
				return 0, nil, err
			}
		}
		return i, data, nil
	}
	return 0, nil, fmt.Errorf("no parameter %s", name)
}

func appendValues(data []byte, t ir.Type, words []string) ([]byte, error) {
	if len(words) == 0 {
		return data, nil
	}
	count := func(i int) (int, error) {
		if len(words) != i+1 {
			return 0, fmt.Errorf("%s takes %d numbers", words[0], i)
		}
		n, err := strconv.Atoi(words[i])
		if err != nil || n < 0 || n > 1<<24 {
			return 0, fmt.Errorf("%q is no count", words[i])
		}
		return n, nil
	}
	switch words[0] {
	case "zeros":
		n, err := count(1)
		return append(data, make([]byte, n*t.Size())...), err
	case "iota":
		n, err := count(1)
		for i := range n {
			v, err := literal(t, strconv.Itoa(i))
			if err != nil {
				return nil, err
			}
			data = appendBits(data, t, v)
		}
		return data, err
	case "fill":
		n, err := count(2)
		if err != nil {
			return nil, err
		}
		v, err := literal(t, words[1])
		for range n {
			data = appendBits(data, t, v)
		}
		return data, err
	}
	for _, w := range words {
		v, err := literal(t, w)
		if err != nil {
			return nil, err
		}
		data = appendBits(data, t, v)
	}
	return data, nil
}

// literal reads one number of type t as raw bits.
func literal(t ir.Type, s string) (uint64, error) {
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		return strconv.ParseUint(hex, 16, 64)
	}
	switch t {
	case ir.Bool:
		switch s {
		case "true", "1":
			return 1, nil
		case "false", "0":
			return 0, nil
		}
		n, err := strconv.ParseUint(s, 10, 8) // any other byte, as a host may leave it
		return n, err
	case ir.F32:
		v, err := strconv.ParseFloat(s, 32)
		return uint64(math.Float32bits(float32(v))), err
	case ir.F64:
		v, err := strconv.ParseFloat(s, 64)
		return math.Float64bits(v), err
	case ir.F16, ir.BF16:
		v, err := strconv.ParseFloat(s, 32)
		return ir.Eval(ir.OpCvt, ir.F32, t, 0, uint64(math.Float32bits(float32(v))), 0, 0), err
	}
	w := int(t.Bits())
	if strings.HasPrefix(s, "-") {
		v, err := strconv.ParseInt(s, 10, w)
		return uint64(v) & t.Mask(), err
	}
	return strconv.ParseUint(s, 10, w)
}
