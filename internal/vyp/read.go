package vyp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"lukechampine.com/blake3"

	"github.com/govyre/vyre/internal/lz"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/wire"
)

// Program is a line of the table.
type Program struct {
	Name   string
	Source [32]byte
	Made   []Declaration // shared by the instances of a kernel

	digest              [8]byte
	frame, offset, size int
}

// File is an open file. All its methods may be called at the same time.
type File struct {
	Programs []*Program
	frames   []*frame
}

// frame is unpacked once.
type frame struct {
	once   sync.Once
	packed string
	bytes  []byte
	err    error
}

const (
	maxTable = 64 << 20
	maxFrame = 256 << 20 // the wire form of a program is at most 72 MiB
)

var errDamaged = errors.New("it is damaged, or was not written by vyre gen")

// Open reads the table of a file. Any other text is an error. The programs stay packed.
func Open(data string) (*File, error) {
	rest, ok := strings.CutPrefix(data, Magic)
	if !ok || len(rest) < digestBytes {
		return nil, errDamaged
	}
	digest := blake3.Sum256([]byte(rest[digestBytes:]))
	if string(digest[:digestBytes]) != rest[:digestBytes] {
		return nil, errDamaged
	}
	return open(rest[digestBytes:])
}

// open is Open after magic and digest. The text may be anything.
func open(rest string) (*File, error) {
	packed, rest, err := cut(rest)
	if err != nil {
		return nil, err
	}
	table, err := lz.Unpack([]byte(packed), maxTable)
	if err != nil {
		return nil, err
	}
	f := new(File)
	for rest != "" {
		if packed, rest, err = cut(rest); err != nil {
			return nil, err
		}
		f.frames = append(f.frames, &frame{packed: packed})
	}
	return f, f.read(string(table))
}

// cut takes a section from the start of a text.
func cut(text string) (packed, rest string, err error) {
	var head [binary.MaxVarintLen64]byte
	n, k := binary.Uvarint(head[:copy(head[:], text)])
	if k <= 0 || n > uint64(len(text)-k) {
		return "", "", errDamaged
	}
	text = text[k:]
	return text[:n], text[n:], nil
}

// read takes the lines of the table.
func (f *File) read(table string) error {
	first := 0 // of the programs that the next declarations belong to
	var made []Declaration
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		if text, ok := strings.CutPrefix(line, "\t"); ok {
			d, ok := parseDeclaration(text)
			if !ok {
				return errDamaged
			}
			made = append(made, d)
			for _, p := range f.Programs[first:] {
				p.Made = made
			}
			continue
		}
		if made != nil {
			first, made = len(f.Programs), nil
		}
		p, err := parseProgram(line)
		if err != nil || p.frame >= len(f.frames) {
			return errDamaged
		}
		f.Programs = append(f.Programs, p)
	}
	return nil
}

func parseProgram(line string) (*Program, error) {
	words := strings.SplitN(line, " ", 6)
	if len(words) != 6 {
		return nil, errDamaged
	}
	p := &Program{Name: words[5]}
	for i, to := range []*int{&p.frame, &p.offset, &p.size} {
		n, err := strconv.ParseUint(words[i], 10, 30)
		if err != nil {
			return nil, err
		}
		*to = int(n)
	}
	if !parseHex(p.digest[:], words[3]) || !parseHex(p.Source[:], words[4]) {
		return nil, errDamaged
	}
	return p, nil
}

// parseHex reads a digest, 16 digits at a time.
func parseHex(to []byte, text string) bool {
	if len(text) != 2*len(to) {
		return false
	}
	for ; text != ""; text, to = text[16:], to[8:] {
		v, err := strconv.ParseUint(text[:16], 16, 64)
		if err != nil {
			return false
		}
		binary.BigEndian.PutUint64(to, v)
	}
	return true
}

// Decode makes one of the programs.
func (f *File) Decode(p *Program) (*ir.Program, error) {
	b, err := f.frames[p.frame].unpacked()
	if err != nil {
		return nil, err
	}
	if p.offset > len(b) || p.size > len(b)-p.offset {
		return nil, errDamaged
	}
	made, _, err := wire.Decode(b[p.offset:][:p.size])
	if err != nil {
		return nil, err
	}
	if d := made.Digest(); [8]byte(d[:8]) != p.digest {
		return nil, fmt.Errorf("its program has digest %x, want %x", d[:8], p.digest)
	}
	return made, nil
}

func (f *frame) unpacked() ([]byte, error) {
	f.once.Do(func() { f.bytes, f.err = lz.Unpack([]byte(f.packed), maxFrame) })
	return f.bytes, f.err
}
