package main

import (
	"context"
	"errors"
	"log"
	"strings"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
)

// library is the other library. It owns the memory of the product.
type library interface {
	address() uint64
	turns() driver.Turns
	// multiply stores the product of the matrices at two addresses, as soon as what is in its stream before has ended.
	multiply(x, y uint64) error
	close() error
}

// chooseLibrary returns cuBLAS for a GPU, and where there is none a device that stands for it.
func chooseLibrary(ctx context.Context, dev vyre.Device) (library, error) {
	if strings.HasPrefix(dev.Name(), "cuda:") {
		lib, err := openCuBLAS(dev.Caps().Ordinal)
		if err == nil {
			log.Println("cuBLAS multiplies")
			return lib, nil
		}
		log.Println("without cuBLAS:", err)
	} else {
		log.Println("without cuBLAS: device", dev.Name(), "is not a GPU")
	}
	return openStandIn(ctx, dev.Name())
}

// lend lends buffers to a library.
func lend(lib library, buffers ...driver.Buffer) (loans []*driver.Loan, err error) {
	for _, b := range buffers {
		o, err := driver.Lend(b, lib.turns())
		if err != nil {
			return nil, err
		}
		loans = append(loans, o)
	}
	return loans, nil
}

// turn runs before, has the other library multiply, and runs after. Where the library has a stream, the GPU does the waiting.
func turn(ctx context.Context, before, after *vyre.Sequence, lib library, lent []*driver.Loan) error {
	first, err := before.Start(ctx)
	if err != nil {
		return err
	}
	ordered := lib.turns() != (driver.Turns{})
	if !ordered {
		if _, err := first.Wait(ctx); err != nil {
			return err
		}
	}
	if err := lib.multiply(lent[0].Address, lent[1].Address); err != nil {
		return err
	}
	if _, err := after.Run(ctx); err != nil || !ordered {
		return err
	}
	_, err = first.Wait(ctx)
	return err
}

// standIn is a second device. It borrows the factors, and has no stream to offer, so that the host waits for it.
type standIn struct {
	dev  vyre.Device
	run  MultiplyKernel
	z    *vyre.Buffer[float32]
	at   uint64
	work context.Context
}

func openStandIn(ctx context.Context, name string) (_ *standIn, err error) {
	s := &standIn{work: ctx}
	if s.dev, err = vyre.Open(name); err != nil {
		return nil, err
	}
	if s.run, err = CompileMultiply(ctx, s.dev); err == nil {
		s.z, err = vyre.Alloc[float32](s.dev, h*w)
	}
	if err == nil {
		s.at, err = s.z.Memory().Address()
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *standIn) address() uint64     { return s.at }
func (s *standIn) turns() driver.Turns { return driver.Turns{} }
func (s *standIn) close() error        { return s.dev.Close() }

func (s *standIn) multiply(x, y uint64) error {
	factors := [2]*vyre.Buffer[float32]{}
	for i, f := range []driver.Foreign{{Address: x, Bytes: 4 * h * n}, {Address: y, Bytes: 4 * n * w}} {
		b, err := driver.Borrow(s.dev, f)
		if err != nil {
			return err
		}
		defer b.Close()
		if factors[i], err = vyre.View[float32](b); err != nil {
			return err
		}
	}
	seq := s.dev.NewSequence("multiply")
	s.run.Launch(seq, vyre.Cover(s.run.Kernel, w, h), h, w, n, factors[0], factors[1], s.z)
	_, err := seq.Once(s.work)
	return err
}
