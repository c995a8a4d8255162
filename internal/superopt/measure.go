package superopt

import (
	"fmt"
	"slices"
	"time"

	"github.com/govyre/vyre/internal/compile"
)

// maxListed bounds the terms of a root that are measured.
const maxListed = 4

// listing is what a search lists while Choose asks for it.
type listing struct {
	on    bool
	seen  map[string]bool
	found []Found
}

// Found is a root with what is proved to be equal to it, the cheapest first.
type Found struct {
	Root  string
	Terms []Proved
}

// Proved is a term in the place of a root, and the name of its proof.
type Proved struct{ Term, Proof, line string }

// Measured is a root with the time of the kernel as it is and with each of its terms, and which of them is chosen: -1 for none.
type Measured struct {
	Found
	AsItIs time.Duration
	Times  []time.Duration
	Chosen int
}

func (f *Finder) lists() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.on
}

// list keeps a root once.
func (f *Finder) list(name string, found Found) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.seen[name] {
		f.seen[name] = true
		f.found = append(f.found, found)
	}
}

// add adds a row, unless a file could not say it.
func (to *Found) add(r *root, b *table, k int32, name, proof string) {
	text, again := b.text(int(k)), newBuilder()
	rule, _, err := parseTerm(text, r.typ)
	if err != nil {
		return
	}
	if n, err := again.term(rule, rule.Right.Args[1]); err == nil && again.text(int(n)) == text {
		to.Terms = append(to.Terms, Proved{r.write(b, k), proof, fmt.Sprint(r.typ, " ", text, " for ", name)})
	}
}

// Choose chooses the terms of a kernel by its time. do compiles it, and measure compiles it after each of some functions, which
// put a bank in place, and times these kernels in turns. A term that is not the cheapest is chosen only if it is more than 3 %
// faster, and so is the root as it is. The file that it returns is a bank of the chosen terms, each for its root; it is in use.
func (f *Finder) Choose(do func() error, measure func(use []func()) ([]time.Duration, error)) (all []Measured, file []byte, err error) {
	f.mu.Lock()
	f.on, f.seen, f.found = true, make(map[string]bool), nil
	f.mu.Unlock()
	err = do()
	f.mu.Lock()
	f.on = false
	found := f.found
	f.mu.Unlock()
	if err != nil {
		return nil, nil, err
	}
	lines := make([]string, len(found)) // chosen ones; roots that follow are as the cost has it
	for i, r := range found {
		lines[i] = r.Terms[0].line
	}
	with := func(i int, line string) func() {
		some := slices.Clone(lines)
		some[i] = line
		return func() { f.only(some) }
	}
	for i, r := range found {
		use := []func(){with(i, "")}
		for _, t := range r.Terms {
			use = append(use, with(i, t.line))
		}
		times, err := measure(use)
		if err != nil {
			return nil, nil, err
		}
		m := Measured{Found: r, AsItIs: times[0], Times: times[1:]}
		best := times[1]
		for k, took := range times {
			if 100*(times[1]-took) > 3*times[1] && took < best {
				best, m.Chosen = took, k-1
			}
		}
		lines[i] = ""
		if m.Chosen >= 0 {
			lines[i] = r.Terms[m.Chosen].line
		}
		all = append(all, m)
	}
	return all, f.only(lines), nil
}

// only uses the bank of some lines, and returns its file.
func (f *Finder) only(lines []string) []byte {
	file := write(slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return line == "" }))
	b, err := Load(file)
	if err != nil {
		panic("BUG: superopt: " + err.Error())
	}
	f.bank, compile.Bank = b, b.Digest
	return file
}
