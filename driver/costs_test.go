package driver_test

import (
	"bytes"
	"testing"

	"github.com/govyre/vyre/driver"
)

func TestCostsComeBack(t *testing.T) {
	c := driver.Costs{Enqueue: 2420, LaunchRead: 8500, GraphRead: 7900, GraphNode: 840, GridBarrier: 841}
	var again driver.Costs
	if err := again.Decode(c.Encode()); err != nil || again != c {
		t.Errorf("%v: %+v of %q", err, again, c.Encode())
	}
}

//ci:inputs 40000
func FuzzCosts(f *testing.F) {
	for _, seed := range []string{
		"2420 8500 7900 840 840 ", "-1 1 0 0 0 ", "1 1 0 0 0", "01 1 0 0 0 ", "1 1 ", "1 0 1 0 0 ", "1 1 0 0 2147483648 ", "{}", "",
	} {
		f.Add([]byte(seed))
	}
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
