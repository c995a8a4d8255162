package queue_test

import (
	"context"
	"fmt"

	"github.com/govyre/vyre"
	_ "github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/kernel"
	"github.com/govyre/vyre/megakernel/queue"
)

// halving is a file with one kernel; a program would have it as Go, and a launcher of vyre gen.
const halving = `package halving

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/queue"
)

// Halves splits a number until it is 1, and counts those.
type Halves struct{ ones []uint32 }

func (h Halves) Check(it queue.Item) (most, reason uint32) {
	if it.Args[0] == 0 {
		return 0, 1
	}
	return 2, 0
}

func (h Halves) Do(t gpu.Thread, it queue.Item) uint32 {
	if it.Args[0] == 1 {
		gpu.AtomicAdd(&h.ones[0], 1)
		return 0
	}
	return 2
}

func (h Halves) Child(t gpu.Thread, it queue.Item, k uint32) queue.Item {
	return queue.Item{Args: [3]uint32{(it.Args[0] + k) / 2}}
}

//vyre:kernel workgroup=64
func Halve(t gpu.Thread, ones []uint32, sequence []uint64, items []queue.Item, control []uint64, deferred []queue.Item) {
	queue.Run(t, Halves{ones}, queue.Ring{Sequence: sequence, Items: items, Control: control, Deferred: deferred})
}
`

func Example() {
	if err := halve(context.Background(), 1000); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1000 ones of 1999 items, 0 of them faults; grown: true
}

func halve(ctx context.Context, n uint32) error {
	dev, err := vyre.Open("cpu")
	if err != nil {
		return err
	}
	defer dev.Close()
	program, err := kernel.Program(halving, "Halve")
	if err != nil {
		return err
	}
	k, err := dev.Compile(ctx, program, vyre.CompileOptions{})
	if err != nil {
		return err
	}
	ones, err := vyre.Upload(ctx, dev, []uint32{0})
	if err != nil {
		return err
	}
	q, err := queue.New(ctx, dev, k, []vyre.Arg{ones.All()}, queue.Options{Most: 2, Capacity: 16, Blocks: 2})
	if err != nil {
		return err
	}
	defer q.Close()
	rec, err := q.Run(ctx, []queue.Item{{Args: [3]uint32{n}}})
	if err != nil {
		return err
	}
	sum, err := ones.Read(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%d ones of %d items, %d of them faults; grown: %v\n", sum[0], rec.Done, rec.Faults, rec.Grown > 0)
	return nil
}
