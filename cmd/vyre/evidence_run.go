package main

import (
	"bytes"
	"fmt"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/evidence"
	"github.com/govyre/vyre/internal/protocols"
)

// evidenceRunCmd measures, and writes a file.
type evidenceRunCmd struct {
	Graph     []string `required:"" sep:"none" placeholder:"NAME" help:"Graph to search, such as road:1024x1024, icfg:1024,64,16, or with a filter of kinds skew:1048576@0x10; may be repeated."`
	Reps      int      `default:"64" help:"Repetitions of each protocol in a sample; an even number."`
	Samples   int      `default:"5" help:"Samples of each graph."`
	Out       string   `short:"o" required:"" placeholder:"FILE" help:"CSV file to write; - is standard output."`
	Device    string   `default:"auto" completes:"device" help:"Device to measure on; see vyre devices."`
	AnyDevice bool     `help:"Let small GPUs count, and devices that are none."`
	Rehearsal bool     `help:"Measure what the gate will reject: small graphs, simulated devices, busy machines."`
}

// Help is the long help of the command.
func (evidenceRunCmd) Help() string {
	return `Searches graphs by the kernels and the memory of a session, driven by four protocols in turn: naive uploads everything
and asks the host after each round; strong keeps all on the device and reads a word a round; best other is the fastest
of back-to-back launches, captured graphs and loops of the device; resident is the session's plan, one launch that ends
by itself. Every answer is compared with a search on one core, and nothing is written if one differs. A sample whose
halves are more than 10 % apart is measured again, five times at most. The command refuses what could not pass the gate
before it measures anything; with --rehearsal it measures it all the same, and the file never passes.

Example:
  vyre evidence run --graph road:1024x1024 --graph skew:1048576 --reps 64 --samples 5 -o speedup.csv`
}

func (c *evidenceRunCmd) Run(t *terminal) error {
	names, err := c.names()
	if err != nil {
		return err
	}
	if err := checkDevice(c.Device); err != nil {
		return err
	}
	file, err := t.create("-o", c.Out)
	if err != nil {
		return err
	}
	defer file.close()
	rows, err := c.measure(t, names)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := evidence.Write(&text, rows); err != nil {
		return err
	}
	if err := file.write(text.Bytes()); err != nil {
		return err
	}
	return c.verdict(t, text.Bytes())
}

// names reads what is to be searched.
func (c *evidenceRunCmd) names() (names []protocols.Name, err error) {
	seen := map[string]bool{}
	for _, g := range c.Graph {
		n, err := protocols.Parse(g)
		if err != nil {
			return nil, usagef("--graph %s: %w", g, err)
		}
		if seen[n.String()] {
			return nil, usagef("--graph %s: it is there twice", g)
		}
		seen[n.String()] = true
		names = append(names, n)
	}
	switch {
	case c.Reps < 2 || c.Reps%2 != 0:
		return nil, usagef("--reps %d: want an even number, since half of the repetitions are measured in each of two regions", c.Reps)
	case c.Samples < 1:
		return nil, usagef("--samples %d: want at least 1", c.Samples)
	}
	return names, nil
}

// measure opens the device and takes all samples. What happens meanwhile is said on standard error, and not by a
// goroutine of its own: what that allocates would be counted.
func (c *evidenceRunCmd) measure(t *terminal, names []protocols.Name) ([]evidence.Row, error) {
	dev, err := openDevice(c.Device, driver.OpenOptions{})
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	o := protocols.Options{Run: time.Now().UTC().Format("20060102T150405Z"), Repetitions: c.Reps, Samples: c.Samples, Rehearsal: c.Rehearsal,
		Say: func(format string, args ...any) { fmt.Fprintf(t.err, format+"\n", args...) }}
	if err := o.Check(dev); err != nil {
		return nil, err
	}
	var works []*protocols.Work
	for _, n := range names {
		w, err := n.Load(t.ctx, 0)
		if err != nil {
			return nil, err
		}
		if err := c.gate().Worth(dev, w.Subject(o), c.Reps, c.Samples); err != nil && !c.Rehearsal {
			return nil, fmt.Errorf("graph %v: the gate would reject what is measured; --rehearsal measures it all the same:\n%w", n, err)
		}
		works = append(works, w)
	}
	var rows []evidence.Row
	for _, w := range works {
		if err := dev.Flush(); err != nil { // so that no graph finds what another has left
			return nil, err
		}
		some, err := protocols.Measure(t.ctx, dev, w, o)
		if err != nil {
			return nil, err
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

// gate is what the file is held against.
func (c *evidenceRunCmd) gate() evidence.Gate {
	return evidence.Gate{AnyDevice: c.AnyDevice || c.Rehearsal}
}

// verdict prints what a check of the file prints. A rehearsal is never rejected for being one.
func (c *evidenceRunCmd) verdict(t *terminal, file []byte) error {
	out := t.out
	if standard(c.Out) {
		out = &stdout{Writer: t.err}
	}
	err := checkEvidence(&terminal{out: out, err: t.err}, c.Out, c.gate(), file, false)
	if c.Rehearsal && err == errSilent {
		return nil
	}
	return err
}
