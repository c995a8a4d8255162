package egraph

import (
	"cmp"
	"slices"
)

// Limits bound a run. It ends at the first that is reached, or when rules find nothing new.
type Limits struct {
	Rows    int      // rows that the graph may have, as Graph.Rows counts them; 0: 100,000
	Rounds  int      // 0: 30
	Matches int      // matches applied in all; 0: 1,000,000
	Goal    [2]Class // the run ends once these two are equal
}

// Report is what a run did. It is the same on every machine.
type Report struct {
	Rounds  int
	Matches int    // that were applied
	Unions  int    // classes that stopped being roots, by congruence too
	Stopped string // "limit of rows", "limit of rounds", "limit of matches" or "goal"; "" if no rule finds anything new
	bans    int    // how often a rule found too much and had to wait
}

// A rule that finds more than this in a round waits for some rounds; both double each time. Rules of <=>, which make
// classes large and nothing cheaper, wait earlier.
const (
	maxMatches          = 1000
	maxExpandingMatches = 100
	banRounds           = 5
)

// leastRoom is how many matches a round looks for at least. Else it looks for no more than there is room for rows:
// nearly every match makes one.
const leastRoom = 64

// run is a run of rules over a graph.
type run struct {
	*Graph
	rules  *Rules
	limits Limits
	report Report
	match  matcher
	build  builder
	root   []Class // by row, as it was after the last round
	state  []schedule
	number uint32   // of rules in reasons
	part   bool     // the last search left rules out
	named  int      // heads of the graph that patterns have been told of
	wait   []uint32 // patterns that begin with such a head
	ready  []uint32 // patterns all of whose heads are such
}

// schedule says when a rule is searched.
type schedule struct {
	times int    // it was banned
	until int    // the round in which it comes back
	since uint32 // the round in which it was last applied
}

// Run applies rules in rounds until they find nothing new, or to a limit: it searches all rules, then applies all
// matches, then rebuilds. Its order is fixed: rules as listed, classes and rows rising. A limit is in the report and
// is not an error; an error is a mistake since the last Rebuild, or names the rule that made two constants equal.
func (g *Graph) Run(rules *Rules, limits Limits) (Report, error) {
	for _, l := range []struct{ at, zero *int }{{&limits.Rows, ptr(100_000)}, {&limits.Rounds, ptr(30)},
		{&limits.Matches, ptr(1_000_000)}} {
		if *l.at == 0 {
			*l.at = *l.zero
		}
	}
	g.known.start()
	if goal := limits.Goal; int(max(goal[0], goal[1])) >= len(g.types) && goal[0] != goal[1] {
		g.err = cmp.Or(g.err, mistake("a goal of classes %d and %d of %d", goal[0], goal[1], len(g.types)))
	}
	if err := g.Rebuild(); err != nil {
		return Report{}, err
	}
	r := &run{Graph: g, rules: rules, limits: limits, state: make([]schedule, len(rules.names))}
	r.number = uint32(len(g.reasons.rules))
	g.reasons.rules = append(g.reasons.rules, rules)
	r.match.Graph, r.build.Graph, r.build.rules = g, g, rules
	r.build.named = slices.Repeat([]Head{noHead}, len(rules.heads.info))
	r.match.heads = slices.Clone(r.build.named)
	g.known.tracking, g.touched, g.known.learned = true, g.touched[:0], g.known.learned[:0]
	err := r.rounds()
	g.known.tracking = false
	return r.report, err
}

func ptr(n int) *int { return &n }

func (r *run) rounds() error {
	before := r.sets.joined
	defer func() { r.report.Unions = r.sets.joined - before }()
	r.stampAll(0)
	for !r.reached() {
		if r.report.Rounds == r.limits.Rounds {
			r.report.Stopped = "limit of rounds"
			return nil
		}
		r.report.Rounds++
		r.search()
		rows, unions := len(r.rowHead), r.sets.joined
		full := r.apply()
		if err := r.Rebuild(); err != nil {
			return err
		}
		r.stampAll(uint32(r.report.Rounds))
		switch {
		case full && !r.reached():
			return nil
		case !r.part && rows == len(r.rowHead) && unions == r.sets.joined && !r.lift():
			return nil
		}
	}
	return nil
}

// reached reports whether the classes of the goal are equal.
func (r *run) reached() bool {
	goal := r.limits.Goal
	if goal[0] == goal[1] || r.Find(goal[0]) != r.Find(goal[1]) {
		return false
	}
	r.report.Stopped = "goal"
	return true
}

// stampAll notes the round in which rows were made, or got other children or another class.
func (r *run) stampAll(round uint32) {
	m := &r.match
	for row := len(m.stamp); row < len(r.rowHead); row++ {
		m.stamp = append(m.stamp, round)
		r.root = append(r.root, r.sets.find(r.rowClass[row]))
	}
	for row, c := range r.rowClass {
		if root := r.sets.find(c); root != r.root[row] && r.fault != faultStamp {
			r.root[row], m.stamp[row] = root, round
		}
	}
	for _, row := range r.touched {
		m.stamp[row] = round
	}
	m.learned = append(m.learned, make([]uint32, len(r.types)-len(m.learned))...)
	for _, c := range r.known.learned {
		m.learned[r.sets.find(c)] = round
	}
	r.touched, r.known.learned = r.touched[:0], r.known.learned[:0]
}

// lift brings back the rules that are banned, if there are any.
func (r *run) lift() bool {
	any := false
	for i := range r.state {
		if s := &r.state[i]; s.until > r.report.Rounds {
			s.until, any = 0, true
		}
	}
	return any
}

// search finds the matches of all rules that are not banned, or of the first of them, if those surely fill the graph.
func (r *run) search() {
	m := &r.match
	m.index.build(r.Graph)
	m.changes()
	r.name()
	m.out.reset()
	list := r.rules.list
	room := max(r.limits.Rows-len(r.rowHead), leastRoom)
	at := 0
	for at < len(r.ready) && len(m.out.pattern) <= room {
		number, from := list[r.ready[at]].number, at
		for at < len(r.ready) && list[r.ready[at]].number == number {
			at++
		}
		if s := &r.state[number]; s.until <= r.report.Rounds {
			r.searchRule(s, r.ready[from:at])
		}
	}
	r.part = at < len(r.ready)
}

// name tells patterns of the heads that are new. Those of which a head is missing match nothing.
func (r *run) name() {
	m := &r.match
	heads := r.heads.info[:len(m.index.headFirst)-1]
	if r.named == len(heads) {
		return
	}
	for ; r.named < len(heads); r.named++ {
		if at, ok := r.rules.heads.ids[heads[r.named]]; ok {
			m.heads[at] = Head(r.named)
			r.wait = append(r.wait, r.rules.begun[at]...)
		}
	}
	missing := func(h int) bool { return m.heads[h] == noHead }
	r.wait = slices.DeleteFunc(r.wait, func(at uint32) bool {
		if slices.ContainsFunc(r.rules.list[at].needs, missing) {
			return false
		}
		r.ready = append(r.ready, at)
		return true
	})
	slices.Sort(r.ready)
}

// searchRule finds the matches of the patterns of one rule. If they are too many it forgets them.
func (r *run) searchRule(s *schedule, list []uint32) {
	m := &r.match
	limit := maxMatches
	if r.rules.list[list[0]].rule.Both {
		limit = maxExpandingMatches
	}
	limit <<= min(s.times, 24)
	begin := len(m.out.pattern)
	m.most = begin + limit
	for _, at := range list {
		if m.search(at, r.rules.list[at], s.since); len(m.out.pattern) > m.most {
			break
		}
	}
	if len(m.out.pattern) > m.most {
		m.out.cut(begin)
		s.until = r.report.Rounds + banRounds<<min(s.times, 24)
		s.times++
		r.report.bans++
		return
	}
	s.since = uint32(r.report.Rounds)
}

// apply makes the right side of each match and records that it is equal. It reports whether a limit was reached; then
// what is recorded holds, and the other matches are left out.
func (r *run) apply() (full bool) {
	out := &r.match.out
	for i, at := range out.pattern {
		switch {
		case r.table.live >= r.limits.Rows:
			r.report.Stopped = "limit of rows"
			return true
		case r.report.Matches >= r.limits.Matches:
			r.report.Stopped = "limit of matches"
			return true
		}
		end := len(out.data)
		if i+1 < len(out.first) {
			end = int(out.first[i+1])
		}
		r.applyMatch(at, out.data[out.first[i]:end])
		r.report.Matches++
	}
	return false
}

func (r *run) applyMatch(at uint32, bind []uint32) {
	b := &r.build
	b.p, b.bind, b.built = r.rules.list[at], bind, b.built[:0]
	right, _ := b.term(&b.p.made)
	left := r.rowClass[bind[len(b.p.vars)]]
	if r.sets.find(left) == r.sets.find(right) {
		return
	}
	e := edge{a: left, b: right, kind: ruled, rule: r.number, x: uint32(len(r.reasons.binds)), y: at}
	r.reasons.binds = append(append(r.reasons.binds, bind...), b.built...)
	r.pending = append(r.pending, e)
}
