package session

import (
	"context"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/arcs"
)

// kernels is the engine of the session's device, with all of the graph there.
type kernels struct {
	*searches
	batching
	submissions map[shape]*submission

	// The analyses, each made when it is first asked for. In a symmetric graph labels answer searches, so that every set has those,
	// and the weak components that they are made by.
	components kept[*weak]
	labels     kept[*labels]
	order      kept[*peels]
	cycles     kept[*strong]
	tree       kept[*parents]
	flows      kept[*bitflow]
	procedures kept[*procedures]
	weights    kept[*weights]
}

// batching is what a batch needs while it runs, kept for the next one.
type batching struct {
	planning []plan.Query // what its groups are planned from
	kept     [1]plan.KeptGraph
	ways     []answered // how groups are answered
	placed   []int      // queries, as they are staged
	only     [1]int     // number of the query of a batch of one
}

func newKernels(s *runner) *kernels {
	return &kernels{searches: &searches{runner: s}, submissions: map[shape]*submission{}}
}

// topology is that of a query alone.
func (k *kernels) topology() megakernel.Topology { return k.one.Topology() }

func (k *kernels) parts() int { return 0 }

func (k *kernels) explain() string { return k.one.Explain() }

func (k *kernels) whole(string, func(*runner) uint64) (*kernels, error) { return k, nil }

// searches is the memory of searches by kernels, and their plans.
type searches struct {
	*runner
	plans
	seen          driver.Buffer // of a query alone
	lanes, queued driver.Buffer // of queries together
	level, sums   driver.Buffer // of levels

	questions, answers driver.Buffer
	turn, staged       driver.Range // of questions
	stage              stage        // those of staged, on the host
	host
}

// plans are those of a query alone, of several together, and of levels; nil where no batch has any.
type plans struct{ one, many, leveled *megakernel.Plan }

// host is memory of the host that the device reads or writes.
type host struct{ questionBytes, answerBytes, levelBytes []byte }

// turnBytes is how much stands before the queries: the number of the turn, which begins with 0, and so comes to the device with them.
const turnBytes = 16

// buffers are what a set has beside the graph.
func (s *searches) buffers() []wanted {
	n, q := int64(s.g.Nodes()), int64(s.o.Queries)
	lanes, queued := s.laneBytes(s.together())
	list := []wanted{
		{&s.seen, 4 * int64(s.words()), "seen"}, {&s.list, 8 * n, "list"}, {&s.lengths, 12, "lengths"},
		{&s.filter, 4, "filter"}, {&s.questions, turnBytes + 4*q*int64(s.stride), "queries"}, {&s.answers, 4 * q * int64(s.slot), "answers"},
	}
	if s.together() > 1 {
		list = append(list, wanted{&s.lanes, lanes, "lanes"}, wanted{&s.queued, queued, "queued"})
	}
	if s.back != nil {
		list = append(list, wanted{&s.level, 4 * n, "levels"}, wanted{&s.sums, 4 * arcs.SumsWords, "sums"})
	}
	return list
}

// open prepares searches, whose buffers are there.
func (s *searches) open(ctx context.Context) error {
	s.turn, s.staged = driver.Part(s.questions, 0, 4), driver.Part(s.questions, turnBytes, s.questions.Len()-turnBytes)
	s.questionBytes, s.answerBytes = make([]byte, s.questions.Len()), s.hostBytes(s.answers.Len())
	s.stage = stage{s.resident, s.questionBytes[turnBytes:]}
	if s.back != nil {
		s.levelBytes = s.hostBytes(s.level.Len())
	}
	p, err := waves.Unpack(s.g.Masks() != nil, s.wide())
	if err != nil {
		return err
	}
	if s.one, err = s.plan(ctx, s.waves(p), dependencies, "", s.alone()); err != nil {
		return err
	}
	in := megakernel.Options{Topology: s.inRounds(), Blocks: s.blocks()}
	if s.together() > 1 {
		if s.many, err = s.plan(ctx, s.laneWaves(p), dependencies, " together", in); err != nil {
			return err
		}
	}
	if s.back != nil {
		s.leveled, err = s.plan(ctx, s.levelWaves(p), dependencies[:1], " levels", in)
	}
	return err
}

// plan makes a plan that the session closes.
func (s *searches) plan(ctx context.Context, list []megakernel.Wave, deps []megakernel.Dependency, label string, o megakernel.Options) (*megakernel.Plan, error) {
	o.Label = s.o.Label + label
	p, err := megakernel.New(ctx, s.dev, list, deps, o)
	if err == nil {
		s.keep(p)
	}
	return p, err
}

// stage is where queries are put down for the device, one after another.
type stage struct {
	s     *resident
	bytes []byte
}

// turn puts down which queries a turn answers.
func (t stage) turn(turn, first, count int) {
	putWords(t.bytes[4*(turn*t.s.stride+waves.FirstWord):], []uint32{uint32(first), uint32(count)})
}

// query puts down what a query is.
func (t stage) query(at int, q Query) {
	to := t.bytes[4*at*t.s.stride:]
	putWords(to, []uint32{uint32(len(q.Seeds)), t.s.kinds(q)})
	putWords(to[4*waves.QueryHead:], q.Seeds)
}

// slot puts down which labels answer a query, in the place of its kinds.
func (t stage) slot(at, slot int) {
	putWords(t.bytes[4*(at*t.s.stride+waves.KindsWord):], []uint32{uint32(slot)})
}
