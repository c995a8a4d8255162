package drivertest

import (
	"context"
	"errors"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

var dispatchTests = []test{
	{"DispatchUploadsRunsAndReads", func(e *env) {
		k := e.compile(addTo)
		dst := make([]byte, 16)
		_, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.In(le(1, 2, 3)), driver.Out(dst), driver.U32(10))
		e.must(err)
		// The fourth word is out of the kernel's input: it loads zero.
		e.equal("output", dst, le(11, 12, 13, 10))
		both := le(4)
		_, err = driver.Dispatch(ctx, e.compile(add), driver.Groups(1), driver.InOut(both), driver.U32(1))
		e.must(err)
		e.equal("in and out", both, le(5))
	}},
	{"OutputsStartAsZero", func(e *env) {
		k := e.compile(addTo)
		for range 3 {
			dst := le(9)
			_, err := driver.Dispatch(ctx, k, driver.EmptyGrid(), driver.In(le(1)), driver.Out(dst), driver.U32(1))
			e.must(err)
			e.equal("output of nothing", dst, le(0))
			_, err = driver.Dispatch(ctx, k, driver.Groups(1), driver.In(le(1)), driver.Out(dst), driver.U32(1))
			e.must(err)
			e.equal("output", dst, le(2))
		}
	}},
	{"DispatchTakesRanges", func(e *env) {
		k := e.compile(addTo)
		b := e.words("b", 7)
		for range 2 {
			dst := make([]byte, 4)
			_, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.All(b), driver.Out(dst), driver.U32(1))
			e.must(err)
			e.equal("output", dst, le(8))
		}
		e.must(b.Close()) // nothing keeps it
	}},
	{"ShapesThatAreKeptHoldNoHostMemory", func(e *env) {
		k := e.compile(addTo)
		m, err := e.dev.AllocHost(8)
		e.must(err)
		_, err = driver.Dispatch(ctx, k, driver.Groups(1), driver.In(m.Bytes()[:4]), driver.Out(m.Bytes()[4:]), driver.U32(1))
		e.must(err)
		e.equal("output", m.Bytes(), le(0, 1))
		e.must(m.Close())
	}},
	{"EqualShapesAreKept", func(e *env) {
		k := e.compile(addTo)
		call := func(n int) {
			_, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.In(make([]byte, n)), driver.Out(make([]byte, n)), driver.U32(1))
			e.must(err)
		}
		call(4)
		e.same("sequences", e.dev.Stats().Get(metric.Sequences), 1)
		call(4)
		call(4)
		e.same("sequences after equal calls", e.dev.Stats().Get(metric.Sequences), 1)
		if e.dev.Caps().Graphs {
			e.same("graphs after equal calls", e.dev.Stats().Get(metric.Graphs), 1)
		}
		for n := 8; n < 400; n += 4 {
			call(n)
		}
		e.same("sequences after many shapes", e.dev.Stats().Get(metric.Sequences), driver.MaxShapes)
		e.must(k.Close())
		e.same("sequences after Close", e.dev.Stats().Get(metric.Sequences), 0)
	}},
	{"UnchangedInputsOfAKeptShapeAreNotSentAgain", func(e *env) {
		k := e.compile(addTo)
		src := le(1, 2, 3, 4)
		call := func() {
			_, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.In(src), driver.Out(make([]byte, 16)), driver.U32(1))
			e.must(err)
		}
		call()
		call()
		e.same("bytes", e.counted(call).Get(metric.UploadBytes), 0)
		src[0]++
		e.same("bytes after a change", e.counted(call).Get(metric.UploadBytes), 16)
	}},
	{"WrongArgumentsAreRefused", func(e *env) {
		k := e.compile(addTo)
		_, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.In(le(1)), driver.Out(make([]byte, 3)), driver.U32(1))
		e.fails(err, driver.InvalidArgument, "y is 3 bytes")
		_, err = driver.Dispatch(ctx, k, driver.Groups(1), driver.In(le(1)))
		e.fails(err, driver.InvalidArgument, "1 arguments for 3 parameters")
		_, err = driver.Dispatch(ctx, k, driver.Groups(1), driver.In(le(1)), driver.Out(make([]byte, 4)), nil)
		e.fails(err, driver.InvalidArgument, "n is u32, the argument is nil")
		_, err = driver.Dispatch(ctx, nil, driver.Groups(1))
		e.fails(err, driver.InvalidArgument, "kernel is nil")
	}},
	{"ArgumentsOfTheWrongDirectionAreRefused", func(e *env) {
		k := e.compile(addTo)
		x, y := le(1), le(2)
		_, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.In(x), driver.In(y), driver.U32(1))
		e.fails(err, driver.InvalidArgument, "y is wo buffer of u32", "written to an In is lost", "InOut")
		_, err = driver.Dispatch(ctx, k, driver.Groups(1), driver.Out(x), driver.Out(y), driver.U32(1))
		e.fails(err, driver.InvalidArgument, "x is ro buffer of u32", "an Out is all zeros", "as In")
		e.equal("x", x, le(1))
		_, err = driver.Dispatch(ctx, k, driver.Groups(1), driver.Out(x), driver.In(y), driver.U32(1))
		e.fails(err, driver.InvalidArgument, "x is ro", "y is wo")
		_, err = driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(x), driver.InOut(y), driver.U32(1))
		e.must(err)
		e.equal("y", y, le(2))
	}},
	{"HostMemoryOfTwoParametersIsOnlyRead", func(e *env) {
		k, m := e.compile(sumTo), le(1, 2, 3, 4, 5, 6, 7, 8)
		for _, c := range []struct {
			name     string
			x, y, z  driver.Host
			says     string
			sequence []uint32 // what m is then
		}{
			{"the same", driver.In(m[:4]), driver.In(m[8:12]), driver.InOut(m[:4]), "z is written and shares host memory with x", nil},
			{"parts", driver.In(m[16:32]), driver.In(m[:16]), driver.InOut(m[12:28]), "z is written and shares host memory with", nil},
			{"one inside the other", driver.In(m[:0]), driver.In(m[:32]), driver.InOut(m[8:12]), "z is written and shares host memory with y", nil},
			{"one byte", driver.In(m[:4]), driver.In(m[3:7]), driver.InOut(m[6:10]), "z is written and shares host memory with y", nil},
			{"read twice", driver.In(m[:8]), driver.In(m[4:12]), driver.InOut(m[12:20]), "", []uint32{1, 2, 3, 3, 5, 6, 7, 8}},
			{"side by side", driver.In(m[:4]), driver.In(m[8:12]), driver.InOut(m[4:8]), "", []uint32{1, 4, 3, 3, 5, 6, 7, 8}},
			{"nothing of it", driver.In(m[4:4]), driver.In(nil), driver.InOut(m[:8]), "", []uint32{0, 0, 3, 3, 5, 6, 7, 8}},
			{"written nothing of it", driver.In(m[:8]), driver.In(m[:8]), driver.InOut(m[4:4]), "", []uint32{0, 0, 3, 3, 5, 6, 7, 8}},
		} {
			e.sub(c.name, func(e *env) {
				before := e.dev.Stats()
				for range 3 { // also of a shape that is kept
					want := m
					if c.says == "" {
						want = le(c.sequence...)
					}
					want = slices.Clone(want)
					_, err := driver.Dispatch(ctx, k, driver.Groups(1), c.x, c.y, c.z)
					if c.says == "" {
						e.must(err)
					} else {
						e.fails(err, driver.InvalidArgument, `"sum_to"`, c.says, "pass separate slices, or a copy")
						st := e.dev.Stats().Sub(before)
						e.same("sequences", st.Get(metric.Sequences), 0)
						e.same("uploads", st.Get(metric.UploadBytes), 0)
					}
					e.equal("host memory", m, want)
				}
			})
		}
	}},
	{"KeptShapesRefuseHostMemoryOfTwoParameters", func(e *env) {
		k, m := e.compile(addTo), le(1, 2, 3, 4)
		_, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.In(m[:8]), driver.Out(m[8:]), driver.U32(1))
		e.must(err)
		_, err = driver.Dispatch(ctx, k, driver.Groups(1), driver.In(m[:8]), driver.Out(m[4:12]), driver.U32(1))
		e.fails(err, driver.InvalidArgument, "y is written and shares host memory with x")
		_, err = driver.Dispatch(ctx, k, driver.Groups(1), driver.In(m[:8]), driver.Out(m[8:]), driver.U32(2))
		e.must(err)
		e.equal("host memory", m, le(1, 2, 3, 4))
		e.same("sequences", e.dev.Stats().Get(metric.Sequences), 1)
	}},
	{"CanceledDispatchDeliversNothing", func(e *env) {
		e.interrupted(func(n uint32) error {
			k := e.compile(spin)
			dst := le(5)
			err := e.cancelWhileRunning(func(c context.Context) error {
				_, err := driver.Dispatch(c, k, driver.Groups(1), driver.Out(dst), driver.U32(n))
				return err
			})
			if err == nil {
				e.must(k.Close())
				return nil
			}
			says := []string{"dispatch \"spin\"", "outputs are dropped", "keeps its bytes"}
			if !e.dev.Caps().EndsRuns {
				says = append(says, "the run goes on", "record a Sequence")
			} else if n := e.dev.Stats().Get(metric.RunsInFlight); n != 0 {
				e.Errorf("%d runs are in flight", n)
			}
			e.fails(err, driver.Canceled, says...)
			if !errors.Is(err, context.Canceled) {
				e.Errorf("%v does not wrap the context's error", err)
			}
			_, again := driver.Dispatch(ctx, k, driver.Groups(1), driver.Out(make([]byte, 4)), driver.U32(1))
			e.must(again)
			e.must(k.Close()) // waits for the stray run
			e.equal("destination", dst, le(5))
			return err
		})
	}},
	{"CanceledDispatchKeepsPinnedOutputs", func(e *env) {
		e.interrupted(func(n uint32) error {
			k := e.compile(spin)
			m, err := e.dev.AllocHost(4)
			e.must(err)
			err = e.cancelWhileRunning(func(c context.Context) error {
				_, err := driver.Dispatch(c, k, driver.Groups(1), driver.Out(m.Bytes()), driver.U32(n))
				return err
			})
			switch {
			case err == nil:
			case e.dev.Caps().EndsRuns: // nothing writes the memory any more
				e.fails(err, driver.Canceled, "the run was ended")
				e.must(m.Close())
			default:
				e.fails(err, driver.Canceled, "the outputs in pinned memory belong to it until the kernel is closed")
				e.fails(m.Close(), driver.Busy)
			}
			e.must(k.Close())
			e.must(m.Close())
			return err
		})
	}},
}
