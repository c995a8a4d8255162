package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	head = "# measures: times\n# machine: one core\n# driver: none\n# commit: abc\n# date: 2026-11-26\n# command: `run`\n"
	made = "<!-- table: a.csv -->\n| size | time |\n|---|---|\n| 1 | 3 ns |\n| 2 | |\n\n" +
		"Machine: one core. Commit: abc. Date: 2026-11-26. Command: `run`. [Figures](evidence/a.csv).\n<!-- end -->\n"
)

// repository makes one of these files.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	if files["README.md"] == "" {
		files["README.md"] = "# Program\n"
	}
	if files["docs/evidence/README.md"] == "" {
		files["docs/evidence/README.md"] = "# Files\n"
	}
	for name, text := range files {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestTablesFollowTheirFiles writes a page, finds it equal, and finds each difference: in a figure of the page, of the
// file, and in the head.
func TestTablesFollowTheirFiles(t *testing.T) {
	root := repository(t, map[string]string{
		"docs/a.md":           "# A\n\n<!-- table: a.csv -->\n<!-- end -->\n\nText.\n",
		"docs/evidence/a.csv": head + "size,time\n1,3 ns\n2,\n",
	})
	if err := run(root, true); err == nil || !strings.Contains(err.Error(), "docs/a.md:4: the table differs from its file; run `go generate") {
		t.Fatalf("an empty table: %v", err)
	}
	if err := run(root, false); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(root, "docs/a.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if want := "# A\n\n" + made + "\nText.\n"; string(text) != want {
		t.Fatalf("%s\nwant\n%s", text, want)
	}
	if err := run(root, true); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, old, new string }{
		{"docs/a.md", "3 ns", "2 ns"}, {"docs/a.md", "one core.", "two cores."},
		{"docs/evidence/a.csv", "3 ns", "4 ns"}, {"docs/evidence/a.csv", "one core", "two cores"},
	} {
		name := filepath.Join(root, c.file)
		before, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{strings.Replace(string(before), c.old, c.new, 1), string(before)} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := run(root, true); (err == nil) != (text == string(before)) {
				t.Errorf("%s with %s for %s: %v", c.file, c.new, c.old, err)
			}
		}
	}
}

// TestWhatIsRefused has a page or a file of each kind that cannot be.
func TestWhatIsRefused(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"docs/a.md:1: the table has no end":                   {"docs/a.md": "<!-- table: a.csv -->\n| size |\n"},
		"docs/a.md:3: the table has no end":                   {"docs/a.md": "\n\n<!-- table: a.csv -->\n<!-- table: a.csv -->\n<!-- end -->\n"},
		"docs/a.md:2: an end without a beginning":             {"docs/a.md": "\n<!-- end -->\n"},
		`docs/a.md:1: a.csv: there is no view "sums"`:         {"docs/a.md": "<!-- table: a.csv sums -->\n<!-- end -->\n"},
		"docs/evidence/a.csv: no page has a table of it":      {"docs/a.md": "Text.\n"},
		"docs/a.md:2: a table of figures that is not made of": {"docs/a.md": made + "", "README.md": "Text.\n", "docs/b.md": "", "docs/c.md": "\n| a | b |\n|---|---|\n| x | 1.5 ms |\n"},
		"a.csv: the head has no line `# date: …`":             {"docs/a.md": made, "docs/evidence/a.csv": "# measures: x\n# machine: y\n# driver: none\n# commit: abc\n# command: `run`\nsize\n1\n"},
		"a.csv: no rows": {"docs/a.md": made, "docs/evidence/a.csv": head + "size\n"},
		"a.csv: record on line 8: wrong number of fields": {"docs/a.md": made, "docs/evidence/a.csv": head + "size\n1,2\n"},
		`docs/a.md:1: b.txt: there is no table "copies"`:  {"docs/a.md": "<!-- table: b.txt copies -->\n<!-- end -->\n" + made, "docs/evidence/b.txt": head + "\nlaunches:\n\n| a |\n|---|\n| 1 |\n"},
		"docs/a.md: open ": {"docs/a.md": "<!-- table: c.csv -->\n<!-- end -->\n" + made},
		"reduce of 65536 elements was measured 0 times":     {"docs/a.md": "<!-- table: prim-h200.csv ratios -->\n<!-- end -->\n" + made, "docs/evidence/prim-h200.csv": head + "operation,elements,median ns,CUB median ns\nreduce,1024,1,2\n"},
		"reduce of 1024 elements has no reference":          {"docs/a.md": "<!-- table: prim-h200.csv ratios -->\n<!-- end -->\n" + made, "docs/evidence/prim-h200.csv": head + "operation,elements,median ns,CUB median ns\nreduce,1024,1,\n"},
		"saxpy was measured 0 times for the size \"in L2\"": {"docs/a.md": "<!-- table: codegen-h200.txt sizes thirteen -->\n<!-- end -->\n" + made, "docs/evidence/codegen-h200.txt": head + "\nthirteen:\n\n| kernel | size | nvcc |\n|---|---|---|\n| saxpy | launch | 1 |\n"},
	} {
		if files["docs/evidence/a.csv"] == "" {
			files["docs/evidence/a.csv"] = head + "size,time\n1,3 ns\n2,\n"
		}
		err := run(repository(t, files), true)
		if err == nil || !strings.Contains(err.Error(), strings.Replace(want, "docs/a.md:2: a table", "docs/c.md:2: a table", 1)) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// TestARunOfOneGroup has the means of that group alone, beside which the others are not missed; but one that is asked for is.
func TestARunOfOneGroup(t *testing.T) {
	times := "\nthird lot:\n\n| kernel | size | nvcc | -fmad=false | p50 |\n|---|---|---|---|---|\n"
	for _, size := range threeSizes {
		times += "| a | " + size + " | 4 µs | 3 µs | 6 µs |\n"
	}
	for mark, want := range map[string]string{"means": "| all | 0.50 |", "means third-lot": "| third lot | 0.50 |", "means second-lot": ""} {
		root := repository(t, map[string]string{
			"docs/a.md": "<!-- table: codegen-third-first-h200.txt " + mark + " -->\n<!-- end -->\n", "docs/evidence/codegen-third-first-h200.txt": head + times,
		})
		err := run(root, false)
		text, _ := os.ReadFile(filepath.Join(root, "docs/a.md"))
		if (err == nil) != (want != "") || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v\n%s", mark, err, text)
		}
	}
}

// TestTablesOfOtherThings are left alone: words, bounds and flags are no measurements.
func TestTablesOfOtherThings(t *testing.T) {
	for text, figures := range map[string]bool{
		"| name | bound |\n|---|---|\n| P1 | 1.05 × C |\n| P2 | none |\n":        false,
		"| flag | effect |\n|---|---|\n| `-n 3` | takes three |\n":               false,
		"| to 32 | memory |\n|---|---|\n| 1 | 32 bits in a register |\n":         false,
		"| graph | ms |\n|---|---|\n| chain | **11.2** |\n":                      true,
		"| graph | ms |\n|---|---|\n| chain | 1.2, 1.5 |\n| grid | 12,000 |\n":   true,
		"| graph | cost |\n|---|---|\n| chain | +0.3 % |\n| grid | -16.8 |\n":    true,
		"<!-- table: a.csv -->\n| a | b |\n|---|---|\n| x | 1 |\n<!-- end -->\n": false,
	} {
		if err := unmarked("a.md", text); (err != nil) != figures {
			t.Errorf("%s%v", text, err)
		}
	}
}

// TestNumbers are printed with as many digits as pages have.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{"0.01632": "0.016", "1.845": "1.84", "9.996": "10.0", "99.96 µs": "100", "48,637.2": "48637", "": "", "x": ""} {
		if got := short(number(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := thousands(12388716); got != "12,388,716" {
		t.Error(got)
	}
}

// TestALongCommandIsWrapped: a command that fits into a line stays in one, another is broken at its spaces.
func TestALongCommandIsWrapped(t *testing.T) {
	for _, n := range []int{3, 30} {
		f := &file{name: "a.csv", head: map[string]string{"driver": "none", "command": "`run" + strings.Repeat(" --more", n) + "`"}}
		lines := strings.Split(f.origin("docs/a.md"), "\n")
		if broken := len(lines) > 2; broken != (n == 30) {
			t.Errorf("%d words: %d lines", n, len(lines))
		}
		for _, line := range lines {
			if len(line) > width {
				t.Errorf("a line of %d characters: %s", len(line), line)
			}
		}
	}
}
