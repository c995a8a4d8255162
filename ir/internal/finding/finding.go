package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/literal"
)

// rule is what a code says: one message format, and the advice that goes with it.
type rule struct {
	Severity ir.Severity
	Format   string
	Fix      string
}

// Rules maps every code of the verifier to its rule. A code never changes meaning.
var Rules = map[string]rule{
	"VY001": {ir.Error, "%s has no %s", "give every region at least its terminator, and every row an entry in every column"},
	"VY002": {ir.Error, "%s of %s is %d, but there are only %d", "use a number below the count"},
	"VY003": {ir.Error, "region %d %s", "let the regions of an op follow it directly, one after the other, inside the region that it stands in"},
	"VY004": {ir.Error, "%s has %s; its one terminator must be its last row", "end the region with yield, break, continue, return or unreachable, and once"},
	"VY005": {ir.Error, "%s uses %s, which is not defined on every way there", "define the value further out, or hand it out as a result"},
	"VY006": {ir.Error, "%s has %s, needs %s", "pass exactly the operands that the op takes"},
	"VY007": {ir.Error, "%s %d stands where %s belongs", "number arguments from 0 at the start of their region, results from 0 right after their op"},
	"VY008": {ir.Error, "%s names %s, which is not %s", "name a loop or block around it; continue needs a loop"},
	"VY009": {ir.Error, "%s outside the arm of an if", "leave a loop or block with break"},
	"VY010": {ir.Error, "%s passes %s, but %s takes %s", "pass as many values as there are arguments or results, of their types"},
	"VY011": {ir.Error, "%s has %s result, but %s", "use results of ops that have one"},
	"VY012": {ir.Error, "%s stands after %s, which %s", "put unreachable after an op that cannot complete, and nowhere else"},
	"VY013": {ir.Error, "%s has flag bits %#x that it does not know", "clear them"},
	"VY014": {ir.Error, "opcode %#x is unknown or not enabled", "use an op of the table; the program may be written by a newer version"},
	"VY015": {ir.Error, "not in canonical form: %s", "seal the program again from its source"},

	"VY101": {ir.Error, "%s of %s is %s; it takes %s", "convert the operand, or use the op for its type"},
	"VY102": {ir.Error, "operands of %s have different types, %s and %s", "convert one; nothing is promoted"},
	"VY103": {ir.Error, "the result of %s has type %s, must be %s", "state the type that the op gives, and convert after it"},
	"VY104": {ir.Error, "no conversion from %s to %s", "compare with ne to get a bool; go through f32 to or from f16 and bf16"},
	"VY105": {ir.Error, "no bitcast from %s to %s", "bitcast between types of one width; f16 and bf16 travel in a u32"},
	"VY106": {ir.Error, "the arms of %s are %s and %s", "convert one arm"},
	"VY107": {ir.Error, "%s of %s is %s, must be bool", "compare with ne to get a bool"},
	"VY108": {ir.Error, "%s of %s is %s, must be u32", "convert counts, lanes and distances to u32"},
	"VY109": {ir.Error, "%s of %s is %s; it must be %s", "use an immediate in range"},
	"VY110": {ir.Error, "%s has type %s, which only memory and parameters can have", "use i32 or u32, and wrap with bfe where it matters"},
	"VY111": {ir.Error, "%s is %s, which %s", "vectors are loaded, stored, built by vec and taken apart by elem; they have 2 or 4 elements, at most 16 bytes"},
	"VY112": {ir.Error, "the bits %#x do not fit a %s", "clear the bits above the type's width"},

	"VY201": {ir.Error, "unknown object: %s", "use objects that this kernel declares, as buffers or arrays of scalar elements"},
	"VY202": {ir.Error, "%s writes @%s, which is ro", "declare the buffer rw, or wo if nothing reads it"},
	"VY203": {ir.Error, "%s reads @%s, which is wo", "declare the buffer rw"},
	"VY204": {ir.Error, "%s gives %s to @%s, whose elements take %s", "convert the value first"},
	"VY205": {ir.Error, "the index of %s @%s is %s, must be an integer", "convert the index"},
	"VY206": {ir.Error, "the constant index %s of %s @%s is out of bounds: %s", "no launch could make this access do anything; remove it, or enlarge the object"},
	"VY207": {ir.Error, "%s array @%s %s", "give arrays a length; only the last shared array may take it from the launch"},
	"VY208": {ir.Error, "len of @%s has type %s, must be %s", "len is u64 exactly where the buffer may have 2³² elements or more"},
	"VY209": {ir.Error, "%s on the %s @%s", "prefetch buffers; use atomics on buffers and shared arrays; copy from buffers of scalars to shared arrays"},
	"VY210": {ir.Error, "table @%s %s", "give a table one element of its type for each of its length"},
	"VY211": {ir.Error, "%s writes @%s, which is a table", "copy the table into a shared or local array, or pass a buffer"},

	"VY301": {ir.Error, "%s on @%s, whose elements are %s; it takes %s", "use 32- or 64-bit elements; floats have load, store, add, exchange and compare-exchange"},
	"VY302": {ir.Error, "%s cannot have order %s; it takes %s", "loads acquire, stores release"},
	"VY303": {ir.Error, "%s has scope %s; it takes %s", "a shared array is seen by its workgroup only, so its atomics have scope wg"},

	"VY401": {ir.Error, "%s where control is not workgroup-uniform", "move it out of the branch, or let the condition be the same in the whole workgroup"},
	"VY402": {ir.Error, "%s where control is not grid-uniform", "move it out of the branch, or get the condition from a grid-wide vote such as barrier_any.grid"},
	"VY403": {ir.Error, "%s where control is not warp-uniform", "move it out of the branch and make the condition an operand"},
	"VY404": {ir.Error, "%s after a return that only some invocations take", "let all invocations come here; put the work of some into an if"},
	"VY405": {ir.Error, "%s in a loop that invocations leave at different rounds", "leave the loop on a vote such as barrier_any.wg, or any"},
	"VY406": {ir.Error, "%s where control is not uniform in the first workgroups", "move it out of the branch, or compare a group id with a constant that is not below their number, or get the condition from barrier_add.first"},

	"VY501": {ir.Error, "workgroup %s: %s", "use 1 to 1024 invocations along x and y, 1 to 64 along z, at most 1024 in all"},
	"VY502": {ir.Error, "%s: %d, at most %d are possible", "split the kernel, or keep data in buffers"},
	"VY504": {ir.Error, "%d bytes of shared memory, the target has %d", "shorten the arrays, or use a smaller element type"},
	"VY505": {ir.Error, "%d bytes of local arrays an invocation, at most %d are possible", "shorten the arrays, or use a buffer"},
	"VY506": {ir.Error, "%s needs sm_%d, the target is sm_%d", "use an op of the floor, or another device"},
	"VY508": {ir.Error, "%s on sm_%d: %s", "use another form, another device, or the device cpu, which has all forms"},
	"VY507": {ir.Error, "%s needs a cooperative launch, which the target does not have", "split the kernel at its grid barriers"},

	"VY701": {ir.Error, "%s is not waited for on some way to the end of the kernel", "close its batch by a commit, then wait until no batch is pending, in front of every return"},
	"VY703": {ir.Error, "%s from the %s elements of @%s to the %s elements of @%s", "give both one type of elements"},
	"VY705": {ir.Error, "%s in a workgroup of %d invocations", "let whole warps hold the matrices: a multiple of 32 invocations"},
	"VY706": {ir.Error, "%s to @%s, whose length is not a constant multiple of %d bytes", "give the array a constant length, in whole copies"},
	"VY707": {ir.Error, "%s of %s elements, those of @%s", "copy at least a whole element, of any type but bool"},
	"VY708": {ir.Error, "%s from @%s, which is aligned to %d bytes", "align the buffer to as many bytes as a copy has, or copy fewer"},

	"VY601": {ir.Warning, "%s by constant zero", "the result is defined, but hardly meant"},
	"VY602": {ir.Warning, "%s is never left", "add a break, or a return"},
	"VY603": {ir.Warning, "%s and a plain access to @%s in one barrier interval", "put a barrier between them, or make both atomic"},
	"VY604": {ir.Warning, "%s writes a %s-varying value to @%s at a %s-uniform index", "let one invocation store, or index by invocation; the value that stays is any of them"},
	"VY605": {ir.Warning, "%s reads shared array @%s, which nothing need have written", "write it, and wait at a barrier, before the load"},
	"VY606": {ir.Warning, "%s is unused", "remove it"},
	"VY607": {ir.Warning, "%s by constant %d, the operand has %d bits", "a shift by the width or more gives 0, or copies of the sign"},
	"VY702": {ir.Warning, "%s touches elements of %s that a copy may still write", "wait for the copy first; other invocations need a barrier behind the wait, too"},
}

// Report collects findings about c.
type Report struct {
	Code  *ir.Code
	Diags ir.Diags
}

// enough bounds the findings of one program: more tell a person nothing, and hostile
// input must not be able to ask for a million texts.
const enough = 1000

// Add keeps a finding of the given code about row (NoRow: the whole program). What it
// returns is valid until the next call.
func (p *Report) Add(code string, row ir.Row, args ...any) *ir.Diag {
	if len(p.Diags) >= enough {
		return &ir.Diag{}
	}
	ru := Rules[code]
	if w, ok := goWords[code]; ok && p.Go() {
		ru.Format, ru.Fix = w.Format, cmp.Or(w.Fix, ru.Fix)
	}
	p.Diags = append(p.Diags, ir.Diag{Code: code, Severity: ru.Severity, Row: row, Pos: p.pos(row), Kernel: p.Code.Name,
		Msg: fmt.Sprintf(ru.Format, args...), Fix: ru.Fix})
	return &p.Diags[len(p.Diags)-1]
}

// Note adds a related row to the finding d.
func (p *Report) Note(d *ir.Diag, row ir.Row, format string, args ...any) {
	d.Related = append(d.Related, ir.Note{Row: row, Pos: p.pos(row), Msg: fmt.Sprintf(format, args...)})
}

// Sorted returns the findings in program order, those about the whole program first.
func (p *Report) Sorted() ir.Diags {
	order := make([]*ir.Diag, len(p.Diags)) // a sort of large structs is code of its own
	for i := range p.Diags {
		order[i] = &p.Diags[i]
	}
	slices.SortStableFunc(order, func(a, b *ir.Diag) int {
		return int(int64(a.Row+1)) - int(int64(b.Row+1)) // NoRow + 1 is 0
	})
	var sorted ir.Diags
	for _, d := range order {
		sorted = append(sorted, *d)
	}
	p.Diags = sorted
	return p.Diags
}

// pos is the position of a row; side tables that do not fit the columns give none.
func (p *Report) pos(row ir.Row) ir.Pos {
	d := &p.Code.Debug
	if int64(row) >= int64(len(d.PosOf)) || int64(d.PosOf[row]) > int64(len(d.Positions)) {
		return ir.Pos{}
	}
	return d.Pos(row)
}

// Value names the value of a row as the user knows it: by its name, as a literal, or
// by its number, which the source in Go does not have.
func (p *Report) Value(row ir.Row) string {
	c := p.Code
	name, inGo := c.Debug.Names[row], p.Go()
	switch {
	case name != "" && inGo:
		return goName(name)
	case name != "":
		return "%" + name
	case int64(row) < int64(c.Rows()) && c.Op[row] == ir.OpConst && int64(c.X[row]) < int64(len(c.Pool)):
		text := string(literal.Append(nil, c.Type[row], c.Pool[c.X[row]]))
		if inGo {
			text, _, _ = strings.Cut(text, "_") // a literal of Go has no type
		}
		return text
	case inGo:
		return "what is computed here"
	}
	return fmt.Sprintf("%%%d", row)
}

// Label names a structured row, such as "loop ^rows".
func (p *Report) Label(row ir.Row) string {
	if int64(row) >= int64(p.Code.Rows()) {
		return fmt.Sprintf("row %d", row)
	}
	op := p.Code.Op[row]
	if name := p.Code.Debug.Names[row]; name != "" && op != ir.OpIf {
		return op.String() + " ^" + name
	}
	return fmt.Sprintf("%s at row %d", op, row)
}

// Region names a region, such as "the body" or "the region of loop ^rows". It need not be one.
func (p *Report) Region(reg uint32) string {
	switch {
	case reg == 0:
		return "the body"
	case int64(reg) >= int64(len(p.Code.Regions)):
		return fmt.Sprintf("region %d", reg)
	}
	op := p.Code.Regions[reg].Op
	if int64(op) < int64(p.Code.Rows()) && p.Code.Op[op] == ir.OpIf {
		arm := "the first arm of "
		if reg != p.Code.X[op] {
			arm = "the second arm of "
		}
		return arm + p.Label(op)
	}
	return "the region of " + p.Label(op)
}
