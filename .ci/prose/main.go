// Command prose checks the English of documentation against the rules of plain English that a program can see:
//
//	go run ./.ci/prose               the pages that are done
//	go run ./.ci/prose FILE...       these, done or not
//	go run ./.ci/prose -words        how many words of prose each page has
//
// It reads Markdown (.md) and the comments of Go files (.go). Code blocks, code spans, targets of links and HTML are
// not prose. Each cell of a table and each item of a list begins a sentence of its own.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// done are the files that keep the rules. A rewritten page is added here.
var done = []string{
	"CONTRIBUTING.md",
	"RATIONALE.md",
	"README.md",
	"docs/cuda-for-go.md",
	"docs/evidence/README.md",
	"docs/language.md",
	"docs/tutorial.md",
	"examples/README.md",
}

func main() {
	words := flag.Bool("words", false, "count words")
	flag.Parse()
	run, files := checkAll, done
	if *words {
		run, files = countAll, nil
	}
	if flag.NArg() > 0 {
		files = flag.Args()
	}
	if err := run(files); err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(1)
	}
}

// checkAll prints the findings of files.
func checkAll(files []string) error {
	found := 0
	for _, path := range files {
		units, err := read(path)
		if err != nil {
			return err
		}
		for _, f := range check(units) {
			fmt.Printf("%s:%d: %s: %s\n", path, f.line, f.rule, f.words)
			found++
		}
	}
	if found > 0 {
		return fmt.Errorf("%d sentences to rewrite; .ci/prose/rules.go says what each rule wants instead", found)
	}
	return nil
}

// countAll prints the words of each file, or of every page where none is named.
func countAll(files []string) error {
	if len(files) == 0 {
		var err error
		if files, err = pages("."); err != nil {
			return err
		}
	}
	total := 0
	for _, path := range files {
		units, err := read(path)
		if err != nil {
			return err
		}
		n := 0
		for _, u := range units {
			n += countWords(u.text)
		}
		fmt.Printf("%7d  %s\n", n, path)
		total += n
	}
	fmt.Printf("%7d  in all\n", total)
	return nil
}

// pages returns the Markdown files below a folder.
func pages(root string) (files []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || path != root && strings.HasPrefix(name, ".")):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, ".md"):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}
