// Command prose checks the English of documentation against the rules of plain English that a program can see:
//
//	go run ./.ci/prose               every page but CHANGELOG.md, and doc.go of every package that is not internal
//	go run ./.ci/prose FILE...       these files
//	go run ./.ci/prose -words        how many words of prose each page has; all of them may have 55,000
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

func main() {
	words := flag.Bool("words", false, "count words")
	flag.Parse()
	run, wanted := checkAll, checked
	if *words {
		run, wanted = countAll, page
	}
	files, err := flag.Args(), error(nil)
	if len(files) == 0 {
		if files, err = find(".", wanted); err == nil && !*words {
			err = bounded(".")
		}
	}
	if err == nil {
		err = run(files)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(1)
	}
}

// checked reports whether a file is checked without being named. CHANGELOG.md is history, and keeps its words.
func checked(path string) bool {
	public := filepath.Base(path) == "doc.go" && !strings.Contains("/"+filepath.ToSlash(path), "/internal/")
	return public || page(path) && path != "CHANGELOG.md"
}

// page reports whether a file is Markdown.
func page(path string) bool { return filepath.Ext(path) == ".md" }

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

// most is how many words all pages together may have.
const most = 55_000

// bounded fails if pages have more words than that.
func bounded(root string) error {
	files, err := find(root, page)
	if err != nil {
		return err
	}
	total := 0
	for _, path := range files {
		n, err := count(path)
		if err != nil {
			return err
		}
		total += n
	}
	if total > most {
		return fmt.Errorf("pages have %d words, at most %d are wanted; go run ./.ci/prose -words counts them", total, most)
	}
	return nil
}

// count returns the words of prose in a file.
func count(path string) (n int, err error) {
	units, err := read(path)
	for _, u := range units {
		n += countWords(u.text)
	}
	return n, err
}

// countAll prints the words of each file.
func countAll(files []string) error {
	total := 0
	for _, path := range files {
		n, err := count(path)
		if err != nil {
			return err
		}
		fmt.Printf("%7d  %s\n", n, path)
		total += n
	}
	fmt.Printf("%7d  in all\n", total)
	return nil
}

// find returns the wanted files below a folder. Paths begin at the folder. It asks no version control, so that it also
// finds a page that is not added yet. Hidden folders and testdata hold no documentation.
func find(root string, wanted func(path string) bool) (files []string, err error) {
	err = fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || path != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !d.IsDir() && wanted(path):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}
