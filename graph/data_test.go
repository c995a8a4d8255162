package graph_test

import (
	"testing"

	"github.com/govyre/vyre/graph"
)

// TestCollectedStringsAreTheSame as those of a list, however wrong their number was.
func TestCollectedStringsAreTheSame(t *testing.T) {
	for _, texts := range [][]string{nil, {""}, {"a"}, {"", "main.main", "", "ü", ""}} {
		for _, n := range []int{0, len(texts), 100} {
			list := graph.Collect(n)
			for i, text := range texts {
				list.Add([]byte(text))
				list.Reserve(n - i) // too little, what is needed, and too much
			}
			got, want := list.Strings(), graph.NewStrings(texts)
			if got.Len() != want.Len() {
				t.Errorf("%q: %d texts", texts, got.Len())
			}
			for i := range got.Len() {
				if got.At(i) != want.At(i) || got.At(i) != texts[i] {
					t.Errorf("%q: text %d is %q", texts, i, got.At(i))
				}
			}
		}
	}
}
