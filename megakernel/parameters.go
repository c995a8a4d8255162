package megakernel

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
)

// parameter is one parameter of the programs that a plan makes: a binding, or all of those that share
// bytes. Parameters of a launch must not overlap, so ranges that do become views of one.
type parameter struct {
	memory driver.Range
	param  ir.Param
}

// rangeKey is what makes two ranges one binding.
type rangeKey struct {
	buffer   driver.Buffer
	off, len int64
}

// overlaps lists for each binding those that share bytes with it and are not the same range, and
// refuses those of other elements.
func (b *binder) overlaps() {
	order := b.byPlace(nil)
	b.near = map[int][]int{}
	for at, i := range order {
		x := &b.bindings[i]
		for _, j := range order[at+1:] {
			y := &b.bindings[j]
			if y.memory.Buffer != x.memory.Buffer || y.memory.Off >= x.memory.Off+x.memory.Len {
				break
			}
			b.near[i], b.near[j] = append(b.near[i], j), append(b.near[j], i)
			if !sameElements(&x.param, &y.param) {
				b.found = append(b.found, problem(b.dev, driver.InvalidArgument, "F7", -1, "argument "+x.param.Name,
					fmt.Sprintf("it is %s of %v, and shares bytes with argument %s, %s of %v", describe(&x.param), x.memory, y.param.Name, describe(&y.param), y.memory),
					"read the memory by one element type, or use ranges that do not overlap"))
			}
		}
	}
}

// byPlace returns the bindings with memory by buffer and offset; less comes first, if it is given.
func (b *binder) byPlace(less func(i, j int) int) []int {
	number := map[driver.Buffer]int{}
	var order []int
	for k := range b.bindings {
		if m := b.bindings[k].memory.Buffer; m != nil {
			if _, ok := number[m]; !ok {
				number[m] = len(number)
			}
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := &b.bindings[i].memory, &b.bindings[j].memory
		c := cmp.Compare(number[x.Buffer], number[y.Buffer])
		if c == 0 && less != nil {
			c = less(i, j)
		}
		return cmp.Or(c, cmp.Compare(x.Off, y.Off), cmp.Compare(y.Len, x.Len))
	})
	return order
}

// parameters makes the parameters of the bindings: one for each, and for those that share bytes one
// together. If join is set, all of one buffer with the same elements share one, as waves with one body do.
func (b *binder) parameters(join bool) ([]parameter, error) {
	var kinds func(i, j int) int
	if join {
		kinds = func(i, j int) int {
			return cmp.Compare(b.bindings[i].param.ElemName(), b.bindings[j].param.ElemName())
		}
	}
	var all []parameter
	order := b.byPlace(kinds)
	for len(order) > 0 {
		first := &b.bindings[order[0]]
		n, end := 1, first.memory.Off+first.memory.Len
		for ; n < len(order); n++ {
			x := &b.bindings[order[n]]
			if x.memory.Buffer != first.memory.Buffer || !sameElements(&x.param, &first.param) || x.memory.Off >= end && !(join && x.fits(first.memory.Off)) {
				break
			}
			end = max(end, x.memory.Off+x.memory.Len)
		}
		all = append(all, b.hull(order[:n], len(all), end))
		order = order[n:]
	}
	if len(all) > maxBindings {
		b.found = append(b.found, problem(b.dev, driver.InvalidArgument, "F13", -1, "", fmt.Sprintf("the waves use %d ranges of memory, at most %d are possible", len(all), maxBindings),
			"put what belongs together into one buffer"))
	}
	if len(b.found) > 0 {
		return nil, b.found
	}
	return all, nil
}

// origin is where a parameter begins that has the element at off. Vectors of up to 16 bytes begin at
// whole ones in it if they do in the buffer.
func (g *binding) origin(off int64) int64 { return off - off%(16*int64(g.param.Bytes())) }

// fits reports whether a binding can be a view of a parameter that has the element at off.
func (g *binding) fits(off int64) bool {
	size := int64(g.param.Bytes())
	from := g.memory.Off - g.origin(off)
	return from%size == 0 && from/size%int64(g.lanes) == 0 && (from+g.memory.Len)/size < 1<<32-1
}

// hull makes the bindings views of the range that covers them, which becomes parameter number k. One
// alone is that parameter.
func (b *binder) hull(bindings []int, k int, end int64) parameter {
	first := &b.bindings[bindings[0]]
	h := parameter{memory: first.memory, param: first.param}
	if first.parameter = k; len(bindings) == 1 {
		return h
	}
	size := int64(h.param.Bytes())
	h.memory.Off = first.origin(first.memory.Off)
	h.memory.Len = end - h.memory.Off
	for _, i := range bindings {
		x := &b.bindings[i]
		x.parameter, x.part = k, true
		from := x.memory.Off - h.memory.Off
		x.base, x.length = uint32(from/size), uint32(x.memory.Len/size)
		h.param.Access |= x.param.Access
		h.param.Align = max(h.param.Align, x.param.Align)
		h.param.MaxLen = max(h.param.MaxLen, x.param.MaxLen)
		if !x.fits(h.memory.Off) {
			b.found = append(b.found, problem(b.dev, driver.InvalidArgument, "F7", -1, "argument "+x.param.Name,
				fmt.Sprintf("%v shares bytes with a range %d bytes before it, and cannot be a part of it: elements have %d bytes, and %d are read at once", x.memory, from, size, x.lanes),
				"begin ranges that overlap a multiple of 16 elements apart, with fewer than 1<<32 of them in all"))
			return h
		}
	}
	h.memory.Len -= h.memory.Len % size
	h.param.MaxLen = max(h.param.MaxLen, uint64(h.memory.Len/size))
	return h
}
