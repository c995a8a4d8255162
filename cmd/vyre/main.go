// Command vyre compiles kernels written in Go and runs them on a device.
//
//	vyre devices                                          what there is, and why something is missing
//	vyre doctor                                           whether a device works, and what helps if it does not
//	vyre run saxpy.go --grid 4 --arg a=2 --arg x=iota:1024 --arg y=zeros:1024 --print y:8
//	vyre bench saxpy.go --device cpu,cuda --grid 4 …      how long it takes, and how well it fills a device
//	vyre tune saxpy.go --items 1048576 --arg a=2 …        which group size is fastest, for later compilations
//	vyre check ./...                                      every finding, and nothing else
//	vyre ir saxpy.go                                      the program in text form
//	vyre ptx saxpy.go --target sm_90                      its PTX
//	vyre asm saxpy.go                                     what device cpu makes of it: machine code
//	vyre passes                                           the compiler's passes, in their order
//	vyre rules check mine.rules                           whether rules of rewriting hold
//	vyre rules mine --ops add,sub,and,or                  rules that the table lacks
//	vyre explain saxpy.go -o report.html                  source, passes and PTX side by side
//	vyre conform --device cpu                             the conformance suite
//	vyre evidence run --graph road:1024x1024 -o x.csv     one launch against a loop of the host, measured
//	vyre evidence check speedup.csv                       whether measured ratios may be quoted
//	vyre evidence explain                                 what plans are chosen by, and whether that held
//	vyre graph gen road:1024x1024 -o roads.vyg            a graph of a generator
//	vyre graph info roads.vyg                             what a graph is like
//	vyre graph convert roads.gr.gz roads.vyg              from one format to another
//	vyre reach roads.vyg --from 0 --to 99 --path          what can be reached, and along which path
//	vyre taint app.vyg --sources FILE --sinks FILE        which values come to where they must not
//	vyre serve app.vyg                                    the same questions over HTTP, and in a browser
//	vyre bundle ./kernels -o kernels.vyk                  kernels compiled for several GPUs, to ship
//	vyre gen ./kernels                                    typed launchers, for go generate
//	vyre completion bash                                  completion for a shell
//
// Results go to standard output, everything else to standard error. With --json, standard output is one document.
// A file named - is standard input, or standard output. Output files are opened before the work, and a file keeps
// what it held until there is something to write. The exit status is 0 on success, 1 when something failed, 2 when
// the command line makes no sense, 3 when there is what --fail-on names, 4 when --verify found a difference, 130 when
// it was interrupted. Ctrl-C ends a command within a second, a second one at once; no file is left half written.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/interrupt"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/superopt"
)

// commands is the command line.
type commands struct {
	Devices devicesCmd `cmd:"" help:"List devices, and say why one is missing."`
	Doctor  doctorCmd  `cmd:"" help:"Check what a device needs to work, and say what helps."`
	Run     runCmd     `cmd:"" help:"Compile a kernel and run it once."`
	Bench   benchCmd   `cmd:"" help:"Measure a kernel, on one or several devices."`
	Tune    tuneCmd    `cmd:"" help:"Measure which group size of a kernel is fastest, and keep it."`
	Check   checkCmd   `cmd:"" help:"Compile kernels and report every finding."`
	IR      irCmd      `cmd:"" name:"ir" help:"Print the programs of kernels in text form."`
	PTX     ptxCmd     `cmd:"" name:"ptx" help:"Write the PTX of kernels for an NVIDIA architecture."`
	Asm     asmCmd     `cmd:"" help:"Print the machine code that device cpu makes of kernels."`
	Explain explainCmd `cmd:"" help:"Write a page that shows how a kernel becomes PTX, pass by pass."`
	Passes  passesCmd  `cmd:"" help:"List the compiler's passes in their order."`
	Rules   rulesCmd   `cmd:"" help:"Print the rules by which terms are rewritten, and search for counterexamples."`
	Bundle  bundleCmd  `cmd:"" help:"Compile kernels into a file that programs ship and load."`
	Gen     genCmd     `cmd:"" help:"Write typed launchers for the kernels of a package."`
	Conform conformCmd `cmd:"" help:"Run the conformance suite on a device."`

	Graph graphCmd `cmd:"" help:"Make, look at and convert graphs."`
	Reach reachCmd `cmd:"" help:"Ask which nodes of a graph can be reached, and along which path."`
	Paths pathsCmd `cmd:"" help:"Ask for shortest paths by the weights of arcs."`
	Taint taintCmd `cmd:"" help:"Ask which sinks the values of which sources come to."`
	Serve serveCmd `cmd:"" help:"Keep a graph on a device, and answer questions over HTTP and in a browser."`

	Components componentsCmd `cmd:"" help:"Ask which nodes of a graph hang together."`
	Closure    closureCmd    `cmd:"" help:"Count the pairs of nodes of a graph with a path between them."`
	Dominators dominatorsCmd `cmd:"" help:"Ask which nodes of a graph every path to others goes through."`

	Evidence evidenceCmd `cmd:"" help:"Measure and check comparisons of protocols."`

	Version versionCmd `cmd:"" help:"Print the version."`

	Completion  completionCmd    `cmd:"" help:"Print a script that completes the command line in a shell."`
	VersionFlag kong.VersionFlag `name:"version" help:"Print the version."`
}

// terminal is where a command reads and writes, and the context it lives in.
type terminal struct {
	ctx   context.Context
	in    io.Reader
	out   *stdout
	err   io.Writer
	model *kong.Application // of the command line

	laps   *laps  // of --time
	inRead bool   // standard input was read
	outBy  string // what writes to standard output, if it must do so alone
	quiet  bool   // of --quiet
	still  bool   // no progress is shown

	opening   *opening      // a device, while a graph is read
	searching driver.Device // on which the pass search tries inputs, if it runs
	finder    *superopt.Finder
}

// stdout is standard output. It keeps the first error of writing, so that no command has to look at each line that it prints:
// a full disk is a failure whatever was printed.
type stdout struct {
	io.Writer
	err error
}

func (s *stdout) Write(b []byte) (int, error) {
	n, err := s.Writer.Write(b)
	if s.err == nil {
		s.err = err
	}
	return n, err
}

// usage is an error of the command line: exit status 2.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

func usagef(format string, args ...any) error { return usage{fmt.Errorf(format, args...)} }

// asUsage makes an error one of the command line.
func asUsage(err error) error {
	if err == nil {
		return nil
	}
	return usage{err}
}

// isUsage reports whether an error is one of the command line. A file that a flag names and that cannot be read is none.
func isUsage(err error) bool {
	var u usage
	var file *fs.PathError
	return errors.As(err, &u) && !errors.As(err, &file)
}

// found is what --fail-on names: exit status 3.
type found struct{ error }

// difference is what --verify found: exit status 4.
type difference struct{ error }

// errSilent is an error that was reported already.
var errSilent = errors.New("reported")

func main() {
	ctx := interrupt.Context(interrupt.Grace, func() { fmt.Fprintln(os.Stderr, "vyre: interrupted") })
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main without the process: it returns the exit status.
func run(ctx context.Context, args []string, in io.Reader, w, errOut io.Writer) int {
	out := &stdout{Writer: w}
	status, said := runOn(ctx, asked(args), in, out, errOut)
	if out.err == nil {
		return status
	}
	if said == nil || !strings.Contains(said.Error(), out.err.Error()) { // a later write fails with the same words
		fmt.Fprintln(errOut, "vyre: "+out.err.Error())
	}
	return 1
}

// asked makes "help" and "help COMMAND" what they mean elsewhere.
func asked(args []string) []string {
	if len(args) == 0 || args[0] != "help" {
		return args
	}
	return append(slices.Clone(args[1:]), "--help")
}

// runOn returns the exit status, and the error that was reported, if there is one.
func runOn(ctx context.Context, args []string, in io.Reader, out *stdout, errOut io.Writer) (status int, said error) {
	var cli commands
	exited := -1
	parser, err := kong.New(&cli,
		kong.Name("vyre"),
		kong.Description("GPU compute for Go: kernels written in Go, run on a GPU or without one."),
		kong.UsageOnError(),
		kong.Vars{"version": version(), "native": native.Target()},
		kong.Writers(out, errOut),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		panic("BUG: command line: " + err.Error())
	}
	bare := len(args) == 0
	if bare {
		args = []string{"--help"}
	}
	k, err := parser.Parse(args)
	if bare && exited == 0 {
		return 2, nil
	}
	if exited >= 0 {
		return exited, nil
	}
	if err != nil && out.err != nil {
		return 1, nil // help that could not be written
	}
	if err != nil {
		command := "vyre"
		var wrong *kong.ParseError
		if errors.As(err, &wrong) && wrong.Context.Selected() != nil {
			command = wrong.Context.Selected().FullPath()
		}
		fmt.Fprintf(errOut, "vyre: %s\nrun %s --help to see what there is\n", printable.Lines(err.Error()), command)
		return 2, err
	}
	t := &terminal{ctx: ctx, in: in, out: out, err: errOut, model: parser.Model}
	err = k.Run(t)
	if t.searching != nil {
		err = cmp.Or(err, t.searching.Close())
	}
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(errOut, "vyre: interrupted")
		return interrupt.Status, err
	case err != nil && !errors.Is(err, errSilent):
		fmt.Fprintln(errOut, message(err))
	}
	return statusOf(err), err
}

// statusOf is the exit status of a command that ends with an error, or without.
func statusOf(err error) int {
	var finds found
	var differs difference
	switch {
	case err == nil:
		return 0
	case errors.As(err, &finds):
		return 3
	case errors.As(err, &differs):
		return 4
	case isUsage(err):
		return 2
	}
	return 1 // also errSilent
}

// message is the text of an error: findings and device errors come as they are, others
// say whose they are.
func message(err error) string {
	s := printable.Lines(err.Error())
	if selfNamed(err) {
		return s
	}
	return "vyre: " + s
}
