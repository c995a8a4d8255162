package front

import (
	"go/ast"
	"go/token"

	"github.com/govyre/vyre/ir/build"
)

// Go allows a goto out of blocks and within one, but not over a declaration of a variable. So a jump forward leaves a block that ends
// at the label, in which nothing is declared, and a jump backward is the next round of a loop from the label to the end of its list.

// block lowers statements in order.
func (l *lowering) block(list []ast.Stmt) {
	for i := 0; i < len(list); i++ {
		if s, ok := list[i].(*ast.DeferStmt); ok {
			l.deferred(s, list[i+1:])
			return
		}
		if !l.fr.facts.jumps {
			l.stmt(list[i], "")
			continue
		}
		if s, ok := list[i].(*ast.LabeledStmt); ok && l.jumpTo(s.Label.Name) < 0 && jumps(list[i:], s.Label.Name) {
			l.looped(func(again build.Label) {
				l.jumpable(target{jump: s.Label.Name, loop: true, next: again}, list[i:])
				l.b.Break(again)
			})
			return
		}
		if end := l.jumpedOver(list[i:]); end > 0 {
			l.inBlock(func(out build.Label) {
				l.jumpable(target{jump: list[i+end].(*ast.LabeledStmt).Label.Name, exit: out}, list[i:i+end])
			})
			i += end - 1
			continue
		}
		l.stmt(list[i], "")
	}
}

// jumpable lowers statements that may jump to a target.
func (l *lowering) jumpable(t target, list []ast.Stmt) {
	defer func() { l.depth-- }()
	if !l.deeper(list[0].Pos()) || l.stopped {
		return
	}
	l.fr.targets = append(l.fr.targets, t)
	l.block(list)
	l.fr.targets = l.fr.targets[:len(l.fr.targets)-1]
}

// jumpTo returns the target of a goto, or −1.
func (l *lowering) jumpTo(label string) int {
	for i := len(l.fr.targets) - 1; i >= 0; i-- {
		if l.fr.targets[i].jump == label {
			return i
		}
	}
	return -1
}

// jumpedOver returns how many statements there are to the last label of a list that the first one, or one before that label, jumps to.
func (l *lowering) jumpedOver(list []ast.Stmt) (end int) {
	for i := 0; i == 0 || i < end; i++ {
		for k := len(list) - 1; k > max(i, end); k-- {
			if s, ok := list[k].(*ast.LabeledStmt); ok && l.jumpTo(s.Label.Name) < 0 && jumps(list[i:i+1], s.Label.Name) {
				end = k
			}
		}
	}
	return end
}

// jumps reports whether statements have a goto to a label.
func jumps(list []ast.Stmt, label string) (found bool) {
	for _, s := range list {
		ast.Inspect(s, func(n ast.Node) bool {
			if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO && b.Label.Name == label {
				found = true
			}
			return !found
		})
	}
	return found
}

// jump lowers a goto. Out of a range over a function the iterator returns first.
func (l *lowering) jump(s *ast.BranchStmt) {
	to := l.jumpTo(s.Label.Name)
	if to < 0 {
		l.refuse(s.Pos(), noGoto, "a goto between other jumps", "write a loop, and a labelled break or continue")
		return
	}
	for i := len(l.fr.targets) - 1; i > to; i-- {
		if t := l.fr.targets[i]; t.over != nil {
			l.leave(t, s)
			return
		}
	}
	if t := l.fr.targets[to]; t.loop {
		l.b.Continue(t.next)
	} else {
		l.b.Break(t.exit)
	}
}
