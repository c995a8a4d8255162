package session

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/little"
	"github.com/govyre/vyre/graph/internal/paths"
	"github.com/govyre/vyre/megakernel"
)

// nearFar finds shortest paths by weights.
type nearFar struct {
	*analysis
	weighed
	weights             *weights
	programs            paths.Programs
	wide                bool
	distance            driver.Buffer
	queued, far         driver.Buffer
	state, start, found driver.Buffer
	of                  *Paths // whose distances are there; nil if none are
	before              *pathParents
}

// wantNearFar counts its memory.
func wantNearFar(s *runner) *nearFar {
	n := &nearFar{analysis: s.analysis("paths"), weighed: weigh(s.g)}
	nodes, word := int64(s.g.Nodes()), int64(4)
	if n.wide = n.weighed.wide(s.g.Nodes()); n.wide {
		word = 8
	}
	n.want(&n.distance, word*nodes, "distances")
	n.want(&n.queued, 4*nodes, "queued")
	n.want(&n.far, 4*int64(s.words()), "far nodes")
	n.want(&n.state, word*paths.StateWords, "limits")
	n.want(&n.start, 4*int64(paths.StartHead+s.o.Seeds), "seeds of paths")
	n.want(&n.found, 8*paths.AnswerWords, "what paths come to")
	return n
}

// scanAlone is up to how many nodes one block splits the set in less time than all blocks take to come to a barrier
// and back.
const scanAlone = 1 << 16

func newNearFar(ctx context.Context, k *kernels) (*nearFar, error) {
	s := k.runner
	n := wantNearFar(s)
	if k.weights.made == nil {
		n.beside = wantWeights(s).bytes
	}
	var err error
	if n.programs, err = paths.Unpack(n.wide); err == nil {
		err = n.open()
	}
	if err != nil {
		return nil, err
	}
	if n.weights, err = k.openWeights(ctx); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	o := s.wideOptions(megakernel.Options{MaxRounds: 1 << 31})
	if s.g.Nodes() > scanAlone {
		o.Tail = megakernel.TailNever
	}
	return n, n.plan(ctx, n.waves(), dependencies[:1], o)
}

// scalar is a number of the width of distances.
func (n *nearFar) scalar(v uint64) driver.Arg {
	if n.wide {
		return driver.U64(v)
	}
	return driver.U32(uint32(min(v, math.MaxUint32)))
}

func (n *nearFar) waves() []megakernel.Wave {
	s, p := n.s, n.programs
	step, distance, state, start, found := n.scalar(n.step), driver.All(n.distance), driver.All(n.state), driver.All(n.start), driver.All(n.found)
	queued, far, list, lengths := driver.All(n.queued), driver.All(n.far), driver.All(s.list), driver.All(s.lengths)
	round := append([]driver.Arg{step, megakernel.Round{}}, n.arcs()...)
	round = append(round, distance, queued, far, state, list, lengths, megakernel.Vote{}, megakernel.Edges{})
	return []megakernel.Wave{
		clearWave:  {Program: p.Clear, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(max(s.g.Nodes(), 3))), Args: []driver.Arg{step, distance, queued, far, state, lengths, found}},
		seedWave:   {Program: p.Seed, Phase: megakernel.Before, Domain: s.seedDomain(), Args: []driver.Arg{start, distance, list, lengths}},
		roundWave:  {Program: p.Round, Domain: megakernel.Spread(lengths, uint32(s.g.Nodes())), Args: round},
		answerWave: {Program: p.Answer, Phase: megakernel.After, Domain: s.nodeDomain(), Args: []driver.Arg{distance, found}},
	}
}

// arcs are the arguments that stand for the arcs: whether they have masks, the graph, weights, and the kinds allowed.
func (n *nearFar) arcs() []driver.Arg {
	return append(maskedArrays(n.s.forward), driver.All(n.weights.memory), driver.All(n.s.filter))
}

// find leaves the distances of a question in their memory.
func (n *nearFar) find(ctx context.Context, p *Paths) (Run, error) {
	n.of = nil
	seeds := append([]uint32{uint32(len(p.q.Seeds))}, p.q.Seeds...)
	host := make([]byte, 4*len(seeds))
	putWords(host, seeds)
	if err := n.s.write(ctx, driver.Part(n.start, 0, int64(len(host))), host); err != nil {
		return Run{}, err
	}
	r, err := n.run(ctx, n.s.kinds(p.q))
	if err == nil {
		err = n.s.ended("paths", r)
	}
	if err == nil {
		n.of = p
	}
	return r, err
}

// again has the distances of a question in their memory, found again if others are there.
func (n *nearFar) again(ctx context.Context, p *Paths) error {
	if n.of == p {
		return nil
	}
	r, err := n.find(ctx, p)
	p.Run.alsoTook(r)
	return err
}

// pathParents finds parents, by one plan for nodes that are nearer, and if arcs have weight 0 by another.
type pathParents struct {
	*analysis
	nearer, level *megakernel.Plan
	memory        driver.Buffer
	of            *Paths // whose parents are there; nil if none are
	host          []byte // where read brings them
	read          *driver.Sequence
}

func (n *nearFar) newParents(ctx context.Context) (*pathParents, error) {
	s, p := n.s, n.programs
	o := &pathParents{analysis: s.analysis("parents of paths")}
	o.want(&o.memory, 4*int64(s.g.Nodes()), "parents of paths")
	if n.least == 0 {
		o.bytes += planRoom
	}
	if err := o.open(); err != nil {
		return nil, err
	}
	distance, parent, list, lengths := driver.All(n.distance), driver.All(o.memory), driver.All(s.list), driver.All(s.lengths)
	hops := driver.All(n.queued) // which the search does not need any more
	wave := func(level uint32) megakernel.Wave {
		args := append([]driver.Arg{driver.U32(level), megakernel.Round{}, megakernel.Size{}}, n.arcs()...)
		args = append(args, distance, parent, hops)
		return megakernel.Wave{Program: p.Parents, Domain: megakernel.Spread(lengths, uint32(s.g.Nodes())), Args: append(args, list, lengths, megakernel.Vote{}, megakernel.Edges{})}
	}
	all := megakernel.Wave{Program: p.ListAll, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(max(s.g.Nodes(), 3))), Args: []driver.Arg{parent, list, lengths}}
	err := o.plan(ctx, []megakernel.Wave{all, wave(0)}, nil, megakernel.Options{Blocks: megakernel.AllBlocks})
	if o.nearer = o.p; err != nil || n.least > 0 {
		return o, err
	}
	before := []megakernel.Wave{
		{Program: p.Reset, Phase: megakernel.Before, Domain: megakernel.Fixed(3), Args: []driver.Arg{lengths}},
		{Program: p.Close, Phase: megakernel.Before, Domain: s.nodeDomain(), Args: []driver.Arg{parent, hops, list, lengths}},
		{Program: p.Seeds, Phase: megakernel.Before, Domain: s.seedDomain(), Args: []driver.Arg{driver.All(n.start), hops, list, lengths}},
		wave(1),
	}
	err = o.plan(ctx, before, []megakernel.Dependency{{Before: 0, After: 1}, {Before: 1, After: 2}}, megakernel.Options{MaxRounds: 1 << 31})
	o.level = o.p
	return o, err
}

// find finds the parents of the distances that are there.
func (o *pathParents) find(ctx context.Context, filter uint32) (sum Run, err error) {
	for _, p := range []*megakernel.Plan{o.nearer, o.level} {
		if p == nil {
			continue
		}
		o.p = p
		r, err := o.run(ctx, filter)
		if err == nil {
			err = o.s.ended("parents of paths", r)
		}
		if err != nil {
			return sum, err
		}
		sum = sum.and(r)
	}
	return sum, nil
}

func (k *kernels) byWeights() byWeights { return kernelPaths{k} }

// kernelPaths finds paths by kernels.
type kernelPaths struct{ *kernels }

func (k kernelPaths) open(ctx context.Context) (*nearFar, error) {
	return k.nearFar.get(k.runner, func() (*nearFar, error) { return newNearFar(ctx, k.kernels) })
}

func (k kernelPaths) find(ctx context.Context, p *Paths) error {
	n, err := k.open(ctx)
	if err != nil {
		return err
	}
	if p.Run, err = n.find(ctx, p); err != nil {
		return err
	}
	var host [8 * paths.AnswerWords]byte
	if err := k.read(ctx, driver.All(n.found), host[:]); err != nil {
		return err
	}
	p.Reached, p.Farthest = int(binary.LittleEndian.Uint64(host[8*paths.Reached:])), binary.LittleEndian.Uint64(host[8*paths.Farthest:])
	return nil
}

func (k kernelPaths) distances(ctx context.Context, p *Paths, first uint32, dst []uint64) error {
	n, err := k.open(ctx)
	if err == nil {
		err = n.again(ctx, p)
	}
	if err != nil {
		return err
	}
	if !n.wide {
		words, err := k.readWords(ctx, driver.Part(n.distance, 4*int64(first), 4*int64(len(dst))))
		if err != nil {
			return err
		}
		for i, d := range words {
			if dst[i] = uint64(d); d == math.MaxUint32 {
				dst[i] = math.MaxUint64
			}
		}
		return nil
	}
	host := make([]byte, 8*len(dst))
	if err := k.read(ctx, driver.Part(n.distance, 8*int64(first), int64(len(host))), host); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = binary.LittleEndian.Uint64(host[8*i:])
	}
	return nil
}

func (k kernelPaths) parents(ctx context.Context, p *Paths, use func([]uint32) error) error {
	n, err := k.open(ctx)
	if err == nil {
		err = n.again(ctx, p)
	}
	if err != nil {
		return err
	}
	if n.before == nil {
		before, err := n.newParents(ctx)
		if err != nil {
			return err
		}
		n.before = before
		k.keep(before)
		before.host, before.read = k.hostBytes(before.memory.Len()), k.dev.NewSequence(k.o.Label+" parents of paths")
		before.read.Read(driver.All(before.memory), before.host)
		k.keep(before.read)
	}
	if o := n.before; o.of != p {
		o.of = nil
		r, err := o.find(ctx, k.kinds(p.q))
		if err != nil {
			return err
		}
		o.of = p
		p.Run.alsoTook(r)
	}
	k.last = n.before.read
	if _, err := n.before.read.Run(ctx); err != nil {
		return err
	}
	k.moved.read += uint64(len(n.before.host))
	return use(little.Words[uint32](n.before.host))
}
