package primary

import (
	"reflect"
	"slices"
	"sync"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
)

// sharing has the contexts that are retained. Devices that were opened on one GPU share its primary context, and
// who resets that takes it from all of them.
var sharing struct {
	sync.Mutex
	all []*Context
}

// share notes that c is retained.
func (c *Context) share() {
	sharing.Lock()
	defer sharing.Unlock()
	sharing.all = append(sharing.all, c)
}

// unshare notes that c is given back.
func (c *Context) unshare() {
	sharing.Lock()
	defer sharing.Unlock()
	sharing.all = slices.DeleteFunc(sharing.all, func(o *Context) bool { return o == c })
}

// loseOthers marks all lost that hold the context which is about to be reset for c: it does not work, whether they
// have noticed or not, and their streams, modules and memory go with it.
func (c *Context) loseOthers(why *driver.Error) {
	sharing.Lock()
	defer sharing.Unlock()
	for _, o := range sharing.all {
		if o.Device != c.Device || !same(o.Driver, c.Driver) {
			continue
		}
		e := *why
		e.Device, e.Kind = o.Name(), driver.DeviceLost
		e.Msg = "its context was reset, for it did not work: " + why.Msg
		o.Lose(&e)
	}
}

// same compares drivers, which may be of a type of the caller's.
func same(a, b cu.Driver) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	return x.Comparable() && y.Comparable() && a == b
}
