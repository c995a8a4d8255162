// Package superopt gives the pass search its bank of terms, and proves what it finds there.
//
//	f := superopt.Use(ctx, bank, dev, report) // before anything is compiled with +search
//
// A root of an island with few leaves is evaluated on 64 inputs, within what the range analysis knows of the leaves, and so is
// each term of the bank. Cheaper terms with equal values are candidates. The cheapest that is proved takes the root's place:
// by an explanation of an e-graph, replayed, or by all inputs on a device (package allinputs). What is not proved is
// reported.
//
// Only the command vyre links this package. The digest of the bank is a part of the choice of passes, and thereby of the keys
// of caches.
//
// Start reading in bank.go, then search.go, prove.go and measure.go.
package superopt

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
	"lukechampine.com/blake3"
)

// Version is that of a bank's form and of what its terms mean.
const Version = 1

// Bank is terms by the type of their values.
type Bank struct {
	Digest string
	tables map[ir.Type]*table // of a file

	mu   sync.Mutex
	made map[key]*table // of a bank without one
}

// key is a table that is enumerated, of terms of up to so many ops; a wide one is for more than two values.
type key struct {
	typ  ir.Type
	wide bool
	ops  int
}

// table returns the terms for so many values, nil if there are none.
func (f *Finder) table(t ir.Type, values int) (*table, error) {
	b := f.bank
	if b.made == nil {
		return b.tables[t], nil
	}
	if !t.IsInt() {
		return nil, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	k := key{t, values > 2, MaxOps}
	if b.made[k] == nil {
		made, err := enumerate(f.ctx, f.dev, k)
		if err != nil {
			return nil, err
		}
		made.mark()
		b.made[k] = made
	}
	return b.made[k], nil
}

// table is terms over values of one type, constants and bools. Operands are in front of what uses them.
type table struct {
	rows     []row
	operand  []bool           // by row: others are made of it
	operands int              // rows from here on are no operands
	only     map[string]int32 // by root: its candidate, if the bank says which roots its terms are for
}

func (t *table) mark() {
	t.operand = make([]bool, len(t.rows))
	for _, r := range t.rows {
		if r.op != 0 && r.op != ir.OpConst {
			for _, k := range r.kids[:r.op.Info().Args] {
				t.operand[k] = true
				t.operands = max(t.operands, int(k)+1)
			}
		}
	}
}

// row is a leaf, a literal or an op of earlier rows.
type row struct {
	op    ir.Op // 0: a leaf; OpConst: a literal
	typ   ir.Type
	in    ir.Type // of the operand that the op's name carries
	leaf  leaf
	bits  uint64
	kids  [3]int32
	whole bool // a term of the bank, not only a part of one
}

// leaf is a variable of the table's syntax.
type leaf int8

var leafNames = [...]string{"?x", "?y", "?z", "?w", "?c", "?d", "#a", "#b"}

const (
	firstBool     leaf = 4
	firstConstant leaf = 6
	numLeaves     leaf = 8
)

// head begins the file of a bank: version, and digest of what follows the line.
const head = "vyre bank %d %s\n"

// write returns the file of a bank: a line for each term, of the type of its values and the term in the syntax of rules. Values
// are ?x ?y ?z ?w, bools ?c ?d, and constants #a #b. After a term may be " for" and the digest of the root that it is for.
func write(terms []string) []byte {
	body := ""
	for _, t := range terms {
		body += t + "\n"
	}
	return fmt.Appendf(nil, head+"%s", Version, digest(body), body)
}

func digest(body string) string {
	sum := blake3.Sum256([]byte(body))
	return hex.EncodeToString(sum[:8])
}

// Load reads the file of a bank. Its errors have a line.
func Load(file []byte) (*Bank, error) {
	first, rest, _ := bytes.Cut(file, []byte("\n"))
	var version int
	var says string
	if n, _ := fmt.Sscanf(string(first), head, &version, &says); n < 1 {
		return nil, fmt.Errorf("1: this is not a bank of terms; fix: make one by vyre rules bank")
	}
	body := string(rest)
	switch {
	case version != Version:
		return nil, fmt.Errorf("1: a bank of version %d, and this vyre reads version %d; fix: make it anew by vyre rules bank", version, Version)
	case digest(body) != says:
		return nil, fmt.Errorf("1: the digest is %s, that of the terms is %s; fix: take the file as it was saved", says, digest(body))
	}
	b := &Bank{Digest: says, tables: make(map[ir.Type]*table)}
	line, measured := 1, false
	builders := make(map[ir.Type]*builder)
	for text := range strings.Lines(body) {
		line++
		name, term, _ := strings.Cut(strings.TrimSpace(text), " ")
		t, ok := tableType(name)
		if !ok {
			return nil, fmt.Errorf("%d:1: %q is not a type of integers or floats", line, name)
		}
		term, root, chosen := strings.Cut(term, " for ")
		r, at, err := parseTerm(term, t)
		if err != nil {
			return nil, fmt.Errorf("%d:%d: %w", line, len(name)+2+at, err)
		}
		if builders[t] == nil {
			builders[t] = newBuilder()
			builders[t].always(t)
			b.tables[t] = &builders[t].table
		}
		k, err := builders[t].term(r, r.Right.Args[1])
		if err != nil {
			return nil, fmt.Errorf("%d: %w", line, err)
		}
		builders[t].rows[k].whole = true
		if chosen != measured && line > 2 {
			return nil, fmt.Errorf("%d: a bank says of all terms or of none which root they are for; fix: take the file as it was saved", line)
		}
		if measured = chosen; chosen {
			if b.tables[t].only == nil {
				b.tables[t].only = make(map[string]int32)
			}
			b.tables[t].only[root] = k
		}
	}
	for _, t := range b.tables {
		t.mark()
	}
	return b, nil
}

// parseTerm reads a term over values of type t, as the right side of a rule whose left has its variables. An error has its
// place in the term.
func parseTerm(term string, t ir.Type) (*rules.Rule, int, error) {
	left := "(eq ?x ?x)"
	for _, word := range strings.FieldsFunc(term, func(r rune) bool { return strings.ContainsRune(" ()", r) }) {
		switch {
		case word == "?c" || word == "?d":
			left = "(and " + left + " " + word + ")"
		case word != "?x" && strings.ContainsRune("?#", rune(word[0])):
			left = "(and " + left + " (eq ?x " + word + "))"
		}
	}
	// The place has the type of the values, a bool's, or another one that the term itself tells.
	for i, right := range [][2]string{{"(eq ?x ", ")"}, {"(eq true ", ")"}, {"(eq " + term + " ", ")"}} {
		before := "term any " + left + " => " + right[0]
		list, err := rules.Parse(before + term + right[1])
		if len(list) == 1 {
			if r := list[0].At(t); r != nil {
				return r, 0, nil
			}
			continue
		}
		_, says, _ := strings.Cut(err.Error(), ":")
		column, says, _ := strings.Cut(says, ": ")
		if at, _ := strconv.Atoi(column); i == 0 && at > 1 { // else the types do not fit
			return nil, max(at-1-len(before), 0), errors.New(says)
		}
	}
	return nil, 0, fmt.Errorf("%s has no type with values of type %v; fix: leave it out", term, t)
}

func tableType(name string) (ir.Type, bool) {
	for t := ir.I32; t <= ir.BF16; t++ {
		if t.String() == name {
			return t, true
		}
	}
	return ir.None, false
}

// builder gives equal rows one number.
type builder struct {
	table
	at map[row]int32
}

func newBuilder() *builder { return &builder{at: make(map[row]int32)} }

func (b *builder) row(r row) int32 {
	k, ok := b.at[r]
	if !ok {
		k = int32(len(b.rows))
		b.at[r] = k
		b.rows = append(b.rows, r)
	}
	return k
}

// always adds what each bank has: leaves, and literals, whose types a file could not tell.
func (b *builder) always(t ir.Type) {
	rows := []row{{op: ir.OpConst, typ: ir.Bool}, {op: ir.OpConst, typ: ir.Bool, bits: 1}, {op: ir.OpConst, typ: t}}
	if t.IsInt() {
		rows = append(rows, row{op: ir.OpConst, typ: t, bits: 1}, row{op: ir.OpConst, typ: t, bits: t.Mask()})
	}
	for l := range numLeaves {
		of := t
		if l >= firstBool && l < firstConstant {
			of = ir.Bool
		}
		rows = append(rows, row{typ: of, leaf: l})
	}
	for _, r := range rows {
		b.rows[b.row(r)].whole = true
	}
}

// term adds a term of a rule at a type.
func (b *builder) term(r *rules.Rule, t *rules.Term) (int32, error) {
	switch t.Kind {
	case rules.Literal:
		return b.row(row{op: ir.OpConst, typ: t.Type, bits: t.Bits}), nil
	case rules.Value, rules.Constant:
		for l, name := range leafNames {
			if name == r.Vars[t.Var].Name && (leaf(l) >= firstBool && leaf(l) < firstConstant) == (t.Type == ir.Bool) {
				return b.row(row{typ: t.Type, leaf: leaf(l)}), nil
			}
		}
		return 0, fmt.Errorf("%s of type %v; fix: name values ?x ?y ?z ?w, bools ?c ?d, constants #a #b", r.Vars[t.Var].Name, t.Type)
	}
	n := row{op: t.Op, typ: t.Type}
	if k := t.Op.Info().Typed; k > 0 {
		n.in = t.Args[k-1].Type
	}
	for i, a := range t.Args {
		k, err := b.term(r, a)
		if err != nil {
			return 0, err
		}
		n.kids[i] = k
	}
	return b.row(n), nil
}
