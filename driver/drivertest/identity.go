package drivertest

import "github.com/govyre/vyre/driver"

// A launcher embeds a kernel, a window a buffer, a watched run a run: they stand for what they embed,
// where that is set.
type (
	launcher struct{ driver.Kernel }
	window   struct{ driver.Buffer }
	watched  struct{ driver.Pending }
	wrapped  struct{ driver.Range }
)

// posing has the methods of a kernel and of a buffer, by embedding, and a leaf that no device made.
type posing struct {
	driver.Leaf
	kernelMethods
	bufferMethods
}

type (
	kernelMethods interface {
		Digest() [32]byte
		Occupancy(int) driver.Occupancy
		Workgroup() [3]uint32
	}
	bufferMethods interface {
		Len() int64
		Device() driver.Device
		Reserved() int64
		Address() (uint64, error)
	}
)

// posingKernel is a kernel for the compiler: it embeds one that is not set, beside a leaf of its own.
type posingKernel struct {
	driver.Kernel
	of *driver.HostMemory
}

// posingBuffer passes host memory for a buffer.
type posingBuffer struct {
	*driver.HostMemory
	bufferMethods
}

var identityTests = []test{
	{"LauncherStandsForItsKernel", func(e *env) {
		k := launcher{e.compile(add)}
		b := e.words("b", 1)
		s := e.dev.NewSequence("launcher")
		st := s.Launch(k, driver.Grid{1}, window{b}.all(), driver.U32(1))
		e.run(s)
		e.must(st.SetArg(0, window{b}.all()))
		e.run(s)
		if e.dev.Caps().Graphs {
			g, err := s.Capture(driver.CaptureOptions{})
			e.must(err)
			e.run(g)
			e.must(st.SetArg(0, driver.Part(window{e.words("other", 7)}, 0, 4)))
			e.run(g)
			e.equal("b", e.read(b), le(4))
		}
		for range 3 {
			word := le(5)
			_, err := driver.Dispatch(ctx, k, driver.Grid{1}, driver.InOut(word), driver.U32(3))
			e.must(err)
			e.equal("word", word, le(8))
		}
		e.must(s.Close())
		e.must(k.Close())
	}},
	{"WindowStandsForItsBuffer", func(e *env) {
		b := e.words("b", 1, 2, 3)
		w := window{b}
		e.must(driver.Write(ctx, driver.Part(w, 4, 4), le(9)))
		s := e.dev.NewSequence("window")
		s.Copy(driver.Part(w, 0, 4), driver.Part(b, 4, 4))
		s.Fill(driver.Part(w, 8, 4), 7, 4)
		word := make([]byte, 4)
		s.Read(driver.Part(w, 0, 4), word)
		e.run(s)
		e.equal("b", e.read(w), le(9, 9, 7))
		e.equal("word", word, le(9))
		e.fails(b.Close(), driver.Busy, `held by "window"`)

		overlap := e.dev.NewSequence("overlap")
		overlap.Copy(driver.Part(w, 0, 8), driver.Part(b, 4, 8))
		e.fails(overlap.Prepare(), driver.InvalidArgument, "overlap")

		p := e.dev.NewPool(driver.PoolOptions{})
		got, err := p.Get(4)
		e.must(err)
		e.must(p.Put(window{got}))
		e.must(p.Close())
	}},
	{"StartTakesARunInAWrapping", func(e *env) {
		b := e.words("b", 0)
		k := e.compile(add)
		var last driver.Pending
		for _, name := range []string{"first", "second"} {
			s := e.dev.NewSequence(name)
			s.Launch(k, driver.Grid{1}, driver.All(b), driver.U32(1))
			var after []driver.Pending
			if last != nil {
				after = append(after, watched{last})
			}
			var err error
			last, err = s.Start(ctx, after...)
			e.must(err)
		}
		_, err := last.Wait(ctx)
		e.must(err)
		e.equal("b", e.read(b), le(2))
		s := e.dev.NewSequence("after nothing")
		s.Fill(driver.All(b), 0, 4)
		for _, after := range []driver.Pending{nil, watched{}} {
			_, err := s.Start(ctx, after)
			e.fails(err, driver.InvalidArgument, "to start after is nil")
		}
		e.run(s)
	}},
	{"ForeignKernelsAndBuffersAreRefused", func(e *env) {
		host, err := e.dev.AllocHost(4)
		e.must(err)
		k, b := e.compile(add), e.words("b", 1)
		kernels := map[string]driver.Kernel{"a launcher without a kernel": launcher{}, "a kernel that is not set": posingKernel{of: host}}
		for name, foreign := range kernels {
			e.sub(name, func(e *env) {
				s := e.dev.NewSequence("foreign")
				st := s.Launch(foreign, driver.Grid{1}, driver.All(b), driver.U32(1))
				e.must(st.SetArg(1, driver.U32(2)))
				e.fails(st.SetArg(2, driver.U32(2)), driver.InvalidArgument, "no argument 2")
				e.fails(s.Prepare(), driver.InvalidArgument, "holds no kernel that a device made", "pass what Compile returned")
				_, err := s.Run(ctx)
				e.fails(err, driver.InvalidArgument)
				e.must(s.Close())
				_, err = driver.Dispatch(ctx, foreign, driver.Grid{1}, driver.InOut(le(1)), driver.U32(1))
				e.fails(err, driver.InvalidArgument, "holds no kernel that a device made")
			})
		}
		buffers := map[string]driver.Buffer{"a window of nothing": window{}, "host memory": posingBuffer{HostMemory: host}, "a leaf of nobody": &posing{}}
		for name, foreign := range buffers {
			e.sub(name, func(e *env) {
				for _, record := range []func(*driver.Sequence, driver.Range){
					func(s *driver.Sequence, r driver.Range) { s.Fill(r, 0, 1) },
					func(s *driver.Sequence, r driver.Range) { s.Upload(r, nil, driver.Always) },
					func(s *driver.Sequence, r driver.Range) { s.Copy(r, driver.All(b)) },
					func(s *driver.Sequence, r driver.Range) { s.Read(r, nil) },
					func(s *driver.Sequence, r driver.Range) { s.While(r, 1, func() {}) },
					func(s *driver.Sequence, r driver.Range) { s.Launch(k, driver.Grid{1}, r, driver.U32(1)) },
				} {
					s := e.dev.NewSequence("foreign")
					record(s, driver.All(foreign))
					e.fails(s.Prepare(), driver.InvalidArgument, "holds no buffer that a device made")
					e.must(s.Close())
				}
				s := e.dev.NewSequence("set")
				st := s.Launch(k, driver.Grid{1}, driver.All(b), driver.U32(0))
				e.run(s)
				e.fails(st.SetArg(0, driver.All(foreign)), driver.InvalidArgument, "holds no buffer that a device made")
				e.run(s)
				e.must(s.Close())
				e.fails(driver.Write(ctx, driver.Part(foreign, 0, 0), nil), driver.InvalidArgument, "holds no buffer that a device made")
				p := e.dev.NewPool(driver.PoolOptions{})
				e.fails(p.Put(foreign), driver.InvalidArgument, "holds no buffer that a device made")
				e.must(p.Close())
			})
		}
		e.equal("b", e.read(b), le(1))
		e.must(host.Close())
	}},
	{"ForeignArgumentsAreRefused", func(e *env) {
		s := e.dev.NewSequence("foreign")
		s.Launch(e.compile(add), driver.Grid{1}, wrapped{driver.All(e.words("b", 0))}, driver.U32(1))
		e.fails(s.Prepare(), driver.InvalidArgument, "x is rw buffer of u32, the argument is of a type that is not of this package", "pass the Range")
	}},
}

// all is the whole of what the window is of.
func (w window) all() driver.Range { return driver.All(w) }
