package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// ByGo reports whether Go computes a row on a target.
func ByGo(p *ir.Program, r ir.Row, target string) bool {
	t, err := listedTarget(target)
	return err != nil || (&selector{function: &function{p: p, own: t.own}}).slow(r)
}

// Code returns the machine code of a program for a target.
func Code(p *ir.Program, target string) ([]byte, error) { return CodeWith(p, target, Options{}) }

// CodeWith is Code with options.
func CodeWith(p *ir.Program, target string, o Options) ([]byte, error) {
	t, err := listedTarget(target)
	if err != nil {
		return nil, err
	}
	o.target = &t.target
	_, code, err := translate(p, o)
	return code, err
}

// Read reads an instruction of a target.
func Read(target string, code []byte, at int, label func(int) string) (amd64.Inst, error) {
	t, err := listedTarget(target)
	if err != nil {
		return amd64.Inst{}, err
	}
	return t.read(code, at, label)
}

// Far makes conditional jumps reach all of the code.
func (o Options) Far() Options {
	o.far = true
	return o
}

// Packed counts the loads and stores of a program that move records as they lie.
func Packed(p *ir.Program) (n int) {
	s := &selector{function: &function{p: p}, shapes: findShapes(newTree(p))}
	s.packs = findPacks(s.shapes, s.records)
	for r := range ir.Row(p.Rows()) {
		if s.packs.packed(r) && p.Op(r) != ir.OpVec {
			n++
		}
	}
	return n
}

// Partings counts where whole vectors of a program may part.
func Partings(p *ir.Program) int {
	f := &function{p: p}
	f.layout.alone = runsAlone(newTree(p))
	s := &selector{function: f, shapes: findShapes(newTree(p)), asm: amd64.New()}
	n := 0
	for _, at := range s.findPartings() {
		if at != nil {
			n++
		}
	}
	return n
}

// ListSingle is List with code for one invocation at a time.
func ListSingle(p *ir.Program, name string) (*Listing, error) {
	yes := true
	return list(p, name, Options{Single: &yes})
}

// RunsAlone reports whether vectors of a program may run one after the other.
func RunsAlone(p *ir.Program) bool { return runsAlone(newTree(p)) }
