// Command lists parses nested lists on the device: every list is an item of a queue, and creates the lists in it.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/megakernel/queue"
)

//go:generate go run ../../internal/gen/generate .

func main() {
	log.SetFlags(0)
	device := flag.String("device", "auto", "device to run on")
	file := flag.String("file", "queens.lisp", "file to parse, which is one list")
	flag.Parse()
	if err := run(context.Background(), *device, *file); err != nil {
		log.Fatal(err)
	}
}

// mostLists is how many lists a list may have in it.
const mostLists = 64

// nowhere is the parent of the outermost list.
const nowhere = ^uint32(0)

func run(ctx context.Context, device, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	first := slices.Index(text, '(')
	if first < 0 {
		return fmt.Errorf("%s has no list", file)
	}
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	lists, rec, err := parse(ctx, dev, text, uint32(first))
	if err != nil {
		return err
	}
	if rec.Faults > 0 {
		return fmt.Errorf("%s: %d of %d lists are not parsed: %v (reason %d is a list that does not end)", file, rec.Faults, rec.Pushed, rec.First[0], noEnd)
	}
	if want := parseHere(text, first); !slices.Equal(lists, want) {
		return fmt.Errorf("the lists are wrong: they differ from what a parser with a stack finds")
	}
	atoms, deepest := uint32(0), uint32(0)
	for _, l := range lists {
		atoms, deepest = atoms+l.Atoms, max(deepest, l.Depth)
	}
	fmt.Printf("%s: %d lists with %d atoms, %d deep, as a parser with a stack finds them\n", file, rec.Done, atoms, deepest+1)
	return nil
}

// parse parses on the device. The result has an entry for each byte, which is empty where no list opens.
func parse(ctx context.Context, dev vyre.Device, text []byte, first uint32) ([]List, queue.Record, error) {
	kernel, err := CompileParseAll(ctx, dev)
	if err != nil {
		return nil, queue.Record{}, err
	}
	bytes, err := vyre.Upload(ctx, dev, text)
	if err != nil {
		return nil, queue.Record{}, err
	}
	lists, err := vyre.Upload(ctx, dev, make([]List, len(text)))
	if err != nil {
		return nil, queue.Record{}, err
	}
	// The ring has room for the lists of one list, and grows if there are more to do.
	q, err := queue.New(ctx, dev, kernel.Kernel, []vyre.Arg{bytes.All(), lists.All()}, queue.Options{Most: mostLists, Capacity: mostLists})
	if err != nil {
		return nil, queue.Record{}, err
	}
	defer q.Close()
	rec, err := q.Run(ctx, []queue.Item{{Args: [3]uint32{first, nowhere, 0}}})
	if err != nil {
		return nil, rec, err
	}
	found, err := lists.Read(ctx)
	return found, rec, err
}

// parseHere does the same with a stack.
func parseHere(text []byte, first int) []List {
	lists := make([]List, len(text))
	stack, inAtom := []uint32{}, false
	for i := first; i < len(text); i++ {
		c := text[i]
		atom := c != '(' && c != ')' && c > ' '
		switch {
		case c == '(':
			parent := nowhere
			if len(stack) > 0 {
				parent = stack[len(stack)-1]
			}
			lists[i] = List{Parent: parent, Depth: uint32(len(stack))}
			stack = append(stack, uint32(i))
		case c == ')':
			if stack = stack[:len(stack)-1]; len(stack) == 0 {
				return lists
			}
		case atom && !inAtom:
			lists[stack[len(stack)-1]].Atoms++
		}
		inAtom = atom
	}
	return lists
}
