package session

import (
	"context"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/arcs"
)

// searches is the memory of searches by kernels, and their plans.
type searches struct {
	*runner
	plans
	seen          driver.Buffer // of a query alone
	lanes, queued driver.Buffer // of queries together
	level, sums   driver.Buffer // of levels
	sets          driver.Buffer // of levels in a graph that is shallow: nodes that no arc comes to, nodes found, and three lists

	questions, answers driver.Buffer
	turn, staged       driver.Range // of questions
	stage              stage        // those of staged, on the host
	host
}

// plans are those of a query alone, of several together, and of levels; nil where no batch has any.
type plans struct{ one, many, leveled *megakernel.Plan }

// host is memory of the host that the device reads or writes.
type host struct{ questionBytes, answerBytes, levelBytes []byte }

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
		list = append(list, wanted{&s.level, 4 * n, "levels"}, wanted{&s.sums, 8 * arcs.SumsWords, "sums"})
		if s.footprint.sets() {
			list = append(list, wanted{&s.sets, 4 * levelSets * int64(s.words()), "sets"})
		}
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
	in := s.wideOptions(megakernel.Options{Topology: s.inRounds()})
	if s.together() > 1 {
		if s.many, err = s.plan(ctx, s.laneWaves(p), dependencies, " together", in); err != nil {
			return err
		}
	}
	if s.footprint.sets() {
		if err := s.write(ctx, driver.Part(s.sets, 0, 4*int64(s.words())), closedSet(s.back.g)); err != nil {
			return err
		}
	}
	if s.back != nil {
		if s.footprint.sets() {
			in.Tail = megakernel.TailNever // one block would be long over a set
		}
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

// The waves, by number, and what waits for what.
const (
	clearWave = iota
	seedWave
	roundWave
	answerWave
	nextWave
)

var dependencies = []megakernel.Dependency{{Before: clearWave, After: seedWave}, {Before: answerWave, After: nextWave}}

// waves search for one query.
func (s *searches) waves(p waves.Programs) []megakernel.Wave {
	turn, seen, list, lengths, filter := s.turn, driver.All(s.seen), driver.All(s.list), driver.All(s.lengths), driver.All(s.filter)
	staged, answers, slot, stride := s.staged, driver.All(s.answers), driver.U32(uint32(s.slot)), driver.U32(uint32(s.stride))
	arrays := s.forward.arrays()
	with := func(first []driver.Arg, last ...driver.Arg) []driver.Arg {
		args := append(first, arrays...)
		return append(append(args, seen, filter, list, lengths), last...)
	}
	round := with([]driver.Arg{megakernel.Round{}, megakernel.Size{}}, megakernel.Vote{}, megakernel.Edges{})
	stay := with([]driver.Arg{megakernel.Round{}, megakernel.Size{}, megakernel.Limit{}, megakernel.Many{}}, megakernel.Edges{}, megakernel.Result{})
	drain := with(nil, megakernel.Slots{}, megakernel.Control{})
	return []megakernel.Wave{
		clearWave: {Program: p.Clear, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(max(s.words(), 3))), Args: []driver.Arg{stride, slot, turn, staged, seen, lengths, answers}},
		seedWave:  {Program: p.Seed, Phase: megakernel.Before, Domain: s.seedDomain(), Args: []driver.Arg{stride, turn, staged, seen, list, lengths, filter}},
		roundWave: {Program: p.Round, Domain: megakernel.Spread(lengths, uint32(s.g.Nodes())), Args: round,
			Stay:  &megakernel.Stay{Program: p.Stay, Args: stay},
			Drain: &megakernel.Drain{Program: p.Drain, Args: drain, Slots: arcs.Slots(uint64(s.g.Nodes()), uint64(s.g.Arcs()))}},
		answerWave: {Program: p.Answer, Phase: megakernel.After, Domain: s.answerDomain(), Args: []driver.Arg{stride, slot, turn, staged, seen, answers}},
		nextWave:   nextTurn(p, turn),
	}
}

// laneWaves search for several queries together.
func (s *searches) laneWaves(p waves.Programs) []megakernel.Wave {
	turn, seen, queued, list, lengths, filter := s.turn, driver.All(s.lanes), driver.All(s.queued), driver.All(s.list), driver.All(s.lengths), driver.All(s.filter)
	staged, answers, slot, stride := s.staged, driver.All(s.answers), driver.U32(uint32(s.slot)), driver.U32(uint32(s.stride))
	round := append([]driver.Arg{megakernel.Round{}, megakernel.Size{}}, s.forward.arrays()...)
	round = append(round, seen, queued, filter, list, lengths, megakernel.Vote{}, megakernel.Edges{})
	return []megakernel.Wave{
		clearWave: {Program: p.Lanes.Clear, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(max(s.g.Nodes(), s.together(), 3))),
			Args: []driver.Arg{stride, slot, turn, staged, seen, queued, lengths, answers}},
		seedWave:   {Program: p.Lanes.Seed, Phase: megakernel.Before, Domain: s.seedDomain(), Args: []driver.Arg{stride, turn, staged, seen, queued, list, lengths, filter}},
		roundWave:  {Program: p.Lanes.Round, Domain: megakernel.Spread(lengths, uint32(s.g.Nodes())), Args: round},
		answerWave: {Program: p.Lanes.Answer, Phase: megakernel.After, Domain: s.nodeDomain(), Args: []driver.Arg{stride, slot, turn, staged, seen, answers}},
		nextWave:   nextTurn(p, turn),
	}
}

// levelWaves search for the levels of one query: with lists alone, or where the graph is shallow with sets.
func (s *searches) levelWaves(p waves.Programs) []megakernel.Wave {
	turn, list, lengths, filter := s.turn, driver.All(s.list), driver.All(s.lengths), driver.All(s.filter)
	state, programs := []driver.Arg{driver.All(s.level)}, p.Levels
	clear, words := state[:1:1], s.g.Nodes()
	if s.footprint.sets() {
		part := func(first, sets int) driver.Arg {
			return driver.Part(s.sets, 4*int64(first*s.words()), 4*int64(sets*s.words()))
		}
		state = append(state, part(1, 1), part(2, levelSets-2))
		clear = append(clear, append([]driver.Arg{part(0, 1)}, state[1:]...)...)
		words = max(words, (levelSets-2)*s.words())
		programs.Clear, programs.Seed, programs.Round = p.Levels.Bits.Clear, p.Levels.Bits.Seed, p.Levels.Bits.Round
	}
	state = append(state, driver.All(s.sums))
	forward, scan := s.turnCosts()
	costs := []driver.Arg{driver.U32(forward), driver.U32(scan)}
	graph := s.forward.arrays()
	seed := append([]driver.Arg{driver.U32(uint32(s.stride)), turn, s.staged, graph[0], s.back.arrays()[0]}, state...)
	round := append([]driver.Arg{megakernel.Round{}, megakernel.Size{}, driver.U32(closed(s.back.g))}, costs...)
	round = append(append(append(round, graph...), s.back.arrays()...), state...)
	var alone *megakernel.Stay // none if every list is heavy enough to go backward from, or there are few rounds
	if most := arcs.MostAlone(uint32(s.g.Nodes()), forward, scan); most > 0 && !s.footprint.sets() {
		stay := append([]driver.Arg{megakernel.Round{}, megakernel.Size{}, megakernel.Limit{}, megakernel.Many{}}, costs...)
		stay = append(append(append(stay, graph...), state...), filter, list, lengths, megakernel.Edges{}, megakernel.Result{})
		alone = &megakernel.Stay{Program: p.Levels.Stay, Args: stay, Most: most}
	}
	return []megakernel.Wave{
		clearWave: {Program: programs.Clear, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(max(words, arcs.SumsWords))), Args: append(clear, driver.All(s.sums), lengths)},
		seedWave:  {Program: programs.Seed, Phase: megakernel.Before, Domain: s.seedDomain(), Args: append(seed, list, lengths, filter)},
		roundWave: {Program: programs.Round, Domain: megakernel.Spread(lengths, uint32(s.g.Nodes())), Args: append(round, filter, list, lengths, megakernel.Vote{}, megakernel.Edges{}), Stay: alone},
	}
}

// turnCosts are what rounds turn by: what was measured of the device, or 0, which is what is usual.
func (s *resident) turnCosts() (forward, scan uint32) {
	costs := s.o.Costs
	if costs == nil {
		costs = megakernel.KeptCosts(s.dev)
	}
	if costs == nil {
		return 0, 0
	}
	return costs.Forward, costs.Scan
}

func nextTurn(p waves.Programs, turn driver.Range) megakernel.Wave {
	return megakernel.Wave{Program: p.Next, Phase: megakernel.After, Domain: megakernel.Fixed(1), Args: []driver.Arg{turn}}
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
