package device

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"slices"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph/device/internal/closure"
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
	im    *Image
	tuned tuning
	image driver.Buffer
	pairs driver.Buffer // staged unions, where there are too many for the image's own column
	stage []uint32      // what is staged, behind its head
	left  int           // pairs at its begin that no finished call has united
	have  head          // what the device has staged
	anew  bool          // nobody knows how far the call before came

	read   []uint32 // from class or groupClass to parent
	pinned *driver.HostMemory
	cache  *megakernel.Cache
	plans  map[megakernel.Topology]*megakernel.Plan
	made   map[request]*commands
	last   *commands

	reports []driver.Report // of the last call
}

// head is the head of what is staged.
type head struct {
	known bool
	pairs int
	most  uint32
}

// request is what the commands of a call depend on.
type request struct {
	topology megakernel.Topology
	rows     bool
	upload   int // words
}

// commands are those of a call.
type commands struct {
	plan  *megakernel.Plan // nil if the first sequence has everything
	first *driver.Sequence
	read  *driver.Sequence
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
	s = &Session{dev: dev, im: im, tuned: tuned, cache: megakernel.NewCache(dev, 0),
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
	l := s.im.l
	n := l.at[parent] + l.len[parent] - l.at[groupClass]
	if all {
		n = l.at[parent] + l.len[parent] - l.at[class]
	}
	if int64(len(s.read)) >= n {
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
	w := &waves{tuning: s.tuned, l: l, b: s.image, pairs: s.staging()}
	w.make()
	if w.err != nil {
		return nil, w.err
	}
	o := megakernel.Options{Label: label, Topology: how, MaxRounds: math.MaxInt32, Tail: megakernel.TailNever, Cache: s.cache}
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
		c.first.Upload(driver.Part(s.staging().Buffer, s.staging().Off, 4*int64(r.upload)), vyre.Bytes(s.stage[:r.upload]), driver.Always)
	}
	last := c.first
	if p.Commands().Round == nil {
		p.Commands().Begin(c.first)
	} else {
		c.plan, c.read = p, s.dev.NewSequence(label+", result")
		last = c.read
	}
	from, to := groupClass, s.read[len(s.read)-s.readWords(false):]
	if r.rows {
		from, to = class, s.read
	}
	last.Read(s.im.l.from(s.image, from, parent), vyre.Bytes(to))
	if err = c.first.Prepare(); err == nil {
		err = last.Prepare()
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	s.made[r] = c
	return c, nil
}

// readWords is how many words are read.
func (s *Session) readWords(all bool) int {
	l, from := s.im.l, groupClass
	if all {
		from = class
	}
	return int(l.at[parent] + l.len[parent] - l.at[from])
}

// staging is where unions are staged.
func (s *Session) staging() driver.Range {
	if s.pairs != nil {
		return driver.All(s.pairs)
	}
	return s.im.l.of(s.image, staged)
}

// check refuses unions that cannot be.
func (s *Session) check(pending [][2]uint32, o Options) error {
	if o.Topology >= megakernel.Drained {
		return refused("canonicalise", "topology %v has no rounds", o.Topology)
	}
	if all := s.left + len(pending); all > maxRows {
		return refused("canonicalise", "%d unions, at most %d are possible in a call", all, maxRows)
	}
	types := s.im.types
	for k, p := range pending {
		if int64(max(p[0], p[1])) >= int64(len(types)) {
			return refused("canonicalise", "union %d is of classes %d and %d of %d", k, p[0], p[1], len(types))
		}
		if a, b := types[p[0]], types[p[1]]; a != b {
			return refused("canonicalise", "union %d is of class %d, which is %v, and class %d, which is %v", k, p[0], a, p[1], b)
		}
	}
	return nil
}

// stageCall stages the unions of a call, behind those that a failed one may have left, and returns how many words are to be uploaded.
func (s *Session) stageCall(pending [][2]uint32, o Options) (words int, err error) {
	all := s.left + len(pending)
	if need := closure.StagedHead + 2*all; need > len(s.stage) {
		if err := s.forget(); err != nil {
			return 0, err
		}
		stage := make([]uint32, closure.StagedHead+2<<bits.Len(uint(all-1)))
		copy(stage, s.stage)
		s.stage = stage
	}
	for k, p := range pending {
		copy(s.stage[closure.StagedHead+2*(s.left+k):], p[:])
	}
	s.left = all
	if err := s.grow(); err != nil {
		return 0, err
	}
	if want := (head{true, all, o.MaxRounds}); len(pending) == 0 && !s.anew && s.have == want {
		return 0, nil
	}
	s.have.known = false
	s.stage[closure.StagedPairs], s.stage[closure.StagedMost], s.stage[closure.StagedAnew] = uint32(all), o.MaxRounds, 0
	if s.anew {
		s.stage[closure.StagedAnew] = 1
	}
	if all == 0 {
		return closure.StagedHead, nil
	}
	return min(len(s.stage), closure.StagedHead+2<<bits.Len(uint(all-1))), nil
}

// grow makes room on the device for what is staged. Plans have the place of that, so they are made anew.
func (s *Session) grow() error {
	if 4*int64(len(s.stage)) <= s.staging().Len {
		return nil
	}
	s.have.known = false
	if err := s.forget(); err != nil {
		return err
	}
	for how, p := range s.plans {
		if err := p.Close(); err != nil {
			return err
		}
		delete(s.plans, how)
	}
	if s.pairs != nil {
		if err := s.pairs.Close(); err != nil {
			return err
		}
		s.pairs = nil
	}
	b, err := s.dev.Alloc(4*int64(len(s.stage)), driver.AllocOptions{Label: label + ", unions"})
	if err == nil {
		s.pairs = b
	}
	return err
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
	r.fill(s, o.Rows)
	return r, nil
}

// run runs the commands of a call.
func (c *commands) run(ctx context.Context) (driver.Timing, []driver.Report, error) {
	res, err := c.first.Run(ctx)
	all, found := res.Timing, res.Reports
	if err != nil || c.plan == nil {
		return all, found, err
	}
	_, err = c.plan.Run(ctx)
	all, found = all.Add(c.plan.Result().Timing), c.plan.Result().Reports
	if err != nil {
		return all, found, err
	}
	res, err = c.read.Run(ctx)
	return all.Add(res.Timing), found, err
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

func (c *commands) close() (err error) {
	for _, seq := range []*driver.Sequence{c.first, c.read} {
		if seq != nil {
			err = errors.Join(err, seq.Close())
		}
	}
	return err
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
