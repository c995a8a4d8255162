package prim

import (
	"context"
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/prim/internal/block"
	"github.com/govyre/vyre/prim/internal/kernels"
)

// Distribution says which numbers are drawn.
type Distribution struct {
	name  string
	bound uint64
}

// The distributions: words, that is all bits random, of uint32 and uint64; uniform numbers from 0 up to, but not including, 1,
// and normal ones of mean 0 and variance 1, of float32 and float64.
var (
	Words   = Distribution{name: "words"}
	Uniform = Distribution{name: "uniform"}
	Normal  = Distribution{name: "normal"}
)

// Below is the distribution of integers from 0 to n-1, of uint32 for n up to 1<<24, and of uint64.
func Below(n uint64) Distribution { return Distribution{"below", n} }

// Source is a place in a random sequence: each seed has 1<<64 streams, and number i of a stream is the same whatever is
// drawn beside it, in whatever pieces. Package gpu/random draws the same words in kernels and on the host.
type Source = block.Source

// Random fills buffers with random numbers, by Philox4x32-10.
type Random[T vyre.Element] struct {
	*made
	kernel kernel
	bound  []vyre.Arg
	each   uint64 // numbers that an invocation draws at once
}

// NewRandom makes a source of at most max numbers at a time.
func NewRandom[T vyre.Element](ctx context.Context, dev vyre.Device, d Distribution, max int) (*Random[T], error) {
	what := fmt.Sprintf("Random[%s] %s", typeName[T](), d.name)
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	r := &Random[T]{made: m, each: 4}
	bind := map[string]uint64{}
	flag := func(name string, set bool) {
		if bind[name] = 0; set {
			bind[name] = 1
		}
	}
	var program func() (*ir.Program, error)
	name := typeName[T]()
	switch {
	case d == Below(0):
		return nil, m.refuse("there are no numbers below 0", "pass Below a greater bound")
	case name == "uint32" && (d == Words || d.name == "below" && d.bound <= 1<<24):
		program = kernels.WordsProgram
		r.bound = []vyre.Arg{driver.U32(uint32(d.bound))}
		flag("below", d != Words)
	case name == "uint64" && (d == Words || d.name == "below"):
		program, r.each = kernels.LongsProgram, 2
		r.bound = []vyre.Arg{driver.U64(d.bound)}
		flag("below", d != Words)
	case name == "float32" && (d == Uniform || d == Normal):
		program = kernels.FloatsProgram
		flag("normal", d == Normal)
	case name == "float64" && (d == Uniform || d == Normal):
		program, r.each = kernels.DoublesProgram, 2
		flag("normal", d == Normal)
	case name == "uint32" && d.name == "below":
		return nil, m.refuse(fmt.Sprintf("uint32 below %d", d.bound), "draw uint64: of 32 bits numbers above 1<<24 are not equally likely enough")
	default:
		return nil, unsupported(what, "words and numbers below a bound are uint32 or uint64, uniform and normal ones float32 or float64")
	}
	p, err := program()
	r.kernel, err = m.compile(ctx, p, err, bind, "out")
	if err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return r, nil
}

func (r *Random[T]) scratchBytes() int64 { return 0 }

// Record appends a fill of out[:n] with n numbers from a place on.
func (r *Random[T]) Record(seq *vyre.Sequence, n Length, from Source, out *vyre.Buffer[T]) *RandomStep {
	if unmade(seq, r) {
		return &RandomStep{new(Step)}
	}
	st := r.step(seq, n, out.Len(), out.Bytes())
	args := []vyre.Arg{driver.U64(st.room), driver.U64(n.n), st.where(n), driver.U64(from.Seed), driver.U64(from.Stream), driver.U64(from.From)}
	args = append(append(args, r.bound...), out.All())
	st.launched(r.launch(seq, r.kernel, (r.max+r.each*block.Threads-1)/(r.each*block.Threads), args...), 1)
	return &RandomStep{st}
}

// RandomStep is a fill in a sequence.
type RandomStep struct{ *Step }

// SetSource changes where the next runs begin. It answers like the setters of a vyre.Step.
func (s *RandomStep) SetSource(from Source) error {
	if s == nil || s.Step == nil || s.of == nil {
		return unrecorded()
	}
	for i, v := range []uint64{from.Seed, from.Stream, from.From} {
		if err := s.launches[0].step.SetArg(3+i, driver.U64(v)); err != nil {
			return err
		}
	}
	return nil
}
