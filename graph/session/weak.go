package session

import (
	"context"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// weak makes weak components.
type weak struct {
	*analysis
	parent, largest driver.Buffer
}

// openWeak prepares weak components, if it is the first time.
func openWeak(ctx context.Context, s *runner, to *kept[*weak]) (*weak, error) {
	return to.get(s, func() (*weak, error) { return newWeak(ctx, s) })
}

func newWeak(ctx context.Context, s *runner) (*weak, error) {
	w := &weak{analysis: s.analysis("components")}
	w.want(&w.parent, 4*int64(s.g.Nodes()), "components")
	w.want(&w.largest, 4, "largest component")
	p, err := waves.UnpackComponents(s.g.Masks() != nil)
	if err != nil {
		return nil, err
	}
	if err := w.open(); err != nil {
		return nil, err
	}
	return w, w.plan(ctx, w.waves(p), weakDependencies, megakernel.Options{Blocks: megakernel.AllBlocks})
}

// find leaves labels for the kinds that the filter allows in the memory of components.
func (w *weak) find(ctx context.Context, filter uint32) (Run, error) {
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
		compressWave:       {Program: p.Compress, Phase: megakernel.After, Domain: all, Args: []driver.Arg{parent}},
	}
}

// flag is 1 for true.
func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
