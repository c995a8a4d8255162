package device

import (
	"context"
	"errors"
	"math"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel"
)

// Options adjusts a call of Canonicalise. The zero value closes the graph and reads roots, live rows and groups.
type Options struct {
	// MaxRounds ends the call after so many rounds, with Status Stopped if the last one united something. 0 is any number.
	MaxRounds uint32
	// Rows reads the rows as well, which Result.Graph needs.
	Rows bool
	// Topology says who drives the rounds; Auto is one launch where the device has barriers of the grid. All leave the
	// same bytes.
	Topology megakernel.Topology
}

// Session is an image on a device.
type Session struct {
	dev    vyre.Device
	tuned  tuning
	image  driver.Buffer
	unions unions
	reading
	pinned *driver.HostMemory
	cache  *megakernel.Cache
	plans  map[megakernel.Topology]*megakernel.Plan
	made   map[request]*commands
	last   *commands

	reports []driver.Report // of the last call
}

// Open uploads an image, and prepares its closure. The session has the image until Close.
//
// Errors: OutOfMemory, with the bytes; those of a device.
func Open(ctx context.Context, dev vyre.Device, im *Image) (*Session, error) {
	return open(ctx, dev, im, tuning{keep: math.MaxUint32})
}

// open is Open for tests.
func open(ctx context.Context, dev vyre.Device, im *Image, tuned tuning) (s *Session, err error) {
	if dev == nil || im == nil || im.l == nil {
		return nil, refused("open", "no device, or no image")
	}
	s = &Session{dev: dev, reading: reading{im: im}, tuned: tuned, cache: megakernel.NewCache(dev, 0),
		plans: map[megakernel.Topology]*megakernel.Plan{}, made: map[request]*commands{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
			s = nil
		}
	}()
	if s.image, err = dev.Alloc(im.l.bytes(), driver.AllocOptions{Label: label}); err != nil {
		return s, err
	}
	s.unions.begin(im, s.image)
	if err = s.host(false); err != nil {
		return s, err
	}
	if _, err = s.prepared(ctx, s.request(0, Options{})); err != nil {
		return s, err
	}
	seq := dev.NewSequence(label + ", upload")
	seq.Upload(driver.Part(s.image, 0, 4*int64(len(im.words))), vyre.Bytes(im.words), driver.Always)
	_, err = seq.Run(ctx)
	return s, errors.Join(err, seq.Close())
}

// host makes memory for what is read, with rows or without.
func (s *Session) host(all bool) error {
	n := s.readWords(all)
	if len(s.read) >= n {
		return nil
	}
	if err := s.forget(); err != nil {
		return err
	}
	if s.pinned != nil {
		if err := s.pinned.Close(); err != nil {
			return err
		}
		s.pinned = nil
	}
	s.read = make([]uint32, n)
	if m, err := s.dev.Pin(vyre.Bytes(s.read)); err == nil { // else a read takes longer
		s.pinned = m
	}
	return nil
}

// Canonicalise unites the classes of the pending unions, after those that the image brought, and closes the graph under
// congruence. It goes on where a call that was stopped ended. A call with no unions uploads nothing.
//
// Errors: InvalidArgument for classes that are not there, or of two types: nothing is done then. Canceled. Those of a
// device. After these the next call begins with the unions of the failed one.
func (s *Session) Canonicalise(ctx context.Context, pending [][2]uint32, o Options) (r Result, err error) {
	if s == nil || s.image == nil {
		return r, refused("canonicalise", "the session is closed")
	}
	if o.Topology >= megakernel.Drained {
		return r, refused("canonicalise", "topology %v has no rounds", o.Topology)
	}
	if err := s.unions.check(s.im.types, pending); err != nil {
		return r, err
	}
	if err := s.settle(ctx); err != nil {
		return r, err
	}
	upload, err := s.stageCall(pending, o.MaxRounds)
	if err != nil {
		return r, err
	}
	if err := s.host(o.Rows); err != nil {
		return r, err
	}
	c, err := s.prepared(ctx, s.request(upload, o))
	if err != nil {
		return r, err
	}
	s.last = c
	r.Timing, s.reports, err = c.run(ctx)
	if err != nil {
		s.unions.failed()
		return r, err
	}
	s.unions.done(o.MaxRounds)
	r.Uploaded, r.Read = uint64(4*upload), uint64(4*s.readWords(o.Rows))
	r.fill(&s.reading, o.Rows)
	return r, nil
}

// stageCall stages the unions of a call, and returns how many words are to be uploaded. What becomes too small is
// replaced, and with it what has its place.
func (s *Session) stageCall(pending [][2]uint32, most uint32) (words int, err error) {
	if !s.unions.fits(len(pending)) {
		if err := s.forget(); err != nil {
			return 0, err
		}
		s.unions.widen(len(pending))
	}
	s.unions.add(pending)
	if 4*int64(len(s.unions.stage)) > s.unions.staging().Len {
		if err := s.forget(); err != nil {
			return 0, err
		}
		if err := s.forgetPlans(); err != nil {
			return 0, err
		}
		if err := s.unions.grow(s.dev); err != nil {
			return 0, err
		}
	}
	return s.unions.head(len(pending), most), nil
}

// settle waits for what a call left under way.
func (s *Session) settle(ctx context.Context) error {
	if s.last == nil {
		return nil
	}
	return s.last.settle(ctx)
}

func (s *Session) request(upload int, o Options) request {
	if o.Topology == megakernel.Auto && s.dev.Caps().GridBarrier {
		o.Topology = megakernel.Cooperative
	}
	return request{o.Topology, o.Rows, upload}
}

// plan returns the plan of a topology.
func (s *Session) plan(ctx context.Context, how megakernel.Topology) (*megakernel.Plan, error) {
	if p := s.plans[how]; p != nil {
		return p, nil
	}
	l := s.im.l
	w := &closing{tuning: s.tuned, l: l, b: s.image, pairs: s.unions.staging()}
	w.make()
	if w.err != nil {
		return nil, w.err
	}
	o := megakernel.Options{Label: label, Topology: how, MaxRounds: math.MaxInt32, Tail: megakernel.TailNever,
		Cache: s.cache}
	if l.n > many {
		o.Blocks = megakernel.AllBlocks
	}
	p, err := megakernel.New(ctx, s.dev, w.list, w.dependencies(), o)
	if err != nil {
		return nil, err
	}
	s.plans[how] = p
	return p, nil
}

// prepared returns the commands of a request, and prepares them the first time.
func (s *Session) prepared(ctx context.Context, r request) (*commands, error) {
	if c := s.made[r]; c != nil {
		return c, nil
	}
	p, err := s.plan(ctx, r.topology)
	if err != nil {
		return nil, err
	}
	c := &commands{first: s.dev.NewSequence(label)}
	if r.upload > 0 {
		c.first.Upload(driver.Part(s.unions.staging().Buffer, s.unions.staging().Off, 4*int64(r.upload)),
			vyre.Bytes(s.unions.stage[:r.upload]), driver.Always)
	}
	from, to := groupClass, s.read[len(s.read)-s.readWords(false):]
	if r.rows {
		from, to = class, s.read
	}
	err = c.finish(s.dev, p, label+", result", s.im.l.from(s.image, from, parent), vyre.Bytes(to))
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	s.made[r] = c
	return c, nil
}

// forget closes all commands.
func (s *Session) forget() (err error) {
	for r, c := range s.made {
		err = errors.Join(err, c.close())
		delete(s.made, r)
	}
	s.last = nil
	return err
}

// forgetPlans closes all plans, and keeps those that could not be closed.
func (s *Session) forgetPlans() (err error) {
	for how, p := range s.plans {
		if failed := p.Close(); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		delete(s.plans, how)
	}
	return err
}

// Bytes is how much memory of the device the image and staged unions take. Plans have some hundred bytes for
// themselves.
func (s *Session) Bytes() uint64 {
	n := s.im.Bytes()
	if s.unions.pairs != nil {
		n += uint64(s.unions.pairs.Len())
	}
	return n
}

// Close gives everything back.
func (s *Session) Close() (err error) {
	if s == nil {
		return nil
	}
	_ = s.settle(context.Background()) // whatever came of it
	err = errors.Join(s.forget(), s.forgetPlans())
	if s.cache != nil {
		s.cache.Close()
		s.cache = nil
	}
	if s.pinned != nil {
		err = errors.Join(err, s.pinned.Close())
		s.pinned = nil
	}
	for _, b := range []*driver.Buffer{&s.unions.pairs, &s.image} {
		if *b != nil {
			err = errors.Join(err, (*b).Close())
			*b = nil
		}
	}
	return err
}
