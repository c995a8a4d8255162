package vyp

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"lukechampine.com/blake3"

	"github.com/govyre/vyre/internal/lz"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/wire"
)

// Magic begins every file. It has a zero byte, so that no tool takes the file for text.
const Magic = "vyp\x00\x01"

const digestBytes = 16

// frameBytes bounds the wire forms in a frame that has more than one: to ask for a program unpacks them all.
const frameBytes = 1 << 20

// Entry is a program to write.
type Entry struct {
	Name    string // of the kernel, with a type argument in brackets
	Program *ir.Program
	Source  [32]byte      // digest of what it was made of
	Made    []Declaration // what it was made of, the kernel first
}

// Encode returns the file of programs.
func Encode(list []Entry) ([]byte, error) {
	var frames [][]byte
	var table strings.Builder
	for i, e := range list {
		encoded, err := wire.Encode(e.Program)
		if err != nil {
			return nil, fmt.Errorf("kernel %s: %w", e.Name, err)
		}
		last := len(frames) - 1
		if last < 0 || len(frames[last])+len(encoded) > frameBytes {
			frames = append(frames, nil)
			last++
		}
		digest := e.Program.Digest()
		fmt.Fprintf(&table, "%d %d %d %x %x %s\n", last, len(frames[last]), len(encoded), digest[:8], e.Source, e.Name)
		if i+1 == len(list) || !slices.Equal(e.Made, list[i+1].Made) {
			writeMade(&table, e.Made)
		}
		frames[last] = append(frames[last], encoded...)
	}
	rest := section(nil, []byte(table.String()))
	for _, f := range frames {
		rest = section(rest, f)
	}
	digest := blake3.Sum256(rest)
	return slices.Concat([]byte(Magic), digest[:digestBytes], rest), nil
}

func writeMade(table *strings.Builder, list []Declaration) {
	for _, d := range list {
		if !strings.ContainsAny(d.File, "\r\n") { // no line has a place for it
			fmt.Fprintf(table, "\t%s\n", d)
		}
	}
}

// section appends packed bytes, and before them how many they are.
func section(to, b []byte) []byte {
	p := lz.Pack(b)
	return append(binary.AppendUvarint(to, uint64(len(p))), p...)
}
