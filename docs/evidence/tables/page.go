package main

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	begins  = regexp.MustCompile(`^<!-- table: (\S+)((?: [^>]*)?) -->$`)
	endMark = "<!-- end -->"
)

// page makes the text of a page, whose path from the root is name.
func (m *maker) page(name, old string) (string, error) {
	var out strings.Builder
	lines := strings.SplitAfter(old, "\n")
	for _, line := range lines { // before a list of files is made of it
		if mark := begins.FindStringSubmatch(strings.TrimSuffix(line, "\n")); mark != nil && mark[1] != index {
			f, err := m.file(mark[1])
			if err != nil {
				return "", fmt.Errorf("%s: %w", name, err)
			}
			if !slices.Contains(f.pages, name) {
				f.pages = append(f.pages, name)
			}
		}
	}
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSuffix(lines[i], "\n")
		mark := begins.FindStringSubmatch(line)
		if mark == nil {
			if line == endMark {
				return "", fmt.Errorf("%s:%d: an end without a beginning", name, i+1)
			}
			out.WriteString(lines[i])
			continue
		}
		end := i + 1
		for end < len(lines) && strings.TrimSuffix(lines[end], "\n") != endMark {
			if begins.MatchString(strings.TrimSuffix(lines[end], "\n")) {
				break
			}
			end++
		}
		if end == len(lines) || strings.TrimSuffix(lines[end], "\n") != endMark {
			return "", fmt.Errorf("%s:%d: the table has no end; write %s after it", name, i+1, endMark)
		}
		text, err := m.table(name, mark[1], strings.Fields(mark[2]))
		if err != nil {
			return "", fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		out.WriteString(lines[i] + text + lines[end])
		i = end
	}
	return out.String(), unmarked(name, out.String())
}

// table makes a table of a file, with the sentence that says where the file is from. The next table of
// the file in the page refers to it.
func (m *maker) table(page, name string, args []string) (string, error) {
	if name == index {
		rows, err := m.index()
		return markdown(rows), err
	}
	f, err := m.file(name)
	if err != nil {
		return "", err
	}
	rows, err := view(f, args)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if key := page + "\n" + name; m.told[key] {
		return markdown(rows) + fmt.Sprintf("\nMeasured like the first table of [this file](%s).\n", f.link(page)), nil
	} else if m.told == nil {
		m.told = map[string]bool{key: true}
	} else {
		m.told[key] = true
	}
	return markdown(rows) + "\n" + f.origin(page), nil
}

// file reads a file, once.
func (m *maker) file(name string) (f *file, err error) {
	if m.files[name] == nil {
		if m.files[name], err = readFile(path.Join(m.root, evidence, name)); err != nil {
			return nil, err
		}
	}
	return m.files[name], nil
}

// index stands in a mark for the table of all files, which is on the page that is made last.
const index = "files"

// index lists the files, with the pages that have tables of them.
func (m *maker) index() ([][]string, error) {
	rows := [][]string{{"file", "measures", "machine", "date", "tables on"}}
	names, err := m.names()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		f, err := m.file(name)
		if err != nil {
			return nil, err
		}
		var pages []string
		for _, page := range f.pages {
			base := path.Base(page)
			link := "[" + base + "](../" + base + ")"
			switch path.Dir(page) {
			case ".":
				link = "[" + base + "](../../" + base + ")"
			case evidence:
				link = "this page"
			}
			pages = append(pages, link)
		}
		if where := others[name]; where != "" {
			pages = append(pages, where)
		}
		rows = append(rows, []string{fmt.Sprintf("[`%s`](%[1]s)", name), f.head["measures"], f.head["machine"], f.head["date"], strings.Join(pages, ", ")})
	}
	return rows, nil
}

// markdown is a table whose first row is its head.
func markdown(rows [][]string) string {
	var out strings.Builder
	for i, cells := range rows {
		for _, c := range cells {
			if c == "" {
				out.WriteString("| ")
				continue
			}
			out.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
		}
		out.WriteString("|\n")
		if i == 0 {
			out.WriteString(strings.Repeat("|---", len(cells)) + "|\n")
		}
	}
	return out.String()
}

var (
	ruler  = regexp.MustCompile(`^\|\s*-{3}`)
	figure = regexp.MustCompile(`^[*+−-]*\d[\d.,]*(?: ?(?:ns|µs|ms|s|KB|MB|GB|M|%|M lane-rows/s))?(?:, [\d.]+(?: ?(?:ns|µs|ms|s|%))?)*\**$`)
)

// unmarked reports tables with figures in most of their rows that are not made of a file.
func unmarked(name, text string) error {
	inside, rows, figures, first := false, 0, 0, 0
	for i, line := range append(strings.Split(text, "\n"), "") {
		switch {
		case begins.MatchString(line):
			inside = true
		case line == endMark:
			inside = false
		case inside:
		case strings.HasPrefix(line, "|") && !ruler.MatchString(line):
			if rows == 0 {
				first = i + 1
			}
			rows++
			if hasFigure(line) {
				figures++
			}
		case !strings.HasPrefix(line, "|"):
			if figures > 0 && figures*2 >= rows {
				return fmt.Errorf("%s:%d: a table of figures that is not made of a file in %s; put its figures there, and marks around it", name, first, evidence)
			}
			rows, figures = 0, 0
		}
	}
	return nil
}

// hasFigure looks at all cells of a row but the first.
func hasFigure(row string) bool {
	cells := strings.Split(strings.Trim(row, "|"), "|")
	for _, c := range cells[1:] {
		if figure.MatchString(strings.TrimSpace(c)) {
			return true
		}
	}
	return false
}
