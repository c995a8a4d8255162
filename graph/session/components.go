package session

import (
	"context"
	"iter"
	"math"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// Components says which nodes hang together.
type Components struct {
	Run    Run
	labels []uint32
	sizes  []uint32 // by label; 0 for a node that is no label
	count  int
	most   uint32 // the label of the greatest
}

// partition counts the components that have the labels, each the smallest node of its component.
func partition(labels []uint32, r Run) *Components {
	c := &Components{Run: r, labels: labels, sizes: make([]uint32, len(labels))}
	same, n := uint32(0), uint32(0) // nodes in a row with one label, which are counted together
	for _, label := range labels {
		if label != same {
			c.sizes[same] += n
			same, n = label, 0
		}
		n++
	}
	if n > 0 {
		c.sizes[same] += n
	}
	for label, size := range c.sizes {
		if size > 0 {
			c.count++
		}
		if size > c.sizes[c.most] {
			c.most = uint32(label)
		}
	}
	return c
}

// Count returns how many components there are.
func (c *Components) Count() int { return c.count }

// Labels returns for each node the smallest one of its component. It must not be written.
func (c *Components) Labels() []uint32 { return c.labels }

// Size returns how many nodes the component has whose smallest node that is; 0 if it is not the smallest of one.
func (c *Components) Size(label uint32) int {
	if int64(label) >= int64(len(c.sizes)) {
		return 0
	}
	return int(c.sizes[label])
}

// Largest returns the label of the component that has most nodes, the smallest label of several, and how many it has.
func (c *Components) Largest() (label uint32, nodes int) { return c.most, c.Size(c.most) }

// All are the components by ascending label, with how many nodes each has.
func (c *Components) All() iter.Seq2[uint32, int] {
	return func(yield func(uint32, int) bool) {
		for label, size := range c.sizes {
			if size > 0 && !yield(uint32(label), int(size)) {
				return
			}
		}
	}
}

// Components returns the weak components: nodes that are joined by arcs of the kinds allowed, whichever way those lead. 0 is
// all kinds. The first call prepares the analysis, which takes 4 bytes a node, and in a symmetric graph, where labels are kept
// for sets too, 12.
//
// Errors: out of memory, with the bytes needed and those there are; those of the device, after which the session may be
// used again unless the device is lost.
func (s *Session) Components(ctx context.Context, kinds uint32) (_ *Components, err error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	set := s.sets.first()
	by, err := set.answering(ctx)
	if err != nil {
		return nil, err
	}
	defer set.exit(&err)
	before := set.moved
	labels, run, err := by.weak(ctx, set.kinds(Query{Kinds: kinds}))
	if err != nil {
		return nil, err
	}
	set.moved.since(before, &run)
	return partition(labels, run), nil
}

func (k *kernels) weak(ctx context.Context, filter uint32) ([]uint32, Run, error) {
	at, _, err := k.labelled(ctx, filter, math.MaxUint64)
	if err != nil {
		return nil, Run{}, err
	}
	var r Run
	var from driver.Range
	if at >= 0 {
		r, from = k.labels.made.slots[at].run, k.labels.made.of(at)
	} else {
		w, err := openWeak(ctx, k.runner, &k.components)
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

// maskedArrays are an image's arrays for programs that can do without masks: they are told whether there are any, and get
// another array in their place.
func maskedArrays(of *image) []driver.Arg {
	args := of.arrays()
	masked := uint32(1)
	if of.g.Masks() == nil {
		masked, args = 0, append(args, args[len(args)-1])
	}
	return append([]driver.Arg{driver.U32(masked)}, args...)
}

// flag is 1 for true.
func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
