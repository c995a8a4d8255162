package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/report"
	"github.com/govyre/vyre/internal/serve"
)

// serveCmd keeps a graph on a device, and answers questions about it over HTTP.
type serveCmd struct {
	File string `arg:"" help:"Graph to ask. When it is replaced, it is loaded anew."`

	Addr     string        `default:"127.0.0.1:0" placeholder:"HOST:PORT" help:"Address to listen on; port 0 takes a free one (${default})."`
	Host     []string      `sep:"none" placeholder:"NAME" help:"Another name that clients call this machine by; may be repeated. An address that other machines reach needs one: they may ask whatever they like then."`
	Time     time.Duration `name:"most-time" default:"10s" placeholder:"TIME" help:"Most time of an answer (${default})."`
	Parallel int           `default:"1" placeholder:"N" help:"How many searches run side by side, each with memory of its own (${default})."`

	Scale            uint32 `placeholder:"K" help:"Multiply weights by K, which must make whole numbers of them."`
	Device           string `default:"auto" completes:"device" help:"Device to search on; see vyre devices."`
	AllowPartitioned bool   `help:"Search a graph that does not fit the device in parts, which come there again and again."`
	readFlags
}

// Help is the long help of the command.
func (serveCmd) Help() string {
	return `The address is printed: open it in a browser, or post questions in JSON:
  vyre serve app.vyg --addr 127.0.0.1:8080
  curl --json '{"from": ["main.main"], "to": ["os/exec.Command"]}' http://127.0.0.1:8080/ask/path`
}

func (c *serveCmd) Run(t *terminal) (err error) {
	if c.Parallel < 1 || c.Time <= 0 {
		return usagef("--parallel %d, --most-time %s: both are more than 0", c.Parallel, c.Time)
	}
	stop, err := t.opens(c.Device)
	if err != nil {
		return err
	}
	defer stop()
	l, hosts, err := c.listen(t.ctx)
	if err != nil {
		return err
	}
	defer l.Close()
	options, stop, err := c.options(t)
	if err != nil {
		return err
	}
	options.Scale = max(c.Scale, 1)
	f := &servedFile{name: c.File, o: options}
	g, err := f.load(t.ctx)
	stop()
	if err != nil {
		return err
	}
	f.o.Progress = nil // of later loads
	t.laps.done("reading and checking")
	dev, err := t.device(c.Device)
	if err != nil {
		return err
	}
	defer dev.Close()
	open := func(g *graph.CSR) (*resident, error) {
		r, err := newResident(t.ctx, dev, g, filepath.Base(c.File), c)
		if err == nil && f.weightless != "" {
			r.weightless = f.weightless
		}
		return r, err
	}
	stop = t.spin("preparing searches")
	r, err := open(g)
	stop()
	if err != nil {
		return err
	}
	t.laps.done("names, places and session")
	t.laps.print(t.err)
	current := &serve.Current[*resident]{}
	current.Replace(r, nil)
	defer func() { err = errors.Join(err, current.Close()) }()
	fmt.Fprintf(t.err, "%s: %s nodes, %s arcs, on %s\n", printable.Text(c.File), report.Thousands(int64(g.Nodes())), report.Thousands(int64(g.Arcs())), dev.Name())
	fmt.Fprintf(t.out, "http://%s/\n", hosts[0])

	ctx, cancel := context.WithCancel(t.ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		f.watch(ctx, func(err error, g *graph.CSR) {
			if err == nil {
				var next *resident
				if next, err = open(g); err == nil {
					current.Replace(next, func(err error) { fmt.Fprintln(t.err, message(err)) })
					fmt.Fprintf(t.err, "%s was replaced: %s nodes, %s arcs\n", printable.Text(c.File), report.Thousands(int64(g.Nodes())), report.Thousands(int64(g.Arcs())))
					return
				}
			}
			if ctx.Err() == nil {
				current.Warn("the file was replaced, but the new one cannot be used, so answers are about the old one: " + printable.Lines(err.Error()))
				fmt.Fprintf(t.err, "%s; answers are about the old graph\n", message(err))
			}
		})
	}()
	defer func() { cancel(); <-watched }()
	h := serve.New(current, (*resident).about, questions, serve.Options{Hosts: hosts, Time: c.Time, Because: because})
	return h.Serve(t.ctx, l, t.err)
}

// listen opens the address, and says by which hosts clients may call it.
func (c *serveCmd) listen(ctx context.Context) (net.Listener, []string, error) {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return nil, nil, usagef("--addr %s: want HOST:PORT, as in 127.0.0.1:8080", c.Addr)
	}
	ip := net.ParseIP(host)
	if host != "localhost" && !ip.IsLoopback() && len(c.Host) == 0 {
		return nil, nil, usagef("--addr %s: other machines could ask; take 127.0.0.1, or say with --host by which name they call this one", c.Addr)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return nil, nil, err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return nil, nil, errors.Join(err, l.Close())
	}
	hosts := []string{}
	if ip.IsUnspecified() {
		host = "" // nobody is called so
	}
	for _, name := range append(append([]string{host}, c.Host...), "localhost") {
		if name != "" {
			hosts = append(hosts, strings.ToLower(net.JoinHostPort(name, port)))
		}
	}
	if port == "80" { // browsers leave it out
		for _, host := range hosts {
			hosts = append(hosts, strings.TrimSuffix(host, ":80"))
		}
	}
	return l, hosts, nil
}

// servedFile is the file of a graph, and which state of it was read last.
type servedFile struct {
	name string
	o    files.Options
	seen fs.FileInfo // nil if there was no file

	weightless string // why the weights that it has are none that count
}

// load reads the graph into memory, all of it checked: a mapping would change with a file that is written in place.
func (f *servedFile) load(ctx context.Context) (*graph.CSR, error) {
	info, err := os.Stat(f.name)
	f.seen = info
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, usagef("%s is not a file that can be read again", f.name)
	}
	in, err := os.Open(f.name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if f.seen, err = in.Stat(); err != nil {
		return nil, err
	}
	g, _, err := files.Read(ctx, in, f.name, f.o)
	f.weightless = ""
	if wrong := new(graph.ParseError); !errors.As(err, &wrong) {
		return g, err
	}
	o := f.o
	o.NoWeights, o.Scale = true, 1
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if g, _, again := files.Read(ctx, in, f.name, o); again == nil { // all but weights is right
		f.weightless = err.Error()
		return g, nil
	}
	return nil, err
}

// watchEach is how often the file is looked at. Tests make it shorter.
var watchEach = 500 * time.Millisecond

// watch loads the file each time it is another than it was, until ctx ends, and says what came of it.
func (f *servedFile) watch(ctx context.Context, loaded func(error, *graph.CSR)) {
	tick := time.NewTicker(watchEach)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, err := os.Stat(f.name)
		same := err != nil && f.seen == nil || err == nil && f.seen != nil && os.SameFile(now, f.seen) && now.Size() == f.seen.Size() && now.ModTime().Equal(f.seen.ModTime())
		if !same {
			g, err := f.load(ctx)
			loaded(err, g)
		}
	}
}
