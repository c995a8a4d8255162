package session

import (
	"context"
	"encoding/binary"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// counted is what counts components whose labels are on the device.
type counted struct {
	tally driver.Buffer
	of    *Components // whose labels are there; nil if it is no one's
}

// wantTally counts its memory.
func (c *counted) wantTally(a *analysis) { a.want(&c.tally, 8*waves.TallyWords, "tally of components") }

// sizes is where nodes are counted by label: in the list, which nobody needs by then.
func (s *runner) sizes() driver.Range { return driver.Part(s.list, 0, 4*int64(s.g.Nodes())) }

// tallyWaves count. They come after the rounds, and what is before them has cleared sizes and tally.
func (c *counted) tallyWaves(s *runner, p waves.Counts, label driver.Buffer) []megakernel.Wave {
	args := []driver.Arg{driver.All(label), s.sizes(), driver.All(c.tally)}
	return []megakernel.Wave{
		{Program: p.Tally, Phase: megakernel.After, Domain: s.nodeDomain(), Args: args},
		{Program: p.Most, Phase: megakernel.After, Domain: s.answerDomain(), Args: args},
	}
}

// readTally reads what was counted.
func (c *counted) readTally(ctx context.Context, s *runner) (t tally, err error) {
	var host [8 * waves.TallyWords]byte
	if err := s.read(ctx, driver.All(c.tally), host[:]); err != nil {
		return t, err
	}
	t.count = int(binary.LittleEndian.Uint64(host[8*waves.TallyCount:]))
	most := binary.LittleEndian.Uint64(host[8*waves.TallyMost:])
	t.most, t.size = ^uint32(most), int(most>>32)
	return t, nil
}

// weak makes weak components.
type weak struct {
	*analysis
	counted
	parent, largest driver.Buffer
}

// openWeak prepares weak components, if it is the first time.
func openWeak(ctx context.Context, s *runner, to *kept[*weak]) (*weak, error) {
	return to.get(s, func() (*weak, error) { return newWeak(ctx, s) })
}

// wantWeak counts its memory.
func wantWeak(s *runner) *weak {
	w := &weak{analysis: s.analysis("components")}
	w.want(&w.parent, 4*int64(s.g.Nodes()), "components")
	w.want(&w.largest, 4, "largest component")
	w.wantTally(w.analysis)
	return w
}

func newWeak(ctx context.Context, s *runner) (*weak, error) {
	w := wantWeak(s)
	p, err := waves.UnpackComponents(s.g.Masks() != nil)
	if err != nil {
		return nil, err
	}
	if err := w.open(); err != nil {
		return nil, err
	}
	list, deps := w.waves(p), weakDependencies
	if s.g.Arcs() <= fewArcs*s.g.Nodes() {
		list, deps = w.sparse(p), nil
	}
	end := len(list)
	deps = append(deps[:len(deps):len(deps)], megakernel.Dependency{Before: end - 1, After: end}, megakernel.Dependency{Before: end, After: end + 1})
	return w, w.plan(ctx, append(list, w.tallyWaves(s, p.Tally, w.parent)...), deps, megakernel.Options{Blocks: megakernel.AllBlocks})
}

// fewArcs a node at most make a graph whose arcs are joined without a sample of them first.
const fewArcs = 4

// find leaves labels for the kinds that the filter allows in the memory of components.
func (w *weak) find(ctx context.Context, filter uint32) (Run, error) {
	w.of = nil
	r, err := w.run(ctx, filter)
	if err == nil {
		err = w.s.ended("components", r)
	}
	return r, err
}

// The waves of components, by number: a straight line, of which joining what is left is the only round.
const (
	hookWave = iota
	compressHookedWave
	linkLastWave
	compressLinkedWave
	sampleWave
	listRestWave
	linkRestWave
	compressWave
)

var weakDependencies = []megakernel.Dependency{{Before: hookWave, After: compressHookedWave}, {Before: compressHookedWave, After: linkLastWave},

	{Before: linkLastWave, After: compressLinkedWave}, {Before: compressLinkedWave, After: sampleWave}, {Before: sampleWave, After: listRestWave}}

func (w *weak) waves(p waves.Components) []megakernel.Wave {
	s := w.s
	parent, largest, list, lengths, filter := driver.All(w.parent), driver.All(w.largest), driver.All(s.list), driver.All(s.lengths), driver.All(s.filter)
	all := megakernel.Fixed(uint32(max(s.g.Nodes(), 3)))
	before := func(program *ir.Program, over megakernel.Domain, args ...driver.Arg) megakernel.Wave {
		return megakernel.Wave{Program: program, Phase: megakernel.Before, Domain: over, Args: args}
	}
	ends := append(maskedArrays(s.forward), filter, parent)
	round := append([]driver.Arg{megakernel.Round{}, megakernel.Size{}}, s.forward.arrays()...)
	round = append(round, filter, parent, list, lengths, megakernel.Vote{}, megakernel.Edges{})
	return []megakernel.Wave{
		hookWave:           before(p.Hook, all, append(ends[:len(ends):len(ends)], lengths)...),
		compressHookedWave: before(p.Compress, all, parent),
		linkLastWave:       before(p.LinkLast, all, ends...),
		compressLinkedWave: before(p.Compress, all, parent),
		sampleWave:         before(p.Sample, megakernel.Fixed(1), parent, largest),
		listRestWave:       before(p.ListRest, s.nodeDomain(), driver.U32(flag(s.symmetric)), parent, largest, list, lengths),
		linkRestWave:       {Program: p.LinkRest, Domain: megakernel.Spread(lengths, uint32(s.g.Nodes())), Args: round},
		compressWave:       {Program: p.Settle, Phase: megakernel.After, Domain: all, Args: []driver.Arg{parent, s.sizes(), driver.All(w.tally)}},
	}
}

// sparse are the waves for a graph of few arcs.
func (w *weak) sparse(p waves.Components) []megakernel.Wave {
	s, list := w.s, w.waves(p)
	args := append([]driver.Arg{driver.U32(flag(s.symmetric))}, maskedArrays(s.forward)...)
	link := megakernel.Wave{Program: p.LinkAll, Domain: s.answerDomain(), Args: append(args, driver.All(s.filter), driver.All(w.parent), megakernel.Edges{})}
	return []megakernel.Wave{list[hookWave], link, list[compressWave]}
}

// flag is 1 for true.
func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
