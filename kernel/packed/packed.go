package packed

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/wire"
)

// lineLength is a multiple of 4, so that every line of text holds whole bytes.
const lineLength = 100

// Text returns a program as lines of text, each ended by a newline.
func Text(p *ir.Program) (string, error) {
	wire, err := wire.Encode(p)
	if err != nil {
		return "", err
	}
	text := base64.StdEncoding.EncodeToString(pack(wire))
	var lines strings.Builder
	for len(text) > 0 {
		n := min(len(text), lineLength)
		lines.WriteString(text[:n] + "\n")
		text = text[n:]
	}
	return lines.String(), nil
}

// Program returns the program that Text made text of. Any other text is an error.
func Program(text string) (*ir.Program, error) {
	packed, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("packed program: %w", err)
	}
	encoded, err := unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("packed program: %w", err)
	}
	p, _, err := wire.Decode(encoded)
	if err != nil {
		return nil, fmt.Errorf("packed program: %w", err)
	}
	return p, nil
}
