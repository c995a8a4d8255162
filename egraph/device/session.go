package device

import (
	"context"
	"errors"
	"math"
	"slices"

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
	// Topology says who drives the rounds; Auto is one launch where the device has barriers of the grid. All leave the same bytes.
	Topology megakernel.Topology
}

// Session is an image on a device.
type Session struct {
	dev   vyre.Device
	tuned tuning
	image driver.Buffer
	unions
	anew bool // how far the call before came is unknown

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
	s.stage = slices.Clone(im.words[im.l.at[staged]:][:im.l.len[staged]])
	s.left, s.have = int(im.pending), head{true, int(im.pending), 0}
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
	if err := s.check(pending, o); err != nil {
		return r, err
	}
	if err := s.settle(ctx); err != nil {
		return r, err
	}
	upload, err := s.stageCall(pending, o)
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
		s.have.known, s.anew = false, true
		return r, err
	}
	s.have, s.anew, s.left = head{true, 0, o.MaxRounds}, false, 0
	r.Uploaded, r.Read = uint64(4*upload), uint64(4*s.readWords(o.Rows))
	r.fill(&s.reading, o.Rows)
	return r, nil
}

// settle waits for what a call left under way.
func (s *Session) settle(ctx context.Context) error {
	c := s.last
	if c == nil {
		return nil
	}
	if err := c.first.Settle(ctx); err != nil {
		return err
	}
	if c.plan == nil {
		return nil
	}
	if err := c.plan.Settle(ctx); err != nil {
		return err
	}
	return c.read.Settle(ctx)
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

// Bytes is how much memory of the device the image and staged unions take. Plans have some hundred bytes for themselves.
func (s *Session) Bytes() uint64 {
	n := s.im.Bytes()
	if s.pairs != nil {
		n += uint64(s.pairs.Len())
	}
	return n
}

// Close gives everything back.
func (s *Session) Close() (err error) {
	if s == nil {
		return nil
	}
	_ = s.settle(context.Background()) // whatever came of it
	err = s.forget()
	for how, p := range s.plans {
		err = errors.Join(err, p.Close())
		delete(s.plans, how)
	}
	if s.cache != nil {
		s.cache.Close()
		s.cache = nil
	}
	if s.pinned != nil {
		err = errors.Join(err, s.pinned.Close())
		s.pinned = nil
	}
	for _, b := range []*driver.Buffer{&s.pairs, &s.image} {
		if *b != nil {
			err = errors.Join(err, (*b).Close())
			*b = nil
		}
	}
	return err
}
