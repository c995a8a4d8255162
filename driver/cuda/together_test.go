package cuda_test

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
)

// together is a driver that compiles the texts of callers who come while it is compiling as one module. Most of the
// time that a small module takes does not depend on what is in it: of 64 random programs in one module, each takes
// ptxas a sixth of the time that it takes alone. Every caller gets a module of its own, as far as it can tell.
type together struct {
	cu.Driver
	most int // texts in a module

	turn  chan struct{} // holds as many as compile, of as many as may at once
	mu    sync.Mutex
	queue []*toLoad
	parts map[cu.Module]*shared
	links map[cu.LinkState]string
	last  cu.Module

	texts, modules, refused atomic.Int64
	compiling, unloading    atomic.Int64 // nanoseconds in calls of the driver
}

// toLoad is a caller's text.
type toLoad struct {
	text   ptxText
	jit    *cu.JIT
	target int // what it is to be linked for

	taken  bool          // guarded by mu: whoever has it compiles it
	done   chan struct{} // closed when module or err is there
	module cu.Module
	err    error
}

// shared is a module that several callers have a share of.
type shared struct {
	module cu.Module
	users  int
}

// newTogether makes a driver that compiles most texts as one module, and so many modules at once.
func newTogether(d cu.Driver, most, atOnce int) *together {
	return &together{Driver: d, most: most, turn: make(chan struct{}, atOnce), parts: map[cu.Module]*shared{}, links: map[cu.LinkState]string{}, last: 1 << 62}
}

func (d *together) ModuleLoadDataEx(image []byte, jit *cu.JIT) (cu.Module, error) {
	given, linked := strings.CutPrefix(string(image), linkedMark)
	target := notLinked
	if linked {
		number, rest, _ := strings.Cut(given, "\n")
		if _, err := fmt.Sscan(number, &target); err != nil {
			panic(fmt.Sprintf("BUG: the mark of a link is %q: %v", number, err))
		}
		given = rest
	}
	text, ok := splitText(given)
	switch {
	case !ok && !linked:
		return d.Driver.ModuleLoadDataEx(image, jit) // machine code, say
	case !ok || jit.LineInfo:
		return d.compile(strings.TrimSuffix(given, "\x00"), target, jit)
	}
	r := &toLoad{text: text, jit: jit, target: target, done: make(chan struct{})}
	d.mu.Lock()
	d.queue = append(d.queue, r)
	d.mu.Unlock()
	// Who gets a turn before somebody else has compiled its text compiles it, with others that wait.
	select {
	case <-r.done:
	case d.turn <- struct{}{}:
		d.load(d.take(r))
		<-d.turn
		<-r.done
	}
	return r.module, r.err
}

// A link gives the text that went into it, with a mark in front that holds its target. It is linked, with others, when
// it is loaded.

const (
	linkedMark = "// linked for "
	notLinked  = -1 // a target of text that is loaded as it is
)

func (d *together) LinkCreate(jit *cu.JIT) (cu.LinkState, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last++
	d.links[cu.LinkState(d.last)] = fmt.Sprintf("%s%d\n", linkedMark, jit.Target)
	return cu.LinkState(d.last), nil
}

func (d *together) LinkAddData(l cu.LinkState, text []byte, _ string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.links[l] += string(text)
	return nil
}

func (d *together) LinkComplete(l cu.LinkState) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return []byte(d.links[l]), nil
}

func (d *together) LinkDestroy(l cu.LinkState) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.links, l)
	return nil
}

// link makes machine code of a text and loads that.
func (d *together) link(text string, jit *cu.JIT) (m cu.Module, err error) {
	l, err := d.Driver.LinkCreate(jit)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.Driver.LinkDestroy(l)) }()
	if err := d.Driver.LinkAddData(l, []byte(text), "together"); err != nil {
		return 0, err
	}
	image, err := d.Driver.LinkComplete(l)
	if err != nil {
		return 0, err
	}
	return d.Driver.ModuleLoadDataEx(image, &cu.JIT{})
}

// take returns the texts that go into the next module with one that waits, and that; none if somebody has taken it.
func (d *together) take(first *toLoad) (batch []*toLoad) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if first.taken {
		return nil
	}
	entries := map[string]bool{}
	add := func(r *toLoad) {
		r.taken = true
		batch = append(batch, r)
		for _, e := range r.text.entries {
			entries[e] = true
		}
	}
	add(first)
	for _, r := range d.queue {
		fits := !r.taken && len(batch) < d.most && r.text.target == first.text.target && r.target == first.target
		if fits && !slices.ContainsFunc(r.text.entries, func(e string) bool { return entries[e] }) {
			add(r)
		}
	}
	d.queue = slices.DeleteFunc(d.queue, func(r *toLoad) bool { return r.taken })
	return batch
}

// load makes the modules of those who wait for them.
func (d *together) load(batch []*toLoad) {
	if len(batch) == 0 {
		return
	}
	begin := time.Now()
	d.texts.Add(int64(len(batch)))
	d.modules.Add(1)
	d.loadAll(batch)
	d.compiling.Add(int64(time.Since(begin)))
	for _, r := range batch {
		close(r.done)
	}
}

// loadAll makes one module of them all, or one of each if the driver refuses that.
func (d *together) loadAll(batch []*toLoad) {
	var texts []ptxText
	for _, r := range batch {
		texts = append(texts, r.text)
	}
	if len(batch) > 1 {
		m, err := d.compile(joinTexts(texts), batch[0].target, &cu.JIT{})
		if err == nil {
			s := &shared{m, len(batch)}
			for _, r := range batch {
				r.module = d.enter(s)
			}
			return
		}
		d.refused.Add(1) // each alone says whose it was
	}
	for _, r := range batch {
		var m cu.Module
		if m, r.err = d.compile(joinTexts([]ptxText{r.text}), r.target, r.jit); r.err == nil {
			r.module = d.enter(&shared{m, 1})
		}
	}
}

// compile has the driver compile a text in the way that was asked for.
func (d *together) compile(text string, target int, jit *cu.JIT) (cu.Module, error) {
	if target == notLinked {
		return d.Driver.ModuleLoadDataEx([]byte(text+"\x00"), jit)
	}
	jit.Target = target
	return d.link(text+"\x00", jit)
}

func (d *together) enter(s *shared) cu.Module {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last++
	d.parts[d.last] = s
	return d.last
}

// part returns the module that a caller's share is of, nil if it is no share.
func (d *together) part(m cu.Module) *shared {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.parts[m]
}

func (d *together) ModuleGetFunction(m cu.Module, name string) (cu.Function, error) {
	if s := d.part(m); s != nil {
		m = s.module
	}
	return d.Driver.ModuleGetFunction(m, name)
}

func (d *together) ModuleUnload(m cu.Module) error {
	begin := time.Now()
	defer func() { d.unloading.Add(int64(time.Since(begin))) }()
	s := d.part(m)
	if s == nil {
		return d.Driver.ModuleUnload(m)
	}
	d.mu.Lock()
	delete(d.parts, m)
	s.users--
	last := s.users == 0
	d.mu.Unlock()
	if !last {
		return nil
	}
	return d.Driver.ModuleUnload(s.module)
}

// ptxText is a module's text in parts: what stands before the kernels, and those.
type ptxText struct {
	version, target string
	extern          string // the shared memory that comes with a launch, declared once
	kernels         string
	entries         []string
}

var textParts = regexp.MustCompile(`^\.version (\d+\.\d+)\n\.target (\S+)\n\.address_size 64\n(?:\n(\.extern [^\n]*)\n)?`)

var textEntry = regexp.MustCompile(`\.entry (\w+)`)

// splitText takes a text apart; not if it has anything else before its kernels.
func splitText(text string) (t ptxText, ok bool) {
	text = strings.TrimSuffix(text, "\x00")
	m := textParts.FindStringSubmatch(text)
	if m == nil {
		return t, false
	}
	t = ptxText{version: m[1], target: m[2], extern: m[3], kernels: text[len(m[0]):]}
	rest := strings.TrimSpace(t.kernels)
	for strings.HasPrefix(rest, ".global ") || strings.HasPrefix(rest, ".const ") { // tables, named after their kernel
		_, rest, _ = strings.Cut(rest, ";")
		rest = strings.TrimSpace(rest)
	}
	if !strings.HasPrefix(rest, ".visible .entry") {
		return t, false
	}
	for _, e := range textEntry.FindAllStringSubmatch(t.kernels, -1) {
		t.entries = append(t.entries, e[1])
	}
	return t, true
}

// joinTexts makes one module of several for the same target.
func joinTexts(ts []ptxText) string {
	all := ts[0]
	major, minor := 0, 0
	for _, t := range ts {
		var a, b int
		if n, err := fmt.Sscanf(t.version, "%d.%d", &a, &b); n != 2 {
			panic(fmt.Sprintf("BUG: version %q: %v", t.version, err))
		}
		if a > major || a == major && b > minor {
			major, minor, all.version = a, b, t.version
		}
		if t.extern != "" {
			all.extern = t.extern
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".version %s\n.target %s\n.address_size 64\n", all.version, all.target)
	if all.extern != "" {
		fmt.Fprintf(&b, "\n%s\n", all.extern)
	}
	for _, t := range ts {
		b.WriteString(t.kernels)
	}
	return b.String()
}

// waiting is how many texts wait for their turn.
func (d *together) waiting() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.queue)
}

func TestTextsThatWaitAreCompiledTogether(t *testing.T) {
	for _, most := range []struct{ texts, atOnce, modules int }{{64, 1, 1}, {8, 1, 5}, {8, 3, 5}, {1, 2, 40}} {
		t.Run(fmt.Sprintf("%d in a module, %d at once", most.texts, most.atOnce), func(t *testing.T) {
			testTextsThatWait(t, most.texts, most.atOnce, most.modules)
		})
	}
}

func testTextsThatWait(t *testing.T, most, atOnce, want int) {
	const n = 40
	sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	d := newTogether(sim, most, atOnce)
	dev, err := cuda.Open(cuda.Options{Driver: d})
	if err != nil {
		t.Fatal(err)
	}
	for range atOnce {
		d.turn <- struct{}{}
	}
	var running sync.WaitGroup
	for seed := range uint64(n) {
		running.Go(func() {
			if err := conform.Random(seed).Agree(ctx, conform.On(dev)); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		})
	}
	for d.waiting() < n {
		runtime.Gosched()
	}
	for range atOnce {
		<-d.turn
	}
	running.Wait()
	if got := d.modules.Load(); got != int64(want) || d.refused.Load() != 0 {
		t.Errorf("%d programs took %d modules, %d of them refused; want %d", n, got, d.refused.Load(), want)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
	if left := sim.Left(); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

func TestOneBadTextDoesNotSpoilTheOthers(t *testing.T) {
	d := newTogether(cusim.New(cusim.Config{}), 64, 1)
	kernel := func(name, body string) []byte {
		return []byte(".version 7.8\n.target sm_90\n.address_size 64\n\n.visible .entry " + name + "()\n{\n\t" + body + ";\n}\n\x00")
	}
	if err := d.Init(); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := d.DevicePrimaryCtxRetain(0)
	if err != nil {
		t.Fatal(err)
	}
	d.turn <- struct{}{}
	var running sync.WaitGroup
	var errs [3]error
	for i, body := range []string{"exit", "no.such.op", "exit"} {
		running.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			if errs[i] = d.CtxSetCurrent(c); errs[i] != nil {
				return
			}
			var m cu.Module
			if m, errs[i] = d.ModuleLoadDataEx(kernel(fmt.Sprint("k", i), body), &cu.JIT{}); errs[i] == nil {
				_, errs[i] = d.ModuleGetFunction(m, fmt.Sprint("k", i))
			}
		})
	}
	for d.waiting() < 3 {
		runtime.Gosched()
	}
	<-d.turn
	running.Wait()
	if errs[0] != nil || errs[1] == nil || errs[2] != nil {
		t.Errorf("errors are %v; want one, of the second", errs)
	}
}
