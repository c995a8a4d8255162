package driver_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/metric"
)

// Equal digests do not make equal payloads.
func TestStaticSetsOfOneKeyAreToldApartByTheirBytes(t *testing.T) {
	ctx := context.Background()
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, trust := range []bool{false, true} {
		p := d.NewPool(driver.PoolOptions{TrustDigest: trust})
		p.ForceStaticKey()
		for i, payload := range [][]byte{{1, 2}, {1, 3}} {
			set, err := p.Static(ctx, 0, payload)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 2)
			if err := driver.ReadInto(ctx, driver.All(set.Buffers[0]), got); err != nil {
				t.Fatal(err)
			}
			if wrong := !bytes.Equal(got, payload); wrong != (trust && i == 1) || set.Hit != (trust && i == 1) {
				t.Errorf("with digests trusted %v, set %d has % x, hit %v", trust, i, got, set.Hit)
			}
			if err := p.Release(set); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestPoolsCloseWithTheirDevice(t *testing.T) {
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := d.NewPool(driver.PoolOptions{})
	if _, err := p.Get(8); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Static(context.Background(), 1, []byte{1}); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.Get(8); err == nil {
		t.Error("a pool of a closed device gives a buffer")
	}
	for _, m := range []driver.Metric{metric.LiveBytes, metric.StaticBytes, metric.ShadowBytes} {
		if n := d.Stats().Get(m); n != 0 {
			t.Errorf("%v is %d", m, n)
		}
	}
}
