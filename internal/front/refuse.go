package front

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/govyre/vyre/ir"
)

// reason is one row of the table of what a kernel cannot contain: a stable code, what was found, and
// what to write instead. Texts with a verb take arguments.
type reason struct{ code, what, instead string }

var (
	badDirective = reason{"VK001", "%s", "write //vyre:kernel workgroup=X[xY[xZ]] [big=p,q] [long=p,q] [types=T:float32|float64] [name=F] [checks=none]"}
	badGroup     = reason{"VK001", "%s", "a workgroup has at most 1024 invocations along x and y, 64 along z, 1024 in all"}
	badName      = reason{"VK001", "%s", "%s"}
	badSignature = reason{"VK002", "%s", "%s"}
	noMap        = reason{"VK003", "a map has no place in a kernel", "pass two slices, sorted keys and values, and search them"}
	noChannel    = reason{"VK004", "%s has no place in a kernel", "use barriers and atomics; every invocation already runs concurrently"}
	noInterface  = reason{"VK005", "%s has no place in a kernel", "use a concrete type, or a type parameter"}
	noError      = reason{"VK005", "an error has no place in a kernel", errorAdvice}
	noString     = reason{"VK006", "a string value has no place in a kernel", "pass the text as a []uint8, which bytes.Equal compares; a constant text may be indexed, sliced at constants, copied and converted: join several into one, with a table of where each begins"}
	noPointer    = reason{"VK007", "%s has no place in a kernel", "a pointer may be a parameter or a result of a helper, or a variable that points to one thing; pass the index of an element, or its value"}
	noAtomic     = reason{"VK007", "an atomic on anything but an element of a buffer or shared array has no place in a kernel", "what others cannot see needs no atomic: assign to it"}
	twoVariables = reason{"VK007", "pointer %s may point to two different things", "branch around the accesses, so that each pointer has one target, which its declaration gives it"}
	noNilSlice   = reason{"VK007", "comparing a slice with nil has no place in a kernel", "compare its length with 0"}
	noSliceOf    = reason{"VK007", "a slice of %s has no place in a kernel", "index the array in place, or copy it to a variable and slice that"}
	noHeap       = reason{"VK008", "%s has no place in a kernel", "%s"}
	noAppend     = reason{"VK008", "append to a slice of anything but an array of the kernel has no place in a kernel", "append to a[:0] of an array, or to make of a constant capacity; or write to the next place of a buffer, and count"}
	noPrint      = reason{"VK008", "%s has no place in a kernel", "use gpu.Printf"}
	noNested     = reason{"VK009", "a slice of slices has no place in a kernel", "pass one slice of all values and one of offsets (CSR)"}
	noRecords    = reason{"VK010", "%s has no place in a kernel", "%s"}
	noRecursion  = reason{"VK011", "recursion: %s", "write a loop with an explicit stack in a fixed array"}
	noFuncValue  = reason{"VK012", "%s has no place in a kernel", "%s"}
	noFuncOf     = reason{"VK012", "%s as a function value has no place in a kernel", "%s"}
	outlived     = reason{"VK012", "%s would outlive %s, which the function uses", "declare that variable before it, outside the branch, loop or helper; or call the function there"}
	lateFunc     = reason{"VK012", "%s gets a function that earlier rounds of this loop do not know", "assign it once before the loop, too"}
	noPromoted   = reason{"VK013", "a method expression of an embedded field has no place in a kernel", "write a function literal that calls the method"}
	noGoto       = reason{"VK014", "%s has no place in a kernel", "%s"}
	noDefer      = reason{"VK015", "%s has no place in a kernel", "%s"}
	noUnsafe     = reason{"VK016", "%s has no place in a kernel", "write it in Go, with math.Float32bits and its like for raw bits"}
	noGlobal     = reason{"VK017", "package variable %s has no place in a kernel", "%s"}
	noEarly      = reason{"VK017", "%s has no place in a function that fills a table", "%s"}
	noForeign    = reason{"VK018", "%s a package that the compiler was not given", "%s"}
	noStandard   = reason{"VK018", "kernels do not have the function %s", "%s"}
	noExactMath  = reason{"VK019", "%s", "%s"}
	badShared    = reason{"VK020", "%s", "%s"}
	panicBarrier = reason{"VK021", "this panic ends only some of the invocations that a later %s waits for", "use gpu.Assert, which records the failure and goes on"}
	notConstant  = reason{"VK022", "%s", "%s"}
	twoBuffers   = reason{"VK023", "%s may stand for two different buffers%s", "branch around the accesses, so that each names one buffer%s"}
	newEachRound = reason{"VK023", "%s would outlive array %s, which is a new one in each round of a loop", "declare the array before the loop, or the slice inside"}
	overLimit    = reason{"VK024", "%s", "%s"}
	badPair      = reason{"VK026", "matrices of %s do not go together", "write sums of float32 for Float16, BFloat16 and float32, of Float16 for Float16, of float64 for float64, of int32 for int8, of uint32 for uint8 and uint32"}
	keptCheck    = reason{"VK025", "%s", "compare the index with the length in a condition around the access, mask it, or leave out checks=none"}
)

// fixedSize is the advice where what is refused would need a heap.
const fixedSize = "use a fixed array, gpu.Shared, or a buffer made by the host"

// heapAdvice says what to write instead of a predeclared function.
var heapAdvice = map[string]string{
	"cap":    "write len: a slice of a parameter ends where its view ends",
	"delete": fixedSize,
	"make":   "give it a constant length and capacity; or " + fixedSize,
}

const errorAdvice = "give back a bool, or a number for each kind of mistake, of which the host makes an error"

// foreignAdvice says what to write instead of a package of the standard library that kernels are often tried with.
var foreignAdvice = map[string]string{
	"errors":       errorAdvice,
	"fmt":          "write gpu.Printf, which prints from a kernel on every device",
	"log":          "write gpu.Printf, which prints from a kernel on every device",
	"math/rand":    "write random.Word(seed, stream, i) and random.Uniform of package gpu/random: the same numbers on every device",
	"math/rand/v2": "write random.Word(seed, stream, i) and random.Uniform of package gpu/random: the same numbers on every device",
	"sync":         "write t.Barrier() to wait for the workgroup, or an atomic such as gpu.AtomicAdd(&x[i], 1)",
	"sync/atomic":  "write gpu.AtomicAdd(&x[i], 1), gpu.AtomicLoad(&x[i]) and their like",
	"time":         "write gpu.Clock for the ticks of the device, or time the launch on the host, where its Result says how long it took",
}

// adviceFor says what to write instead of an import without source.
func adviceFor(path string) string {
	if s, ok := foreignAdvice[path]; ok {
		return s
	}
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		return "copy it into this package; a library (//vyre:library) need only be in go.mod, or be imported by the program that compiles"
	}
	return "copy it into this package, or give the compiler the package's source"
}

// finding makes a diagnostic of a reason. args fill the verbs of its text, then those of its advice.
func finding(pos ir.Pos, kernel string, r reason, args ...any) ir.Diag {
	n := verbs(r.what)
	return ir.Diag{Code: r.code, Row: ir.NoRow, Pos: pos, Kernel: kernel,
		Msg: fill(r.what, args[:n]), Fix: fill(r.instead, args[n:])}
}

func fill(text string, args []any) string {
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

func verbs(text string) (n int) {
	for i := range len(text) - 1 {
		if text[i] == '%' && text[i+1] == 's' {
			n++
		}
	}
	return n
}

// findings collects the findings of one compilation, one for each position and code: a
// helper that is inlined twice is refused once.
type findings struct {
	list ir.Diags
	seen map[string]bool
}

func (f *findings) add(d ir.Diag) {
	key := d.Code + d.Pos.String() + d.Msg
	if d.Code[:min(2, len(d.Code))] == "VK" {
		key = d.Code + d.Pos.String()
	}
	if f.seen[key] {
		return
	}
	if f.seen == nil {
		f.seen = make(map[string]bool)
	}
	f.seen[key] = true
	f.list = append(f.list, d)
}

// sorted returns the findings by file, line, column, then code.
func (f *findings) sorted() ir.Diags {
	slices.SortStableFunc(f.list, func(a, b ir.Diag) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col), cmp.Compare(a.Code, b.Code))
	})
	return f.list
}

// refuse records that the code at p has no place in the kernel. The chain of calls is
// left out: the fault lies in the helper's text, not in the way there.
func (l *lowering) refuse(p token.Pos, r reason, args ...any) {
	l.refused = true
	l.src.found.add(finding(l.src.pos(p), l.name, r, args...))
}

// refuseHere is refuse for what is a fault only because of the calls that lead here.
func (l *lowering) refuseHere(p token.Pos, r reason, args ...any) {
	l.refused = true
	pos := l.src.pos(p)
	pos.Call = l.fr.call
	l.src.found.add(finding(pos, l.name, r, args...))
}
