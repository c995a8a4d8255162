package arm64

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/govyre/vyre/internal/native/internal/amd64"
)

// ErrFar says that a place is too far away for a conditional jump.
var ErrFar = errors.New("arm64: a conditional jump reaches 1 MiB")

// UnknownError is an instruction that nobody has said how to make of NEON ones.
type UnknownError struct{ Op amd64.Op }

func (e *UnknownError) Error() string { return fmt.Sprintf("%s has no form on arm64", e.Op) }

// Asm collects machine code.
type Asm struct {
	code   []byte
	labels []int // by label: offset, −1 unknown
	fixes  []fix
	err    error

	far    bool // conditional jumps are around a jump that reaches farther
	locked bool // the next instruction is to be atomic
	flags  flags
}

// fix is a displacement to be filled in.
type fix struct {
	at int
	to amd64.Label
}

// New returns an empty assembler. With far, conditional jumps reach as far as others.
func New(far bool) *Asm {
	makeForms.Do(parseForms)
	return &Asm{far: far}
}

// NewLabel returns a label that stands nowhere yet.
func (a *Asm) NewLabel() amd64.Label {
	a.labels = append(a.labels, -1)
	return amd64.Label(len(a.labels) - 1)
}

// Bind puts a label here.
func (a *Asm) Bind(l amd64.Label) { a.labels[l] = len(a.code) }

// Len returns the bytes written so far.
func (a *Asm) Len() int { return len(a.code) }

// Bytes fills in the jumps and returns the code.
func (a *Asm) Bytes() ([]byte, error) {
	for _, f := range a.fixes {
		to := a.labels[f.to]
		if to < 0 {
			return nil, fmt.Errorf("BUG: arm64: label %d is jumped to and stands nowhere", f.to)
		}
		w := binary.LittleEndian.Uint32(a.code[f.at:])
		bits, err := displacement(w, to-f.at)
		if err != nil {
			return nil, err
		}
		binary.LittleEndian.PutUint32(a.code[f.at:], w|bits)
	}
	return a.code, a.err
}

// displacement returns the bits of a jump, or of an address that is taken, to what is n bytes away.
func displacement(w uint32, n int) (uint32, error) {
	switch {
	case w&forms[adr].mask == rows[adr].bits:
		if n < -1<<20 || n >= 1<<20 {
			return 0, ErrFar
		}
		return field{29, 2}.put(uint32(n)) | field{5, 19}.put(uint32(n>>2)), nil
	case w&forms[b].mask == rows[b].bits:
		if n < -1<<27 || n >= 1<<27 {
			return 0, errors.New("arm64: a jump reaches 128 MiB")
		}
		return field{0, 26}.put(uint32(n >> 2)), nil
	}
	if n < -1<<20 || n >= 1<<20 {
		return 0, ErrFar
	}
	return field{5, 19}.put(uint32(n >> 2)), nil
}

// i writes an instruction; the values of its operands follow each other.
func (a *Asm) i(op inst, v ...uint32) {
	w := rows[op].bits
	f := &forms[op]
	for k := range f.operands {
		o := &f.operands[k]
		if o.args == 0 {
			continue
		}
		w |= o.encode(v[:o.args])
		v = v[o.args:]
	}
	if len(v) != 0 {
		panic("BUG: arm64: too many operands of " + rows[op].name)
	}
	a.code = binary.LittleEndian.AppendUint32(a.code, w)
}

// to writes an instruction that names a place.
func (a *Asm) to(l amd64.Label, op inst, v ...uint32) {
	a.fixes = append(a.fixes, fix{len(a.code), l})
	a.i(op, v...)
}

// skip writes an instruction that jumps over what body writes.
func (a *Asm) skip(op inst, v []uint32, body func()) {
	at := len(a.code)
	a.i(op, v...)
	body()
	w := binary.LittleEndian.Uint32(a.code[at:])
	binary.LittleEndian.PutUint32(a.code[at:], w|field{5, 14}.put(uint32(len(a.code)-at)>>2))
}
