package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/report"
	"github.com/govyre/vyre/megakernel"
)

// taintCmd asks which sinks values of which sources come to.
type taintCmd struct {
	File       string `arg:"" help:"Graph to ask; - is standard input."`
	Sources    string `required:"" placeholder:"FILE" help:"Where values come from: a line has nodes as in --from of vyre reach, a tab, and their label; without a label, the nodes are their own."`
	Sinks      string `required:"" placeholder:"FILE" help:"Where they must not come to: nodes, one a line."`
	Sanitizers string `placeholder:"FILE" help:"Where they end: a line has nodes, a tab, and the labels that this is for, with commas; without labels, all."`
	Kinds      string `placeholder:"MASK" help:"Kinds of arcs that are allowed: a number, or names with commas; all by default."`
	Contexts   string `enum:"none,exact" default:"none" help:"Whether returns go to the call that was made, which takes a graph with procedures and call sites (${enum})."`
	Paths      int    `default:"100" placeholder:"N" help:"Of so many findings, show a shortest path."`

	report.Form

	Device string `default:"auto" completes:"device" help:"Device to search on; see vyre devices."`
	profileFlag
	traceFlag
	readFlags
}

// Help is the long help of the command.
func (taintCmd) Help() string {
	return `Nodes are matched by name as far as the graph has names; findings are compared with a baseline by names, too.

Example:
  vyre taint app.vyg --sources sources.txt --sinks sinks.txt --sarif >findings.sarif`
}

func (c *taintCmd) Run(t *terminal) error {
	return t.document(c.JSON, report.TaintSchema, c.run)
}

func (c *taintCmd) run(t *terminal) error {
	if c.Paths < 0 {
		return usagef("--paths %d: a number from 0 on", c.Paths)
	}
	stop, err := t.opens(c.Device)
	if err != nil {
		return err
	}
	defer stop()
	old, err := c.Known(func(name string) ([]byte, error) { return t.read(name, maxNodeList) })
	if err != nil {
		return asUsage(err)
	}
	return c.answer(t, c.File, "", func(g *graph.CSR, _ *sink) error {
		a := &report.Taint{Tool: "vyre taint", Version: version(), Graph: g, Contexts: c.Contexts}
		if a.Query, err = c.query(t, g); err != nil {
			return err
		}
		if err := c.ask(t, a); err != nil {
			return err
		}
		fails, err := c.Print(t.ctx, t.out, a, old)
		if c.SARIF && err == nil { // has no place for it
			_, err = fmt.Fprintln(t.err, a.Run.Line())
		}
		if err == nil && fails {
			err = found{fmt.Errorf("%s", counted(len(a.Shown), "finding"))}
		}
		return err
	})
}

// query reads the lists.
func (c *taintCmd) query(t *terminal, g *graph.CSR) (q session.TaintQuery, err error) {
	q.Paths = c.Paths
	if q.Kinds, err = kindsMask(g, c.Kinds); err != nil {
		return q, err
	}
	names := nodeNames{t: t, g: g}
	at := make(map[string]int)
	err = names.lines("--sources", c.Sources, func(nodes []uint32, spec, label string) error {
		if label == "" {
			label = spec
		}
		i, ok := at[label]
		if !ok {
			i = len(q.Sources)
			at[label] = i
			q.Sources = append(q.Sources, session.Source{Label: label})
		}
		q.Sources[i].Nodes = append(q.Sources[i].Nodes, nodes...)
		return nil
	})
	if err != nil {
		return q, err
	}
	err = names.lines("--sinks", c.Sinks, func(nodes []uint32, _, more string) error {
		if more != "" {
			return fmt.Errorf("there is %q behind the nodes; a sink has no labels", more)
		}
		q.Sinks = append(q.Sinks, nodes...)
		return nil
	})
	if err != nil || c.Sanitizers == "" {
		return q, err
	}
	return q, names.lines("--sanitizers", c.Sanitizers, func(nodes []uint32, _, labels string) error {
		s := session.Sanitizer{Nodes: nodes}
		if labels != "" {
			s.Labels = strings.Split(labels, ",")
		}
		for _, l := range s.Labels {
			if _, ok := at[l]; !ok {
				return fmt.Errorf("no source has the label %q", l)
			}
		}
		q.Sanitizers = append(q.Sanitizers, s)
		return nil
	})
}

// lines reads a file whose lines have nodes, and what stands behind a tab. Lines that start with # are for people.
func (n *nodeNames) lines(flag, file string, each func(nodes []uint32, spec, more string) error) error {
	b, err := n.t.read(file, maxNodeList)
	if err != nil {
		return fmt.Errorf("%s %s: %w", flag, file, err)
	}
	some := false
	for i, line := range strings.Split(string(b), "\n") {
		line = strings.TrimRight(line, "\r")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		spec, more, _ := strings.Cut(line, "\t")
		spec, more = strings.TrimSpace(spec), strings.TrimSpace(more)
		nodes, err := n.find(flag, []string{spec})
		if err == nil {
			err = each(nodes, spec, more)
		}
		if err != nil {
			return usagef("%s:%d: %w", file, i+1, err)
		}
		some = true
	}
	if !some {
		return usagef("%s %s names no node", flag, file)
	}
	return nil
}

func (c *taintCmd) ask(t *terminal, a *report.Taint) error {
	profile, err := c.profile(t)
	if err != nil {
		return err
	}
	defer profile.close()
	trace, err := c.timeline(t)
	if err != nil {
		return err
	}
	defer trace.close()
	dev, err := t.device(c.Device)
	if err != nil {
		return err
	}
	defer dev.Close()
	o := session.Options{Label: "taint", Topology: topologyOn(dev, megakernel.Auto)}
	stop := t.spin("searching")
	defer stop()
	began := time.Now()
	ask := session.Taint
	if c.Contexts == "exact" {
		ask = ifds.Taint
	}
	err = trace.around(dev, func() error {
		return profile.around(dev, func() (err error) {
			a.Tainted, err = ask(t.ctx, dev, a.Graph, a.Query, o)
			return err
		})
	})
	if err != nil {
		return err
	}
	a.Run = report.Run{Device: dev.Name(), Topology: c.how(dev, a.Tainted) + counted(a.Searches, "turn"), WallNS: time.Since(began).Nanoseconds(), Bytes: a.Bytes}
	return nil
}

// how says what found contexts, where that is not plain from the device.
func (c *taintCmd) how(dev driver.Device, a *session.Tainted) string {
	switch {
	case c.Contexts != "exact":
		return ""
	case a.Tabulated == session.WavesEngine:
		return "exact contexts by kernels, "
	case dev.Name() != "cpu":
		return fmt.Sprintf("exact contexts by one core of the host (%s), ", a.Why)
	}
	return "exact contexts, "
}

// baseline reads the findings of an earlier document.
