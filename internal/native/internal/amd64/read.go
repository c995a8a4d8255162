package amd64

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Inst is an instruction as it is read, in the syntax of Intel's manuals, as GNU tools write it.
type Inst struct {
	Name, Args string
	Len        int
}

// String is the instruction in one line.
func (in Inst) String() string { return strings.TrimSpace(in.Name + " " + in.Args) }

// Read reads the instruction that stands at an offset of code: one that Asm writes; others it does not know. label names
// the place that a jump goes to, or whose address is taken.
func Read(code []byte, at int, label func(at int) string) (Inst, error) {
	r := &reader{code: code, at: at, label: label, size: 4, unit: 1}
	name, args := r.inst()
	if r.at > len(code) || name == "" {
		return Inst{}, fmt.Errorf("BUG: amd64: no instruction is known that begins with % x, at %#x", code[at:min(at+15, len(code))], at)
	}
	return Inst{Name: r.lock + name, Args: strings.Join(args, ","), Len: r.at - at}, nil
}

// reader is on its way through an instruction. Where the code ends too early it reads zeros, and at is then past the end.
type reader struct {
	code  []byte
	at    int
	label func(int) string

	size     Size   // of operands
	rex      byte   // W, R, X and B, as in the prefix; above them, the fifth bits of the register field and of an index
	unit     int32  // what a displacement of one byte counts
	lock     string // the prefix as it is written
	reg      uint8  // the register field
	operand  RM     // the other one
	relative bool   // which is memory, relative to the end of the instruction
}

func (r *reader) byte() (b byte) {
	if r.at < len(r.code) {
		b = r.code[r.at]
	}
	r.at++
	return b
}

func (r *reader) word() (v uint32) {
	if r.at+4 <= len(r.code) {
		v = binary.LittleEndian.Uint32(r.code[r.at:])
	}
	r.at += 4
	return v
}

// inst reads prefixes and what follows. The name is empty if it is not known.
func (r *reader) inst() (name string, args []string) {
	repeat := uint32(0)
	for {
		switch b := r.byte(); {
		case b == 0xF0:
			r.lock = "lock "
		case b == 0x66:
			r.size = 2
		case b == 0xF3:
			repeat = 0xF30000
		case b&0xF0 == 0x40:
			r.rex = b & 15
			if b&8 != 0 {
				r.size = 8
			}
		case b == 0xC4 || b == 0xC5:
			return r.vector(b)
		case b == 0x62:
			return r.evex()
		case b == 0x0F:
			return r.general(repeat | 0x0F00 | uint32(r.byte()))
		default:
			return r.general(repeat | uint32(b))
		}
	}
}

// modrm reads the register field and the other operand. gathers says that an index is a vector: there is always one.
func (r *reader) modrm(gathers bool) {
	b := r.byte()
	mod, low := b>>6, b&7
	r.reg = b>>3&7 | r.rex<<1&8 | r.rex&16
	if mod == 3 {
		r.operand = RM{reg: low | r.rex<<3&8}
		return
	}
	m := Mem{}
	r.relative = mod == 0 && low == 5
	if low == 4 {
		sib := r.byte()
		low = sib & 7
		if index := sib>>3&7 | r.rex<<2&8 | r.rex>>1&16; index != 4 || gathers {
			m.Index, m.Scale = Reg(index), 1<<(sib>>6)
		}
	}
	m.Base = Reg(low | r.rex<<3&8)
	switch {
	case mod == 1:
		m.Disp = int32(int8(r.byte())) * r.unit
	case mod == 2 || r.relative:
		m.Disp = int32(r.word())
	}
	r.operand = RM{isMem: true, mem: m}
}

// general reads an instruction on general registers.
func (r *reader) general(opcode uint32) (name string, args []string) {
	for _, g := range generals {
		if opcode&^g.mask != g.opcode {
			continue
		}
		if strings.ContainsAny(g.operands, "EM-") {
			r.modrm(false)
		}
		switch names := strings.Fields(g.names); {
		case g.mask == 15:
			name = strings.Replace(g.names, "*", conditions[opcode&15], 1)
		case g.mask == 0x38:
			name = names[opcode>>3&7]
		case len(names) == 8:
			name = names[r.reg&7]
		default:
			name = names[min(int(r.size)/8, len(names)-1)]
		}
		if name == "?" {
			return "", nil
		}
		for _, o := range strings.Fields(g.operands) {
			if o != "-" {
				args = append(args, r.generalOperand(o, opcode))
			}
		}
		return name, args
	}
	return "", nil
}

// vector reads an instruction on vectors.
func (r *reader) vector(first byte) (name string, args []string) {
	b := r.byte()
	space, last, wide := byte(1), b, false
	r.rex = ^b >> 5 & 4
	if first == 0xC4 {
		space, last = b&31, r.byte()
		wide = last&0x80 != 0
		r.rex = ^b >> 5 & 7
	}
	opcode := r.byte()
	if opcode != rows[vzeroupper].opcode {
		r.modrm(space == 2 && opcode == rows[vpgatherdd].opcode)
	}
	for op := range numRows {
		in := &rows[op]
		if op > numVEX && op < kmovToMask || in.prefix != last&3 || in.space != space || in.opcode != opcode || in.wide != wide || in.digit != 0 && in.digit != r.reg {
			continue
		}
		return r.written(op.operands(), in.name, last&4 != 0, Y(^last>>3&15))
	}
	return "", nil
}

// written is an instruction on vectors as it is written: of 256 bits if long. v is the register in the prefix.
func (r *reader) written(operands, name string, long bool, v Y) (string, []string) {
	if !long {
		operands = strings.ReplaceAll(operands, "y", "x")
	}
	var args []string
	for _, o := range strings.Fields(operands) {
		if o == "P" { // the predicate is part of the name
			name = name[:4] + predicates[r.byte()&31] + name[4:]
			continue
		}
		args = append(args, r.vectorOperand(o, v))
	}
	return name, args
}
