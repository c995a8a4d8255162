package explain_test

import (
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/explain"
)

func TestCommonIsALongestCommonSubsequence(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	random := func() []string {
		s := make([]string, rnd.IntN(12))
		for i := range s {
			s[i] = string(rune('a' + rnd.IntN(4)))
		}
		return s
	}
	for range 5000 {
		a, b := random(), random()
		inA, inB := explain.Common(a, b)
		var fromA, fromB []string
		for i, in := range inA {
			if in {
				fromA = append(fromA, a[i])
			}
		}
		for i, in := range inB {
			if in {
				fromB = append(fromB, b[i])
			}
		}
		if len(fromA) != longest(a, b) || len(fromB) != len(fromA) {
			t.Fatalf("%v and %v: took %v and %v, the longest has %d", a, b, fromA, fromB, longest(a, b))
		}
		for i := range fromA {
			if fromA[i] != fromB[i] {
				t.Fatalf("%v and %v: took %v and %v", a, b, fromA, fromB)
			}
		}
	}
}

// longest is the length of a longest common subsequence, by its definition.
func longest(a, b []string) int {
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			length[i+1][j+1] = max(length[i][j+1], length[i+1][j])
			if a[i] == b[j] {
				length[i+1][j+1] = length[i][j] + 1
			}
		}
	}
	return length[len(a)][len(b)]
}

func TestCommonTakesOnlyTheEndsOfTextsThatDifferALot(t *testing.T) {
	a, b := []string{"first"}, []string{"first"}
	for range 3000 {
		a, b = append(a, "a"), append(b, "b")
	}
	a, b = append(a, "middle"), append(b, "middle", "b")
	a, b = append(a, "last"), append(b, "last")
	inA, inB := explain.Common(a, b)
	for name, in := range map[string][]bool{"a": inA, "b": inB} {
		n := 0
		for _, kept := range in {
			if kept {
				n++
			}
		}
		if !in[0] || !in[len(in)-1] || n != 2 {
			t.Errorf("%s: %d lines are common, want the first and the last", name, n)
		}
	}
}
