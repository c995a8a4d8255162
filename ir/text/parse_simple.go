package text

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/literal"
)

// parseSimple reads the operands of an op without regions and adds its row. What the
// columns can show is left to the verifier: operand counts, types, ranges.
func (p *parser) parseSimple(word token, m mnemonic) bool {
	in := m.op.Info()
	p.ops, p.imms = p.ops[:0], p.imms[:0]
	x := m.axis
	switch in.Imm {
	case ir.ImmObject:
		o, ok := p.object(in)
		if !ok {
			return false
		}
		x = uint32(o)
	case ir.ImmCopy:
		dst, ok := p.object(in)
		if !ok || !p.expect(',', "before what is copied") {
			return false
		}
		src, ok := p.object(in)
		if !ok {
			return false
		}
		x = ir.MakeCopy(dst, src)
	}
	more := p.startsOperand() && (in.Args > 0 || in.List || immediates(in.Imm) > 0)
	if in.Imm == ir.ImmObject || in.Imm == ir.ImmCopy {
		more = p.punct(',')
	}
	for more {
		switch t := p.tok; {
		case t.kind == tokImm:
			if !p.immediate() {
				return false
			}
		case t.kind == tokObject:
			p.fail("VT002", fmt.Sprintf("%s takes no object here", in.Name), "")
			return false
		case len(p.imms) > 0:
			p.syntax("expected an immediate, #number: values stand in front of immediates")
			return false
		default:
			v, ok := p.operand()
			if !ok {
				return false
			}
			p.ops = append(p.ops, v)
		}
		more = p.punct(',')
	}
	switch n := immediates(in.Imm); {
	case len(p.imms) != n:
		p.report(word, "VT002", fmt.Sprintf("%s has %d immediates, but takes %d", in.Name, len(p.imms), n), "")
		return true
	case n == 2:
		if p.imms[0] > 0xFF || p.imms[1] > 0xFF {
			p.report(word, "VT005", fmt.Sprintf("the bit field #%d, #%d is beyond 64 bits", p.imms[0], p.imms[1]), "")
		}
		x = p.imms[0] | p.imms[1]<<8
	case n == 1:
		x = p.imms[0]
	}
	p.checkSuffix(word, m, in)
	r := p.emitSimple(m, in, x, p.resultType(m, in, x))
	switch {
	case in.Result.Kind == ir.ResultNone:
		if len(p.vals) > 0 {
			p.broke(p.vals[0], "VY011", in.Name, "no", "it is named %"+p.vals[0].text)
			p.setName(p.vals[0].text, unknownRow)
		}
	case len(p.vals) == 1:
		p.define(p.vals[0], r)
	case len(p.vals) > 1:
		p.report(p.vals[1], "VT002", fmt.Sprintf("%s has one result", in.Name), "")
	case in.Attr&ir.Writes == 0:
		p.report(word, "VT002", fmt.Sprintf("the result of %s has no name", in.Name), "write %name = in front; only an op with an effect may do without")
	}
	return true
}

// object reads @name[index], or @name for an op without an index, which becomes an operand.
func (p *parser) object(in *ir.Info) (ir.Object, bool) {
	name, ok := p.take(tokObject, fmt.Sprintf("the object of %s, @name", in.Name))
	if !ok {
		return 0, false
	}
	o, ok := p.objects[name.text]
	if !ok && name.text != noName {
		p.report(name, "VT003", fmt.Sprintf("@%s is not defined", name.text), "")
	}
	if in.Args == 0 {
		return o, true
	}
	if !p.expect('[', "before the index") {
		return o, false
	}
	v, ok := p.operand()
	p.ops = append(p.ops, v)
	if !ok || !p.expect(']', "after the index") {
		return o, false
	}
	return p.field(name, o), true
}

// field reads the .number after an access of the object o, which must stand where o holds records.
func (p *parser) field(name token, o ir.Object) ir.Object {
	t := p.tok
	digits, is := strings.CutPrefix(t.text, ".")
	is = is && t.kind == tokIdent
	fields := 0
	if int(o) < len(p.objs) && p.objs[o].Field != nil {
		fields = len(p.objs[o].Param.Record.Fields)
	}
	switch {
	case !is && fields > 0:
		p.report(name, "VT002", fmt.Sprintf("@%s holds records: no field after the index", name.text), "write @"+name.text+"[index].0 for the first")
	case is && fields == 0:
		p.report(t, "VT002", fmt.Sprintf("@%s holds no records", name.text), "")
		p.advance()
	case is:
		p.advance()
		n, err := strconv.ParseUint(digits, 10, 32)
		if err != nil || n >= uint64(fields) {
			p.report(t, "VT003", fmt.Sprintf("@%s has no field %s, it has %d", name.text, digits, fields), "")
			return o
		}
		return o + ir.Object(n)
	}
	return o
}

// immediate reads a #number.
func (p *parser) immediate() bool {
	n := uint64(0)
	for i := range len(p.tok.text) {
		c := p.tok.text[i]
		if !literal.IsDigit(c) {
			p.fail("VT001", "#"+p.tok.text+" is no number", "")
			return false
		}
		if n = n*10 + uint64(c-'0'); n > 1<<32-1 {
			p.fail("VT005", fmt.Sprintf("#%s does not fit 32 bits", p.tok.text), "")
			n = 0
			break
		}
	}
	p.imms = append(p.imms, uint32(n))
	p.advance()
	return true
}

// immediates returns how many #numbers the text of an op has.
func immediates(k ir.Imm) int {
	switch k {
	case ir.ImmField:
		return 2
	case ir.ImmCode, ir.ImmLane:
		return 1
	}
	return 0
}

// emitSimple adds the row. Operands beyond the columns of an op without a list go into
// one all the same, where the verifier finds them.
func (p *parser) emitSimple(m mnemonic, in *ir.Info, x uint32, t ir.Type) ir.Row {
	switch {
	case in.List:
		return p.emitList(m.op, t, m.flags, x, p.ops)
	case len(p.ops) > 3:
		r := p.emitList(m.op, t, m.flags, x, p.ops[3:])
		p.code.A[r], p.code.B[r], p.code.C[r] = p.ops[0], p.ops[1], p.ops[2]
		return r
	}
	return p.emit(m.op, t, m.flags, x, p.ops...)
}

// resultType is the type of the result as the mnemonic states it. Where the operands say
// otherwise the verifier sees it.
func (p *parser) resultType(m mnemonic, in *ir.Info, x uint32) ir.Type {
	switch in.Result.Kind {
	case ir.ResultNone:
		return ir.None
	case ir.ResultStated:
		return m.to
	case ir.ResultElem:
		if int(x) < len(p.objs) {
			return p.objs[x].Type().Value() | in.Vec
		}
		return ir.None
	case ir.ResultLen:
		if int(x) < len(p.objs) {
			return p.objs[x].LenType()
		}
		return ir.None
	case ir.ResultFixed:
		return in.Result.Type
	}
	if in.Typed != 0 {
		return in.ResultType(m.in, m.in, m.in)
	}
	return in.ResultType(p.operandTypes()...)
}

// operandTypes returns the types of at most five operands: no rule looks at more.
func (p *parser) operandTypes() []ir.Type {
	var ts []ir.Type
	for _, v := range p.ops[:min(len(p.ops), 5)] {
		ts = append(ts, p.typeOf(v))
	}
	return ts
}

// checkSuffix reports a type in the mnemonic that is not the operand's, if the columns
// would not show it: the result type is the same either way.
func (p *parser) checkSuffix(word token, m mnemonic, in *ir.Info) {
	if in.Typed == 0 || in.Typed > len(p.ops) {
		return
	}
	t := p.typeOf(p.ops[in.Typed-1])
	if t == ir.None || t == m.in {
		return
	}
	if k := in.Result.Kind; k == ir.ResultStated || k == ir.ResultFixed || in.ResultType(t, t, t) == in.ResultType(m.in, m.in, m.in) {
		right := appendMnemonic(nil, m.op, t, m.to, m.axis, m.flags)
		p.report(word, "VT002", fmt.Sprintf("%s on an operand of type %s", word.text, t), "write "+string(right))
	}
}
