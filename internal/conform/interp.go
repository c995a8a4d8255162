package conform

import (
	"context"
	"fmt"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/ir"
)

// Interp is the interpreter as a device, with a schedule and detectors of choice.
func Interp(o interp.Options) Device { return InterpOf(interp.Prepare, o) }

// InterpOf is Interp with kernels that prepare makes.
func InterpOf(prepare func(*ir.Program) (*interp.Kernel, error), o interp.Options) Device {
	return &interpreter{prepare, o}
}

type interpreter struct {
	prepare func(*ir.Program) (*interp.Kernel, error)
	o       interp.Options
}

// Name says how the interpreter was set up.
func (d *interpreter) Name() string {
	s := "interp " + d.o.Schedule.String()
	if d.o.Detect != 0 {
		s += " with detectors"
	}
	return s
}

func (d *interpreter) Run(ctx context.Context, p *ir.Program, l Launch) (Outcome, error) {
	k, err := d.prepare(p)
	if err != nil {
		return Outcome{}, err
	}
	a, err := newArena(p, l)
	if err != nil {
		return Outcome{}, err
	}
	in := launch.Launch{Grid: l.Grid, Rest: l.Rest, Args: make([]launch.Arg, len(l.Args))}
	for i := range in.Args {
		if p.Params()[i].IsBuffer() {
			in.Args[i].Mem = a.buffer(i)
		} else {
			in.Args[i].Bits = l.Args[i].Bits
		}
	}
	res, err := k.Run(ctx, in, d.o)
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{Dropped: res.TracesDropped, Detected: d.o.Detect == interp.Everything}
	if out.Buffers, err = a.buffers(); err != nil {
		return Outcome{}, err
	}
	if t := res.Trap; t != nil {
		out.Trap = &Trap{Code: t.Code, Value: t.Value, Group: t.By.Group, Local: t.By.Local, Message: t.Message, Line: t.Pos.Line}
	}
	for _, t := range res.Traces {
		out.Traces = append(out.Traces, Trace{Tag: t.Tag, Linear: t.Linear, Values: t.Values[:t.Count]})
	}
	for _, r := range res.Reports {
		out.Reports = append(out.Reports, Report{findingOf(r.Kind), r.String()})
	}
	return out, nil
}

func findingOf(k interp.ReportKind) Finding {
	switch k {
	case interp.Race:
		return Racy
	case interp.BenignRace:
		return Benign
	case interp.UndefinedRead:
		return Undefined
	case interp.OutOfBounds:
		return OutOfBounds
	}
	panic(fmt.Sprintf("BUG: the interpreter reports %s", k))
}
