package conform

import (
	"embed"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
	"github.com/rogpeppe/go-internal/txtar"
)

// cases holds the families that are written by hand: cases/<family>/<file>.txtar. The
// comment above the first section says what the file is about. Its sections:
//
//	program   one kernel in text form
//	launch    lines "grid X [Y [Z]]" (default 1), "rest N", "arg NAME = VALUES", "at once N"
//	want      lines "NAME = VALUES", "within N ulp" (of that), "trap CODE VALUE [at LINE]", "trace TAG LINEAR V…",
//	          "refused TEXT", and "reports none" or what detectors must find, of: race benign undefined bounds
//	refused…  a kernel in text form. The lines at fault end in "// want CODE…"; a comment line of that
//	          form is about the whole kernel
//	accepted… a kernel that can be sealed. Warnings are announced in the same way, and so is what the
//	          verifier says about the target of a comment "// target sm=N shared=BYTES"
//
// The first three make one case, every other section is one of its own. Warnings that are not
// announced do not matter. A file of several cases has a section "case NAME" in front of each, which says what it is about.
//
// VALUES are numbers of the parameter's type, 0x… meaning raw bits; nan, inf and -inf; true and false; or
// "zeros N", "iota N [START [STEP]]" (integers), "fill V N", "part NAME OFF LEN" (those bytes of another
// argument's buffer; for arguments only), and concatenations of all but the last with "|".
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
			data, err := cases.ReadFile(f)
			if err != nil {
				panic(fmt.Sprintf("BUG: %v", err))
			}
			found, err := ParseFile(strings.TrimSuffix(path.Base(f), ".txtar"), data)
			if err != nil {
				panic(fmt.Sprintf("BUG: %s: %v", f, err))
			}
			for _, c := range found {
				c.Family = name
				list = append(list, c)
			}
		}
		return list
	}}
}

// ParseFile reads the cases of a file in the format of the suite's own.
func ParseFile(name string, data []byte) (all []Case, err error) {
	file := txtar.Parse(data)
	about, files := string(file.Comment), file.Files
	for more := true; more; {
		n := slices.IndexFunc(files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "case ") })
		if more = n >= 0; !more {
			n = len(files)
		}
		cases, err := parseCases(name, strings.TrimSpace(about), files[:n])
		if err != nil {
			return nil, err
		}
		if all = append(all, cases...); more {
			name, about, files = files[n].Name[len("case "):], string(files[n].Data), files[n+1:]
		}
	}
	return all, nil
}

// parseCases reads sections that have one name.
func parseCases(name, about string, files []txtar.File) ([]Case, error) {
	sections := make(map[string]string)
	var cases []Case
	for _, f := range files {
		if _, twice := sections[f.Name]; twice {
			return nil, fmt.Errorf("section %q stands twice", f.Name)
		}
		sections[f.Name] = string(f.Data)
		kind, _, _ := strings.Cut(f.Name, " ")
		switch kind {
		case "program", "launch", "want":
			if kind != f.Name {
				return nil, fmt.Errorf("a file has one section %q", kind)
			}
		case "refused", "accepted":
			c, err := verdictCase(name+": "+f.Name, kind == "accepted", string(f.Data))
			if err != nil {
				return nil, err
			}
			cases = append(cases, c)
		default:
			return nil, fmt.Errorf("unknown section %q", f.Name)
		}
	}
	if sections["program"] != "" {
		c, err := launchCase(name, sections)
		if err != nil {
			return nil, err
		}
		c.Name = name
		cases = append(cases, *c)
	}
	for i := range cases {
		cases[i].About = about
	}
	return cases, nil
}

// launchCase makes a case of the sections program, launch and want.
func launchCase(name string, sections map[string]string) (*Case, error) {
	var c Case
	progs, err := text.Parse(name, sections["program"])
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
	case "at":
		_, err := fmt.Sscanf(rest, "once %d", &c.AtOnce)
		return err
	case "arg":
		if part, ok, err := c.part(rest, set); ok || err != nil {
			c.Launch.Args[max(0, c.param(rest))].Part = part
			return err
		}
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
		c.Launch.Args[i].Bits = widen(p.Type, p.Type.ReadElem(data))
		return nil
	}
	return fmt.Errorf("want grid, rest or arg")
}

// param finds the parameter that "NAME = …" is about; −1 if there is none.
func (c *Case) param(s string) int {
	name, _, _ := strings.Cut(s, "=")
	return slices.IndexFunc(c.Program.Params(), func(p ir.Param) bool { return p.Name == strings.TrimSpace(name) })
}

// part reads "NAME = part OTHER OFF LEN".
func (c *Case) part(s string, set []bool) (*Part, bool, error) {
	_, list, _ := strings.Cut(s, "=")
	words := strings.Fields(list)
	if len(words) == 0 || words[0] != "part" {
		return nil, false, nil
	}
	i := c.param(s)
	if i < 0 || len(words) != 4 {
		return nil, true, fmt.Errorf("want NAME = part OTHER OFF LEN")
	}
	off, err1 := strconv.Atoi(words[2])
	n, err2 := strconv.Atoi(words[3])
	of := c.param(words[1])
	if of < 0 || err1 != nil || err2 != nil || off < 0 || n < 0 {
		return nil, true, fmt.Errorf("want NAME = part OTHER OFF LEN")
	}
	set[i] = true
	return &Part{of, off, n}, true, nil
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
	i := c.param(name)
	if i < 0 {
		return 0, nil, fmt.Errorf("no parameter %s", name)
	}
	for part := range strings.SplitSeq(list, "|") {
		if data, err = appendValues(data, cellType(&c.Program.Params()[i]), strings.Fields(part)); err != nil {
			return 0, nil, err
		}
	}
	return i, data, nil
}

// maxValues bounds the elements that one word of a file can stand for.
const maxValues = 1 << 24

func appendValues(data []byte, t ir.Type, words []string) ([]byte, error) {
	if len(words) == 0 {
		return data, nil
	}
	count := func(i int) (int, error) {
		if len(words) != i+1 {
			return 0, fmt.Errorf("%s takes %d numbers", words[0], i)
		}
		n, err := strconv.Atoi(words[i])
		if err != nil || n < 0 || n > maxValues {
			return 0, fmt.Errorf("%q is not a count", words[i])
		}
		return n, nil
	}
	switch words[0] {
	case "zeros":
		n, err := count(1)
		return append(data, make([]byte, n*t.Size())...), err
	case "iota":
		nums := []int64{0, 0, 1}
		for i, w := range words[1:] {
			v, err := strconv.ParseInt(w, 10, 64)
			if err != nil || i > 2 {
				return nil, fmt.Errorf("iota takes N, START and STEP")
			}
			nums[i] = v
		}
		if nums[0] < 0 || nums[0] > maxValues {
			return nil, fmt.Errorf("%d is not a count", nums[0])
		}
		for i := range nums[0] {
			v, err := literal(t, strconv.FormatInt(nums[1]+i*nums[2], 10))
			if err != nil {
				return nil, err
			}
			data = t.AppendElem(data, v)
		}
		return data, nil
	case "fill":
		n, err := count(2)
		if err != nil {
			return nil, err
		}
		v, err := literal(t, words[1])
		for range n {
			data = t.AppendElem(data, v)
		}
		return data, err
	}
	for _, w := range words {
		v, err := literal(t, w)
		if err != nil {
			return nil, err
		}
		data = t.AppendElem(data, v)
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
		return exact.Eval(ir.OpCvt, ir.F32, t, 0, uint64(math.Float32bits(float32(v))), 0, 0), err
	}
	w := int(t.Bits())
	if strings.HasPrefix(s, "-") {
		v, err := strconv.ParseInt(s, 10, w)
		return uint64(v) & t.Mask(), err
	}
	return strconv.ParseUint(s, 10, w)
}
