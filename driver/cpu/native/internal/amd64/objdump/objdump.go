// Package objdump asks GNU's disassembler what machine code means, for tests.
package objdump

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Inst is an instruction.
type Inst struct {
	Bytes []byte
	Text  string // with one blank at most between words
}

// Find reports whether the tool is on the PATH. Others of that name write otherwise.
func Find() bool {
	out, err := exec.Command("objdump", "--version").Output()
	return err == nil && bytes.HasPrefix(out, []byte("GNU"))
}

// Run returns what the tool prints of code.
func Run(code []byte) (string, error) {
	dir, err := os.MkdirTemp("", "objdump-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "code")
	if err := os.WriteFile(file, code, 0o600); err != nil {
		return "", err
	}
	out, err := exec.Command("objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--insn-width=16", file).Output()
	if err != nil {
		return "", fmt.Errorf("objdump: %w", err)
	}
	_, out, _ = bytes.Cut(out, []byte("<.data>:\n"))
	return string(out), nil
}

var (
	blanks   = regexp.MustCompile(`\s+`)
	relative = regexp.MustCompile(`\[rip[+-]0x[0-9a-f]+\] # (0x[0-9a-f]+)`) // the address of a place
)

// Parse reads what the tool prints. A prefix that it writes because the instruction would be the same without is left out.
func Parse(text string) (all []Inst, err error) {
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("objdump: no instruction in %q", line)
		}
		b, err := hex.DecodeString(strings.ReplaceAll(fields[1], " ", ""))
		if err != nil {
			return nil, fmt.Errorf("objdump: %w in %q", err, line)
		}
		words := relative.ReplaceAllString(strings.TrimSpace(blanks.ReplaceAllString(fields[2], " ")), "[$1]")
		all = append(all, Inst{b, strings.TrimPrefix(words, "rex ")})
	}
	return all, nil
}

// Place names an address as the tool does.
func Place(at int) string { return fmt.Sprintf("%#x", uint64(at)) }
