package speedup

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/pipeline"
)

// stagesPrefix begins the name of a chain of stages, over so many items.
const stagesPrefix = "stages:"

// mostItems bounds the items of a chain of stages: three buffers of them are allocated.
const mostItems = 1 << 28

// ParseStages reads the name of a chain of three stages, such as stages:1048576. ok says whether it is one.
func ParseStages(name string) (items uint32, ok bool, err error) {
	text, ok := strings.CutPrefix(name, stagesPrefix)
	if !ok {
		return 0, false, nil
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n == 0 || n > mostItems {
		return 0, true, fmt.Errorf("%q: %q items, want 1 to %d", name, text, mostItems)
	}
	return uint32(n), true, nil
}

// TrialStages measures three kernels, one after the other, in every way in which a pipeline can join them; see
// pipeline.Trial. What they leave is compared with what a core computes.
func TrialStages(ctx context.Context, dev driver.Device, items uint32, h *megakernel.History) (err error) {
	var programs [3]*ir.Program
	for k, of := range []func() (*ir.Program, error){ScaleProgram, ShiftProgram, NeighbourProgram} {
		if programs[k], err = of(); err != nil {
			return err
		}
	}
	bytes := 4 * int64(items)
	var buffers [2]driver.Buffer
	for k := range buffers {
		b, err := dev.Alloc(bytes, driver.AllocOptions{Label: "stages"})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.Close()) }()
		buffers[k] = b
	}
	host := make([]byte, bytes)
	for i := range items {
		binary.LittleEndian.PutUint32(host[4*i:], i*i)
	}
	if err := driver.Write(ctx, driver.All(buffers[0]), host); err != nil {
		return err
	}
	scaled, shifted := megakernel.Temp{ID: 1, Bytes: bytes}, megakernel.Temp{ID: 2, Bytes: bytes}
	err = pipeline.Trial(ctx, dev, []pipeline.Stage{
		{Program: programs[0], Args: []driver.Arg{driver.All(buffers[0]), scaled}, Items: items},
		{Program: programs[1], Args: []driver.Arg{scaled, shifted}, Items: items},
		{Program: programs[2], Args: []driver.Arg{shifted, driver.All(buffers[1])}, Items: items},
	}, pipeline.Options{Label: "trial"}, h)
	if err != nil {
		return err
	}
	if err := driver.ReadInto(ctx, driver.All(buffers[1]), host); err != nil {
		return err
	}
	for i := range items {
		next := min(i+1, items-1)
		if got, want := binary.LittleEndian.Uint32(host[4*i:]), (3*i*i+1)^(3*next*next+1); got != want {
			return fmt.Errorf("%s%d on %s: item %d is %d, want %d; no time of it counts", stagesPrefix, items, dev.Name(), i, got, want)
		}
	}
	return nil
}
