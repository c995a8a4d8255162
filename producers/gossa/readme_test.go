package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestPageIsCurrent: it has the workflow as it is, commands that there are, and the classes of this program.
func TestPageIsCurrent(t *testing.T) {
	page, workflow := string(must(os.ReadFile("README.md"))), string(must(os.ReadFile("ci/gossa.yml")))
	if !strings.Contains(page, "```yaml\n"+workflow+"```\n") {
		t.Error("the workflow is not that of ci/gossa.yml")
	}
	commands := regexp.MustCompile("(?m)(?:^|`|run: )gossa ((?:taint|diff|serve) [^`>\n]*)").FindAllStringSubmatch(page, -1)
	if len(commands) < 7 {
		t.Errorf("%d commands", len(commands))
	}
	for _, m := range commands {
		line := regexp.MustCompile(`\$\{\{.*?\}\}`).ReplaceAllString(m[1], "BASE")
		if _, err := parserOf(kong.Exit(func(int) {})).Parse(strings.Fields(line)); err != nil {
			t.Errorf("gossa %s: %v", line, err)
		}
	}
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\d+) \\| ([\\d.]+) \\|").FindAllStringSubmatch(page, -1) {
		rows = append(rows, strings.Join(m[1:], " "))
	}
	slices.Sort(rows)
	var want []string
	for _, name := range slices.Sorted(maps.Keys(described)) {
		want = append(want, fmt.Sprintf("%s %d %.1f", name, classes[name].cwe, classes[name].severity))
	}
	if !slices.Equal(rows, want) {
		t.Errorf("classes: %q\nwant %q", rows, want)
	}
}
