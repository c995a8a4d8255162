package cuda_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/conform"
)

// With memcheck a GPU reports the same as device cpu, to the letter: places, indices, counts, and the first invocation.
func TestGPUMemcheckReportsWhatTheCPUDoes(t *testing.T) {
	gpu(t)
	debug := driver.OpenOptions{Debug: "memcheck"}
	d, err := openGPU(debug)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := cpu.Open(cpu.Options{OpenOptions: debug})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(d.Close(), ref.Close()); err != nil {
			t.Error(err)
		}
	}()
	found := 0
	try := func(c *conform.Case) {
		if c.Program == nil || c.Refused != "" || c.Flawed() || c.AtOnce > 1 || leftOut(c) {
			return
		}
		want, err := conform.On(ref).Run(ctx, c.Program, c.Launch)
		got, err2 := conform.On(d).Run(ctx, c.Program, c.Launch)
		if err != nil || err2 != nil || !slices.Equal(got.Reports, want.Reports) {
			t.Errorf("%s: (%v)\n\t%v\nwant (%v)\n\t%v", c, err2, got.Reports, err, want.Reports)
		}
		found += len(got.Reports)
	}
	for _, match := range []string{"mem-", "record"} {
		for c := range conform.Cases(match) {
			try(c)
		}
	}
	for seed := range uint64(100) {
		try(&conform.Random(seed).Case)
	}
	total(t, "memcheck", "places=%d", found)
	if found < 100 {
		t.Errorf("there are %d findings, which are too few to tell", found)
	}
}
