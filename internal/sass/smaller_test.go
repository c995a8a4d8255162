package sass_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// shrink makes the smallest text it finds that differs in the build that tr differs in, of the simulated device.
func shrink(ctx context.Context, a assembler, tr trial, v *verdict) (trial, *verdict) {
	in := slices.IndexFunc(builds, func(b build) bool {
		return slices.ContainsFunc(v.outs, func(o outcome) bool {
			return o.who == b.String() && (o.err != nil || !bytes.Equal(o.out, v.outs[0].out))
		})
	})
	differing := builds[in : in+1]
	best, how := tr, v
	for round := 0; round < 200; round++ {
		list := best.text.smaller()
		found := false
		for len(list) > 0 && !found {
			some := list[:min(len(list), 60)]
			list = list[len(some):]
			var trials []trial
			for i, x := range some {
				x.name = fmt.Sprintf("k%d", i)
				trials = append(trials, trial{x, best.runs})
			}
			verdicts, err := judge(ctx, a, trials, differing)
			if err != nil {
				continue
			}
			for i := range verdicts {
				if verdicts[i].differ() {
					best, how, found = trials[i], &verdicts[i], true
					break
				}
			}
		}
		if !found {
			break
		}
	}
	if verdicts, err := judge(ctx, a, []trial{best}, builds); err == nil {
		how = &verdicts[0]
	}
	return best, how
}

// smaller returns texts of less, those first that have least.
func (t *text) smaller() (list []*text) {
	n := len(t.lines)
	try := func(lines []textLine) {
		if x := (&text{lines: lines}); x.valid() {
			list = append(list, x)
		}
	}
	for size := n / 2; size >= 1; size /= 2 {
		for from := 0; from+size <= n; from += max(1, size/2) {
			try(slices.Delete(slices.Clone(t.lines), from, from+size))
		}
	}
	for i := range t.lines {
		switch l := &t.lines[i]; l.kind {
		case skip, loop:
			end := t.shutOf(i)
			try(slices.Delete(slices.Delete(slices.Clone(t.lines), end, end+1), i, i+1)) // what is in it stays
			try(slices.Delete(slices.Clone(t.lines), i, end+1))
		case plain:
			if l.dst == "" {
				continue
			}
			for _, o := range append(registersOf(l.src...), t.inputsOf(l.dst[1])...) { // something else takes its place
				if o[1] == l.dst[1] && o != l.dst {
					try(t.without(i, o))
				}
			}
		}
	}
	for i := range t.lines {
		l := &t.lines[i]
		if l.guard != "" && l.kind == keep {
			lines := slices.Clone(t.lines)
			lines[i].guard = ""
			try(lines)
		}
		for k, o := range l.src {
			if !isRegister(o) || slices.ContainsFunc(inputs, func(in struct{ register, load, from string }) bool { return in.register == o }) {
				continue
			}
			for _, in := range t.inputsOf(o[1])[:min(1, len(t.inputsOf(o[1])))] {
				lines := slices.Clone(t.lines)
				lines[i].src = slices.Clone(l.src)
				lines[i].src[k] = in
				try(lines)
			}
		}
	}
	return list
}

// inputsOf are the inputs of a class that are used already, or the first one.
func (t *text) inputsOf(class byte) (rs []string) {
	for _, in := range inputs {
		if in.register[1] == class {
			rs = append(rs, in.register)
		}
	}
	return rs[:min(len(rs), 2)]
}

// shutOf is where what begins at line i ends.
func (t *text) shutOf(i int) int {
	depth := 0
	for k := i; k < len(t.lines); k++ {
		switch t.lines[k].kind {
		case skip, loop:
			depth++
		case shut:
			if depth--; depth == 0 {
				return k
			}
		}
	}
	panic("BUG: a text whose branches do not end")
}

// without leaves line i out and reads another register in place of what it writes.
func (t *text) without(i int, other string) []textLine {
	dst := t.lines[i].dst
	var lines []textLine
	for k, l := range t.lines {
		if k == i {
			continue
		}
		l.src = slices.Clone(l.src)
		for j, o := range l.src {
			l.src[j] = replaced(o, dst, other)
		}
		l.guard = replaced(l.guard, dst, other)
		lines = append(lines, l)
	}
	return lines
}

// replaced puts a register in place of another one, wherever an operand names it.
func replaced(operand, from, to string) string {
	if !slices.Contains(registersOf(operand), from) {
		return operand
	}
	parts := strings.SplitAfter(operand, from)
	for i := range parts[:len(parts)-1] {
		if next := parts[i+1]; next == "" || next[0] < '0' || next[0] > '9' {
			parts[i] = strings.TrimSuffix(parts[i], from) + to
		}
	}
	return strings.Join(parts, "")
}
