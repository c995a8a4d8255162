// Package objdump asks GNU's disassembler what machine code means, for tests.
package objdump

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/govyre/vyre/internal/atomicfile"
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
	return run(code, "objdump", "-m", "i386:x86-64", "-M", "intel", "--insn-width=16")
}

// armTool is the same tool for arm64.
const armTool = "aarch64-linux-gnu-objdump"

// FindARM64 reports whether the tool for arm64 is on the PATH.
func FindARM64() bool {
	_, err := exec.LookPath(armTool)
	return err == nil
}

// RunARM64 is Run of code for arm64, whose instructions the tool writes as words: here they are bytes in their order.
func RunARM64(code []byte) (string, error) {
	out, err := run(code, armTool, "-m", "aarch64")
	return words.ReplaceAllString(out, "\t$4 $3 $2 $1 \t"), err
}

var words = regexp.MustCompile(`\t([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2}) \t`)

func run(code []byte, tool string, options ...string) (string, error) {
	dir, err := os.MkdirTemp("", "objdump-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "code")
	if err := atomicfile.WriteBytes(context.Background(), file, code); err != nil {
		return "", err
	}
	out, err := exec.Command(tool, append(options, "-D", "-z", "-b", "binary", file)...).Output()
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
		if len(fields) < 3 {
			return nil, fmt.Errorf("objdump: no instruction in %q", line)
		}
		b, err := hex.DecodeString(strings.ReplaceAll(fields[1], " ", ""))
		if err != nil {
			return nil, fmt.Errorf("objdump: %w in %q", err, line)
		}
		text, _, _ := strings.Cut(strings.Join(fields[2:], " "), "//") // what it adds as a comment
		words := relative.ReplaceAllString(strings.TrimSpace(blanks.ReplaceAllString(text, " ")), "[$1]")
		all = append(all, Inst{b, strings.TrimPrefix(words, "rex ")})
	}
	return all, nil
}

// Place names an address as the tool does.
func Place(at int) string { return fmt.Sprintf("%#x", uint64(at)) }
