package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/ir"
)

// jobFlags say what is launched, and on what.
type jobFlags struct {
	Source string   `arg:"" help:"Go file, directory, program in text form, or bundle, with :NAME to choose one kernel; - is standard input."`
	Grid   string   `required:"" placeholder:"X[xY[xZ]]" help:"Number of workgroups along each axis."`
	Arg    []string `sep:"none" placeholder:"NAME=VALUE" help:"Argument: a number for a scalar, of a float also nan, inf, and 0x… for its bits; numbers with commas for a struct or an array, field by field; zeros:N, iota:N, rand:N[:SEED], numbers with commas, FILE.png, FILE.txt or a FILE of bytes for a buffer."`
	Rest   *int     `placeholder:"N" help:"Elements of the shared array whose length comes with the launch."`
	passesFlag
}

// job is a kernel with everything it needs for one launch.
type job struct {
	loaded
	params  []ir.Param
	data    [][]byte // contents of buffers, replaced by what the launch left
	bits    []uint64 // of scalars
	picture *picture // size of the picture among the arguments
	grid    driver.Grid
	rest    int
}

// job reads what the flags say.
func (c *jobFlags) job(t *terminal) (*job, error) {
	if _, err := c.choice(t); err != nil {
		return nil, err
	}
	l, err := one(c.Source, t.find)
	if err != nil {
		return nil, err
	}
	j := &job{loaded: l, params: l.params()}
	switch has := l.rest(); {
	case c.Rest != nil && !has:
		return nil, usagef("--rest %d: kernel %s has no shared array whose length comes with the launch", *c.Rest, l.name)
	case c.Rest != nil:
		j.rest = *c.Rest
	case has:
		return nil, usagef("kernel %s has a shared array whose length comes with the launch: add --rest N", l.name)
	}
	if err := j.setGrid(c.Grid); err != nil {
		return nil, err
	}
	return j, j.setArgs(t, c.Arg)
}

func (j *job) setGrid(s string) error {
	j.grid = driver.Grid{1, 1, 1}
	empty := false
	parts := strings.Split(s, "x")
	if len(parts) > 3 {
		return usagef("--grid %s has %d axes; a grid has one to three", s, len(parts))
	}
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 0, 32)
		if err != nil {
			return usagef("--grid %s: %q is no number of workgroups; want one to three of up to %d, as in 4 or 40x25", s, p, uint32(math.MaxUint32))
		}
		j.grid[i], empty = uint32(n), empty || n == 0
	}
	if empty {
		j.grid[0], j.grid[1], j.grid[2] = 0, max(j.grid[1], 1), max(j.grid[2], 1)
	}
	return nil
}

// find returns the index of a parameter.
func (j *job) find(flag, name string) (int, error) {
	var all []string
	for i, p := range j.params {
		if p.Name == name {
			return i, nil
		}
		all = append(all, p.Name)
	}
	return 0, usagef("%s %s: kernel %s has no parameter of that name; it has %s", flag, name, j.name, strings.Join(all, ", "))
}

// setArgs reads every --arg and makes sure that each parameter has one.
func (j *job) setArgs(t *terminal, args []string) error {
	j.data, j.bits = make([][]byte, len(j.params)), make([]uint64, len(j.params))
	set := make([]bool, len(j.params))
	for _, a := range args {
		name, value, ok := strings.Cut(a, "=")
		if !ok {
			return usagef("--arg %s: want NAME=VALUE", a)
		}
		if parts := j.parts(name); len(parts) > 0 {
			if err := j.setParts(a, name, value, parts, set); err != nil {
				return err
			}
			continue
		}
		i, err := j.find("--arg", name)
		if err != nil {
			return err
		}
		if set[i] {
			return usagef("--arg %s: %s was given before", a, name)
		}
		set[i] = true
		p := j.params[i]
		if !p.IsBuffer() {
			if j.bits[i], err = parseScalar(p.Type, value); err != nil {
				return usagef("--arg %s: %w", a, err)
			}
			continue
		}
		var pic *picture
		if j.data[i], pic, err = t.parseBuffer(&p, value); err != nil {
			return fmt.Errorf("--arg %s: %w", a, err)
		}
		if pic != nil {
			j.picture = pic
		}
	}
	for i, p := range j.params {
		if set[i] {
			continue
		}
		if p.IsBuffer() {
			return usagef("kernel %s needs its buffer %s of %s: add --arg %s=zeros:N, iota:N, rand:N or a file", j.name, p.Name, p.ElemName(), p.Name)
		}
		whole := p.Name
		if k := strings.IndexAny(whole, ".["); k > 0 {
			whole = whole[:k]
		}
		if parts := j.parts(whole); len(parts) > 0 && !slices.ContainsFunc(parts, func(k int) bool { return set[k] }) {
			return usagef("kernel %s needs its parameter %s: add --arg %s=NUMBERS for %s, with commas", j.name, whole, whole, j.names(parts))
		}
		return usagef("kernel %s needs its parameter %s of %s: add --arg %s=NUMBER", j.name, p.Name, p.Type, p.Name)
	}
	return nil
}

// parts returns the parameters that the fields and elements of one of Go became, in their order; none of a parameter that is whole.
func (j *job) parts(name string) (parts []int) {
	for i, p := range j.params {
		if rest, ok := strings.CutPrefix(p.Name, name); ok && rest != "" && strings.Contains(".[", rest[:1]) && !p.IsBuffer() {
			parts = append(parts, i)
		}
	}
	return parts
}

// names lists parameters.
func (j *job) names(parts []int) string {
	var all []string
	for _, i := range parts {
		all = append(all, j.params[i].Name)
	}
	return strings.Join(all, ", ")
}

// setParts reads the numbers of a struct or an array, one for each of its parts.
func (j *job) setParts(arg, name, value string, parts []int, set []bool) error {
	words := strings.Split(value, ",")
	if len(words) != len(parts) {
		return usagef("--arg %s: %s, but %s has %d: %s", arg, counted(len(words), "number"), name, len(parts), j.names(parts))
	}
	for k, i := range parts {
		p := j.params[i]
		if set[i] {
			return usagef("--arg %s: %s was given before", arg, p.Name)
		}
		set[i] = true
		v, err := parseScalar(p.Type, strings.TrimSpace(words[k]))
		if err != nil {
			return usagef("--arg %s: %s: %w", arg, p.Name, err)
		}
		j.bits[i] = v
	}
	return nil
}

// bind allocates the buffers of the launch on a device, nil for scalars, and returns its arguments.
func (j *job) bind(dev driver.Device) (args []driver.Arg, bufs []driver.Buffer, err error) {
	bufs = make([]driver.Buffer, len(j.params))
	for i, p := range j.params {
		if !p.IsBuffer() {
			args = append(args, driver.Scalar{Type: p.Type, Bits: j.bits[i]})
			continue
		}
		if bufs[i], err = dev.Alloc(int64(len(j.data[i])), driver.AllocOptions{Label: p.Name}); err != nil {
			return nil, nil, err
		}
		args = append(args, driver.All(bufs[i]))
	}
	if j.loaded.rest() {
		args = append(args, driver.Rest(j.rest))
	}
	return args, bufs, nil
}

// launch uploads, launches once and reads back what the kernel may have written.
func (j *job) launch(t *terminal, dev driver.Device, o driver.Options) (driver.Result, error) {
	var none driver.Result
	stop := t.spin("compiling " + j.name)
	k, err := j.compile(t, dev, o)
	stop()
	if err != nil {
		return none, err
	}
	defer k.Close()
	if why := k.Resources().Reason; dev.Name() == cpu.Name && dev.Caps().Reason == "" { // the device runs machine code
		if why != "" {
			fmt.Fprintf(t.err, "%s runs on the interpreter: %s\n", j.name, why)
		} else {
			fmt.Fprintf(t.err, "%s runs as machine code (%s)\n", j.name, k.Resources().Target)
		}
	}
	args, bufs, err := j.bind(dev)
	if err != nil {
		return none, err
	}
	seq := dev.NewSequence(j.name)
	defer seq.Close()
	for i, b := range bufs {
		if b != nil {
			seq.Upload(driver.All(b), j.data[i], driver.Always)
		}
	}
	seq.Launch(k, j.grid, args...)
	for i, b := range bufs {
		if b != nil && j.params[i].Access.Writes() {
			seq.Read(driver.All(b), j.data[i])
		}
	}
	defer t.spin("running " + j.name)()
	return seq.Run(t.ctx)
}
