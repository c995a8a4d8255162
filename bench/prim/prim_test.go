package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryOperationIsMeasuredOnSmallInputs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "prim.csv")
	if err := run("cpu", 1<<10, "", "", file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if !strings.Contains(string(text), "\n"+c.name+",1024,") {
			t.Errorf("%s was not measured:\n%s", c.name, text)
		}
	}
}
