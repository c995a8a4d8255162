package session

import (
	"context"
	"errors"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel/compact"
)

// few reads the set that a query alone has reached, if that is little of a large graph: the words that have bits, and which those
// are, in the place of all words.
type few struct {
	*analysis
	lists  *compact.Results
	at     *compact.List[uint32] // which words
	values *compact.List[uint32] // and what is in them
	lacks  error                 // why there is no memory; then there is nothing else
}

const (
	// fewestWords is how many words a set has at least that is asked how many nodes it has before it is read. Reading fewer takes
	// less time than another wait for a device behind a link. On device cpu a read is a copy in memory, of any number of words.
	fewestWords = 1 << 18

	// fewPart is what part of the words may have bits. A list has two words for each.
	fewPart = 8

	// fewFirst is how many bytes of the lists come in one read with their lengths.
	fewFirst = 4 << 10
)

// newFew makes lists of the words of the first answer.
func newFew(s *searches) (*few, error) {
	f := &few{analysis: s.analysis("few results")}
	words := s.words()
	f.bytes += 2*4*uint64(words) + planRoom // both lists, their heads, and a word a group
	if err := f.open(); err != nil {
		return nil, err
	}
	f.lists = compact.New(s.dev, compact.Options{Label: s.o.Label + " few results", First: fewFirst})
	f.closers = append(f.closers, f.lists)
	all, err := vyre.View[uint32](s.answers)
	if err == nil {
		set := all.View(waves.AnswerHead, waves.AnswerHead+words)
		if f.at, err = compact.AddItems(f.lists, set); err == nil {
			f.values, err = compact.Add(f.lists, set, set)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// few is what reads small sets, or nil if the graph is small, the device has no cooperative launches, or there is no memory.
func (k *kernels) few() (*few, error) {
	if k.words() < k.fewest || !k.dev.Caps().GridBarrier {
		return nil, nil
	}
	f, err := k.fewer.get(k.runner, func() (*few, error) {
		f, err := newFew(k.searches)
		if lacksMemory(err) {
			return &few{lacks: err}, nil
		}
		return f, err
	})
	if err != nil || f.lacks != nil {
		return nil, err
	}
	return f, nil
}

// read reads the set of the first answer, whose number of nodes is known, and adds that to the run.
func (f *few) read(ctx context.Context, s *searches, r *Reached) error {
	if r.count <= len(r.words)/fewPart {
		if err := f.list(ctx, s, r); !lacksMemory(err) {
			return err
		}
	}
	bytes := 4 * int64(len(r.words))
	from := s.answerBytes[4*waves.AnswerHead:][:bytes]
	err := s.read(ctx, driver.Part(s.answers, 4*waves.AnswerHead, bytes), from)
	if err == nil {
		getWords(r.words, from)
		r.Run.Read += uint64(bytes)
	}
	return err
}

// list reads the words that have bits.
func (f *few) list(ctx context.Context, s *searches, r *Reached) error {
	s.last = f.lists
	err := f.lists.Run(ctx)
	run := Run{Result: f.lists.Result()}
	s.tell(run.Result)
	if err != nil {
		return err
	}
	s.totals.add(run)
	r.Run.add(run.Result)
	s.moved.read += f.lists.ReadBytes()
	r.Run.Read += f.lists.ReadBytes()
	clear(r.words)
	for i := range f.at.Len() {
		r.words[f.at.At(i)] = f.values.At(i)
	}
	return nil
}

// Close gives back what it has, if there is memory for it.
func (f *few) Close() error {
	if f.lacks != nil {
		return nil
	}
	return f.analysis.Close()
}
