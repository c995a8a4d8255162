package conform

import (
	"bytes"
	"context"
	"fmt"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/ir/text"
)

// Agree runs the program on the interpreter, going forward and with every detector, and, read back from
// its text, on every device. It returns how they differ, or what the detectors found.
func (r *RandomProgram) Agree(ctx context.Context, devices ...Device) error {
	oracle := Interp(interp.Options{Detect: interp.Races | interp.Undefined})
	want, err := oracle.Run(ctx, r.Program, r.Launch)
	if err != nil {
		return fmt.Errorf("on the interpreter: %w", err)
	}
	for _, rep := range want.Reports {
		return fmt.Errorf("a program made to be free of findings has one: %s", rep.Text)
	}
	back, err := text.Parse("random", text.Of(r.Program))
	if err != nil {
		return fmt.Errorf("its text is refused: %w", err)
	}
	if back[0].Digest() != r.Program.Digest() {
		return fmt.Errorf("its text is another program")
	}
	for _, d := range devices {
		got, err := d.Run(ctx, back[0], r.Launch)
		if err != nil {
			return fmt.Errorf("on %s: %w", d.Name(), err)
		}
		if err := r.differ(got, want); err != nil {
			return fmt.Errorf("on %s: %w", d.Name(), err)
		}
	}
	return nil
}

// differ compares two outcomes. After a trap a device may have ended early, so then
// only the trap counts.
func (r *RandomProgram) differ(got, want Outcome) error {
	switch {
	case want.Trap == nil && got.Trap != nil:
		return fmt.Errorf("trap %d with %d, want none", got.Trap.Code, got.Trap.Value)
	case want.Trap != nil && got.Trap == nil:
		return fmt.Errorf("no trap, want %d with %d", want.Trap.Code, want.Trap.Value)
	case want.Trap != nil:
		g, w := *got.Trap, *want.Trap
		if g.Code != w.Code || g.Value != w.Value || g.Group != w.Group || g.Local != w.Local {
			return fmt.Errorf("trap %+v, want %+v", g, w)
		}
		return nil
	}
	for i, w := range want.Buffers {
		p := r.Program.Params()[i]
		if !p.IsBuffer() || bytes.Equal(got.Buffers[i], w) {
			continue
		}
		if err := compare(cellType(&p), got.Buffers[i], w, nil); err != nil {
			return fmt.Errorf("buffer %s: %w", p.Name, err)
		}
	}
	return nil
}

// Describe prints the program and its launch in the form of a case file, under the Go that it was made of.
func (r *RandomProgram) Describe() string {
	var b bytes.Buffer
	b.WriteString(r.source)
	fmt.Fprintf(&b, "-- program --\n%s-- launch --\ngrid %d %d %d\n", text.Of(r.Program), r.Launch.Grid[0], r.Launch.Grid[1], r.Launch.Grid[2])
	for i, p := range r.Program.Params() {
		fmt.Fprintf(&b, "arg %s =", p.Name)
		if !p.IsBuffer() {
			fmt.Fprintf(&b, " %#x\n", r.Launch.Args[i].Bits&p.Type.Mask())
			continue
		}
		data := r.Launch.Args[i].Data
		if len(bytes.Trim(data, "\x00")) == 0 {
			fmt.Fprintf(&b, " zeros %d\n", len(data)/cellType(&p).Size())
			continue
		}
		for at := 0; at < len(data); at += cellType(&p).Size() {
			fmt.Fprintf(&b, " %#x", cellType(&p).ReadElem(data[at:]))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
