package driver

import "unsafe"

// settable locks the sequence for a setter. Unless it fails, the caller unlocks.
func (s runs) settable(op string) error {
	if err := s.absent(op); err != nil {
		return err
	}
	s.mu.Lock()
	var err error
	switch {
	case s.closed:
		err = s.closedError(op)
	case s.flying != nil:
		err = s.busy(op)
	default:
		return nil
	}
	s.mu.Unlock()
	return err
}

// Set makes src the source of the input, of the same length as before. The bytes are taken
// when a run starts.
func (in *Input) Set(src []byte) error {
	s := in.seq
	if err := runsOf(s).settable("set"); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if err := rulesOf(s).checkInput(in, src); err != nil {
		return s.core.Fail(err)
	}
	if err := holdsOf(s).swapHost(&in.host, in.src, src, in.path); err != nil {
		return err
	}
	in.src = src
	if in.mode == Static {
		in.changed++
	}
	return nil
}

// Touch makes the next run send the input, whatever its mode: after the bytes of a static
// input changed, or after the buffer was written through its address.
func (in *Input) Touch() error {
	s := in.seq
	if err := runsOf(s).settable("touch"); err != nil {
		return err
	}
	defer s.mu.Unlock()
	in.changed++
	return nil
}

// Set makes dst the destination of the output, of the same length as before.
func (out *Output) Set(dst []byte) error {
	s := out.seq
	if err := runsOf(s).settable("set"); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if err := rulesOf(s).checkOutput(out, dst); err != nil {
		return s.core.Fail(err)
	}
	if err := holdsOf(s).swapHost(&out.host, out.dst, dst, out.path); err != nil {
		return err
	}
	out.dst = dst
	return nil
}

// swapHost lets the sequence hold the host memory that b lies in instead of *host, where was lies
// in.
func (s holds) swapHost(host **HostMemory, was, b []byte, path string) error {
	if s.plan == nil {
		return nil
	}
	next := s.core.hosts.of(b)
	if !s.swap(leafOfHost(*host), leafOfHost(next)) {
		return s.core.Fail(s.refuse("set", next.label, path, Closed, "", "host memory was closed"))
	}
	if *host != next || next != nil && unsafe.SliceData(was) != unsafe.SliceData(b) {
		*host = next
		s.plan.Rehosted = s.plan.tick()
	}
	return nil
}

func leafOfHost(m *HostMemory) *Leaf {
	if m == nil {
		return nil
	}
	return &m.Leaf
}

func leafOfBuffer(b Buffer) *Leaf {
	if b == nil {
		return nil
	}
	return b.leaf()
}

// SetArg changes argument i of the launch; a Rest comes after the parameters. The new value
// obeys the rules of Launch; if it does not, the old one stays.
func (st *Step) SetArg(i int, a Arg) error {
	s := st.seq
	if err := runsOf(s).settable("set"); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if i < 0 || i >= len(st.args) {
		return s.core.Fail(s.refuse("launch", kernelLabel(st.cmd.Kernel), st.cmd.Path, InvalidArgument, "", "there is no argument %d of %d", i, len(st.args)))
	}
	next := slotOf(a)
	if s.plan == nil {
		st.args[i] = next
		return nil
	}
	if i == len(st.cmd.Args) {
		return st.setRest(&next)
	}
	old := st.cmd.Args[i]
	err := rulesOf(s).bind(st, i, &next)
	if err == nil {
		err = rulesOf(s).checkOverlap(st, i, i+1)
	}
	if err == nil && !holdsOf(s).swap(leafOfBuffer(old.Range.Buffer), leafOfBuffer(st.cmd.Args[i].Range.Buffer)) {
		err = s.refuse("launch", st.cmd.Kernel.Label(), st.cmd.Path, Closed, "", "buffer was closed")
	}
	if err != nil {
		st.cmd.Args[i] = old
		return s.core.Fail(err)
	}
	if old == st.cmd.Args[i] {
		return nil // what runners made of it stands
	}
	st.changed()
	if old.Range != st.cmd.Args[i].Range {
		s.plan.stale, st.cmd.Moved = true, st.cmd.Changed
	}
	return nil
}

// changed notes that the launch is not the one of the last run.
func (st *Step) changed() {
	if p := st.seq.plan; p != nil {
		p.mark(&st.cmd)
		st.cmd.Changed = p.Clock()
	}
}

// noted notes that runners have to look at the launch.
func (st *Step) noted() {
	if p := st.seq.plan; p != nil {
		p.mark(&st.cmd)
	}
}

func (st *Step) setRest(next *slot) error {
	s, old := st.seq, st.cmd.Rest
	err := rulesOf(s).bind(st, len(st.cmd.Args), next)
	if err == nil {
		err = rulesOf(s).checkGrid(st, st.cmd.Grid, st.cmd.Rest)
	}
	if err != nil {
		st.cmd.Rest = old
		return s.core.Fail(err)
	}
	st.changed()
	return nil
}

func kernelLabel(k Kernel) string {
	if k == nil {
		return ""
	}
	if k, ok := own(k); ok {
		return k.Label()
	}
	return ""
}

// SetGrid changes the number of groups.
func (st *Step) SetGrid(g Grid) error {
	s := st.seq
	if err := runsOf(s).settable("set"); err != nil {
		return err
	}
	defer s.mu.Unlock()
	g = g.full()
	if s.plan != nil {
		if err := rulesOf(s).checkGrid(st, g, st.cmd.Rest); err != nil {
			return s.core.Fail(err)
		}
	}
	if g != st.cmd.Grid {
		st.cmd.Grid = g
		st.changed()
	}
	return nil
}

// SetDomain says how many items of work the launch has. It only feeds statistics.
func (st *Step) SetDomain(items uint64) error {
	s := st.seq
	if err := runsOf(s).settable("set"); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if st.cmd.Domain != items {
		st.cmd.Domain = items
		st.noted()
	}
	return nil
}

// SetTrace sets how many trace records of the launch are kept in a run; DefaultTraces are,
// otherwise. It is said before Prepare, which makes room for them.
func (st *Step) SetTrace(records int) error {
	s := st.seq
	if err := runsOf(s).settable("set"); err != nil {
		return err
	}
	defer s.mu.Unlock()
	switch {
	case s.plan != nil:
		return s.core.Fail(s.refuse("launch", kernelLabel(st.cmd.Kernel), st.cmd.Path, InvalidArgument, "set it before Prepare, Run, Start or Capture", "the sequence was prepared, with room for %d trace records", st.cmd.Traces))
	case records < 1 || records > maxTraces:
		return s.core.Fail(s.refuse("launch", kernelLabel(st.cmd.Kernel), st.cmd.Path, InvalidArgument, "", "room for %d trace records, 1 to %d can be had", records, maxTraces))
	}
	st.cmd.Traces = records
	return nil
}

// SetCount changes the count of a Repeat, or the bound of a While.
func (l *Loop) SetCount(n int) error {
	s := l.seq
	if err := runsOf(s).settable("set"); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if err := rulesOf(s).checkLoop(l, n); err != nil {
		return s.core.Fail(err)
	}
	if s.plan != nil && l.cmd.Count != uint64(n) {
		s.plan.Recounted = s.plan.tick()
		s.plan.stale = true
	}
	l.count, l.cmd.Count = n, uint64(n)
	return nil
}
