package frontiers_test

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
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/frontiers"
)

// counting makes a plan of three frontiers, each of which waits for the one before, and whose items count themselves.
func counting(top megakernel.Topology) faults.Maker {
	return func(ctx context.Context, d driver.Device) (o faults.Object, err error) {
		list := []frontiers.Frontier{{ID: 1, Kind: frontiers.Parser, Active: 5}, {ID: 2, Kind: frontiers.Semantic, Active: 70}, {ID: 3, Kind: frontiers.Parser, Active: 3}}
		order := []frontiers.Order{{Before: 1, After: 2}, {Before: 2, After: 3}}
		buffer := func(words []uint32) (r driver.Range) {
			if err != nil {
				return r
			}
			var b driver.Buffer
			if b, err = d.Alloc(4*int64(len(words)), driver.AllocOptions{}); err != nil {
				return r
			}
			err = driver.Write(ctx, driver.All(b), bytesOf(words))
			return driver.All(b)
		}
		active, firsts, before, waits := buffer([]uint32{5, 70, 3}), buffer([]uint32{0, 5, 75}), buffer([]uint32{0, 1}), buffer([]uint32{0, 0, 1, 2})
		zeros := []int{78, 3, 4, 1} // hits, done, counts, wrong
		var written []driver.Range
		for _, n := range zeros {
			written = append(written, buffer(make([]uint32, n)))
		}
		if err != nil {
			return o, err
		}
		args := []driver.Arg{frontiers.Starts{}, frontiers.Places{}, active, firsts, before, waits, written[0], written[1], written[2], written[3]}
		p, err := frontiers.New(ctx, d, list, order, map[frontiers.Kind]frontiers.Program{
			frontiers.Parser: {Program: programs()["Parse"], Args: args}, frontiers.Semantic: {Program: programs()["Resolve"], Args: args},
		}, frontiers.Options{Run: megakernel.Options{Topology: top, Blocks: 2}})
		if err != nil {
			return o, err
		}
		set := func(ctx context.Context) error {
			for k, n := range zeros {
				if err := driver.Write(ctx, written[k], make([]byte, 4*n)); err != nil {
					return err
				}
			}
			return nil
		}
		run := func(ctx context.Context) error { _, err := p.Run(ctx); return err }
		compare := func(ctx context.Context) error {
			for k, want := range [][]uint32{slices.Repeat([]uint32{1}, 78), {5, 70, 3}, {8, 70, 0, 0}, {0}} {
				got := make([]byte, 4*len(want))
				if err := driver.ReadInto(ctx, written[k], got); err != nil {
					return err
				}
				if !slices.Equal(got, bytesOf(want)) {
					return fmt.Errorf("%w: buffer %d is %v, want %v", faults.ErrWrong, k, got, want)
				}
			}
			return nil
		}
		return faults.Steps(set, run, nil, compare, p.Close), nil
	}
}

func bytesOf(words []uint32) (b []byte) {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// The class: an error does not say that nothing was done. Frontiers run again after a call failed, before or after its effect.
func TestFrontiersRunOnceAfterAFailure(t *testing.T) {
	first := long.Seed(t, 1)
	for i, top := range []megakernel.Topology{megakernel.Cooperative, megakernel.BackToBack, megakernel.HostLoop} {
		config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: i == 1}
		faults.Sweep{Config: config, Faults: faults.Sizes(4, 3400), Seed: first + uint64(i), Make: counting(top)}.Run(t)
	}
}
