package main

import (
	"bufio"
	"regexp"
	"strconv"
	"strings"
)

// Function is the machine code of one kernel.
type Function struct {
	Registers, Spills int // as the assembler reports them; spills in bytes
	Code              []Instruction
}

// Instruction is one instruction of a Function.
type Instruction struct {
	At     int    // its address
	Op     string // with modifiers, without operands
	Target int    // of a branch, else -1
}

const instructionBytes = 16

// Count is how much a stretch of code holds, for one unit.
type Count struct {
	Instructions, Memory float64
	Units                float64 // that the stretch does
}

var (
	functionLine    = regexp.MustCompile(`^\s*Function : (\S+)`)
	instructionLine = regexp.MustCompile(`^\s*/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)\s*([^;]*);`)
	branchTarget    = regexp.MustCompile(`0x([0-9a-f]+)\s*$`)
	memoryOp        = regexp.MustCompile(`^(LD|LDG|LDS|LDL|ST|STG|STS|STL|ATOM|ATOMG|ATOMS|RED|LDSM)(\.|$)`)
	entryLine       = regexp.MustCompile(`Compiling entry function '([^']+)'`)
	spillLine       = regexp.MustCompile(`(\d+) bytes spill stores, (\d+) bytes spill loads`)
	registerLine    = regexp.MustCompile(`Used (\d+) registers`)
)

// Parse reads a disassembly and the assembler's report. What stands behind the last exit, which is padding,
// is left out.
func Parse(disassembly, report string) map[string]*Function {
	all := make(map[string]*Function)
	var f *Function
	for lines := bufio.NewScanner(strings.NewReader(disassembly)); lines.Scan(); {
		if m := functionLine.FindStringSubmatch(lines.Text()); m != nil {
			f = &Function{}
			all[m[1]] = f
		}
		m := instructionLine.FindStringSubmatch(lines.Text())
		if m == nil || f == nil {
			continue
		}
		at, _ := strconv.ParseInt(m[1], 16, 32)
		in := Instruction{At: int(at), Op: m[2], Target: -1}
		if strings.HasPrefix(in.Op, "BRA") {
			if t := branchTarget.FindStringSubmatch(m[3]); t != nil {
				to, _ := strconv.ParseInt(t[1], 16, 32)
				in.Target = int(to)
			}
		}
		if in.Op == "NOP" || in.Target == in.At {
			continue
		}
		// The disassembler leaves out what it does not know.
		for n := len(f.Code); n > 0 && f.Code[n-1].At+instructionBytes < in.At; n++ {
			f.Code = append(f.Code, Instruction{At: f.Code[n-1].At + instructionBytes, Op: "?", Target: -1})
		}
		f.Code = append(f.Code, in)
	}
	f = nil
	for lines := bufio.NewScanner(strings.NewReader(report)); lines.Scan(); {
		if m := entryLine.FindStringSubmatch(lines.Text()); m != nil {
			f = all[m[1]]
		}
		if f == nil {
			continue
		}
		if m := spillLine.FindStringSubmatch(lines.Text()); m != nil {
			f.Spills, _ = strconv.Atoi(m[1])
		}
		if m := registerLine.FindStringSubmatch(lines.Text()); m != nil {
			f.Registers, _ = strconv.Atoi(m[1])
		}
	}
	return all
}

// All counts the whole function.
func (f *Function) All() Count { return count(f.Code, unit{}) }

// Hot counts the hot loop for one unit of its work: of the loops that hold no other loop that does such work,
// the one whose round does the most; the whole function where no loop is left.
func (f *Function) Hot(u unit) Count {
	if u.op == "" {
		return f.All()
	}
	var best Count
	for i, in := range f.Code {
		if in.Target < 0 || in.Target > in.At {
			continue
		}
		first := i
		for first > 0 && f.Code[first].At > in.Target {
			first--
		}
		inner := false
		for j, back := range f.Code[first:i] {
			if back.Target >= in.Target && back.Target <= back.At {
				k := first + j
				for k > 0 && f.Code[k].At > back.Target {
					k--
				}
				inner = inner || count(f.Code[k:first+j+1], u).Units > 0
			}
		}
		if c := count(f.Code[first:i+1], u); !inner && c.Units > best.Units {
			best = c
		}
	}
	if best.Units == 0 {
		best = count(f.Code, u)
	}
	if best.Units > 0 {
		best.Instructions /= best.Units
		best.Memory /= best.Units
	}
	return best
}

// count counts a stretch of code and the units that it does.
func count(code []Instruction, u unit) Count {
	var c Count
	op := regexp.MustCompile(u.op)
	for _, in := range code {
		c.Instructions++
		if memoryOp.MatchString(in.Op) {
			c.Memory++
		}
		if u.op != "" && op.MatchString(in.Op) {
			c.Units += 1 / float64(u.times)
		}
	}
	return c
}
