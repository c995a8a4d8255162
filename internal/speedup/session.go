package speedup

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/evidence"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/arcs"
)

// session is the work on a device, with what all protocols but the naive one keep there.
type session struct {
	ctx    context.Context
	dev    driver.Device
	w      *Work
	reps   int    // of a region
	blocks uint32 // of every plan; 0 is what plans have

	image                                          *image
	graph                                          driver.Buffer // the image
	first, seeds, seen, list, lengths, turn, slots driver.Buffer
	fold, sweep                                    driver.Kernel
	begin, round, stay, drain, foldProgram         *ir.Program
	anew, upload, read                             *driver.Sequence
	digests                                        []byte
	results                                        [][2]uint64
	closers                                        []interface{ Close() error }
}

// turnsOver is what the counter of repetitions is set to, so that the first one has number 0.
const turnsOver = 1<<32 - 1

// open puts the work on a device.
func open(ctx context.Context, dev driver.Device, w *Work, reps int) (*session, error) {
	s := &session{ctx: ctx, dev: dev, w: w, reps: reps, digests: make([]byte, 16*reps), results: make([][2]uint64, reps)}
	err := errors.Join(s.programs(), s.memory())
	if err == nil {
		err = s.sequences()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// programs unpacks and compiles.
func (s *session) programs() error {
	round, stay, drain, sweep := RoundProgram, StayProgram, DrainProgram, SweepProgram
	if s.w.filtered() {
		round, stay, drain, sweep = RoundOfKindsProgram, StayOfKindsProgram, DrainOfKindsProgram, SweepOfKindsProgram
	}
	var sweepIR *ir.Program
	for _, p := range []struct {
		to      **ir.Program
		program func() (*ir.Program, error)
	}{{&s.begin, BeginProgram}, {&s.round, round}, {&s.stay, stay}, {&s.drain, drain}, {&s.foldProgram, FoldProgram}, {&sweepIR, sweep}} {
		var err error
		if *p.to, err = p.program(); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		to *driver.Kernel
		p  *ir.Program
	}{{&s.fold, s.foldProgram}, {&s.sweep, sweepIR}} {
		k, err := s.dev.Compile(s.ctx, c.p, driver.Options{})
		if err != nil {
			return err
		}
		*c.to = k
		s.closers = append(s.closers, k)
	}
	return nil
}

// memory allocates what stays, and fills in what does not change.
func (s *session) memory() error {
	var err error
	if s.image, err = newImage(s.dev, s.w); err != nil {
		return err
	}
	s.closers = append(s.closers, s.image.bytes)
	set := 4 * int64(s.w.setWords())
	for _, b := range []struct {
		to    *driver.Buffer
		bytes int64
		label string
	}{
		{&s.graph, int64(len(s.image.bytes.Bytes())), "graph"}, {&s.first, set, "first"}, {&s.seeds, 4 * int64(len(s.w.Seeds)), "seeds"}, {&s.seen, set, "seen"},
		{&s.list, 8 * int64(s.w.Graph.Nodes()), "list"}, {&s.lengths, 12, "lengths"}, {&s.turn, 4, "turn"}, {&s.slots, 16 * int64(s.reps), "slots"},
	} {
		if *b.to, err = s.alloc(b.bytes, b.label); err != nil {
			return err
		}
		s.closers = append(s.closers, *b.to)
	}
	for _, c := range []struct {
		to    driver.Buffer
		words []uint32
	}{{s.first, s.w.first()}, {s.seeds, s.w.Seeds}} {
		b := make([]byte, 4*len(c.words))
		put(b, c.words)
		if err := driver.Write(s.ctx, driver.All(c.to), b); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) alloc(bytes int64, label string) (driver.Buffer, error) {
	return s.dev.Alloc(bytes, driver.AllocOptions{Label: label})
}

// sequences records what happens outside of regions.
func (s *session) sequences() error {
	s.anew = s.sequence("anew")
	s.anew.Fill(driver.All(s.slots), 0, 8)
	s.anew.Fill(driver.All(s.turn), turnsOver, 4)
	s.upload = s.sequence("upload")
	s.upload.Upload(driver.All(s.graph), s.image.bytes.Bytes(), driver.Always)
	s.read = s.sequence("digests")
	s.read.Read(driver.All(s.slots), s.digests)
	return errors.Join(s.anew.Prepare(), s.upload.Prepare(), s.read.Prepare())
}

// sequence returns an empty sequence that the session closes.
func (s *session) sequence(label string) *driver.Sequence {
	q := s.dev.NewSequence(label)
	s.closers = append(s.closers, q)
	return q
}

// setUp brings the graph to the device.
func (s *session) setUp() error { return s.run(s.upload) }

func (s *session) run(q driver.Prepared) error {
	_, err := q.Run(s.ctx)
	return err
}

// foldGroups is how many workgroups fold: as few as keep a device busy, since each adds to the same two words.
func (s *session) foldGroups() uint32 { return uint32(min((s.w.setWords()/2+255)/256, 128)) }

// waves are what all protocols but the naive one run.
func (s *session) waves() []megakernel.Wave {
	seen, list, lengths, turn := driver.All(s.seen), driver.All(s.list), driver.All(s.lengths), driver.All(s.turn)
	args := func(marked ...driver.Arg) []driver.Arg {
		if s.w.filtered() {
			marked = append(marked, driver.U32(s.w.Filter))
		}
		return append(append(marked, s.image.graph(s.graph)...), seen, list, lengths)
	}
	return []megakernel.Wave{{
		Program: s.begin,
		Args:    []driver.Arg{driver.All(s.first), driver.All(s.seeds), seen, list, lengths, turn},
		Domain:  megakernel.Fixed(uint32(max(s.w.setWords(), len(s.w.Seeds), 3))),
		Phase:   megakernel.Before,
	}, {
		Program: s.round, Args: append(args(megakernel.Round{}, megakernel.Size{}), megakernel.Vote{}, megakernel.Edges{}),
		Domain: megakernel.Spread(lengths, uint32(s.w.Graph.Nodes())),
		Stay: &megakernel.Stay{Program: s.stay,
			Args: append(args(megakernel.Round{}, megakernel.Size{}, megakernel.Limit{}, megakernel.Many{}), megakernel.Edges{}, megakernel.Result{})},
		Drain: &megakernel.Drain{Program: s.drain, Args: append(args(), megakernel.Slots{}, megakernel.Control{}),
			Slots: arcs.Slots(uint64(s.w.Graph.Nodes()), uint64(s.w.Graph.Arcs()))},
	}, {
		Program: s.foldProgram, Args: []driver.Arg{seen, turn, driver.All(s.slots)}, Domain: megakernel.Fixed(s.foldGroups()),
		Phase: megakernel.After,
	}}
}

// plan makes a plan of the waves that the session closes.
func (s *session) plan(o megakernel.Options) (*megakernel.Plan, error) {
	o.Blocks = s.blocks
	p, err := megakernel.New(s.ctx, s.dev, s.waves(), nil, o)
	if err == nil {
		s.closers = append(s.closers, p)
	}
	return p, err
}

// digestsOf reads the digests of the region that ran last, and compares them.
func (s *session) digestsOf(p evidence.Protocol, name string) ([][2]uint64, error) {
	if err := s.run(s.read); err != nil {
		return nil, err
	}
	for i := range s.results {
		for k := range s.results[i] {
			s.results[i][k] = binary.LittleEndian.Uint64(s.digests[16*i+8*k:])
		}
		if got := s.results[i]; got != s.w.Want {
			return nil, &WrongResult{Graph: s.w.Name, Protocol: p, Name: name, Repetition: i + 1, Got: got, Want: s.w.Want}
		}
	}
	return s.results, nil
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

// Close gives everything back.
func (s *session) Close() error {
	var errs []error
	for k := len(s.closers) - 1; k >= 0; k-- {
		errs = append(errs, s.closers[k].Close())
	}
	s.closers = nil
	return errors.Join(errs...)
}
