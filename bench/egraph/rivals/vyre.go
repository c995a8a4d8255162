//go:build linux

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// once does a run of package egraph and prints the line of it.
func once(out io.Writer, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("want closure FILE, inserted FILE, sum N or rules N, have %q", args)
	}
	what, of := args[0], args[1]
	if what == "closure" || what == "inserted" {
		return closure(out, of, what == "inserted")
	}
	n, err := strconv.Atoi(of)
	if err != nil {
		return err
	}
	if what == "rules" {
		return sum(out, n, ir.OpSub, "assoc int (sub (sub ?x ?y) ?z) => (sub ?x (sub ?y ?z))\ncomm int (sub ?x ?y) => (sub ?y ?x)")
	}
	return sum(out, n, ir.OpAdd, "assoc int (add (add ?x ?y) ?z) => (add ?x (add ?y ?z))")
}

// clock is the processor time that this process has taken, that of the garbage collector too.
func clock() time.Duration {
	var t syscall.Timespec
	const process = 2
	_, _, failed := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, process, uintptr(unsafe.Pointer(&t)), 0)
	if failed != 0 {
		panic(failed)
	}
	return time.Duration(t.Nano())
}

// memory is a quantity of this process in bytes, 0 where the system does not tell.
func memory(what string) int64 {
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), what)
	var kib int64
	_, _ = fmt.Sscan(rest, &kib)
	return kib << 10
}

// closure closes the graph in a file.
func closure(out io.Writer, file string, inserted bool) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	words := make([]uint32, len(text)/4)
	if err := binary.Read(bytes.NewReader(text), binary.LittleEndian, words); err != nil {
		return err
	}
	n, unions := int(words[0]), int(words[1])
	words = words[2:]
	ids := make([]egraph.Class, n)
	text = nil
	runtime.GC()
	before := memory("VmRSS:")

	g := egraph.New()
	began := clock()
	g.Grow(n, 2*n)
	if inserted {
		for i := range ids {
			ids[i] = g.Class(ir.U32)
		}
	}
	var kids [3]egraph.Class
	for i := range ids {
		head := g.Head(egraph.HeadInfo{X: words[0], Type: ir.U32})
		k := words[2 : 2+words[1]]
		for j, c := range k {
			kids[j] = ids[c]
		}
		if inserted {
			g.Insert(ids[i], head, kids[:len(k)]...)
		} else {
			ids[i] = g.Add(head, kids[:len(k)]...)
		}
		words = words[2+len(k):]
	}
	add := clock() - began
	runtime.GC()
	began = clock()
	for k := range unions {
		if err := g.Union(ids[words[2*k]], ids[words[2*k+1]], "given"); err != nil {
			return err
		}
	}
	union := clock() - began
	began = clock()
	if err := g.Rebuild(); err != nil {
		return err
	}
	rebuild := clock() - began
	peak := memory("VmHWM:")

	least := make(map[egraph.Class]int)
	digest := uint64(0)
	for i, c := range ids {
		root := g.Find(c)
		if _, ok := least[root]; !ok {
			least[root] = i
		}
		digest = digest*1099511628211 + uint64(least[root]) + 1
	}
	print(out, g, digest, max(0, peak-before), add, union, rebuild)
	return nil
}

// sum saturates a sum of n leaves.
func sum(out io.Writer, n int, op ir.Op, text string) error {
	list, err := rules.Parse(text)
	if err != nil {
		return err
	}
	rs, err := egraph.Compile(list)
	if err != nil {
		return err
	}
	runtime.GC()
	before := memory("VmRSS:")
	began := clock()
	g := egraph.New()
	head := g.Head(egraph.HeadInfo{Op: op, Type: ir.U32})
	c := g.Leaf("x0", ir.U32)
	for i := 1; i < n; i++ {
		c = g.Add(head, c, g.Leaf("x"+strconv.Itoa(i), ir.U32))
	}
	report, err := g.Run(rs, egraph.Limits{Rows: 1 << 30, Rounds: 1 << 20, Matches: 1 << 40})
	took := clock() - began
	if err != nil {
		return err
	}
	if report.Stopped != "" {
		return fmt.Errorf("a sum of %d leaves: %+v", n, report)
	}
	print(out, g, 0, max(0, memory("VmHWM:")-before), 0, 0, took)
	return nil
}

func print(out io.Writer, g *egraph.Graph, digest uint64, bytes int64, add, union, rebuild time.Duration) {
	fmt.Fprintf(out, "%d %d %016x %d %d %d %d\n", g.Rows(), g.Classes(), digest, add, union, rebuild, bytes)
}
