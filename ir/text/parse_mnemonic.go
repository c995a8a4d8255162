package text

import (
	"fmt"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/literal"
)

// mnemonic is the meaning of a statement's first word: the op and what its suffixes say.
type mnemonic struct {
	op    ir.Op
	in    ir.Type // of the operand that the mnemonic carries
	to    ir.Type // that a conversion makes
	axis  uint32
	flags ir.Flags // order and scope, or hint
}

// mnemonic returns the meaning of word. A file uses few words many times, so each is
// taken apart once.
func (p *parser) mnemonic(word token) (mnemonic, bool) {
	if m, ok := p.known[word.text]; ok {
		return m, true
	}
	if word.text == noName {
		return mnemonic{}, false
	}
	m, code, msg, fix := readMnemonic(word.text)
	if msg != "" {
		p.report(word, code, msg, fix)
		return m, false
	}
	p.known[word.text] = m
	return m, true
}

// readMnemonic takes a mnemonic apart: the longest op name in front, then its suffixes.
func readMnemonic(word string) (m mnemonic, code, msg, fix string) {
	name, suffix := word, ""
	for {
		var ok bool
		if m.op, ok = ir.OpByName(name); ok {
			break
		}
		i := strings.LastIndexByte(name, '.')
		if i < 0 {
			return m, "VT003", literal.Clip(word) + " names no op", ""
		}
		name, suffix = name[:i], word[i+1:]
	}
	in := m.op.Info()
	bad := func(want string) (mnemonic, string, string, string) {
		return m, "VT002", fmt.Sprintf("%s is no form of %s", literal.Clip(word), in.Name), "write " + want
	}
	switch {
	case m.op == ir.OpConst, m.op == ir.OpArg, m.op == ir.OpRes:
		return m, "VT002", in.Name + " has no statement of its own", "constants, parameters and results stand where they are used or defined"
	case in.Imm == ir.ImmAxis:
		m.axis = uint32(strings.IndexByte("xyz", (suffix + "?")[0]))
		if len(suffix) != 1 || m.axis > 2 {
			return bad(in.Name + ".x, .y or .z")
		}
	case in.Orders != 0:
		order, scope, _ := strings.Cut(suffix, ".")
		o, s := named(order, ir.Relaxed, ir.SeqCst), named(scope, ir.Group, ir.System)
		if o < 0 || s < 0 {
			return bad(in.Name + " with an order and a scope, such as " + in.Name + ".acqrel.dev")
		}
		m.flags = ir.MakeFlags(ir.Order(o), ir.Scope(s))
	case in.Attr&ir.Hinted != 0:
		if suffix != "" {
			h := named(suffix, ir.NoHint, ir.L2)
			if h < 0 {
				return bad(in.Name + ", or with a hint: .stream, .keep or .l2")
			}
			m.flags = m.flags.WithHint(ir.Hint(h))
		}
	case in.Typed != 0 && in.Result.Kind == ir.ResultStated:
		var ok bool
		if m.to, m.in, ok = readTypes(suffix); !ok {
			return bad(in.Name + ".to.from, such as " + in.Name + ".f32.u32")
		}
	case in.Typed != 0:
		if m.in = typeByName(suffix); m.in == ir.None {
			return bad(in.Name + " with the type of its operand, such as " + in.Name + ".u32")
		}
	case suffix != "":
		return bad(in.Name)
	}
	return m, "", "", ""
}

// readTypes reads the two types of a conversion.
func readTypes(s string) (to, from ir.Type, ok bool) {
	for i := range len(s) {
		if s[i] == '.' {
			to, from = typeByName(s[:i]), typeByName(s[i+1:])
			if to != ir.None && from != ir.None {
				return to, from, true
			}
		}
	}
	return ir.None, ir.None, false
}

// named returns the value from first to last that has the given name, -1 without one.
func named[T interface {
	~uint8
	String() string
}](name string, first, last T) int {
	for v := first; v <= last; v++ {
		if v.String() == name {
			return int(v)
		}
	}
	return -1
}

// appendMnemonic writes the word that readMnemonic reads as op with these suffixes.
func appendMnemonic(b []byte, op ir.Op, in, to ir.Type, x uint32, f ir.Flags) []byte {
	info := op.Info()
	b = append(b, info.Name...)
	switch {
	case info.Imm == ir.ImmAxis:
		b = append(b, '.', "xyz?"[min(x, 3)])
	case info.Orders != 0:
		b = append(append(b, '.'), f.Order().String()...)
		b = append(append(b, '.'), f.Scope().String()...)
	case info.Attr&ir.Hinted != 0:
		if h := f.Hint(); h != ir.NoHint {
			b = append(append(b, '.'), h.String()...)
		}
	case info.Typed != 0:
		if info.Result.Kind == ir.ResultStated {
			b = append(append(b, '.'), to.String()...)
		}
		b = append(append(b, '.'), in.String()...)
	}
	return b
}
