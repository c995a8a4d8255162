package bundle

import (
	"fmt"
	"strconv"
	"strings"

	"lukechampine.com/blake3"

	"github.com/govyre/vyre/internal/lz"
	"github.com/govyre/vyre/internal/spans"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/wire"
)

// Kernel is a kernel that was compiled for some targets. It does not change.
type Kernel struct {
	label     string
	Digest    [32]byte // of its program
	Workgroup [3]uint32
	Flags     uint8 // those of package driver
	Params    []ir.Param
	File      string // of its function; empty if unknown
	Line      uint32 // the first of it that code was made of
	Spans     spans.Names
	Codes     []Code
	Packed    []byte // the program in its wire form, packed; nil without
	Forms     []Form
}

// New returns a kernel without codes and forms.
func New(label string) *Kernel { return &Kernel{label: label} }

// Label is what the kernel is called in its bundle.
func (k *Kernel) Label() string { return k.label }

// Code is what a launch has to know about one text.
type Code struct {
	Entry                     string
	Slots                     []Slot // one for each parameter
	Grid, Trap, Trace         int32  // offsets of hidden parameters; -1 without
	Bytes                     uint32
	Firsts                    []uint32
	Static, Dynamic, RestElem uint32
	Sites                     []Site // of traps, by ascending row
}

// Slot is where a parameter lies, as in package ptx.
type Slot struct{ Offset, Len, Size int32 }

// Site is a row that may trap.
type Site struct {
	Row            uint32
	Where, Message string
}

// Kind says what a form is.
type Kind uint8

// The kinds.
const (
	PTX Kind = iota
	Cubin
)

func (k Kind) String() string { return [...]string{"PTX", "cubin"}[k] }

// Form is a kernel for one target.
type Form struct {
	Target  Target
	Kind    Kind
	Options string // of the assembler
	Code    uint32 // index of its code
	kernel  string
	hash    [32]byte
	payload string
}

// Target is an architecture as the driver numbers it: 90 for sm_90, 65626 for sm_90a.
type Target uint32

// Specific is what makes a target that of one architecture alone.
const Specific Target = 0x10000

// SM is the architecture without its suffix.
func (t Target) SM() int { return int(t &^ Specific) }

func (t Target) String() string {
	s := "sm_" + strconv.Itoa(t.SM())
	if t&Specific != 0 {
		s += "a"
	}
	return s
}

func (t Target) valid() bool { return t.SM() >= 50 && t.SM() < 1000 }

// NewForm returns a form with its payload.
func NewForm(t Target, k Kind, options string, code int, payload []byte) Form {
	return Form{Target: t, Kind: k, Options: options, Code: uint32(code), hash: blake3.Sum256(payload), payload: string(payload)}
}

func (f *Form) String() string { return fmt.Sprintf("%v for %v", f.Kind, f.Target) }

// Hash is the digest of the payload.
func (f *Form) Hash() [32]byte { return f.hash }

// Payload returns the bytes of the form, if they are what was written.
func (f *Form) Payload() ([]byte, error) {
	b := []byte(f.payload)
	if blake3.Sum256(b) != f.hash {
		return nil, fmt.Errorf("bundle: the %v of kernel %s is damaged", f, f.kernel)
	}
	return b, nil
}

// Listed names the forms for people.
func (k *Kernel) Listed() string {
	var all []string
	for i := range k.Forms {
		all = append(all, k.Forms[i].String())
	}
	if k.Packed != nil {
		all = append(all, "the program")
	}
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, ", ")
}

// Pack adds the program.
func (k *Kernel) Pack(p *ir.Program) error {
	b, err := wire.Encode(p)
	if err != nil {
		return err
	}
	k.Packed = lz.Pack(b)
	return nil
}

// maxProgram is more than the wire form of any program has.
const maxProgram = 72 << 20

// Program returns the program; nil if the bundle was made without.
func (k *Kernel) Program() (*ir.Program, error) {
	if k.Packed == nil {
		return nil, nil
	}
	damaged := func(why any) (*ir.Program, error) {
		return nil, fmt.Errorf("bundle: the program of kernel %s is damaged: %v", k.label, why)
	}
	b, err := lz.Unpack(k.Packed, maxProgram)
	if err != nil {
		return damaged(err)
	}
	p, _, err := wire.Decode(b)
	if err != nil {
		return damaged(err)
	}
	if p.Digest() != k.Digest {
		return damaged("it is another kernel's")
	}
	return p, nil
}
