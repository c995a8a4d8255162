package driver_test

import (
	"bytes"
	"testing"

	"github.com/govyre/vyre/driver"
)

//ci:inputs 40000
func FuzzCosts(f *testing.F) {
	f.Add([]byte(`{"enqueue_ns":2420,"launch_read_ns":8500,"graph_read_ns":7900,"graph_node_ns":840,"grid_barrier_ns":840}`))
	f.Add([]byte(`{"enqueue_ns":-1,"launch_read_ns":1,"graph_read_ns":0,"graph_node_ns":0,"grid_barrier_ns":0}`))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var c driver.Costs
		if c.Decode(b) != nil {
			return
		}
		if again := c.Encode(); !bytes.Equal(again, b) || c.LaunchRead <= 0 || c.Enqueue < 0 {
			t.Errorf("taken was %q, which is written %q", b, again)
		}
	})
}
