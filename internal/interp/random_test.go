package interp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir/text"
)

// TestRandomProgramsGiveOneResult runs programs that are free of races by construction
// in every way the interpreter has. All must leave the same bits, and the detectors
// must find nothing to object to.
func TestRandomProgramsGiveOneResult(t *testing.T) {
	first := long.Seed(t, 0)
	for i := range uint64(long.Count(100, 5_000, 50_000)) {
		seed := first + i
		r := conform.Random(seed)
		if oneResult(r) == nil {
			continue
		}
		small := conform.Shrink(t.Context(), r, 500, func(r *conform.RandomProgram) bool { return oneResult(r) != nil })
		t.Fatalf("seed %d, shrunk: %v\n%s", seed, oneResult(small), text.Of(small.Program))
	}
}

// oneResult says where two ways to run r differ.
func oneResult(r *conform.RandomProgram) error {
	k, err := interp.Prepare(r.Program)
	if err != nil {
		return err
	}
	unshared, err := interp.PrepareUnshared(r.Program)
	if err != nil {
		return err
	}
	ways := []struct {
		name string
		k    *interp.Kernel
		o    interp.Options
	}{
		{"one worker", k, interp.Options{Workers: 1}},
		{"no value shares a slot", unshared, interp.Options{Workers: 1}},
		{"other poison, three workers", k, interp.Options{Workers: 3, Poison: 99}},
		{"reversed, all detectors", k, interp.Options{Schedule: interp.Reversed, Detect: interp.Everything}},
		{"seeded, all detectors", k, interp.Options{Schedule: interp.Seeded(7), Detect: interp.Everything}},
	}
	var want [][]byte
	for _, w := range ways {
		got, err := runCopy(w.k, r, w.o)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		if want == nil {
			want = got
		}
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				return fmt.Errorf("%s: parameter %s differs", w.name, r.Program.Params()[i].Name)
			}
		}
	}
	return nil
}

// runCopy runs a random program on copies of its buffers and returns them.
func runCopy(k *interp.Kernel, r *conform.RandomProgram, o interp.Options) ([][]byte, error) {
	l := launch.Launch{Grid: r.Launch.Grid, Rest: r.Launch.Rest}
	var mem [][]byte
	for _, a := range r.Launch.Args {
		arg := launch.Arg{Bits: a.Bits, Mem: bytes.Clone(a.Data)}
		l.Args = append(l.Args, arg)
		mem = append(mem, arg.Mem)
	}
	res, err := k.Run(context.Background(), l, o)
	if err != nil {
		return nil, err
	}
	for _, rep := range res.Reports {
		if rep.Kind != interp.OutOfBounds {
			return nil, errors.New(rep.String())
		}
	}
	return mem, nil
}

// TestMovesHappenAtOnce compares the order of copies with copies through a second array.
func TestMovesHappenAtOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		n := 1 + rng.IntN(8)
		slots := rng.Perm(12)
		var dst, src []int32
		for i := range n {
			dst = append(dst, int32(slots[i]))
			src = append(src, int32(rng.IntN(12)))
		}
		before := make([]int, 13)
		for i := range before {
			before[i] = i
		}
		want, got := append([]int(nil), before...), append([]int(nil), before...)
		for i := range n {
			want[dst[i]] = before[src[i]]
		}
		for _, m := range interp.Parallel(dst, src, 12) {
			got[m[0]] = got[m[1]]
		}
		for i := range want[:12] {
			if got[i] != want[i] {
				t.Fatalf("round %d: %v ← %v gives %v, want %v", round, dst, src, got[:12], want[:12])
			}
		}
	}
}
