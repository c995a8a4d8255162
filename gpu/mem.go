package gpu

// At returns x[i], or zero when i is negative or not below len(x). On a device every
// access has that meaning; natively x[i] panics and At does not. It says that i may be out of bounds, so neither
// vyre run --check nor VYRE_DEBUG=memcheck reports it.
func At[T Scalar, I Integer](x []T, i I) (v T) {
	if inside(i, len(x)) {
		v = x[i]
	}
	return v
}

// Put sets x[i] to v, or does nothing when i is negative or not below len(x). Like At, it is not reported.
func Put[T Scalar, I Integer](x []T, i I, v T) {
	if inside(i, len(x)) {
		x[i] = v
	}
}

// Prefetch asks for x[i] to be brought closer. It changes no result, whatever i is; natively it does nothing.
func Prefetch[T Scalar, I Integer](x []T, i I) {}

// LoadHint returns *p, which is &x[i] or a part of it, with advice to the caches.
func LoadHint[T any](p *T, h CacheHint) T { return *p }

// StoreHint sets *p, which is &x[i] or a part of it, to v, with advice to the caches.
func StoreHint[T any](p *T, v T, h CacheHint) { *p = v }

// inside reports whether 0 ≤ i < n. A negative i converts to a uint64 above every length.
func inside[I Integer](i I, n int) bool { return uint64(i) < uint64(n) }
