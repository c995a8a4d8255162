package main

import (
	"go/types"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// operandsOnly are programs that take what comes after -- for names of files and the like, and run nothing.
var operandsOnly = []string{"basename", "cat", "chgrp", "chmod", "chown", "cp", "cut", "diff", "dirname", "du", "file", "git", "grep", "head",
	"ln", "ls", "mkdir", "mv", "readlink", "realpath", "rm", "rmdir", "sha256sum", "stat", "tail", "touch", "wc"}

// gitRunsNothing are commands of git that run no hook, and have no option that names a program to run, a file to write or a place to
// fetch from.
var gitRunsNothing = []string{"add", "branch", "cat-file", "describe", "for-each-ref", "ls-files", "ls-tree", "merge-base", "mv", "rev-list",
	"rev-parse", "rm", "show-ref", "symbolic-ref"}

// gitOperands are others that run nothing if what they get comes after --.
var gitOperands = []string{"blame", "clone", "diff", "fetch", "grep", "log", "ls-remote", "pull", "push", "show", "status"}

// runsNothing reports whether a call of a function of os/exec makes a program of a constant name run, and whatever other arguments
// are not constants can only be operands of it.
func runsNothing(c *ssa.CallCommon) bool {
	f := c.StaticCallee()
	if f == nil || len(c.Args) < 2 {
		return false
	}
	switch ruleName(f) {
	case "os/exec.Command", "os/exec.CommandContext":
	default:
		return false
	}
	name, is := text(c.Args[len(c.Args)-2])
	list, known := elementsOf(c.Args[len(c.Args)-1], 0)
	return is && known && takesOperands(path.Base(name), list)
}

func takesOperands(program string, args []ssa.Value) bool {
	word := "" // the first that is not an option; empty if it may be the value of one
	for i, a := range args {
		switch s, is := text(a); {
		case program == "git" && slices.Contains(gitRunsNothing, word):
			return true
		case !is:
			return false
		case s == "--":
			return slices.Contains(operandsOnly, program) && (program != "git" || word == "" || slices.Contains(gitOperands, word))
		case word == "" && !strings.HasPrefix(s, "-"):
			if word = s; i > 0 {
				word = "?"
			}
		}
	}
	return true
}

// elementsOf are those of a slice in their order, if it is made here, and is only read and appended to.
func elementsOf(v ssa.Value, depth int) (list []ssa.Value, known bool) {
	if depth > deepest {
		return nil, false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return nil, v.IsNil()
	case *ssa.Slice:
		return elementsOfArray(v)
	case *ssa.Call:
		if b, is := v.Call.Value.(*ssa.Builtin); !is || b.Name() != "append" || !isOnlyRead(v) {
			return nil, false
		}
		for _, a := range v.Call.Args {
			some, known := elementsOf(a, depth+1)
			if !known {
				return nil, false
			}
			list = append(list, some...)
		}
		return list, true
	}
	return nil, false
}

func elementsOfArray(v *ssa.Slice) (list []ssa.Value, known bool) {
	array, is := v.X.(*ssa.Alloc)
	if !is || v.Low != nil || v.High != nil || v.Max != nil || !isOnlyRead(v) {
		return nil, false
	}
	return elementsAt(array, v, 0)
}

// elementsAt are those of an array where an instruction reads all of it. They are set before, in the same block, once each.
func elementsAt(array *ssa.Alloc, read ssa.Instruction, depth int) (list []ssa.Value, known bool) {
	of, is := array.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !is || of.Len() > mostArguments || depth > deepest {
		return nil, false
	}
	list = make([]ssa.Value, of.Len())
	for _, use := range *array.Referrers() {
		switch use := use.(type) {
		case *ssa.IndexAddr:
			if !isAccessed(use) || !elementsSet(use, read, list) {
				return nil, false
			}
		case *ssa.Store: // a copy of another array
			from, is := use.Val.(*ssa.UnOp)
			if !is || use.Addr != array || !isBefore(use, read) || !isOnlyWhole(array) {
				return nil, false
			}
			if other, is := from.X.(*ssa.Alloc); is {
				return elementsAt(other, from, depth+1)
			}
			return nil, false
		default:
			if use != read && !isDebug(use) {
				return nil, false
			}
		}
	}
	return list, !slices.Contains(list, nil)
}

// isOnlyWhole reports whether an array is set as a whole, once, and no element of it.
func isOnlyWhole(array *ssa.Alloc) bool {
	stores := 0
	for _, use := range *array.Referrers() {
		switch use.(type) {
		case *ssa.IndexAddr:
			return false
		case *ssa.Store:
			stores++
		}
	}
	return stores == 1
}

// elementsSet puts what is stored at an address into a list, and reports whether that is known where an instruction reads it.
func elementsSet(at *ssa.IndexAddr, read ssa.Instruction, list []ssa.Value) bool {
	for _, use := range *at.Referrers() {
		store, is := use.(*ssa.Store)
		if !is {
			continue
		}
		k, is := at.Index.(*ssa.Const)
		if !is || int(k.Int64()) >= len(list) || list[k.Int64()] != nil || !isBefore(store, read) {
			return false
		}
		list[k.Int64()] = store.Val
	}
	return true
}

// isBefore reports whether an instruction comes before another of its block.
func isBefore(a, b ssa.Instruction) bool {
	in := a.Block().Instrs
	return a.Block() == b.Block() && slices.Index(in, a) < slices.Index(in, b)
}

func isDebug(i ssa.Instruction) bool {
	_, is := i.(*ssa.DebugRef)
	return is
}

// isAccessed reports whether an address is only read and written at.
func isAccessed(at *ssa.IndexAddr) bool {
	for _, use := range *at.Referrers() {
		switch use := use.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.Store:
			if use.Addr != at {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isOnlyRead reports whether a slice is only passed to functions of os/exec, which write no elements of it, and to append: once to make
// another longer of it, for a second one could write into the first.
func isOnlyRead(v ssa.Value) bool {
	longer := 0
	for _, use := range *v.Referrers() {
		call, is := use.(ssa.CallInstruction)
		if !is {
			if isDebug(use) {
				continue
			}
			return false
		}
		c := call.Common()
		b, builtin := c.Value.(*ssa.Builtin)
		f := c.StaticCallee()
		switch {
		case builtin && b.Name() == "append":
			if c.Args[0] == v {
				longer++
			}
		case builtin && b.Name() == "len":
		case f == nil || !strings.HasPrefix(ruleName(f), "os/exec."):
			return false
		}
	}
	return longer <= 1
}
