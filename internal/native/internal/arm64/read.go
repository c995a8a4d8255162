package arm64

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/govyre/vyre/internal/native/internal/amd64"
)

// byMask are the rows, those with fewer operands first: what one says may be a case of what another says.
var byMask = sync.OnceValue(func() []inst {
	makeForms.Do(parseForms)
	var all []inst
	for i := none + 1; i < numInsts; i++ {
		all = append(all, i)
	}
	slices.SortStableFunc(all, func(x, y inst) int {
		return cmp.Compare(bits.OnesCount32(forms[y].mask), bits.OnesCount32(forms[x].mask))
	})
	return all
})

// Read reads the instruction that stands at an offset of code: one that Asm writes; others it does not know. label names
// the place that a jump goes to, or whose address is taken.
func Read(code []byte, at int, label func(at int) string) (amd64.Inst, error) {
	if at+4 > len(code) {
		return amd64.Inst{}, fmt.Errorf("BUG: arm64: the code ends inside of an instruction, at %#x", at)
	}
	w := binary.LittleEndian.Uint32(code[at:])
	for _, i := range byMask() {
		if w&forms[i].mask != rows[i].bits {
			continue
		}
		if in, ok := i.read(w, func(n int) string { return label(at + n) }); ok {
			return in, nil
		}
	}
	return amd64.Inst{}, fmt.Errorf("BUG: arm64: no instruction is known that is %08x, at %#x", w, at)
}

func (i inst) read(w uint32, label func(n int) string) (amd64.Inst, bool) {
	name, args := rows[i].name, []string(nil)
	for k := range forms[i].operands {
		o := &forms[i].operands[k]
		text, ok := o.read(w, label)
		switch {
		case !ok:
			return amd64.Inst{}, false
		case o.kind == '+':
			name += text
		case text != "":
			args = append(args, text)
		}
	}
	return amd64.Inst{Name: name, Args: strings.Join(args, ", "), Len: 4}, true
}
