package text

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/limits"
	"github.com/govyre/vyre/ir/internal/literal"
)

// nameTable holds the identifiers of a kernel's text: each legal, and unique after its
// sigil. Names that were given stay as far as they are both; the nameless are numbered
// in program order.
type nameTable struct {
	rows    []string // of values and labels, by row; "" for the nameless
	numbers []uint32 // of the nameless, by row
	objects []string
	fields  []int  // by object: the field of a record that it is, else -1
	silent  []bool // rows whose result nobody uses and that may do without a name
	visits  int
}

// namer makes identifiers unique after one sigil.
type namer struct {
	taken map[string]int // how many suffixes were tried for a name that is taken
	next  uint32         // number of the next nameless
}

// name returns a legal identifier that this namer did not return before: s, if possible,
// or else a number, which no identifier is.
func (n *namer) name(s string) (name string, number uint32) {
	if s = identifier(s); s == "" {
		n.next++
		return "", n.next - 1
	}
	if _, ok := n.taken[s]; !ok {
		n.taken[s] = 0
		return s, 0
	}
	// A probe fails only on a name that itself was given out, and each is tried once
	// for one base: probes are linear in names.
	base := s
	for {
		n.taken[base]++
		s = base + "." + strconv.Itoa(n.taken[base])
		if _, ok := n.taken[s]; !ok {
			n.taken[s] = 0
			return s, 0
		}
	}
}

// text is name with the number as text.
func (n *namer) text(s string) string {
	name, number := n.name(s)
	if name == "" {
		return strconv.Itoa(int(number))
	}
	return name
}

// identifier turns s into a legal identifier that is no number, or "" if nothing of it is left.
func identifier(s string) string {
	legal := len(s) <= limits.Name-16 // room for a suffix
	for i := 0; i < len(s) && legal; i++ {
		legal = identByte[s[i]]
	}
	if !legal {
		s = strings.Map(func(r rune) rune {
			if r < utf8.RuneSelf && identByte[r] || isIdentRune(r) {
				return r
			}
			return '_'
		}, s)
		if len(s) > limits.Name-16 {
			s = strings.ToValidUTF8(s[:limits.Name-16], "")
		}
	}
	if s != "" && literal.AllDigits(s) {
		s = "_" + s
	}
	return s
}

// nameCode names everything in c.
func nameCode(c *ir.Code) nameTable {
	t := nameTable{rows: make([]string, c.Rows()), numbers: make([]uint32, c.Rows()), silent: make([]bool, c.Rows())}
	for r, s := range c.Debug.Names {
		if int(r) < len(t.rows) {
			t.rows[r] = s
		}
	}
	objects := namer{taken: map[string]int{}}
	for i, o := range c.Objects() {
		t.fields = append(t.fields, -1)
		if o.Field != nil {
			t.fields[i] = i - int(o.First)
		}
		switch {
		case o.Field == nil:
			t.objects = append(t.objects, objects.text(o.Name()))
		case o.First == ir.Object(i):
			t.objects = append(t.objects, objects.text(o.Param.Name))
		default:
			t.objects = append(t.objects, t.objects[o.First])
		}
	}
	used := usedRows(c, &t.visits)
	values, labels := namer{taken: map[string]int{}}, namer{taken: map[string]int{}}
	scalar := 0
	for r, op := range c.Op {
		t.visits++
		in := op.Info()
		switch {
		case op == ir.OpConst:
		case op == ir.OpLoop, op == ir.OpBlock:
			t.rows[r], t.numbers[r] = labels.name(t.rows[r])
		case op == ir.OpArg && c.Region[r] == 0:
			t.rows[r], t.numbers[r] = values.name(scalarName(c, &scalar))
		case in.Result.Kind == ir.ResultNone:
		case in.Attr&ir.Writes != 0 && !used[r] && t.rows[r] == "":
			t.silent[r] = true
		default:
			t.rows[r], t.numbers[r] = values.name(t.rows[r])
		}
	}
	return t
}

// names reports whether the text shows a name for row r.
func (t *nameTable) names(c *ir.Code, r ir.Row) bool {
	switch op := c.Op[r]; {
	case op == ir.OpLoop, op == ir.OpBlock:
		return true
	case op == ir.OpConst, op.Info().Result.Kind == ir.ResultNone:
		return false
	}
	return !t.silent[r]
}

// scalarName returns the name of the next scalar parameter from index *i on.
func scalarName(c *ir.Code, i *int) string {
	for *i < len(c.Params) {
		q := &c.Params[*i]
		*i++
		if !q.IsBuffer() {
			return q.Name
		}
	}
	return ""
}

// usedRows tells which rows are some row's operand.
func usedRows(c *ir.Code, visits *int) []bool {
	used := make([]bool, c.Rows())
	for r := range c.Op {
		for _, v := range [3]ir.Row{c.A[r], c.B[r], c.C[r]} {
			if v != ir.NoRow {
				used[v] = true
			}
		}
		for _, v := range c.List(ir.Row(r)) {
			*visits++
			used[v] = true
		}
	}
	return used
}
