package machine

import (
	"slices"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// meets returns for every branch the instruction where its two ways meet again: its immediate
// post-dominator. It is −1 for other instructions, and where the ways never meet.
//
// Lanes that exit are no way that counts: a branch around an early exit meets after it. So the exit that
// stands last in the code is the one end that post-dominance is about. Branches from which it cannot be reached
// are looked at again with all exits as ends, and those from which none can be reached, since every exit has a
// guard, with the rounds of the endless loops as ends: two ways meet at the latest where the next round begins.
func meets(code []asm.Inst) []int32 {
	g := newGraph(code)
	last := -1
	for b, blk := range g.blocks {
		if blk.leaves {
			last = b
		}
	}
	main := g.dominators(func(b int) bool { return b == last })
	all := g.dominators(func(b int) bool { return g.blocks[b].leaves })
	rounds := g.cutEndless(all)
	round := rounds.dominators(func(b int) bool { return rounds.blocks[b].leaves })
	meet := make([]int32, len(code))
	for i := range meet {
		meet[i] = -1
	}
	for b, blk := range g.blocks {
		i := blk.end - 1
		if (code[i].Op != "bra" || code[i].Guard == asm.NoReg) && code[i].Op != "brx" {
			continue
		}
		d, ways := main[b], 0
		for _, n := range blk.next {
			if main[n] != unreached {
				ways++
			}
		}
		switch {
		case ways == 0 && all[b] != unreached:
			d = all[b]
		case ways == 0:
			if d = round[b]; d == len(g.blocks) {
				d = rounds.blocks[b].round
			}
		case ways == 1 && len(blk.next) > 1:
			continue // the others only leave
		}
		if d >= 0 && d < len(g.blocks) {
			meet[i] = int32(g.blocks[d].first)
		}
	}
	return meet
}

// graph is the code in blocks without jumps inside.
type graph struct {
	blocks []codeBlock
	preds  [][]int32
}

type codeBlock struct {
	first, end int
	next       []int // indices of blocks, each once
	leaves     bool  // ends in an exit
	round      int   // of an endless loop: the block that its rounds begin with; else unreached
}

func newGraph(code []asm.Inst) *graph {
	starts := make([]bool, len(code)+1)
	starts[0] = true
	for i := range code {
		switch code[i].Op {
		case "bra":
			starts[code[i].Args[0].Bits], starts[i+1] = true, true
		case "brx":
			for _, l := range code[i].Args[1].Vec {
				starts[l.Bits] = true
			}
			starts[i+1] = true
		case "exit", "ret", "trap":
			if code[i].Guard == asm.NoReg {
				starts[i+1] = true
			}
		}
	}
	g := &graph{}
	at := make([]int, len(code))
	for i := range code {
		if starts[i] {
			g.blocks = append(g.blocks, codeBlock{first: i})
		}
		at[i] = len(g.blocks) - 1
		g.blocks[at[i]].end = i + 1
	}
	g.preds = make([][]int32, len(g.blocks))
	for b := range g.blocks {
		blk := &g.blocks[b]
		in := &code[blk.end-1]
		falls := true
		switch in.Op {
		case "bra":
			blk.leadsTo(at[in.Args[0].Bits])
			falls = in.Guard != asm.NoReg
		case "brx":
			for _, l := range in.Args[1].Vec {
				blk.leadsTo(at[l.Bits])
			}
			falls = in.Guard != asm.NoReg
		case "exit", "ret", "trap":
			falls = in.Guard != asm.NoReg
			blk.leaves = !falls
		}
		if falls && b+1 < len(g.blocks) {
			blk.leadsTo(b + 1)
		}
		for _, n := range blk.next {
			g.preds[n] = append(g.preds[n], int32(b))
		}
	}
	return g
}

func (b *codeBlock) leadsTo(n int) {
	if !slices.Contains(b.next, n) {
		b.next = append(b.next, n)
	}
}

// cutEndless returns g with the way back of every endless loop, which is one that no block of it leads out of, cut:
// the blocks that lead back leave. all are the post-dominators of g, which such loops do not have.
func (g *graph) cutEndless(all []int) *graph {
	cut := &graph{blocks: slices.Clone(g.blocks), preds: slices.Clone(g.preds)}
	for b := range cut.blocks {
		cut.blocks[b].round = unreached
	}
	done := make([]bool, len(g.blocks))
	for h := range g.blocks {
		if all[h] != unreached || done[h] || !slices.ContainsFunc(g.preds[h], func(p int32) bool { return int(p) >= h }) {
			continue
		}
		after := walk(h, func(b int) []int { return g.blocks[b].next })
		back := walk(h, func(b int) (preds []int) {
			for _, p := range g.preds[b] {
				if after[int(p)] {
					preds = append(preds, int(p))
				}
			}
			return preds
		})
		for b := range back {
			done[b] = true
		}
		if len(back) < len(after) {
			continue // it leads on to another loop
		}
		for b := range back {
			blk := &cut.blocks[b]
			blk.round = h
			if i := slices.Index(blk.next, h); i >= 0 {
				blk.leaves, blk.next = true, slices.Delete(slices.Clone(blk.next), i, i+1)
			}
		}
		cut.preds[h] = slices.DeleteFunc(slices.Clone(g.preds[h]), func(p int32) bool { return back[int(p)] })
	}
	return cut
}

// walk returns the blocks that can be reached from one, itself included.
func walk(from int, next func(b int) []int) map[int]bool {
	seen, todo := map[int]bool{from: true}, []int{from}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, n := range next(b) {
			if !seen[n] {
				seen[n] = true
				todo = append(todo, n)
			}
		}
	}
	return seen
}

// unreached is the post-dominator of a block from which no end can be reached.
const unreached = -1

// dominators returns the immediate post-dominator of every block, the number of blocks standing for the end
// that all blocks in ends go to. It is the algorithm of Cooper, Harvey and Kennedy ("A simple, fast
// dominance algorithm", 2001) on the reversed graph.
func (g *graph) dominators(ends func(b int) bool) []int {
	n := len(g.blocks)
	root := n
	order := g.reversePostorder(ends) // root first
	rank := make([]int, n+1)
	for i := range rank {
		rank[i] = -1
	}
	for i, b := range order {
		rank[b] = i
	}
	dom := make([]int, n+1)
	for i := range dom {
		dom[i] = unreached
	}
	dom[root] = root
	for changed := true; changed; {
		changed = false
		for _, b := range order[1:] {
			d := unreached
			meet := func(s int) {
				if rank[s] < 0 || dom[s] == unreached {
					return
				}
				if d == unreached {
					d = s
					return
				}
				for x := s; x != d; {
					for rank[x] > rank[d] {
						x = dom[x]
					}
					for rank[d] > rank[x] {
						d = dom[d]
					}
				}
			}
			if ends(b) {
				meet(root)
			}
			for _, s := range g.blocks[b].next {
				meet(s)
			}
			if d != dom[b] {
				dom[b], changed = d, true
			}
		}
	}
	return dom[:n]
}

// reversePostorder walks from the end against the edges.
func (g *graph) reversePostorder(ends func(b int) bool) []int {
	n := len(g.blocks)
	var first []int32
	for b := range n {
		if ends(b) {
			first = append(first, int32(b))
		}
	}
	seen := make([]bool, n)
	type visit struct {
		b    int
		todo []int32
	}
	stack := []visit{{n, first}}
	var post []int
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		if len(v.todo) == 0 {
			post = append(post, v.b)
			stack = stack[:len(stack)-1]
			continue
		}
		b := int(v.todo[0])
		v.todo = v.todo[1:]
		if !seen[b] {
			seen[b] = true
			stack = append(stack, visit{b, g.preds[b]})
		}
	}
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	return post
}
