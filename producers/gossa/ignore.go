package main

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ignore is a comment that ends findings on a line: //gossa:ignore CLASS REASON, or one with #nosec.
type ignore struct {
	file    string
	at, of  int    // the lines of the comment and of the code
	class   string // of //gossa:ignore
	reason  string
	rules   []string // of #nosec, as gosec calls them; nil is all
	nosec   bool
	ignores int // findings
}

const ignoreWord = "gossa:ignore"

var nosec = regexp.MustCompile(`#nosec\b([^-]*)`)

// ignoresOf are the comments of a file. One behind code is about its line, another about the first line of code below.
func ignoresOf(file string, text []byte) (list []*ignore) {
	if !bytes.Contains(text, []byte(ignoreWord)) && !bytes.Contains(text, []byte("#nosec")) {
		return nil
	}
	files := token.NewFileSet()
	of := files.AddFile(file, -1, len(text))
	var s scanner.Scanner
	s.Init(of, text, nil, scanner.ScanComments)
	waiting, code := []*ignore(nil), 0
	for {
		pos, tok, word := s.Scan()
		line := of.Line(pos)
		switch {
		case tok == token.EOF:
			return list
		case tok == token.COMMENT:
			i := ignoreIn(word)
			if i == nil {
				continue
			}
			i.file, i.at, i.of = file, line, line
			list = append(list, i)
			if code != line {
				waiting = append(waiting, i)
			}
		case tok == token.SEMICOLON && word == "\n":
		default:
			for _, i := range waiting {
				i.of = line
			}
			waiting, code = nil, line+strings.Count(word, "\n")
		}
	}
}

// ignoreIn reads a comment; nil if it is about something else.
func ignoreIn(comment string) *ignore {
	if rest, is := strings.CutPrefix(comment, "//"+ignoreWord); is {
		class, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
		return &ignore{class: class, reason: strings.TrimSpace(reason)}
	}
	if m := nosec.FindStringSubmatch(comment); m != nil {
		i := &ignore{nosec: true}
		for _, word := range strings.FieldsFunc(m[1], func(r rune) bool { return r == ' ' || r == ',' || r == '*' || r == '/' || r == '\t' }) {
			if len(word) > 1 && word[0] == 'G' {
				i.rules = append(i.rules, word)
			}
		}
		return i
	}
	return nil
}

// ends reports whether the comment is about a finding on its line.
func (i *ignore) ends(f *finding) bool {
	if i.nosec {
		return i.rules == nil || slices.ContainsFunc(i.rules, func(r string) bool { return slices.Contains(described[f.Class].gosec, r) })
	}
	return i.class == f.Class && i.reason != ""
}

// wrong says why a comment ends no finding; empty if that is no fault. all are the classes that there are.
func (i *ignore) wrong(all []string) string {
	switch {
	case i.nosec || i.ignores > 0:
		return ""
	case !slices.Contains(all, i.class):
		return fmt.Sprintf("no class is called %q; there are %s", i.class, strings.Join(all, ", "))
	case i.reason == "":
		return "it gives no reason: //" + ignoreWord + " " + i.class + " REASON"
	}
	return "it ignores nothing: take it away"
}

// ignore takes away the findings that comments of own files end, and counts them. Comments that do nothing are notes, if all
// classes were asked for.
//
// Errors: a file that can no longer be read.
func (a *answer) ignore(sources, classes []string, all bool) error {
	at := make(map[string][]*ignore)
	var list []*ignore
	for _, file := range sources {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		list = append(list, ignoresOf(file, text)...)
	}
	for _, i := range list {
		at[i.file] = append(at[i.file], i)
	}
	a.Findings = slices.DeleteFunc(a.Findings, func(f finding) bool {
		file, _ := a.tree.file(f.Sink)
		for _, i := range at[file] {
			if i.of == f.Sink.Line && i.ends(&f) {
				i.ignores++
				if i.nosec {
					a.Nosec++
				} else {
					a.Ignored++
				}
				return true
			}
		}
		return false
	})
	for _, i := range list {
		if s := i.wrong(classes); s != "" && (all || i.reason == "") {
			name, err := filepath.Rel(a.tree.dir, i.file)
			if err != nil {
				name = i.file
			}
			a.Notes = append(a.Notes, fmt.Sprintf("%s:%d: //%s: %s", name, i.at, ignoreWord, s))
		}
	}
	return nil
}
