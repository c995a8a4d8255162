// Command tables writes the tables of measurements in README.md and docs/*.md from the files in docs/evidence. A page
// marks where a table is, and names the file and the view of it:
//
//	<!-- table: searches-h200.csv sets -->
//	| graph | …
//
//	Machine: …
//	<!-- end -->
//
// The command replaces what is between the marks by the table, and by the machine, driver, commit, date and command
// that the head of the file names. With -check it writes nothing. It then fails if a page differs, if a file has no
// table, or if a page has a table of figures without marks.
//
// Start reading at page.go, then file.go and views.go.
package main

//go:generate go run . -root ../../..

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/govyre/vyre/internal/atomicfile"
)

func main() {
	root := flag.String("root", ".", "the root of the repository")
	check := flag.Bool("check", false, "write nothing, and fail where a page differs from the files")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

// evidence is the folder of the files, from the root.
const evidence = "docs/evidence"

// run makes all pages, and joins what is wrong with them.
func run(root string, check bool) error {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return err
	}
	pages = append(pages, filepath.Join(root, "README.md"), filepath.Join(root, evidence, "README.md"))
	m := &maker{root: root, files: map[string]*file{}}
	var errs []error
	for _, name := range pages {
		errs = append(errs, m.make(name, check))
	}
	return errors.Join(append(errs, m.unused())...)
}

// maker makes pages.
type maker struct {
	told  map[string]bool // pages and files, where a table has said where it is from
	root  string
	files map[string]*file // that tables are made of
}

// make makes a page, or compares it.
func (m *maker) make(name string, check bool) error {
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	page, err := filepath.Rel(m.root, name)
	if err != nil {
		return err
	}
	made, err := m.page(page, string(old))
	switch {
	case err != nil:
		return err
	case bytes.Equal(old, []byte(made)):
		return nil
	case check:
		return fmt.Errorf("%s:%d: the table differs from its file; run `go generate ./docs/evidence/tables`", page, differs(string(old), made))
	}
	return atomicfile.WriteBytes(context.Background(), name, []byte(made))
}

// differs returns the number of the first line that differs.
func differs(a, b string) int {
	line := 1
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			break
		}
		if a[i] == '\n' {
			line++
		}
	}
	return line
}

// names lists the files, in the order of their names.
func (m *maker) names() (list []string, err error) {
	entries, err := os.ReadDir(filepath.Join(m.root, evidence))
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext == ".csv" || ext == ".txt" {
			list = append(list, e.Name())
		}
	}
	return list, err
}

// unused reports files from which no table is made.
func (m *maker) unused() error {
	names, err := m.names()
	errs := []error{err}
	for _, name := range names {
		if f := m.files[name]; (f == nil || len(f.pages) == 0) && others[name] == "" {
			errs = append(errs, fmt.Errorf("%s/%s: no page has a table of it; make one, or remove the file", evidence, name))
		}
	}
	return errors.Join(errs...)
}

// others are files of which no page has a table, and where they are used.
var others = map[string]string{
	"topologies-h200.csv": "[level-times.svg](../level-times.svg)",
	"random-programs.txt": "none; linked on [performance.md](../performance.md#agreement)",
}
