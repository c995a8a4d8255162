package native_test

import (
	"context"
	"errors"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// forced is the engine under options that no device sets, as a device of the suite.
type forced struct {
	name string
	code native.Options
	run  native.RunOptions

	passes compile.Choice

	place func(data []byte) []byte // copies a buffer to where it is to lie; nil: anywhere
}

func (f forced) Name() string { return f.name }

func (f forced) Run(ctx context.Context, p *ir.Program, l conform.Launch) (out conform.Outcome, err error) {
	q, _, err := opt.Run(p, opt.Options{Passes: f.passes})
	if err != nil {
		return out, err
	}
	k, err := native.New(q, f.code)
	if err != nil {
		return out, err
	}
	defer k.Close()
	place := f.place
	if place == nil {
		place = aligned
	}
	in := launch.Launch{Grid: l.Grid, Rest: l.Rest}
	for i, param := range p.Params() {
		arg := launch.Arg{Bits: param.Type.Extend(l.Args[i].Bits & param.Type.Mask())}
		if param.IsBuffer() {
			arg = launch.Arg{Mem: place(l.Args[i].Data)}
		}
		in.Args, out.Buffers = append(in.Args, arg), append(out.Buffers, arg.Mem)
	}
	res, err := k.Run(ctx, &in, f.run)
	out.Dropped = res.TracesDropped
	for _, t := range res.Traces {
		out.Traces = append(out.Traces, conform.Trace{Tag: t.Tag, Linear: t.Linear, Values: slices.Clone(t.Values[:t.Count])})
	}
	if t := res.Trap; t != nil {
		out.Trap = &conform.Trap{Code: t.Code, Value: t.Value, Group: t.By.Group, Local: t.By.Local, Message: t.Message, Line: t.Pos.Line}
	}
	return out, err
}

// aligned copies bytes to where every element is.
func aligned(data []byte) []byte {
	words := make([]uint64, len(data)/8+1)
	b := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(data))
	copy(b, data)
	return b
}

// With few registers nearly everything is spilled; with a poll a round every loop stops and goes on; vectors that could run
// alone have frames of their own, or go in step however many registers that takes.
func TestForcedSpillsAndStopsChangeNothing(t *testing.T) {
	needs.MachineCode(t, native.Available())
	together := false
	for _, d := range []forced{
		{name: "two registers", code: native.Options{Registers: 2}},
		{name: "twenty registers, the upper ones first", code: native.Options{Registers: 20, Upper: true}},
		{name: "jumps that reach far", code: native.Options{}.Far()},
		{name: "two vectors in step", code: native.Options{Vectors: 2}},
		{name: "four vectors in step, three registers, a poll a round", code: native.Options{Vectors: 4, Registers: 3}, run: native.RunOptions{Polls: 1}},
		{name: "a poll a round", run: native.RunOptions{Polls: 1}},
		{name: "together, four registers, three rounds", code: native.Options{Registers: 4, Alone: &together}, run: native.RunOptions{Polls: 3, Workers: 3}},
	} {
		t.Run(d.name, func(t *testing.T) {
			for seed := range long.Seeds(t, 40, 1000, 30_000) {
				p := conform.Random(seed + 7000)
				var no *native.UnsupportedError
				if err := agree(p, d); err != nil && !errors.As(err, &no) {
					t.Fatalf("seed %d: %v\n%s", seed+7000, err, p.Describe())
				}
			}
		})
	}
}

// kernelOf compiles text as it is.
func kernelOf(t testing.TB, source string) *native.Kernel {
	t.Helper()
	needs.MachineCode(t, native.Available())
	ps, err := text.Parse("test", "vyre 1\n"+source)
	if err != nil {
		t.Fatal(err)
	}
	k, err := native.New(ps[0], native.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k
}

func TestEndlessLoopObeysItsContext(t *testing.T) {
	for name, source := range map[string]string{
		"of all lanes": `kernel @endless workgroup(64) {
			loop ^l () { continue ^l }
			unreachable
		}`,
		"of some lanes": `kernel @endless workgroup(64) {
			%l = lane
			%some = lt.u32 %l, 3_u32
			if %some {
				loop ^l () { continue ^l }
				unreachable
			}
		}`,
		"that waits for nobody": `kernel @endless workgroup(64) {
			param @x: buf<u32> rw
			loop ^l () {
				%v = atomic_load.relaxed.dev @x[0_u32]
				%there = ne.u32 %v, 0_u32
				if %there { break ^l }
				continue ^l
			}
		}`,
	} {
		t.Run(name, func(t *testing.T) {
			k := kernelOf(t, source)
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			in := &launch.Launch{Grid: [3]uint32{4, 1, 1}, Args: []launch.Arg{{Mem: aligned(make([]byte, 4))}}[:len(k.Program().Params())]}
			var canceled *launch.CanceledError
			if _, err := k.Run(ctx, in, native.RunOptions{}); !errors.As(err, &canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A warp may wait for a later one: vectors that have run for long let others run.
func TestWarpWaitsForALaterOne(t *testing.T) {
	k := kernelOf(t, `kernel @wait workgroup(64) {
		param @x: buf<u32> rw
		%w = warp
		%first = eq.u32 %w, 0_u32
		if %first {
			loop ^l () {
				%v = atomic_load.acquire.dev @x[0_u32]
				%there = ne.u32 %v, 0_u32
				if %there { break ^l }
				continue ^l
			}
			store @x[1_u32], 5_u32
		} else {
			atomic_store.release.dev @x[0_u32], 1_u32
		}
	}`)
	in := &launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{{Mem: aligned(make([]byte, 8))}}}
	if _, err := k.Run(context.Background(), in, native.RunOptions{}); err != nil || in.Args[0].Mem[4] != 5 {
		t.Errorf("buffer %v, error %v", in.Args[0].Mem, err)
	}
}

// busy adds up numbers for a while.
const busy = `kernel @busy workgroup(128) {
	param %n: u32
	param @x: buf<u32> rw
	%i = global.x
	%sum = loop ^l (%k: u32 = 0_u32, %s: u32 = %i) -> (u32) {
		%go = lt.u32 %k, %n
		if %go {
		} else {
			break ^l (%s)
		}
		%t = mul.u32 %s, 1664525_u32
		%u = add.u32 %t, %k
		%m = add.u32 %k, 1_u32
		continue ^l (%m, %u)
	}
	store @x[%i], %sum
}`

// Launches from many goroutines give the same bits while the collector runs all the time and a profile is taken.
//
//ci:race Hammer|FirstGroupsMeet
func TestHammerCollectionAndProfiles(t *testing.T) {
	k := kernelOf(t, busy)
	if err := pprof.StartCPUProfile(&strings.Builder{}); err == nil { // else a profile is being taken already
		defer pprof.StopCPUProfile()
	}
	launch := func() []byte {
		in := &launch.Launch{Grid: [3]uint32{16, 1, 1}, Args: []launch.Arg{{Bits: 2000}, {Mem: aligned(make([]byte, 4*2048))}}}
		if _, err := k.Run(context.Background(), in, native.RunOptions{Polls: 100}); err != nil {
			t.Error(err)
		}
		return in.Args[1].Mem
	}
	want := launch()
	stop := make(chan struct{})
	var collector, all sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	meets := kernelOf(t, launches[3].source)
	for i := range 64 {
		all.Go(func() {
			for range long.Count(2, 50, 500) {
				if i%2 == 0 && !slices.Equal(launch(), want) {
					t.Error("other bits")
				}
				in := launchOf(4, 1)
				if _, err := meets.Run(context.Background(), in, native.RunOptions{Workers: 1 + i%5, Helped: i%3 > 0}); err != nil || in.Args[0].Mem[4*127] != 99 {
					t.Errorf("after 100 barriers of the grid: %v, %v", in.Args[0].Mem[4*127], err)
				}
			}
		})
	}
	all.Wait()
	close(stop)
	collector.Wait()
}

// One program, compiled twice, is the same code: no map decides anything.
func TestCodeIsReproducible(t *testing.T) {
	needs.MachineCode(t, native.Available())
	for seed := range uint64(20) {
		q, _, err := opt.Run(conform.Random(seed).Program, opt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var codes [2][]byte
		for i := range codes {
			k, err := native.New(q, native.Options{})
			if err != nil {
				t.Fatal(err)
			}
			codes[i] = slices.Clone(k.Code())
			k.Close()
		}
		if !slices.Equal(codes[0], codes[1]) {
			t.Errorf("seed %d: two codes of one program", seed)
		}
	}
}

func TestTooManyRowsAreRefused(t *testing.T) {
	needs.MachineCode(t, native.Available())
	var b strings.Builder
	b.WriteString("vyre 1\nkernel @local workgroup(1024) {\n local @big: u32[4096]\n local @more: u32[0]\n}")
	ps, err := text.Parse("test", strings.Replace(b.String(), " local @more: u32[0]\n", "", 1))
	if err != nil {
		t.Fatal(err)
	}
	var no *native.UnsupportedError
	if _, err := native.New(ps[0], native.Options{}); !errors.As(err, &no) || !strings.Contains(no.Reason, "frame") {
		t.Errorf("a frame of 16 MiB and more: %v", err)
	}
}

// What is uniform is so in all lanes of a vector, also in those beyond a short group: a branch looks at all of them.
func TestUniformValuesAreSoInLanesThatDoNotExist(t *testing.T) {
	k := kernelOf(t, `kernel @short workgroup(33) {
		param @yes: buf<bool> ro
		param @n: buf<u64> ro
		param @pair: buf<u32> ro
		param @x: buf<u32> rw
		%i = global.x
		%z = local.z
		%a = load @yes[0_u32]
		%no = not.bool %a
		if %no { store @x[%i], 1_u32 }
		%v = load @n[0_u32]
		%c = clz.u64 %v
		%few = lt.u32 %c, 60_u32
		if %few { store @x[%i], 2_u32 }
		%w = load.v2 @pair[0_u32]
		%e = elem %w, #0
		%none = eq.u32 %e, 0_u32
		if %none { store @x[%i], 3_u32 }
		%far = ne.u32 %z, 0_u32
		if %far { store @x[%i], 4_u32 }
	}`)
	in := &launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{{Mem: aligned([]byte{1})}, {Mem: aligned([]byte{3, 0, 0, 0, 0, 0, 0, 0})},
		{Mem: aligned([]byte{9, 0, 0, 0})}, {Mem: aligned(make([]byte, 4*33))}}}
	if _, err := k.Run(context.Background(), in, native.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(in.Args[3].Mem); i += 4 {
		if n := in.Args[3].Mem[i]; n != 0 {
			t.Errorf("invocation %d took branch %d", i/4, n)
		}
	}
}
