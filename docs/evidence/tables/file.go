package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// file is one of docs/evidence: a head, and either rows or sections. Lines of a head begin with # and a key:
//
//	# measures: searches in every topology
//	# machine: NVIDIA H200
//	# driver: 580.159.04
//	# commit: 374f467
//	# date: 2026-11-24
//	# command: .gpu/run.sh topologies
//
// All six are there; driver is "none" where no GPU takes part. A format that has no comments has its head in a file of
// the same name with .head after it.
type file struct {
	name     string
	head     map[string]string
	rows     [][]string            // of a CSV, the first one has the names of the columns
	args     []string              // of the view that is made
	pages    []string              // that have tables of it
	sections map[string][][]string // of a text: tables, by the line before them without its colon
	measures table                 // of a text of the harness
}

var keys = []string{"measures", "machine", "driver", "commit", "date", "command"}

func readFile(name string) (*file, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f := &file{name: path.Base(name), head: map[string]string{}}
	head, err := os.ReadFile(name + ".head")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		head = b
	case err != nil:
		return nil, err
	}
	f.readHead(string(head))
	for _, k := range keys {
		if f.head[k] == "" {
			return nil, fmt.Errorf("%s: the head has no line `# %s: …`", f.name, k)
		}
	}
	if strings.HasSuffix(name, ".csv") {
		return f, f.readRows(string(b))
	}
	f.readSections(string(b))
	f.readMeasures(string(b))
	return f, nil
}

// readHead reads the comments at the beginning. A line that begins with more space goes on with the line before it.
func (f *file) readHead(text string) {
	last := ""
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !ok {
			return
		}
		key, value, named := strings.Cut(rest, ": ")
		switch key = strings.TrimSpace(key); {
		case strings.HasPrefix(rest, "  ") && last != "":
			f.head[last] += " " + strings.TrimSpace(rest)
		case named && !strings.Contains(key, " "):
			f.head[key], last = strings.TrimSpace(value), key
		}
	}
}

func (f *file) readRows(text string) (err error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment = '#'
	if f.rows, err = r.ReadAll(); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	if len(f.rows) < 2 {
		return fmt.Errorf("%s: no rows", f.name)
	}
	return nil
}

// readSections reads tables in Markdown.
func (f *file) readSections(text string) {
	f.sections = map[string][][]string{}
	title := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasSuffix(line, ":"):
			title = strings.TrimSuffix(line, ":")
		case strings.HasPrefix(line, "|") && !ruler.MatchString(line):
			var cells []string
			for c := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
				cells = append(cells, strings.TrimSpace(c))
			}
			f.sections[title] = append(f.sections[title], cells)
		}
	}
}

// section returns a table of a text.
func (f *file) section(title string) (table, error) {
	rows := f.sections[title]
	if len(rows) < 2 {
		return nil, fmt.Errorf("there is no table %q", title)
	}
	return named(rows), nil
}

// table is rows by the names of their columns.
type table []map[string]string

func named(rows [][]string) (t table) {
	for _, cells := range rows[1:] {
		row := map[string]string{}
		for i, name := range rows[0] {
			if _, twice := row[name]; twice {
				name += " 2"
			}
			if i < len(cells) {
				row[name] = cells[i]
			}
		}
		t = append(t, row)
	}
	return t
}

// where returns the rows that have these values in these columns.
func (t table) where(pairs ...string) (some table) {
	for _, row := range t {
		ok := true
		for i := 0; i < len(pairs); i += 2 {
			ok = ok && row[pairs[i]] == pairs[i+1]
		}
		if ok {
			some = append(some, row)
		}
	}
	return some
}

// width bounds the lines of the sentence below a table.
const width = 116

// link is the path of the file from a page.
func (f *file) link(page string) string {
	switch path.Dir(page) {
	case ".":
		return evidence + "/" + f.name
	case evidence:
		return f.name
	}
	return "evidence/" + f.name
}

// origin says where the figures are from, for a page.
func (f *file) origin(page string) string {
	text := "Machine: " + f.head["machine"] + "."
	if d := f.head["driver"]; d != "none" {
		text += " Driver: " + d + "."
	}
	text += fmt.Sprintf(" Commit: %s. Date: %s. Command: %s. [Figures](%s).", f.head["commit"], f.head["date"], f.head["command"], f.link(page))
	var out strings.Builder
	column := 0
	for _, word := range words(text) {
		if column > 0 && column+1+len(word) > width {
			out.WriteByte('\n')
			column = 0
		} else if column > 0 {
			out.WriteByte(' ')
			column++
		}
		out.WriteString(word)
		column += len(word)
	}
	return out.String() + "\n"
}

// words splits a text at its spaces, but for those of code that fits into a line.
func words(text string) (list []string) {
	inCode, from := false, 0
	add := func(word string) {
		if len(word) > width {
			list = append(list, strings.Fields(word)...)
		} else {
			list = append(list, word)
		}
	}
	for i, c := range text {
		switch {
		case c == '`':
			inCode = !inCode
		case c == ' ' && !inCode:
			add(text[from:i])
			from = i + 1
		}
	}
	add(text[from:])
	return list
}
