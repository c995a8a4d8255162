// Command modules parses the modules of a program, resolves the names that they use, and reports those without a definition. It does so
// in the order that package frontiers makes of what has to wait for what.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/megakernel/frontiers"
)

//go:generate go run ../../internal/gen/generate .

func main() {
	log.SetFlags(0)
	device := flag.String("device", "auto", "device to run on")
	file := flag.String("file", "modules.txt", "modules to read")
	flag.Parse()
	if err := run(context.Background(), *device, *file); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, device, file string) error {
	list, err := read(file)
	if err != nil {
		return err
	}
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	p, err := upload(ctx, dev, list)
	if err != nil {
		return err
	}
	missing, counts, err := p.resolve(ctx, dev, list)
	if err != nil {
		return err
	}
	want, line := undefined(list), 0
	for k, m := range list {
		fmt.Printf("%s: %d definitions, %d uses of names without one\n", m.name, len(m.lines), counts[k])
		for _, text := range m.lines {
			var lacks []string
			for i, word := range strings.Fields(text)[1:] {
				if missing[line]>>i&1 != 0 {
					lacks = append(lacks, word)
				}
			}
			if !slices.Equal(lacks, want[line]) {
				return fmt.Errorf("%s, %q: the device misses %v, a search by maps %v", m.name, text, lacks, want[line])
			}
			if lacks != nil {
				fmt.Printf("  %s: no %s\n", text, strings.Join(lacks, ", "))
			}
			line++
		}
	}
	return nil
}

// program is the modules on the device, with what is known of their lines.
type program struct {
	text                                                []byte
	bytes                                               *vyre.Buffer[uint8]
	lines, first, rows, imports, names, missing, counts *vyre.Buffer[uint32]
}

// upload lays the modules out in columns.
func upload(ctx context.Context, dev vyre.Device, list []module) (*program, error) {
	p := &program{}
	lines, first, rows, imports := []uint32{}, []uint32{0}, []uint32{0}, []uint32{}
	for _, m := range list {
		for _, line := range m.lines {
			lines = append(lines, uint32(len(p.text)))
			p.text = append(append(p.text, line...), '\n')
		}
		imports = append(imports, m.imports...)
		first, rows = append(first, uint32(len(lines))), append(rows, uint32(len(imports)))
	}
	n := len(lines)
	lines, imports = append(lines, uint32(len(p.text))), append(imports, 0) // an array has a word at least
	var errs [8]error
	p.bytes, errs[0] = vyre.Upload(ctx, dev, p.text)
	p.lines, errs[1] = vyre.Upload(ctx, dev, lines)
	p.first, errs[2] = vyre.Upload(ctx, dev, first)
	p.rows, errs[3] = vyre.Upload(ctx, dev, rows)
	p.imports, errs[4] = vyre.Upload(ctx, dev, imports)
	p.names, errs[5] = vyre.Alloc[uint32](dev, n)
	p.missing, errs[6] = vyre.Alloc[uint32](dev, n)
	p.counts, errs[7] = vyre.Alloc[uint32](dev, len(list))
	return p, errors.Join(errs[:]...)
}

// order is the frontiers, and what waits for what: the names of a module for those that it imports, and the report for all of them.
func order(list []module) (work []frontiers.Frontier, order []frontiers.Order) {
	n := uint64(len(list))
	for k, m := range list {
		work = append(work, frontiers.Frontier{ID: uint64(k), Kind: frontiers.Parser, Active: uint64(len(m.lines))})
	}
	for k, m := range list {
		work = append(work, frontiers.Frontier{ID: n + uint64(k), Kind: frontiers.Semantic, Active: uint64(len(m.lines))})
		for _, of := range append(slices.Clone(m.imports), uint32(k)) {
			order = append(order, frontiers.Order{Before: uint64(of), After: n + uint64(k)})
		}
		order = append(order, frontiers.Order{Before: n + uint64(k), After: 2 * n})
	}
	return append(work, frontiers.Frontier{ID: 2 * n, Kind: frontiers.Diagnostic, Active: n}), order
}

// resolve runs everything once.
func (p *program) resolve(ctx context.Context, dev vyre.Device, list []module) (missing, counts []uint32, err error) {
	parse, err1 := vyreKernels.Program("Parse")
	resolve, err2 := vyreKernels.Program("Resolve")
	report, err3 := vyreKernels.Program("Report")
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, nil, err
	}
	work, order := order(list)
	text, lines, first, names, lacks := p.bytes.All(), p.lines.All(), p.first.All(), p.names.All(), p.missing.All()
	plan, err := frontiers.New(ctx, dev, work, order, map[frontiers.Kind]frontiers.Program{
		frontiers.Parser: {Program: parse, Args: []vyre.Arg{frontiers.Starts{}, frontiers.Places{}, text, lines, first, names}},
		frontiers.Semantic: {Program: resolve, Args: []vyre.Arg{frontiers.Starts{}, frontiers.Places{}, vyre.Value(uint32(len(list))), text, lines, first,
			p.rows.All(), p.imports.All(), names, lacks}},
		frontiers.Diagnostic: {Program: report, Args: []vyre.Arg{first, lacks, p.counts.All()}},
	}, frontiers.Options{})
	if err != nil {
		return nil, nil, err
	}
	defer plan.Close()
	rec, err := plan.Run(ctx)
	if err != nil {
		return nil, nil, err
	}
	fmt.Printf("%d modules: %d items of work in %d waves\n", len(list), rec.Items, len(plan.Waves().Waves))
	if missing, err = p.missing.Read(ctx); err != nil {
		return nil, nil, err
	}
	counts, err = p.counts.Read(ctx)
	return missing, counts, err
}
