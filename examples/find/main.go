// Command find prints where a word is in a file. The kernel flags each byte where the word begins, and package compact reads
// the numbers of the flagged bytes, not the flags.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/megakernel/compact"
)

//go:generate go run ../../internal/gen/generate .

//go:embed kernel.go
var kernelSource []byte

func main() {
	log.SetFlags(0)
	device := flag.String("device", "auto", "device to run on")
	file := flag.String("file", "", "file to read (default: the source of the kernel)")
	word := flag.String("word", "text", "word to find, in capitals or small letters")
	flag.Parse()
	if err := run(context.Background(), *device, *file, []byte(*word)); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, device, file string, word []byte) error {
	text := kernelSource
	if file != "" {
		var err error
		if text, err = os.ReadFile(file); err != nil {
			return err
		}
	}
	if len(word) == 0 || len(text) == 0 {
		return errors.New("a word and a text need at least one byte each")
	}
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	at, bytesRead, err := find(ctx, dev, text, word)
	if err != nil {
		return err
	}
	if want := plain(text, word); !slices.Equal(at, want) {
		return fmt.Errorf("the word is at %v, want %v", at, want)
	}
	fmt.Printf("%q is %d times in %d bytes; %d bytes came from the device:\n", word, len(at), len(text), bytesRead)
	for _, i := range at {
		line, column := place(text, int(i))
		fmt.Printf("%4d:%-3d %.160q\n", line, column, bytes.TrimSpace(bytes.SplitN(text[int(i)-column+1:], []byte("\n"), 2)[0]))
	}
	return nil
}

// find returns where the word begins in the text, and how many bytes it read of the device to know it.
func find(ctx context.Context, dev vyre.Device, text, word []byte) (at []uint32, bytesRead uint64, err error) {
	kernel, err1 := CompileFind(ctx, dev)
	in, err2 := vyre.Upload(ctx, dev, text)
	pattern, err3 := vyre.Upload(ctx, dev, word)
	found, err4 := vyre.Alloc[uint32](dev, len(text))
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, 0, err
	}
	seq := dev.NewSequence("find")
	kernel.Launch(seq, vyre.Grid{(uint32(len(text)) + 255) / 256, 1, 1}, in, pattern, found)
	if _, err := seq.Run(ctx); err != nil {
		return nil, 0, err
	}
	results := compact.New(dev, compact.Options{First: 256})
	defer results.Close()
	places, err := compact.AddItems(results, found)
	if err != nil {
		return nil, 0, err
	}
	if err := results.Run(ctx); err != nil {
		return nil, 0, err
	}
	return places.Records(), results.ReadBytes(), nil
}

// plain is find without a device.
func plain(text, word []byte) (at []uint32) {
	for i := 0; i+len(word) <= len(text); i++ {
		if slices.EqualFunc(text[i:i+len(word)], word, func(x, y byte) bool { return small(x) == small(y) }) {
			at = append(at, uint32(i))
		}
	}
	return at
}

// place is the line and the column of a byte, both from 1.
func place(text []byte, i int) (line, column int) {
	return 1 + bytes.Count(text[:i], []byte("\n")), i - bytes.LastIndexByte(text[:i], '\n')
}
