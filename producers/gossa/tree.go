package main

import (
	"bytes"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/producers/calls/names"
)

// sourceTree is where files are.
type sourceTree struct {
	dir   string // where packages were looked for, which files of spots are relative to
	root  string // of the repository
	files map[string]bool
	lines map[string][][]byte // of files that were read
}

func newTree(dir string, files []string) (*sourceTree, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	t := &sourceTree{dir: dir, root: repositoryOf(dir), files: make(map[string]bool), lines: make(map[string][][]byte)}
	for _, f := range files {
		if within(t.root, f) {
			t.files[f] = true
		}
	}
	return t, nil
}

// repositoryOf is the root of the repository that a folder is in: what has a .git, else the module.
func repositoryOf(dir string) string {
	if root := above(dir, ".git"); root != "" {
		return root
	}
	if root := above(dir, "go.mod"); root != "" {
		return root
	}
	return dir
}

// above is the first folder that has a file, from dir upwards.
func above(dir, file string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

func within(dir, file string) bool {
	return strings.HasPrefix(file, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// near says where something of a repository is, as seen from a folder in it; what is elsewhere has the path of its package.
func near(dir string) where {
	base, err := filepath.Abs(dir)
	root := repositoryOf(base)
	return func(to []byte, in string, at token.Position) []byte {
		if err == nil && within(root, at.Filename) {
			if rel, err := filepath.Rel(base, at.Filename); err == nil {
				return names.AppendLine(append(to, filepath.ToSlash(rel)...), at)
			}
		}
		return names.AppendPosition(to, in, at)
	}
}

// spotAt reads a position.
func spotAt(text string) spot {
	at := graph.ParsePosition(text)
	return spot{File: at.File, Line: at.Line, Column: at.Column}
}

// file is the file of a spot, if it is in the repository.
func (t *sourceTree) file(s spot) (string, bool) {
	name := filepath.Join(t.dir, filepath.FromSlash(s.File))
	return name, t.files[name]
}

// relative is a text with names of files in the repository as spots have them.
func (t *sourceTree) relative(text string) string {
	text = strings.ReplaceAll(text, t.dir+string(filepath.Separator), "")
	if up, err := filepath.Rel(t.dir, t.root); err == nil {
		text = strings.ReplaceAll(text, t.root+string(filepath.Separator), up+string(filepath.Separator))
	}
	return text
}

// line is one of a file, from 1 on; nil if it is not there.
func (t *sourceTree) line(file string, n int) []byte {
	lines, read := t.lines[file]
	if !read {
		text, _ := os.ReadFile(file)
		lines = bytes.Split(text, []byte("\n"))
		t.lines[file] = lines
	}
	if n < 1 || n > len(lines) {
		return nil
	}
	return lines[n-1]
}

// column is that of a spot in characters, of which some take several bytes, or in units of UTF-16; from 1 on.
func (t *sourceTree) column(s spot, utf16 bool) int {
	file, is := t.file(s)
	if !is || s.Column < 1 {
		return s.Column
	}
	line := t.line(file, s.Line)
	n := 1
	for i := 0; i < min(s.Column-1, len(line)); {
		r, size := utf8.DecodeRune(line[i:])
		if i += size; utf16 && r > 0xffff {
			n++
		}
		n++
	}
	return n
}
