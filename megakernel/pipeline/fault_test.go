package pipeline_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel/pipeline"
)

// staged makes a pipeline whose last stage counts, so that what runs twice shows.
func staged(o pipeline.Options) faults.Maker {
	return func(ctx context.Context, d driver.Device) (_ faults.Object, err error) {
		var b [3]driver.Buffer
		for k, n := range []int64{n, n, 1} {
			if b[k], err = d.Alloc(4*n, driver.AllocOptions{}); err != nil {
				return faults.Object{}, err
			}
		}
		x, y, sum := driver.All(b[0]), driver.All(b[1]), driver.All(b[2])
		stages := []pipeline.Stage{
			stage("Scale", n, x, temp(1, n), driver.U32(3)), stage("Neighbour", n, temp(1, n), temp(2, n)),
			stage("Shift", n, temp(2, n), y, driver.U32(1)), stage("Count", n, y, sum),
		}
		p, err := pipeline.New(ctx, d, stages, o)
		if err != nil {
			return faults.Object{}, err
		}
		word := func(words ...uint32) (b []byte) {
			for _, w := range words {
				b = binary.LittleEndian.AppendUint32(b, w)
			}
			return b
		}
		times, odd, want := uint32(0), uint32(0), []uint32(nil)
		set := func(ctx context.Context) error {
			times, odd = times+1, 0
			given := numbers(n)
			for k := range given {
				given[k] += times * uint32(k%5)
			}
			want = slices.Clone(given)
			for k := range want {
				want[k] = 3 * given[k]
				if k+1 < n {
					want[k] += 3 * given[k+1]
				}
				want[k]++
				odd += want[k] & 1
			}
			if err := driver.Write(ctx, sum, word(7)); err != nil {
				return err
			}
			return driver.Write(ctx, x, word(given...))
		}
		compare := func(ctx context.Context) error {
			got := make([]byte, 4*n+4)
			if err := driver.ReadInto(ctx, y, got[:4*n]); err != nil {
				return err
			}
			if err := driver.ReadInto(ctx, sum, got[4*n:]); err != nil {
				return err
			}
			if !slices.Equal(got, append(word(want...), word(odd+7)...)) {
				return fmt.Errorf("%w: %d odd ones, want %d, or other numbers", faults.ErrWrong, binary.LittleEndian.Uint32(got[4*n:])-7, odd)
			}
			return nil
		}
		return faults.Steps(set, p.Run, nil, compare, p.Close), nil
	}
}

// The class: an error does not say that nothing was done. A pipeline runs again after a call failed, before or after its effect.
func TestStagesRunOnceAfterAFailure(t *testing.T) {
	first := long.Seed(t, 1)
	for i, f := range []pipeline.Fusion{pipeline.Fused, pipeline.Barriers, pipeline.Separate} {
		config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: i == 1}
		faults.Sweep{Config: config, Faults: faults.Sizes(4, 3400), Seed: first + uint64(i), Make: staged(pipeline.Options{Fusion: f})}.Run(t)
	}
}
