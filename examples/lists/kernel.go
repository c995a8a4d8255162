package main

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/queue"
)

// List is what the parser says of a list: the place of the list around it, how deep it is, and how many atoms it has itself.
type List struct{ Parent, Depth, Atoms uint32 }

// Reasons of an item that is none.
const (
	notAList = 1
	noEnd    = 2
)

// Parse parses nested lists, such as (a (b c) d). An item is a list, by the place where it opens, the place of the list around
// it, and its depth. The lists in it are the items that it creates.
type Parse struct {
	text  []uint8
	lists []List // by place
}

// scan goes over the list that opens at a place. It returns how many atoms and lists it has itself, where list k of these
// opens, and whether it ends.
func (p Parse) scan(open, k uint32) (atoms, lists, at uint32, ends bool) {
	depth, inAtom := uint32(1), false
	for i := open + 1; i < uint32(len(p.text)); i++ {
		c := p.text[i]
		atom := c != '(' && c != ')' && c > ' '
		if atom && !inAtom && depth == 1 {
			atoms++
		}
		inAtom = atom
		if c == '(' {
			if depth == 1 {
				if lists == k {
					at = i
				}
				lists++
			}
			depth++
		} else if c == ')' {
			depth--
			if depth == 0 {
				return atoms, lists, at, true
			}
		}
	}
	return atoms, lists, at, false
}

// Check says how many lists an item creates, before it is done.
func (p Parse) Check(it queue.Item) (most, reason uint32) {
	if it.Args[0] >= uint32(len(p.text)) || p.text[it.Args[0]] != '(' {
		return 0, notAList
	}
	_, lists, _, ends := p.scan(it.Args[0], 0)
	if !ends {
		return 0, noEnd
	}
	return lists, 0
}

// Do writes down what is known of the list.
func (p Parse) Do(t gpu.Thread, it queue.Item) uint32 {
	atoms, lists, _, _ := p.scan(it.Args[0], 0)
	p.lists[it.Args[0]] = List{it.Args[1], it.Args[2], atoms}
	return lists
}

// Child is one of the lists in it.
func (p Parse) Child(t gpu.Thread, it queue.Item, k uint32) queue.Item {
	_, _, at, _ := p.scan(it.Args[0], k)
	return queue.Item{Args: [3]uint32{at, it.Args[0], it.Args[2] + 1}}
}

// ParseAll parses until no list is left.
//
//vyre:kernel workgroup=64
func ParseAll(t gpu.Thread, text []uint8, lists []List, sequence []uint64, items []queue.Item, control []uint64, deferred []queue.Item) {
	queue.Run(t, Parse{text, lists}, queue.Ring{Sequence: sequence, Items: items, Control: control, Deferred: deferred})
}
