package main

import (
	"bufio"
	"encoding/csv"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	nightly  = flag.Bool("programs", false, "with -long: ask of versions of programs with known faults, too; a quarter of an hour")
	checkout = flag.String("checkouts", "", "with -programs: a `FOLDER` with a checkout NAME@VERSION of those that the proxy of modules does not have")
)

// knownProgram is a version of a program of which the faults are known.
type knownProgram struct {
	name, version, module, patterns string
	library                         bool
}

// knownPrograms reads testdata/programs.csv.
func knownPrograms(t *testing.T) (list []knownProgram) {
	t.Helper()
	f, err := os.Open("testdata/programs.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		library, err := strconv.ParseBool(row[4])
		if err != nil {
			t.Fatal(row, err)
		}
		list = append(list, knownProgram{row[0], row[1], row[2], row[3], library})
	}
	return list
}

// checkedFindings are the marks of findings in testdata/programs: want is a known fault or a true flow, false one that was looked
// at and is none, missed a known fault that is not reported, and open one that is reported and was not looked at.
type checkedFindings map[string]string

// checkedIn reads a mark, a class, FILE:LINE and a reason, a line each.
func checkedIn(t *testing.T, file string) checkedFindings {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := make(checkedFindings)
	for s := bufio.NewScanner(f); s.Scan(); {
		words := strings.Fields(s.Text())
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) < 3 || words[0] != "open" && len(words) < 4 || !slices.Contains([]string{"want", "false", "missed", "open"}, words[0]) {
			t.Fatalf("%s: %q is not want, false, missed or open, a class, FILE:LINE and a reason", file, s.Text())
		}
		c[words[1]+" "+words[2]] = words[0]
	}
	return c
}

// evaluatePrograms asks of versions of programs. A finding that is new fails the test.
func evaluatePrograms(t *testing.T) (rows []evaluated) {
	if !*nightly {
		t.Skip("only with -programs")
	}
	for _, k := range knownPrograms(t) {
		t.Run(k.name+"@"+k.version, func(t *testing.T) {
			rows = append(rows, k.evaluate(t))
		})
	}
	return rows
}

func (k knownProgram) evaluate(t *testing.T) evaluated {
	from := filepath.Join(*checkout, k.name+"@"+k.version)
	if _, err := os.Stat(from); *checkout == "" || err != nil {
		if k.module == "" {
			t.Skipf("the proxy does not have %s %s: -checkouts FOLDER", k.name, k.version)
		}
		var failed error
		if from, failed = moduleDir(t, k.module); failed != nil {
			t.Skip(failed)
		}
	}
	dir := filepath.Join(t.TempDir(), k.name)
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		writeModule(t, dir, map[string]string{"go.mod": "module " + strings.Split(k.module, "@")[0] + "\n\ngo 1.18\n"})
	}
	found, err := taintsOf(t, asked{dir: dir, library: k.library, patterns: []string{k.patterns}})
	if err != nil {
		t.Fatal(err)
	}
	row := evaluated{what: k.name + " " + k.version}
	checked := checkedIn(t, filepath.Join("testdata", "programs", k.name+"@"+k.version+".txt"))
	reported := make(map[string]bool)
	for _, r := range found {
		reported[r.class+" "+r.at] = true
		if checked[r.class+" "+r.at] == "" && !reported["seen "+r.class+r.at] {
			reported["seen "+r.class+r.at] = true
			t.Errorf("new: %s %s from %s", r.class, r.at, r.from)
			row.others++
		}
	}
	for _, at := range slices.Sorted(maps.Keys(checked)) {
		switch mark := checked[at]; {
		case mark == "want":
			row.wanted++
			if row.found++; !reported[at] {
				row.found--
				t.Errorf("%s is wanted, and not reported", at)
			}
		case mark == "missed":
			if row.wanted++; reported[at] {
				t.Errorf("%s is reported now: mark it want", at)
			}
		case reported[at]:
			if row.others++; mark == "false" {
				row.knownFalse++
			}
		default:
			t.Logf("%s is not reported any more: take its line away", at)
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %d of %d, %d others\n", row.what, row.found, row.wanted, row.others)
	return row
}
