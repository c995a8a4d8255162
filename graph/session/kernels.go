package session

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/little"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// kernels is the engine of the session's device, with all of the graph there.
type kernels struct {
	*searches
	batching
	submissions submissions

	// The analyses, each made when it is first asked for. In a symmetric graph labels answer searches, so that every set has those,
	// and the weak components that they are made by.
	weakly     kept[*weak]
	labelSlots kept[*labels]
	order      kept[*peels]
	cycles     kept[*strong]
	tree       kept[*parents]
	nearby     kept[*nearby]
	flows      kept[*bitflow]
	procedures kept[*procedures]
	weights    kept[*weights]
	nearFar    kept[*nearFar]
}

// batching is what a batch needs while it runs, kept for the next one.
type batching struct {
	planning []plan.Query // what its groups are planned from
	kept     [1]plan.KeptGraph
	ways     []answered // how groups are answered
	placed   []int      // queries, as they are staged
	only     [1]int     // number of the query of a batch of one
}

// answered is queries of one turn.
type answered struct {
	queries []int
	slot    int    // of the labels that answer its only query; -1 if it is a search
	why     string // that algorithm
}

func newKernels(s *runner) *kernels {
	k := &kernels{searches: &searches{runner: s}}
	k.submissions = submissions{k.searches, map[shape]*submission{}}
	return k
}

// topology is that of a query alone.
func (k *kernels) topology() megakernel.Topology { return k.one.Topology() }

func (k *kernels) parts() int { return 0 }

func (k *kernels) forget() error { return k.submissions.forget() }

func (k *kernels) explain() string { return k.one.Explain() }

func (k *kernels) whole(string, func(*runner) uint64) (*kernels, error) { return k, nil }

// labelled returns the slot with the labels for these kinds, made if they are not there, or -1 with the reason.
// Slots that were used after the clock said since are left alone.
func (k *kernels) labelled(ctx context.Context, kinds uint32, since uint64) (int, string, error) {
	switch {
	case !k.symmetric:
		return -1, "the graph is not symmetric", nil
	case !k.free:
		return -1, "a topology was asked for", nil
	}
	l, err := k.labelSlots.made, error(nil)
	if l == nil {
		if l, err = k.openLabels(ctx); err != nil {
			return -1, "", err
		}
	}
	return l.slot(ctx, kinds, since)
}

// openLabels makes labels, and if there is no memory for them, ones that say so: that is no error, searches go on.
func (k *kernels) openLabels(ctx context.Context) (*labels, error) {
	return k.labelSlots.get(k.runner, func() (*labels, error) {
		l, err := newLabels(ctx, k.searches, &k.weakly)
		if e := (*driver.Error)(nil); errors.As(err, &e) && e.Kind == driver.OutOfMemory {
			return &labels{lacks: err}, nil
		}
		return l, err
	})
}

// levels stay on the device as well, for parents.
func (k *kernels) levels(ctx context.Context, q Query) ([]uint32, Run, error) {
	k.stage.turn(0, 0, 1)
	k.stage.query(0, q)
	run, err := k.submissions.submit(ctx, shape{queries: 1, levels: true}, nil)
	if err != nil {
		return nil, Run{}, err
	}
	if q.Count {
		return little.Words[uint32](k.levelBytes), run, nil
	}
	levels := make([]uint32, k.g.Nodes())
	getWords(levels, k.levelBytes)
	return levels, run, nil
}

func (k *kernels) parents(ctx context.Context, _ []uint32, kinds uint32) ([]uint32, Run, error) {
	p, err := k.tree.get(k.runner, func() (*parents, error) { return newParents(ctx, k.runner, k.level) })
	if err != nil {
		return nil, Run{}, err
	}
	run, err := p.run(ctx, kinds)
	if err != nil {
		return nil, run, err
	}
	list, err := k.readWords(ctx, driver.All(p.memory))
	return list, run, err
}

func (k *kernels) components(ctx context.Context, c *Components) error {
	if c.strong {
		o, err := k.cycles.get(k.runner, func() (*strong, error) { return newStrong(ctx, k.runner) })
		if err != nil {
			return err
		}
		if c.Run, err = o.all(ctx, c.kinds); err == nil {
			c.tally, err = o.readTally(ctx, k.runner)
		}
		if err == nil {
			o.of = c
		}
		return err
	}
	at, _, err := k.labelled(ctx, c.kinds, math.MaxUint64)
	if err != nil {
		return err
	}
	if at >= 0 {
		c.Run, c.tally = k.labelSlots.made.slots[at].run, k.labelSlots.made.slots[at].tally
		return nil
	}
	w, err := openWeak(ctx, k.runner, &k.weakly)
	if err != nil {
		return err
	}
	if c.Run, err = w.find(ctx, c.kinds); err == nil {
		c.tally, err = w.readTally(ctx, k.runner)
	}
	if err == nil {
		w.of = c
	}
	return err
}

// labels reads those that are there, or finds them again.
func (k *kernels) labels(ctx context.Context, c *Components, dst []uint32) (labels []uint32, err error) {
	switch {
	case c.strong && k.cycles.made != nil && k.cycles.made.of == c:
		return dst, k.readInto(ctx, driver.All(k.cycles.made.label), dst)
	case c.strong:
		labels, _, err = k.strong(ctx, c.kinds)
	case k.weakly.made != nil && k.weakly.made.of == c:
		return dst, k.readInto(ctx, driver.All(k.weakly.made.parent), dst)
	default:
		labels, _, err = k.weak(ctx, c.kinds)
	}
	return labels, err
}

func (k *kernels) weak(ctx context.Context, filter uint32) ([]uint32, Run, error) {
	at, _, err := k.labelled(ctx, filter, math.MaxUint64)
	if err != nil {
		return nil, Run{}, err
	}
	var r Run
	var from driver.Range
	if at >= 0 {
		r, from = k.labelSlots.made.slots[at].run, k.labelSlots.made.of(at)
	} else {
		w, err := openWeak(ctx, k.runner, &k.weakly)
		if err != nil {
			return nil, Run{}, err
		}
		if r, err = w.find(ctx, filter); err != nil {
			return nil, Run{}, err
		}
		from = driver.All(w.parent)
	}
	labels, err := k.readWords(ctx, from)
	return labels, r, err
}

func (k *kernels) strong(ctx context.Context, filter uint32) ([]uint32, Run, error) {
	o, err := k.cycles.get(k.runner, func() (*strong, error) { return newStrong(ctx, k.runner) })
	if err != nil {
		return nil, Run{}, err
	}
	r, err := o.all(ctx, filter)
	if err != nil {
		return nil, r, err
	}
	labels, err := k.readWords(ctx, driver.All(o.label))
	return labels, r, err
}

func (k *kernels) topological(ctx context.Context, filter uint32) ([]uint32, Run, error) {
	o, err := k.order.get(k.runner, func() (*peels, error) {
		return newPeels(ctx, k.runner, "topological levels", k.forward)
	})
	if err != nil {
		return nil, Run{}, err
	}
	r, err := o.run(ctx, filter)
	if err == nil {
		err = k.ended("topological levels", r)
	}
	if err != nil {
		return nil, r, err
	}
	levels, err := k.readWords(ctx, driver.All(o.label))
	return levels, r, err
}

func (k *kernels) bits(ctx context.Context, f BitFlow, gen, kill, in []uint64) (run Run, err error) {
	b, err := k.openBits(ctx, f)
	if err != nil {
		return Run{}, err
	}
	up := k.dev.NewSequence(k.o.Label + " sets")
	for to, words := range map[driver.Buffer][]uint64{b.in: in, b.gen: gen, b.kill: kill} {
		up.Upload(driver.All(to), little.Bytes(words), driver.Always)
	}
	if _, err = up.Once(ctx); err != nil {
		return Run{}, err
	}
	k.moved.uploaded += 8 * uint64(len(in)+len(gen)+len(kill))
	if run, err = b.run(ctx, k.kinds(Query{Kinds: f.Kinds})); err == nil {
		err = k.ended("sets", run)
	}
	if err != nil {
		return run, err
	}
	host := make([]byte, b.in.Len())
	if err := k.read(ctx, driver.All(b.in), host); err != nil {
		return run, err
	}
	for i := range in {
		in[i] = binary.LittleEndian.Uint64(host[8*i:])
	}
	return run, nil
}

// openBits prepares it, if it is not.
func (k *kernels) openBits(ctx context.Context, f BitFlow) (*bitflow, error) {
	if b := k.flows.made; b != nil && (b.words != f.Words || b.backward != f.Backward) {
		if err := k.flows.drop(k.runner); err != nil {
			return nil, err
		}
	}
	return k.flows.get(k.runner, func() (*bitflow, error) { return newBits(ctx, k.runner, f) })
}

func (k *kernels) dominators(ctx context.Context, roots []uint32, kinds uint32, idom []uint32) (DominatorShares, Run, error) {
	began := time.Now()
	p, err := k.procedures.get(k.runner, func() (*procedures, error) { return newProcedures(ctx, k.runner, &k.weakly) })
	if err != nil {
		return DominatorShares{}, Run{}, err
	}
	taken, err := p.lay(ctx, kinds)
	if err != nil {
		return DominatorShares{}, taken, err
	}
	q := p.question(roots)
	run, err := p.answer(ctx, q, idom)
	if err != nil {
		return q.shares, run, err
	}
	k.totals.add(run)
	run = taken.and(run)
	run.Result.Wall = time.Since(began)
	return q.shares, run, nil
}

// openWeights uploads the weights, if there are any and it is the first time.
func (k *kernels) openWeights(ctx context.Context) (*weights, error) {
	if len(k.g.Data().Weights) == 0 {
		return nil, nil
	}
	return k.weights.get(k.runner, func() (*weights, error) { return newWeights(ctx, k.runner) })
}

// try drives the rounds of a query in every way.
func (k *kernels) try(ctx context.Context, q Query, h *megakernel.History) error {
	p, err := waves.Unpack(k.g.Masks() != nil, k.wide())
	if err != nil {
		return err
	}
	k.stage.turn(0, 0, 1)
	k.stage.query(0, q)
	n := turnBytes + 4*k.stride
	if err := k.write(ctx, driver.Part(k.questions, 0, int64(n)), k.questionBytes[:n]); err != nil {
		return err
	}
	again := k.dev.NewSequence(k.o.Label + ", trial")
	defer again.Close()
	again.Fill(k.turn, 0, 4)
	return megakernel.Trial(ctx, k.dev, k.waves(p), dependencies, megakernel.Options{Label: k.o.Label + " trial"}, h, func(ctx context.Context) error {
		_, err := again.Run(ctx)
		return err
	})
}
