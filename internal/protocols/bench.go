package protocols

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/driven"
	"github.com/govyre/vyre/internal/evidence"
	"github.com/govyre/vyre/megakernel"
)

// bench is a search on a device, and what the protocols share.
type bench struct {
	ctx    context.Context
	dev    driver.Device
	w      *Work
	reps   int // of a region
	search *driven.Search

	image               *driver.HostMemory // the graph, and from the next line on the seeds as a set
	again, upload, read *driver.Sequence
	answers             []byte   // of the region that ran last
	found               [][]byte // the same of the naive protocol, one a repetition
	results             [][2]uint64
	closers             []interface{ Close() error }
}

// drive opens a session of the work's graph, and calls do with a search of so many repetitions.
func (w *Work) drive(ctx context.Context, dev driver.Device, reps int, do func(*bench) error) (err error) {
	s, err := session.New(ctx, dev, w.Graph, session.Options{Label: "evidence", Engine: session.WavesEngine, Queries: reps, Seeds: len(w.Seeds)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	queries := make([]session.Query, reps)
	for i := range queries {
		queries[i] = session.Query{Seeds: w.Seeds, Kinds: w.Filter}
	}
	return s.Drive(ctx, queries, func(search *driven.Search) (err error) {
		b := &bench{ctx: ctx, dev: dev, w: w, reps: reps, search: search, answers: make([]byte, search.Answers.Len), results: make([][2]uint64, reps)}
		defer func() { err = errors.Join(err, b.close()) }()
		if err := b.prepare(); err != nil {
			return err
		}
		return do(b)
	})
}

// prepare records what happens outside of regions.
func (b *bench) prepare() (err error) {
	if b.image, err = b.host(b.graphBytes() + b.search.Seen.Len); err != nil {
		return err
	}
	size := copy(b.image.Bytes(), b.search.Image)
	clear(b.image.Bytes()[size:])
	for _, v := range b.w.Seeds {
		b.seeds()[v/8] |= 1 << (v % 8)
	}
	b.again, b.upload, b.read = b.sequence("again"), b.sequence("upload"), b.sequence("answers")
	b.search.Restart(b.again)
	b.upload.Upload(driver.All(b.search.Graph), b.image.Bytes()[:size], driver.Always)
	b.read.Read(b.search.Answers, b.answers)
	return errors.Join(b.again.Prepare(), b.upload.Prepare(), b.read.Prepare())
}

// lineBytes is what parts of a buffer are aligned to.
const lineBytes = 256

// graphBytes is where the seeds follow the graph.
func (b *bench) graphBytes() int64 {
	return (int64(len(b.search.Image)) + lineBytes - 1) / lineBytes * lineBytes
}

func (b *bench) seeds() []byte { return b.image.Bytes()[b.graphBytes():] }

// host allocates memory of the host that the device reads and writes directly.
func (b *bench) host(bytes int64) (*driver.HostMemory, error) {
	m, err := b.dev.AllocHost(bytes)
	if err == nil {
		b.closers = append(b.closers, m)
	}
	return m, err
}

// sequence returns an empty sequence.
func (b *bench) sequence(label string) *driver.Sequence {
	q := b.dev.NewSequence(label)
	b.closers = append(b.closers, q)
	return q
}

// plan makes a plan of the session's waves.
func (b *bench) plan(o megakernel.Options) (*megakernel.Plan, error) {
	p, err := megakernel.New(b.ctx, b.dev, b.search.Waves, b.search.Dependencies, o)
	if err == nil {
		b.closers = append(b.closers, p)
	}
	return p, err
}

func (b *bench) run(q *driver.Sequence) error {
	_, err := q.Run(b.ctx)
	return err
}

// anew forgets all answers, so that a region cannot pass with those of another one.
func (b *bench) anew() error {
	for _, set := range b.found {
		clear(set)
	}
	return b.run(b.again)
}

// setUp brings the graph to the device.
func (b *bench) setUp() error { return b.run(b.upload) }

// onDevice reads the answers that plans leave.
func (b *bench) onDevice() (func(repetition int) []byte, error) {
	err := b.run(b.read)
	return func(k int) []byte { return b.search.Set(b.answers, k) }, err
}

// check compares the answers of the repetitions that ran last, and returns their digests.
func (b *bench) check(p evidence.Protocol, of *protocol, repetitions int) ([][2]uint64, error) {
	set, err := of.answers()
	if err != nil {
		return nil, err
	}
	for k := range repetitions {
		b.results[k] = digest(set(k))
		if got := b.results[k]; got != b.w.Want {
			return nil, &WrongResult{Graph: b.w.Name, Protocol: p, Name: of.name, Repetition: k + 1, Got: got, Want: b.w.Want}
		}
	}
	return b.results[:repetitions], nil
}

// digest is that of a set of nodes, in words of 32 bits.
func digest(set []byte) [2]uint64 {
	words := make([]uint64, (len(set)+7)/8)
	for i := range len(set) / 4 {
		words[i/2] |= uint64(binary.LittleEndian.Uint32(set[4*i:])) << (i % 2 * 32)
	}
	return graph.Fold(words)
}

// WrongResult says that a repetition came to another result than a search on one core.
type WrongResult struct {
	Graph      string
	Protocol   evidence.Protocol
	Name       string // of best other, what it is
	Repetition int    // from 1
	Got, Want  [2]uint64
}

func (e *WrongResult) Error() string {
	name := e.Protocol.String()
	if e.Name != "" {
		name += " (" + e.Name + ")"
	}
	return fmt.Sprintf("graph %s: repetition %d of protocol %s came to the digest %016x%016x, a search on one core to %016x%016x: nothing that was measured counts",
		e.Graph, e.Repetition, name, e.Got[0], e.Got[1], e.Want[0], e.Want[1])
}

// close gives everything back.
func (b *bench) close() error {
	var errs []error
	for k := len(b.closers) - 1; k >= 0; k-- {
		errs = append(errs, b.closers[k].Close())
	}
	b.closers = nil
	return errors.Join(errs...)
}
