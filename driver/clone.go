package driver

import "slices"

// cloner copies a plan into other memory.
type cloner struct {
	memory  map[Buffer]Buffer
	inputs  map[*Input]*Input
	outputs map[*Output]*Output
}

func (c *cloner) moved(r Range) Range {
	if b := c.memory[r.Buffer]; b != nil {
		r.Buffer = b
	}
	return r
}

// empty returns a plan without commands that runs as p does.
func (p *Plan) empty() *Plan {
	return &Plan{Label: p.Label, Tally: p.Tally, NoDeviceTime: p.NoDeviceTime, TimeTransfers: p.TimeTransfers, adopted: p.Clock()}
}

func (c *cloner) list(cmds []Cmd) []Cmd {
	var all []Cmd
	for _, cmd := range cmds {
		switch cmd := cmd.(type) {
		case *FillCmd:
			n := *cmd
			n.Dst = c.moved(n.Dst)
			all = append(all, &n)
		case *UploadCmd:
			n := &UploadCmd{Path: cmd.Path, Dst: c.moved(cmd.Dst), Mode: cmd.Mode}
			for _, in := range cmd.Inputs {
				n.Inputs = append(n.Inputs, c.inputs[in])
			}
			for _, p := range cmd.Pieces {
				p.Input = c.inputs[p.Input]
				n.Pieces = append(n.Pieces, p)
			}
			all = append(all, n)
		case *CopyCmd:
			all = append(all, &CopyCmd{Path: cmd.Path, Dst: c.moved(cmd.Dst), Src: c.moved(cmd.Src)})
		case *LaunchCmd:
			n := *cmd
			n.Args = slices.Clone(n.Args)
			for i := range n.Args {
				n.Args[i].Range = c.moved(n.Args[i].Range)
			}
			all = append(all, &n)
		case *LoopCmd:
			n := *cmd
			n.Flag, n.Body = c.moved(n.Flag), c.list(n.Body)
			all = append(all, &n)
		case *ReadCmd:
			n := &ReadCmd{Path: cmd.Path, Src: c.moved(cmd.Src), Gap: cmd.Gap}
			for _, v := range cmd.Views {
				n.Views = append(n.Views, View{c.outputs[v.Output], v.Off})
			}
			all = append(all, n)
		}
	}
	return all
}

// adopt takes over what setters changed in the plan that each row of p is a copy of, in memory of its own.
func (p *Plan) adopt(from *Plan, memory []map[Buffer]Buffer) {
	for row := range memory {
		c := cloner{memory: memory[row]}
		for o := range from.ChangedSince(p.adopted) {
			p.adoptLaunch(p.Launches[row*len(from.Launches)+o.Index], o, &c)
		}
	}
	recounted := from.Recounted > p.adopted
	p.adopted = from.Clock()
	if !recounted {
		return
	}
	p.Recounted, p.stale = p.tick(), true
	var counts []uint64
	from.walk(from.Cmds, func(c Cmd) {
		if l, ok := c.(*LoopCmd); ok {
			counts = append(counts, l.Count)
		}
	})
	at := 0
	p.walk(p.Cmds, func(c Cmd) {
		if l, ok := c.(*LoopCmd); ok {
			l.Count = counts[at%len(counts)]
			at++
		}
	})
}

// adoptLaunch takes over what setters changed in a launch.
func (p *Plan) adoptLaunch(l, o *LaunchCmd, c *cloner) {
	l.Domain = o.Domain
	p.mark(l)
	if o.Changed <= p.adopted {
		return
	}
	l.Grid, l.Rest, l.Changed = o.Grid, o.Rest, p.Clock()
	for j, a := range o.Args {
		a.Range = c.moved(a.Range)
		l.Args[j] = a
	}
	if o.Moved > p.adopted {
		l.Moved, p.stale = p.Clock(), true
	}
}
