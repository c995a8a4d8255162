package opt_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

var update = flag.Bool("update", false, "rewrite what the passes make of the cases")

// passCase is a case of testdata/<pass>/<pass>.txtar. Its sections:
//
//	before  one kernel, without the line that opens a file; !inb is taken at its word
//	after   what the pass makes of it
//	passes  names of the passes to run; the directory's if left out
//	launch  arguments, in the format of the conformance suite: both forms must agree on them
//	want    what buffers must hold, in the same format
//	stats   lines "RULE COUNT": how often the passes used it
//	endless a number of rows after which neither form has come to its end
//
// Cases of testdata/regress have no section after, because they run at every level. A file may have several cases, each
// behind a section "case NAME".
type passCase struct {
	file     string
	in       string // file of several cases, or empty
	archive  *txtar.Archive
	section  map[string]string
	passes   []string
	program  *ir.Program
	conform  *conform.Case // nil without a launch
	regress  bool
	endless  uint64 // rows to run of a program that does not end, 0 for the others
	contents []byte
}

func readCases(file string) ([]*passCase, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	parts := bytes.Split(data, []byte("\n-- case "))
	if len(parts) == 1 {
		c, err := readCase(file, data)
		return []*passCase{c}, err
	}
	var all []*passCase
	for _, part := range parts[1:] {
		name, text, _ := bytes.Cut(part, []byte(" --\n"))
		text = append(bytes.TrimSuffix(text, []byte("\n")), '\n')
		c, err := readCase(filepath.Join(filepath.Dir(file), string(name)+".txtar"), text)
		if err != nil {
			return nil, err
		}
		c.in = file
		all = append(all, c)
	}
	return all, nil
}

func readCase(file string, data []byte) (*passCase, error) {
	var err error
	c := &passCase{file: file, archive: txtar.Parse(data), section: map[string]string{}, contents: data}
	for _, f := range c.archive.Files {
		c.section[f.Name] = string(f.Data)
	}
	dir := filepath.Base(filepath.Dir(file))
	c.passes, c.regress = []string{dir}, dir == "regress"
	if s, ok := c.section["endless"]; ok {
		if c.endless, err = strconv.ParseUint(strings.TrimSpace(s), 10, 32); err != nil {
			return nil, err
		}
	}
	if s, ok := c.section["passes"]; ok {
		c.passes = strings.Fields(s)
	}
	ps, err := text.ParseTrusted(file, "vyre 1\n"+c.section["before"])
	if err != nil {
		return nil, err
	}
	c.program = ps[0]
	if launch, ok := c.section["launch"]; ok {
		var b bytes.Buffer
		fmt.Fprintf(&b, "-- program --\nvyre 1\n%s-- launch --\n%s-- want --\n%s", strings.ReplaceAll(c.section["before"], "!inb", ""), launch, c.section["want"])
		cs, err := conform.ParseFile(filepath.Base(file), b.Bytes())
		if err != nil {
			return nil, err
		}
		c.conform = &cs[0]
		c.conform.Program = c.program
	}
	return c, nil
}

// cases reads every case file.
func cases(t testing.TB) []*passCase {
	t.Helper()
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var all []*passCase
	for _, f := range files {
		cs, err := readCases(f)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		all = append(all, cs...)
	}
	return all
}

// only are the options that run the named passes and nothing else.
func only(names []string) opt.Options {
	var runs []compile.Run
	for _, r := range compile.Table() {
		if slices.Contains(names, r.Pass) {
			runs = append(runs, r)
		}
	}
	return opt.WithRuns(opt.Options{Check: true}, runs)
}

// everyWay are the options under which a regression must hold.
func everyWay() map[string]opt.Options {
	ways := map[string]opt.Options{
		"O0": {Passes: compile.Choice{Level: compile.O0}, Check: true},
		"O1": {Passes: compile.Choice{Level: compile.O1}, Check: true},
		"O2": {Passes: compile.Choice{Level: compile.O2}, Check: true},
		"O3": {Passes: compile.Choice{Level: compile.O3}, Check: true},
	}
	for _, p := range compile.All() {
		ways[p.Name] = only([]string{p.Name})
	}
	return ways
}

// text is a program without the line that opens a file.
func listing(p *ir.Program) string { return strings.TrimPrefix(text.Of(p), "vyre 1\n\n") }

// try runs a case with o, changed by weaken, and returns what is wrong.
func (c *passCase) try(weaken func(opt.Options) opt.Options) error {
	if c.regress {
		ways := everyWay()
		for name, o := range ways {
			if err := c.agree(weaken(o)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	}
	o := weaken(only(c.passes))
	after, rep, err := opt.Run(c.program, o)
	if err != nil {
		return err
	}
	if err := c.agree(o); err != nil {
		return err
	}
	if got, want := listing(after), c.section["after"]; got != want {
		return &goldenError{got, want}
	}
	for line := range strings.Lines(c.section["stats"]) {
		var rule string
		var want, got int
		if _, err := fmt.Sscan(line, &rule, &want); err != nil {
			return fmt.Errorf("stats: %q: want RULE COUNT", line)
		}
		for _, p := range rep.Passes {
			got += p.Rewrites[rule]
		}
		if got != want {
			return fmt.Errorf("rule %s was used %d times, want %d", rule, got, want)
		}
	}
	return nil
}

// goldenError is an output that is not the one on file.
type goldenError struct{ got, want string }

func (e *goldenError) Error() string {
	got, want := strings.Split(e.got, "\n"), strings.Split(e.want, "\n")
	for i := range got {
		if i >= len(want) || got[i] != want[i] {
			w := "nothing"
			if i < len(want) {
				w = want[i]
			}
			return fmt.Sprintf("line %d is\n%s\nwant\n%s\nin\n%s(go test ./internal/opt -update accepts it)", i+1, got[i], w, e.got)
		}
	}
	return fmt.Sprintf("the output ends early:\n%s", e.got)
}

// agree compares the interpreter's results of the case before and after the passes.
func (c *passCase) agree(o opt.Options) error {
	if c.conform == nil {
		return nil
	}
	if c.endless > 0 {
		return c.neverEnds(o)
	}
	ctx := context.Background()
	for _, s := range []interp.Schedule{{}, interp.Reversed, interp.Seeded(7)} {
		plain := conform.Interp(interp.Options{Schedule: s})
		want, err := plain.Run(ctx, c.program, c.conform.Launch)
		if err != nil {
			return fmt.Errorf("as it stands: %w", err)
		}
		if err := conform.Try(ctx, plain, c.conform); err != nil {
			return fmt.Errorf("as it stands: %w", err)
		}
		d := optimising{Options: o, schedule: s}
		if err := conform.Try(ctx, d, c.conform); err != nil {
			return fmt.Errorf("optimised: %w", err)
		}
		got, err := d.Run(ctx, c.program, c.conform.Launch)
		if err != nil {
			return err
		}
		for i, b := range want.Buffers {
			if !bytes.Equal(b, got.Buffers[i]) && c.section["want"] == "" {
				return fmt.Errorf("buffer %s is\n%x\nwant\n%x", c.program.Params()[i].Name, got.Buffers[i], b)
			}
		}
		if (want.Trap == nil) != (got.Trap == nil) {
			return fmt.Errorf("trap %v, want %v", got.Trap, want.Trap)
		}
	}
	return nil
}

// neverEnds reports a form that comes to its end within the rows that it may run.
func (c *passCase) neverEnds(o opt.Options) error {
	for name, d := range map[string]conform.Device{
		"as it stands": conform.Interp(interp.Options{Budget: c.endless}),
		"optimised":    optimising{Options: o, budget: c.endless},
	} {
		var spent *interp.BudgetError
		if _, err := d.Run(context.Background(), c.program, c.conform.Launch); !errors.As(err, &spent) {
			return fmt.Errorf("%s, it ends within %d rows: error %v", name, c.endless, err)
		}
	}
	return nil
}

func TestPassesOnCases(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(c.file, "testdata/"), ".txtar"), func(t *testing.T) {
			t.Parallel()
			err := c.try(func(o opt.Options) opt.Options { return o })
			var golden *goldenError
			if *update && errors.As(err, &golden) {
				c.accept(t, golden.got)
				return
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// accept writes what the pass made as the section after.
func (c *passCase) accept(t *testing.T, after string) {
	i := slices.IndexFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == "after" })
	if i < 0 {
		i = 1 + slices.IndexFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == "before" })
		c.archive.Files = slices.Insert(c.archive.Files, i, txtar.File{Name: "after"})
	}
	c.archive.Files[i].Data = []byte(after)
	accepting.Lock()
	defer accepting.Unlock()
	file, text := cmp.Or(c.in, c.file), txtar.Format(c.archive)
	if c.in != "" {
		all, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.Replace(all, c.contents, text, 1)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// accepting is held by a case that rewrites its file.
var accepting sync.Mutex
