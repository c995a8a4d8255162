package exec

import (
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
)

// What launches share besides buffers orders them, although none of these touches a byte that it names.
func TestWhatLaunchesShareIsTakenInTurns(t *testing.T) {
	r := &lowered{launches: make([]launch, 4)}
	does := func(i int, l launch) op {
		l.cmd = &driver.LaunchCmd{Index: i}
		r.launches[i] = l
		return op{kind: kindLaunch, launch: &r.launches[i], cmd: l.cmd}
	}
	none := launch{barrier: -1, trap: -1, trace: -1, checks: -1}
	alone, tells, whole := none, none, none
	tells.trace = 0
	whole.resident, whole.barrier = true, 0
	plain, traced, first, second := does(0, alone), does(1, tells), does(2, whole), does(3, whole)
	around := func(control int, body ...op) op {
		c := &driver.LoopCmd{}
		return op{kind: kindRepeat, loop: &loop{LoopCmd: c, body: body, control: control}, cmd: c}
	}
	decided := around(0, traced)
	for _, c := range []struct {
		name string
		a, b op
		want bool
	}{
		{"a launch, again", plain, plain, false},
		{"a launch that traces, again", traced, traced, true},
		{"launches of which one traces", plain, traced, false},
		{"launches that need all units", first, second, true},
		{"one of them and any other", first, plain, false},
		{"loops with them", around(-1, first), around(-1, second), true},
		{"a loop that the device decides on, again", decided, decided, true},
		{"two of these", decided, around(1, plain), false},
	} {
		a, b := r.touchesOf(&c.a), r.touchesOf(&c.b)
		if got := a.related(&b); got != c.want {
			t.Errorf("%s: in turns is %v, want %v", c.name, got, c.want)
		}
	}
}

// Small moves share a node where that makes none of them wait for more than before.
func TestMovesShareANodeIfTheyComeAfterTheSame(t *testing.T) {
	kernel := func(r ...touch) planned {
		return planned{touches: node(r...), add: func([]cu.GraphNode) (cu.GraphNode, error) { return 0, nil }}
	}
	moved := func(to uint64, r ...touch) planned {
		g := &moves{}
		g.add(move{to: to << 20, from: 7, bytes: 8, how: moveFill})
		return planned{touches: node(r...), moves: g}
	}
	// Two rows of an upload each, a kernel and a read, then uploads that a third kernel needs both.
	list := func() []planned {
		return []planned{
			moved(1, writes(1)), kernel(reads(1), writes(2)), moved(2, reads(2)),
			moved(3, writes(3)), kernel(reads(3), writes(4)), moved(4, reads(4)),
			moved(5, writes(5)), moved(6, writes(6)), kernel(reads(5), reads(6)),
		}
	}
	if n := len(merged(list(), true)); n != 8 {
		t.Errorf("%d nodes that overlap, want 8", n)
	}
	if n := len(merged(list(), false)); n != 6 {
		t.Errorf("%d nodes of a chain, want 6", n)
	}
}
