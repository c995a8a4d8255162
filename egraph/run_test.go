package egraph_test

import (
	"testing"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/rules"
)

func compile(t *testing.T, text string) *egraph.Rules {
	t.Helper()
	list, err := rules.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	rs, err := egraph.Compile(list)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}
