package sass

import (
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Code is the machine code of one kernel.
type Code struct {
	insts  []inst
	labels map[string]int
}

// inst is an instruction: `@!P0 IADD3.X R5, P1, R2, ~R3, RZ, P0, !PT`.
type inst struct {
	text  string
	guard operand // a predicate, kind none without one
	op    string  // without a U in front: those of uniform registers do the same
	mods  []string
	args  []operand
	to    int                                // where a branch goes, if it is not 0 and thus the label that says so
	do    func(*thread, *inst)               // for each lane
	all   func(*warp, *split, uint32, *inst) // or for those lanes together whose guard holds
	flow  bool                               // it sets where a lane goes on
	once  bool                               // it is done once for all lanes
}

type kind uint8

const (
	none kind = iota
	register
	predicate
	immediate
	constant // of bank 0 or 2, at bits + register
	address  // bits + register + uniform
	label
	special
	symbol // 32 bits of a variable's address, from bit bits on
)

// uniform is added to the number of a uniform register or predicate.
const uniform = 256

// The registers that are always zero, and the predicates that always hold.
const (
	zero  = 255
	holds = 7
)

type operand struct {
	kind   kind
	n      int  // of a register or predicate; of an address, -1 without one
	second int  // of an address: the uniform register, -1 without one
	wide   bool // of an address: the register is one of two
	word   bool // of an address: the register is one alone
	shift  int  // of an address: by which the register is shifted
	bank   int  // of a constant
	minus  bool
	abs    bool // |x|, before the minus sign
	byte   int  // of a conversion: where in the register the value is
	halves uint8
	single bool // of halves: it is an f32, for both
	invert bool // ~ of a register, ! of a predicate
	bits   uint32
	float  float64 // of an immediate that is written as one
	nan    bool    // of an immediate that is written as one
	name   string
}

// Which halves of a register an operand has: both, or one twice.
const (
	lowTwice = 1 + iota
	highTwice
)

var (
	registry = regexp.MustCompile(`^(U?)R(Z|\d+)(\.B[0-3]|\.H[01])?$`)
	flags    = regexp.MustCompile(`^(U?)P(T|\d)$`)
	barrier  = regexp.MustCompile(`^B\d+$`)
	inBank   = regexp.MustCompile(`^c\[0x([0-3])\]\[(?:(U?R\d+)\+?)?(-?0x[0-9a-f]+)?\]$`)
	inMemory = regexp.MustCompile(`^\[(?:(R(?:\d+|Z))(?:\.(?:64|U32|X4|X8|X16))?)?\+?(UR\d+|URZ)?\+?(-?0x[0-9a-f]+)?\]$`)
	inSymbol = regexp.MustCompile(`^32@(lo|hi)\(\(?(\w+)\)?\)$`)
	scaled   = regexp.MustCompile(`^\[R(?:\d+|Z)\.X(4|8|16)`)
	wideBase = regexp.MustCompile(`^\[R\d+\.64`)
)

// Parse reads a listing of `nvdisasm -c -hex` that holds one kernel. What nvdisasm knows no name of stands there in bits
// alone, and is decoded from these.
func Parse(listing string) (*Code, error) {
	c := &Code{labels: make(map[string]int)}
	seen := make(map[string]operand)
	branches := make(map[int]uint64) // the first halves
	gaps := false
	var bits []uint64 // of what has no text, and of the second half of what has
	for l := range strings.Lines(listing) {
		if l[0] != ' ' {
			if name, _, ok := strings.Cut(l, ":"); ok && l[0] != '\t' && !strings.HasPrefix(l, ".text") {
				c.labels[name] = len(c.insts)
			}
			continue
		}
		l, ok := strings.CutPrefix(strings.TrimLeft(l, " "), "/*")
		if !ok {
			continue
		}
		at, text, _ := strings.Cut(l, "*/")
		if v, ok := word(at); ok {
			if bits = append(bits, v); len(bits) == 3 { // the second half of the one before
				in, err := decode(bits[1], bits[2])
				if err != nil {
					return nil, err
				}
				c.insts, bits, gaps = append(c.insts, in), bits[:1], true
			}
			continue
		}
		if want := fmt.Sprintf("%04x", bytesOf*len(c.insts)); at != want {
			return nil, &UnknownError{"what nvdisasm leaves out of its listing at " + want}
		}
		text, rest, _ := strings.Cut(text, ";")
		in, err := parseInst(strings.TrimSpace(text), seen)
		if err != nil {
			return nil, err
		}
		if _, coded, ok := strings.Cut(rest, "/*"); ok {
			low, _ := word(strings.TrimSuffix(strings.TrimSpace(coded), "*/"))
			if in.op == "BRA" {
				branches[len(c.insts)] = low
			}
			nan := slices.ContainsFunc(in.args, func(o operand) bool { return o.nan })
			for i := range in.args {
				if o := &in.args[i]; nan && o.kind == immediate {
					o.nan = true // the text does not say which
					o.bits = uint32(low >> 32)
				}
			}
		}
		c.insts, bits = append(c.insts, in), bits[:0]
	}
	if len(c.insts) == 0 {
		return nil, fmt.Errorf("sass: no instruction in the listing; it has to be that of nvdisasm -c -hex")
	}
	if gaps { // labels stand on either side of what has no text
		for at, bits := range branches {
			c.insts[at].to = at + 1 + distance(bits)
		}
	}
	return c, nil
}

// word reads half of an instruction's bits: " 0x0000000000007918 ".
func word(s string) (uint64, bool) {
	digits, ok := strings.CutPrefix(strings.TrimSpace(s), "0x")
	v, err := strconv.ParseUint(digits, 16, 64)
	return v, ok && err == nil
}

// bytesOf is how long an instruction is.
const bytesOf = 16

// parseInst reads an instruction. seen are operands that were read before.
func parseInst(text string, seen map[string]operand) (inst, error) {
	in := inst{text: text}
	rest := text
	if strings.HasPrefix(rest, "@") {
		var g string
		g, rest, _ = strings.Cut(rest[1:], " ")
		o, ok := parseOperand(g)
		if !ok || o.kind != predicate {
			return in, fmt.Errorf("sass: %q: guard %q is no predicate", text, g)
		}
		in.guard = o
	}
	name, args, _ := strings.Cut(strings.TrimSpace(rest), " ")
	parts := strings.Split(name, ".")
	in.op, in.mods = parts[0], parts[1:]
	if of := strings.TrimPrefix(in.op, "U"); of != in.op && operations[of] != nil {
		in.op, in.once = of, true
	}
	in.do, in.all = operations[in.op], together[in.op]
	in.once = in.once || in.op == "S2UR"
	in.flow = flows[in.op]
	if strings.TrimSpace(args) == "" || in.op == "DEPBAR" { // what that waits for is done
		return in, nil
	}
	if in.op == "RET" {
		args = strings.Replace(args, " `", ", `", 1)
	}
	for a := range strings.SplitSeq(args, ",") {
		a = strings.TrimSpace(a)
		o, ok := seen[a]
		if !ok {
			if o, ok = parseOperand(a); !ok {
				in.do, in.all = nil, nil // what it does is not known either
			} else {
				seen[a] = o
			}
		}
		in.args = append(in.args, o)
	}
	return in, nil
}

func parseOperand(s string) (o operand, ok bool) {
	s = strings.Replace(strings.TrimSuffix(s, ".reuse"), ".reuse.", ".", 1)
	s = strings.Replace(s, "] [", "][", 1)
	if of, ok := strings.CutSuffix(s, ".F32"); ok {
		o, ok = parseOperand(of)
		o.single = true
		return o, ok
	}
	if of, ok := strings.CutSuffix(s, ".H0_H0"); ok {
		o, ok = parseOperand(of)
		o.halves = lowTwice
		return o, ok
	}
	if of, ok := strings.CutSuffix(s, ".H1_H1"); ok {
		o, ok = parseOperand(of)
		o.halves = highTwice
		return o, ok
	}
	switch {
	case strings.HasSuffix(s, "QNAN"):
		return operand{kind: immediate, float: math.NaN(), bits: quietNaN, nan: true}, true
	case strings.HasPrefix(s, "|"):
		o, ok = parseOperand(strings.Trim(s, "|"))
		o.abs = true
		return o, ok
	case strings.HasPrefix(s, "`("):
		return operand{kind: label, name: strings.Trim(s, "`()")}, true
	case barrier.MatchString(s):
		n, err := strconv.Atoi(s[1:])
		return operand{kind: special, name: s, n: n}, err == nil && n < barriers
	case strings.HasPrefix(s, "SR"), strings.HasPrefix(s, "SB"), s == "PR":
		return operand{kind: special, name: s}, true
	case strings.HasPrefix(s, "-0x") || strings.HasPrefix(s, "0x"):
		v, err := strconv.ParseInt(s, 0, 64)
		return operand{kind: immediate, bits: uint32(v), float: math.NaN()}, err == nil
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return operand{kind: immediate, float: f, bits: math.Float32bits(float32(f))}, true
	}
	switch {
	case strings.HasPrefix(s, "-"):
		o, ok = parseOperand(s[1:])
		o.minus = true
		return o, ok
	case strings.HasPrefix(s, "~"), strings.HasPrefix(s, "!"):
		o, ok = parseOperand(s[1:])
		o.invert = true
		return o, ok
	}
	if m := registry.FindStringSubmatch(s); m != nil {
		o = operand{kind: register, n: number(m[1], m[2], zero)}
		if m[3] != "" { // of bytes, or of halves
			o.byte = int(m[3][2] - '0')
			if m[3][1] == 'H' {
				o.byte *= 2
			}
		}
		return o, true
	}
	if m := flags.FindStringSubmatch(s); m != nil {
		return operand{kind: predicate, n: number(m[1], m[2], holds)}, true
	}
	if m := inBank.FindStringSubmatch(s); m != nil {
		return operand{kind: constant, n: optional(m[2]), second: -1, bank: number("", m[1], 0), bits: offset(m[3])}, true
	}
	if m := inMemory.FindStringSubmatch(s); m != nil {
		o = operand{kind: address, n: optional(m[1]), second: optional(m[2]), wide: wideBase.MatchString(s), word: strings.Contains(s, ".U32"), bits: offset(m[3])}
		if m := scaled.FindStringSubmatch(s); m != nil {
			o.shift = bits.TrailingZeros(uint(number("", m[1], 0)))
		}
		return o, true
	}
	if m := inSymbol.FindStringSubmatch(s); m != nil {
		o = operand{kind: symbol, name: m[2]}
		if m[1] == "hi" {
			o.bits = 32
		}
		return o, true
	}
	return operand{}, false
}

// number is that of a register or predicate: last stands for the one that is constant.
func number(u, digits string, last int) int {
	n := last
	if digits != "Z" && digits != "T" {
		n, _ = strconv.Atoi(digits)
	}
	if u == "U" {
		n += uniform
	}
	return n
}

func optional(s string) int {
	m := registry.FindStringSubmatch(s)
	if m == nil {
		return -1
	}
	return number(m[1], m[2], zero)
}

func offset(s string) uint32 {
	v, _ := strconv.ParseInt(s, 0, 64) // the expression lets nothing else through but nothing, which is 0
	return uint32(v)
}
