package cusim

import "github.com/govyre/vyre/internal/cu"

// pool is a memory pool: reserved bytes of the device, of which some are in use. A pool that was destroyed
// lives on until all of them have been freed.
type pool struct {
	dev                    *device
	threshold              uint64 // kept when a wait ends
	reserved, used         int64
	reservedPeak, usedPeak int64
	destroyed              bool
}

// pooled is an allocation from a pool.
type pooled struct {
	pool  *pool
	bytes int64
	freed bool // by a call whose turn in its stream has not come
}

func (p *pool) grow(n int64) {
	p.used += n
	p.reserved = max(p.reserved, p.used)
	p.reservedPeak, p.usedPeak = max(p.reservedPeak, p.reserved), max(p.usedPeak, p.used)
}

// trim gives what is not in use back until keep bytes are left.
func (p *pool) trim(keep int64) { p.reserved = min(p.reserved, max(p.used, keep)) }

// taken is how many bytes of the device are spoken for.
func (v *device) taken() int64 {
	n := v.mem.Live()
	for _, p := range v.pools {
		n += p.reserved - p.used
	}
	return n
}

// giveBack frees an allocation of a pool.
func (v *device) giveBack(at cu.Ptr) error {
	if err := v.mem.Free(uint64(at)); err != nil {
		return err
	}
	a := v.pooled[at]
	delete(v.pooled, at)
	if a.pool.used -= a.bytes; a.pool.destroyed {
		a.pool.trim(0)
	}
	return nil
}

// settle is what the end of a wait does to the pools.
func (v *device) settle() {
	for _, p := range v.pools {
		p.trim(int64(min(p.threshold, 1<<62)))
	}
}

// MemPoolCreate makes a pool.
func (d *Driver) MemPoolCreate(dev cu.Device) (cu.MemPool, error) {
	const call = "cuMemPoolCreate"
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.Has(cu.Pool) {
		return 0, failed(call, cu.NotSupported)
	}
	v, err := d.device(call, dev)
	if err != nil {
		return 0, err
	}
	h := cu.MemPool(d.handle())
	d.pools[h] = &pool{dev: v}
	v.pools = append(v.pools, d.pools[h])
	return h, nil
}

// pool is initialized for a call about a pool.
func (d *Driver) pool(call string, h cu.MemPool) (*pool, error) {
	if !d.Has(cu.Pool) {
		return nil, failed(call, cu.NotSupported)
	}
	if err := d.initialized(call); err != nil {
		return nil, err
	}
	p := d.pools[h]
	if p == nil {
		return nil, failed(call, invalidValue)
	}
	return p, p.dev.broken(call)
}

// MemPoolDestroy ends a pool; what is allocated from it stays.
func (d *Driver) MemPoolDestroy(h cu.MemPool) error {
	const call = "cuMemPoolDestroy"
	d.mu.Lock()
	defer d.mu.Unlock()
	p, err := d.pool(call, h)
	if err != nil {
		return err
	}
	delete(d.pools, h)
	p.destroyed, p.threshold = true, 0
	p.trim(0)
	return d.leave(call)
}

// MemPoolTrimTo gives back what is not in use.
func (d *Driver) MemPoolTrimTo(h cu.MemPool, keep int64) error {
	const call = "cuMemPoolTrimTo"
	d.mu.Lock()
	defer d.mu.Unlock()
	p, err := d.pool(call, h)
	if err != nil {
		return err
	}
	if keep < 0 {
		return failed(call, invalidValue)
	}
	p.trim(keep)
	return d.leave(call)
}

// MemPoolSetAttribute sets the threshold, or a peak to 0, which makes it what is there now.
func (d *Driver) MemPoolSetAttribute(h cu.MemPool, a cu.MemPoolAttribute, value uint64) error {
	const call = "cuMemPoolSetAttribute"
	d.mu.Lock()
	defer d.mu.Unlock()
	p, err := d.pool(call, h)
	if err != nil {
		return err
	}
	switch {
	case a == cu.PoolReleaseThreshold:
		p.threshold = value
	case a == cu.PoolReservedPeak && value == 0:
		p.reservedPeak = p.reserved
	case a == cu.PoolUsedPeak && value == 0:
		p.usedPeak = p.used
	default:
		return failed(call, invalidValue)
	}
	return d.leave(call)
}

// MemPoolGetAttribute returns the threshold or an account.
func (d *Driver) MemPoolGetAttribute(h cu.MemPool, a cu.MemPoolAttribute) (uint64, error) {
	const call = "cuMemPoolGetAttribute"
	d.mu.Lock()
	defer d.mu.Unlock()
	p, err := d.pool(call, h)
	if err != nil {
		return 0, err
	}
	n := int64(0)
	switch a {
	case cu.PoolReleaseThreshold:
		return p.threshold, d.leave(call)
	case cu.PoolReserved:
		n = p.reserved
	case cu.PoolReservedPeak:
		n = p.reservedPeak
	case cu.PoolUsed:
		n = p.used
	case cu.PoolUsedPeak:
		n = p.usedPeak
	default:
		return 0, failed(call, invalidValue)
	}
	return uint64(n), d.leave(call)
}

// MemAllocFromPoolAsync allocates memory that is there when the stream gets to this point. Work that uses it
// before finds nothing there.
func (d *Driver) MemAllocFromPoolAsync(n int64, h cu.MemPool, sh cu.Stream) (cu.Ptr, error) {
	const call = "cuMemAllocFromPoolAsync"
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.Has(cu.Pool) {
		return 0, failed(call, cu.NotSupported)
	}
	v, s, err := d.place(call, sh)
	if err != nil {
		return 0, err
	}
	p := d.pools[h]
	switch {
	case p == nil || p.dev != v || n <= 0:
		return 0, failed(call, invalidValue)
	case p.used+n-p.reserved > v.memory-v.taken():
		return 0, failed(call, cu.OutOfMemory)
	}
	if err := d.leave(call); err != nil {
		return 0, err
	}
	at, err := v.mem.Reserve(n, "")
	if err != nil {
		return 0, failed(call, cu.OutOfMemory)
	}
	p.grow(n)
	v.pooled[cu.Ptr(at)] = &pooled{pool: p, bytes: n}
	s.push(work{kind: arrive, dst: cu.Ptr(at)})
	return cu.Ptr(at), nil
}

// MemFreeAsync frees memory of a pool when the stream gets to this point.
func (d *Driver) MemFreeAsync(at cu.Ptr, sh cu.Stream) error {
	const call = "cuMemFreeAsync"
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.Has(cu.Pool) {
		return failed(call, cu.NotSupported)
	}
	v, s, err := d.place(call, sh)
	if err != nil {
		return err
	}
	a := v.pooled[at]
	if a == nil || a.freed {
		return failed(call, invalidValue)
	}
	a.freed = true
	s.push(work{kind: retire, dst: at})
	return d.leave(call)
}
