// Command histogram counts the bytes of a file.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/govyre/vyre"
)

//go:generate go run ../../internal/gen/generate .

func main() {
	log.SetFlags(0)
	device := flag.String("device", "auto", "device to run on")
	file := flag.String("file", "", "file to read (default: the licence of this project)")
	flag.Parse()
	if err := run(context.Background(), *device, *file); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, device, file string) error {
	data, err := read(file)
	if err != nil {
		return err
	}
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	histogram, err := CompileHistogram(ctx, dev)
	if err != nil {
		return err
	}
	bins := make([]uint32, 256)
	if _, err := histogram.Run(ctx, vyre.Grid{8, 1, 1}, data, bins); err != nil {
		return err
	}

	var want [256]uint32
	for _, b := range data {
		want[b]++
	}
	if !slices.Equal(bins, want[:]) {
		return fmt.Errorf("the counts are %v, want %v", bins, want)
	}
	order := make([]int, 256)
	for b := range order {
		order[b] = b
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bins[b], bins[a]) })
	fmt.Printf("%d bytes, counted right; the most frequent:\n", len(data))
	for _, b := range order[:8] {
		fmt.Printf("%6d  %q\n", bins[b], rune(b))
	}
	return nil
}

// read reads a file; without a name, LICENSE from the root of the project.
func read(file string) ([]byte, error) {
	if file != "" {
		return os.ReadFile(file)
	}
	data, err := os.ReadFile("../../LICENSE")
	if os.IsNotExist(err) {
		return os.ReadFile("LICENSE")
	}
	return data, err
}
