package driver

import (
	"cmp"
	"slices"
)

// maxReadGap is the largest distance over which two reads of a buffer become one: fetching
// that many bytes for nothing costs less than a second copy.
const maxReadGap = 4096

// resolve makes of a range that was checked what a device is given: bytes, with scratch memory replaced
// by the device's buffer for it, once there is one.
func resolve(r Range) Range {
	r.Elem = nil
	if sc, ok := r.Buffer.(*scratch); ok && sc.inner != nil {
		r.Buffer = sc.inner
	}
	return r
}

// fuser turns recorded commands into those of a plan.
type fuser struct {
	uploads, reads int // saved by fusing
}

// list fuses one list of commands; bodies of loops are lists of their own.
//
//	fills:   one that a later neighbouring fill or upload covers is dropped
//	uploads: neighbours of one mode into touching or overlapping ranges become one copy
//	reads:   neighbours of one buffer that touch, overlap or are near become one copy
func (f *fuser) list(recorded []any) []Cmd {
	var cmds []Cmd
	live := f.withoutCovered(recorded)
	for i := 0; i < len(live); {
		switch c := live[i].(type) {
		case *Input:
			run := neighbours(live[i:], func(in *Input) bool { return in.mode == c.mode })
			cmds = append(cmds, f.fuseUploads(run)...)
			i += len(run)
			continue
		case *Output:
			run := neighbours(live[i:], func(*Output) bool { return true })
			cmds = append(cmds, f.fuseReads(run)...)
			i += len(run)
			continue
		case *FillCmd:
			fill := *c
			fill.Dst = resolve(c.Dst)
			cmds = append(cmds, &fill)
		case *CopyCmd:
			cmds = append(cmds, &CopyCmd{Path: c.Path, Dst: resolve(c.Dst), Src: resolve(c.Src)})
		case *Step:
			for i := range c.cmd.Args {
				c.cmd.Args[i].Range = resolve(c.cmd.Args[i].Range)
			}
			cmds = append(cmds, &c.cmd)
		case *Loop:
			c.cmd.Count, c.cmd.Flag = uint64(c.count), resolve(c.flag)
			c.cmd.Body = f.list(c.body)
			cmds = append(cmds, &c.cmd)
		}
		i++
	}
	return cmds
}

// neighbours returns the leading commands of type T that satisfy ok.
func neighbours[T any](cmds []any, ok func(T) bool) []T {
	var run []T
	for _, c := range cmds {
		t, is := c.(T)
		if !is || !ok(t) {
			break
		}
		run = append(run, t)
	}
	return run
}

// withoutCovered leaves out transfers of nothing, and fills whose every byte is written
// again by one later command of the same run of fills and uploads.
func (f *fuser) withoutCovered(recorded []any) []any {
	var live []any
	for i, c := range recorded {
		switch c := c.(type) {
		case *FillCmd:
			if c.Dst.Len == 0 || f.covered(c.Dst, recorded[i+1:]) {
				continue
			}
		case *Input:
			if c.dst.Len == 0 {
				continue
			}
		case *CopyCmd:
			if c.Dst.Len == 0 {
				continue
			}
		case *Output:
			if c.src.Len == 0 {
				continue
			}
		}
		live = append(live, c)
	}
	return live
}

func (f *fuser) covered(dst Range, later []any) bool {
	for _, c := range later {
		switch c := c.(type) {
		case *FillCmd:
			if c.Dst.covers(dst) {
				return true
			}
		case *Input:
			if c.dst.covers(dst) {
				return true
			}
		default:
			return false
		}
	}
	return false
}

// fuseUploads merges inputs whose ranges form one span without a hole. Inputs of separate
// spans touch no common byte, so the order of spans does not matter.
func (f *fuser) fuseUploads(run []*Input) []Cmd {
	order := make([]int, len(run)) // indices, ascending by place
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := run[i].dst, run[j].dst
		return cmp.Or(cmp.Compare(a.Buffer.ID(), b.Buffer.ID()), cmp.Compare(a.Off, b.Off))
	})
	type span struct{ members []int }
	var spans []*span
	var last Range
	for _, i := range order {
		if dst := run[i].dst; spans == nil || dst.Buffer != last.Buffer || dst.Off > last.End() {
			spans, last = append(spans, &span{}), dst
		} else {
			last.Len = max(last.End(), dst.End()) - last.Off
		}
		of := spans[len(spans)-1]
		of.members = append(of.members, i)
	}
	for _, s := range spans {
		slices.Sort(s.members) // as recorded: where they overlap, the last one wins
	}
	slices.SortFunc(spans, func(a, b *span) int { return a.members[0] - b.members[0] })
	var cmds []Cmd
	for _, s := range spans {
		members := s.members
		var inputs []*Input
		dst := run[members[0]].dst
		for _, i := range members {
			end := max(dst.End(), run[i].dst.End())
			dst.Off = min(dst.Off, run[i].dst.Off)
			dst.Len = end - dst.Off
			inputs = append(inputs, run[i])
		}
		cmds = append(cmds, &UploadCmd{Path: inputs[0].path, Dst: resolve(dst), Mode: inputs[0].mode, Inputs: inputs, Pieces: pieces(dst, inputs)})
		f.uploads += len(inputs) - 1
	}
	return cmds
}

// pieces cuts dst into parts by the input whose bytes end up there: the last one that has them.
func pieces(dst Range, members []*Input) []Piece {
	type gap struct{ from, to int64 }
	open := []gap{{dst.Off, dst.End()}}
	var ps []Piece
	for _, in := range slices.Backward(members) {
		var left []gap
		for _, g := range open {
			from, to := max(g.from, in.dst.Off), min(g.to, in.dst.End())
			if from >= to {
				left = append(left, g)
				continue
			}
			ps = append(ps, Piece{Input: in, From: from - in.dst.Off, Len: to - from, At: from - dst.Off})
			if g.from < from {
				left = append(left, gap{g.from, from})
			}
			if to < g.to {
				left = append(left, gap{to, g.to})
			}
		}
		open = left
	}
	slices.SortFunc(ps, func(a, b Piece) int { return cmp.Compare(a.At, b.At) })
	return ps
}

// fuseReads merges reads of one buffer in order of their offset.
func (f *fuser) fuseReads(run []*Output) []Cmd {
	sorted := slices.Clone(run)
	first := map[uint64]int{} // buffers keep the order in which they were read
	for i, out := range run {
		if id := out.src.Buffer.ID(); first[id] == 0 {
			first[id] = i + 1
		}
	}
	slices.SortStableFunc(sorted, func(a, b *Output) int {
		return cmp.Or(cmp.Compare(first[a.src.Buffer.ID()], first[b.src.Buffer.ID()]), cmp.Compare(a.src.Off, b.src.Off))
	})
	var cmds []Cmd
	var last *ReadCmd
	for _, out := range sorted {
		src := resolve(out.src)
		if last == nil || last.Src.Buffer != src.Buffer || src.Off > last.Src.End()+maxReadGap {
			last = &ReadCmd{Path: out.path, Src: src}
			cmds = append(cmds, last)
		} else {
			last.Gap += max(0, src.Off-last.Src.End())
			last.Src.Len = max(last.Src.End(), src.End()) - last.Src.Off
			f.reads++
		}
		last.Views = append(last.Views, View{Output: out, Off: src.Off - last.Src.Off})
	}
	return cmds
}
