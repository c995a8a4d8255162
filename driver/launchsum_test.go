package driver_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir/text"
)

func compile(t *testing.T, d driver.Device, source string) driver.Kernel {
	t.Helper()
	ps, err := text.Parse("test", source)
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Compile(context.Background(), ps[0], driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestLaunchSumCountsWhatItsLaunchesCount(t *testing.T) {
	d, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	k := compile(t, d, `vyre 1
kernel @nothing workgroup(1024) {
}`)
	const most = 1<<64 - 1
	grids := []driver.Grid{{}, {1, 1, 1}, {3, 2, 1}, {1 << 22, 1, 1}, {1<<31 - 1, 65535, 1}, {1<<31 - 1, 65535, 65535}}
	domains := []uint64{0, 1, 1 << 31, 1 << 63, most}
	counts := []uint64{0, 1, 2, 1000, 1 << 32, 1 << 40}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		launches := make([]driver.LaunchCmd, 1+r.IntN(4))
		times := make([]uint64, len(launches))
		var sum driver.LaunchSum
		random := func(i int) *driver.LaunchCmd {
			launches[i].Kernel = k
			launches[i].Grid, launches[i].Domain = grids[r.IntN(len(grids))], domains[r.IntN(len(domains))]
			return &launches[i]
		}
		for i := range launches {
			times[i] = counts[r.IntN(4)]
			if at := sum.Add(random(i), times[i]); at != i {
				t.Fatalf("launch %d is at %d", i, at)
			}
		}
		for range 20 {
			i := r.IntN(len(launches))
			sum.Set(i, random(i), times[i])
			n := counts[r.IntN(len(counts))]
			var whole, each driver.Tally
			whole.CountSum(&sum, true, n)
			for i := range launches {
				each.CountLaunch(&launches[i], true, n*times[i])
			}
			want := map[driver.Metric]uint64{}
			for m, v := range each.Counted() {
				want[m] = v
			}
			for m, v := range whole.Counted() {
				if v != want[m] {
					t.Fatalf("seed %d, %d times %v: %v is %d, want %d", seed, n, times, m, v, want[m])
				}
			}
		}
	}
}
