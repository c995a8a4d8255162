package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/explain"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// machineOf finds out what the machine code of a kernel takes: from a GPU of the architecture, else from ptxas, else
// from a simulated device like it, which estimates. It is nil if none of them can say.
func machineOf(ctx context.Context, p *ir.Program, target ptx.Target, choice compile.Choice, optimise string) *explain.Machine {
	module, err := ptx.Compile(p, target, ptx.Options{Passes: choice})
	if err != nil {
		return nil
	}
	local := module.Kernels[0].Local
	infos, _ := driver.List() // what keeps a kind from being listed is for vyre devices to say
	best := func(simulated, exact bool) string {
		for _, i := range infos {
			major, minor, ok := strings.Cut(i.Capability, ".")
			if ok && i.Simulated == simulated && (major+minor == strconv.Itoa(target.SM) || !exact && major == strconv.Itoa(target.SM/10)) {
				return i.Name
			}
		}
		return ""
	}
	if name := best(false, true); name != "" {
		if m := deviceMachine(ctx, name, p, target, optimise, local, nil); m != nil {
			return m
		}
	}
	name := best(true, true)
	if name == "" {
		name = best(true, false)
	}
	if name == "" {
		return nil
	}
	return deviceMachine(ctx, name, p, target, optimise, local, assemble(ctx, module.Text, target))
}

// assembled is what ptxas says of a kernel.
type assembled struct{ registers, spills int }

// deviceMachine asks a device what a kernel takes. If an assembler was asked as well, its word counts, and the device
// only knows how many groups that leaves room for. local is the size of the kernel's own local arrays.
func deviceMachine(ctx context.Context, name string, p *ir.Program, target ptx.Target, optimise string, local int, by *assembled) *explain.Machine {
	dev, err := driver.Open(name, driver.OpenOptions{CacheDir: "off"})
	if err != nil {
		return nil
	}
	defer dev.Close()
	caps := dev.Caps()
	k, err := dev.Compile(ctx, p, driver.Options{Optimise: optimise, Target: target.String()})
	if err != nil {
		return nil
	}
	defer k.Close()
	r, o := k.Resources(), k.Occupancy(0)
	m := &explain.Machine{Registers: r.Registers, Spills: max(0, r.Local-local), By: "the driver, for " + caps.Model}
	switch {
	case by != nil:
		m.Registers, m.Spills, m.By = by.registers, by.spills, "ptxas"
		o = driver.Occupy(caps, by.registers, r.Shared, p.GroupSize())
	case caps.Simulated:
		m.Spills, m.Estimated, m.By = -1, true, fmt.Sprintf("an estimate, for a GPU of %d.%d", caps.Major, caps.Minor)
	}
	m.Occupancy, m.Limit = float64(o.TenThousand)/1e4, o.Limit
	return m
}

var (
	usedRegisters = regexp.MustCompile(`Used (\d+) registers`)
	spillStores   = regexp.MustCompile(`(\d+) bytes spill stores`)
)

// assemble asks ptxas, if it is on the PATH and knows the architecture.
func assemble(ctx context.Context, text string, target ptx.Target) *assembled {
	tool, err := exec.LookPath("ptxas")
	if err != nil {
		return nil
	}
	cmd := exec.CommandContext(ctx, tool, "--verbose", "--gpu-name="+target.String(), "--output-file="+os.DevNull, "-")
	cmd.Stdin = strings.NewReader(text)
	log, err := cmd.CombinedOutput()
	if err != nil {
		return nil
	}
	number := func(in *regexp.Regexp) int {
		if found := in.FindSubmatch(log); found != nil {
			n, _ := strconv.Atoi(string(found[1])) // digits, as the expression says
			return n
		}
		return -1
	}
	if n := number(usedRegisters); n >= 0 {
		return &assembled{n, number(spillStores)}
	}
	return nil
}

var (
	machineOrigin = regexp.MustCompile(`//## File "\.nv_debug_ptx_txt", line (\d+)`)
	machineCode   = regexp.MustCompile(`^\s*/\*[0-9a-f]{4,}\*/\s+(\S.*?)\s*;$`)
	machineLabel  = regexp.MustCompile(`^(\.L_x_\d+|\$\S+):$`)
)

// disassemble shows what ptxas makes of a text, if it and nvdisasm are on the PATH and know the architecture.
func disassemble(ctx context.Context, text string, target ptx.Target) []explain.MachineLine {
	dir, err := os.MkdirTemp("", "vyre-explain-")
	if err != nil {
		return nil
	}
	defer os.RemoveAll(dir)
	cubin := filepath.Join(dir, "kernel.cubin")
	cmd := exec.CommandContext(ctx, "ptxas", "--generate-line-info", "--gpu-name="+target.String(), "--output-file="+cubin, "-")
	cmd.Stdin = strings.NewReader(text)
	if cmd.Run() != nil {
		return nil
	}
	out, err := exec.CommandContext(ctx, "nvdisasm", "--print-code", "--print-line-info-ptx", cubin).Output()
	if err != nil {
		return nil
	}
	var all []explain.MachineLine
	end, from := 0, 0 // of what is no padding; the line of PTX
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\r\n")
		if m := machineOrigin.FindStringSubmatch(line); m != nil {
			from, _ = strconv.Atoi(m[1]) // a number too large is no line
		} else if m := machineCode.FindStringSubmatch(line); m != nil {
			if all = append(all, explain.MachineLine{Text: m[1], PTX: from}); m[1] != "NOP" {
				end = len(all)
			}
		} else if m := machineLabel.FindStringSubmatch(line); m != nil {
			all = append(all, explain.MachineLine{Text: m[1] + ":"})
			if m[1][0] == '$' {
				from = 0 // a function of the assembler's own, which any line may call
			}
		}
	}
	return all[:end]
}
