package packed

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/wire"
)

// lineLength is a multiple of 4, so that every line of text holds whole bytes.
const lineLength = 100

// Text returns a program as lines of text, each ended by a newline.
func Text(p *ir.Program) (string, error) {
	encoded, err := wire.Encode(p)
	if err != nil {
		return "", err
	}
	return lines(encoded), nil
}

// Texts returns programs that are much alike, such as the instances of a kernel, in one text: together they take little
// more room than one of them.
func Texts(ps ...*ir.Program) (string, error) {
	var all []byte
	for _, p := range ps {
		encoded, err := wire.Encode(p)
		if err != nil {
			return "", err
		}
		all = binary.LittleEndian.AppendUint32(all, uint32(len(encoded)))
		all = append(all, encoded...)
	}
	return lines(all), nil
}

func lines(b []byte) string {
	text := base64.StdEncoding.EncodeToString(pack(b))
	var out strings.Builder
	for len(text) > 0 {
		n := min(len(text), lineLength)
		out.WriteString(text[:n] + "\n")
		text = text[n:]
	}
	return out.String()
}

// Program returns the program that Text made text of: the same one as long as somebody has it. Any other text is an error.
// A generated file that calls it says by made, which Made wrote, what the program was made of: an error says if that has
// changed since, as far as the build of this process has seen it.
func Program(text string, made ...string) (*ir.Program, error) {
	return kept(place{text, -1}, func() (*ir.Program, error) {
		if err := stale(3, made); err != nil {
			return nil, err
		}
		encoded, err := bytesOf(text)
		if err != nil {
			return nil, err
		}
		return decode(encoded)
	})
}

// Nth returns one of the programs that Texts made text of, counted from 0: the same one as long as somebody has it. Any
// other text is an error. made is as for Program.
func Nth(text string, i int, made ...string) (*ir.Program, error) {
	return kept(place{text, i}, func() (*ir.Program, error) {
		if err := stale(3, made); err != nil {
			return nil, err
		}
		return nth(text, i)
	})
}

func nth(text string, i int) (*ir.Program, error) {
	encoded, err := bytesOf(text)
	if err != nil {
		return nil, err
	}
	for ; ; i-- {
		if len(encoded) < 4 {
			return nil, errors.New("packed program: there are not so many")
		}
		n := int64(binary.LittleEndian.Uint32(encoded))
		if encoded = encoded[4:]; n > int64(len(encoded)) {
			return nil, fmt.Errorf("packed program: %d bytes where %d are left", n, len(encoded))
		}
		if i == 0 {
			return decode(encoded[:n])
		}
		encoded = encoded[n:]
	}
}

func bytesOf(text string) ([]byte, error) {
	packed, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("packed program: %w", err)
	}
	encoded, err := unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("packed program: %w", err)
	}
	return encoded, nil
}

func decode(encoded []byte) (*ir.Program, error) {
	p, _, err := wire.Decode(encoded)
	if err != nil {
		return nil, fmt.Errorf("packed program: %w", err)
	}
	return p, nil
}
