package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
)

// shape is what a submission depends on.
type shape struct {
	counted         bool // of the only query, how many nodes it reaches is read, and not which
	labelled        int  // turns of one query that labels answer
	alone, together int  // turns of one query, and of more
	queries         int
	levels          bool // of the only query
}

// submission is queries in turns, prepared.
type submission struct {
	stage *driver.Sequence // uploads; and all the rest, where the device drives the rounds
	read  *driver.Sequence // nil if stage reads, too
	turns []turns

	uploads, reads uint64 // bytes
}

// turns are runs of a plan.
type turns struct {
	p *megakernel.Plan
	n int
}

// mostSubmissions is how many are kept. A batch of queries of many different kinds has a shape of its own.
const mostSubmissions = 64

// submissions are those of a set, by what they depend on.
type submissions struct {
	s    *searches
	made map[shape]*submission
}

// submit runs what is staged, for labels that may not be there. Rounds are counted where the host drives them; elsewhere nobody
// reads the record.
func (m *submissions) submit(ctx context.Context, size shape, l *labels) (Run, error) {
	b, err := m.prepared(size, l)
	if err != nil {
		return Run{}, err
	}
	s := m.s
	run := Run{Engine: WavesEngine, Topology: b.turns[0].p.Topology(), Uploaded: b.uploads, Read: b.reads}
	s.last = b.stage
	run.Result, err = b.stage.Run(ctx)
	s.tell(run.Result)
	if err != nil {
		return run, err
	}
	s.moved.uploaded += b.uploads
	if b.read == nil {
		s.moved.read += b.reads
		s.totals.add(run)
		return run, nil
	}
	for _, t := range b.turns {
		if err := m.rounds(ctx, t.p, t.n, &run); err != nil {
			return run, err
		}
	}
	s.last = b.read
	last, err := b.read.Run(ctx)
	if run.add(last); err == nil {
		s.moved.read += b.reads
		s.totals.add(run)
	}
	return run, err
}

// rounds runs turns one after another, where the host drives the rounds, and adds them up.
func (m *submissions) rounds(ctx context.Context, p *megakernel.Plan, n int, run *Run) error {
	for range n {
		m.s.last = p
		rec, err := p.Run(ctx)
		run.Record.Rounds += rec.Rounds
		run.Record.Edges += rec.Edges
		run.add(p.Result())
		if err == nil && rec.Status != megakernel.Converged {
			err = m.s.refuse(fmt.Sprintf("a search is at no end after %d rounds", rec.Rounds), "that is not possible: each round reaches a node")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prepared returns what runs so many queries in such turns, and prepares it if it is the first time.
func (m *submissions) prepared(size shape, l *labels) (*submission, error) {
	if b := m.made[size]; b != nil {
		return b, nil
	}
	s := m.s
	if len(m.made) == mostSubmissions {
		if err := m.forget(); err != nil {
			return nil, err
		}
	}
	b := &submission{stage: s.dev.NewSequence(fmt.Sprintf("%s, batch of %d queries", s.o.Label, size.queries))}
	m.made[size] = b
	from, to := driver.Part(s.answers, 0, int64(4*size.queries*s.slot)), s.answerBytes[:4*size.queries*s.slot]
	if size.counted {
		from, to = driver.Part(s.answers, 0, 4*waves.AnswerHead), s.answerBytes[:4*waves.AnswerHead]
	}
	if size.levels {
		b.turns, from, to = []turns{{s.leveled, 1}}, driver.All(s.level), s.levelBytes
	}
	if size.labelled > 0 {
		b.turns = append(b.turns, turns{l.p, size.labelled})
	}
	for _, t := range []turns{{s.one, size.alone}, {s.many, size.together}} {
		if t.n > 0 {
			b.turns = append(b.turns, t)
		}
	}
	asked := turnBytes + 4*size.queries*s.stride
	b.uploads, b.reads = uint64(asked), uint64(len(to))
	b.stage.Upload(driver.Part(s.questions, 0, int64(asked)), s.questionBytes[:asked], driver.Always)
	last := b.stage
	if slices.ContainsFunc(b.turns, func(t turns) bool { return t.p.Commands().Round != nil }) {
		b.read = s.dev.NewSequence(fmt.Sprintf("%s, answers of %d queries", s.o.Label, size.queries))
		last = b.read
	} else {
		for _, t := range b.turns {
			b.stage.Repeat(t.n, func() { t.p.Commands().Begin(b.stage) })
		}
	}
	last.Read(from, to)
	err := b.stage.Prepare()
	if err == nil {
		err = last.Prepare()
	}
	if err != nil {
		delete(m.made, size)
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// forget closes all submissions.
func (m *submissions) forget() (err error) {
	for _, b := range m.made {
		err = errors.Join(err, b.close())
	}
	clear(m.made)
	return err
}

func (b *submission) close() error {
	if b.read == nil {
		return b.stage.Close()
	}
	return errors.Join(b.stage.Close(), b.read.Close())
}
