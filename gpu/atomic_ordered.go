package gpu

// The …Ordered forms of the atomics say how the access orders those around it, and for
// whom. The order and the scope are constants. Natively both are ignored: every atomic
// is sequentially consistent.

// AtomicLoadOrdered is AtomicLoad with an order, Relaxed, Acquire or SeqCst, and a scope.
func AtomicLoadOrdered[T Word | Float](p *T, o Order, s Scope) T { return AtomicLoad(p) }

// AtomicStoreOrdered is AtomicStore with an order, Relaxed, Release or SeqCst, and a scope.
func AtomicStoreOrdered[T Word | Float](p *T, v T, o Order, s Scope) { AtomicStore(p, v) }

// AtomicAddOrdered is AtomicAdd with an order and a scope.
func AtomicAddOrdered[T Word | Float](p *T, v T, o Order, s Scope) T { return AtomicAdd(p, v) }

// AtomicExchangeOrdered is AtomicExchange with an order and a scope.
func AtomicExchangeOrdered[T Word | Float](p *T, v T, o Order, s Scope) T {
	return AtomicExchange(p, v)
}

// AtomicSubOrdered is AtomicSub with an order and a scope.
func AtomicSubOrdered[T Word](p *T, v T, o Order, s Scope) T { return AtomicSub(p, v) }

// AtomicMinOrdered is AtomicMin with an order and a scope.
func AtomicMinOrdered[T Word | Float](p *T, v T, o Order, s Scope) T { return AtomicMin(p, v) }

// AtomicMaxOrdered is AtomicMax with an order and a scope.
func AtomicMaxOrdered[T Word | Float](p *T, v T, o Order, s Scope) T { return AtomicMax(p, v) }

// AtomicAndOrdered is AtomicAnd with an order and a scope.
func AtomicAndOrdered[T Word](p *T, v T, o Order, s Scope) T { return AtomicAnd(p, v) }

// AtomicOrOrdered is AtomicOr with an order and a scope.
func AtomicOrOrdered[T Word](p *T, v T, o Order, s Scope) T { return AtomicOr(p, v) }

// AtomicXorOrdered is AtomicXor with an order and a scope.
func AtomicXorOrdered[T Word](p *T, v T, o Order, s Scope) T { return AtomicXor(p, v) }

// AtomicCompareExchangeOrdered is AtomicCompareExchange with an order, the same whether it
// succeeds or not, and a scope.
func AtomicCompareExchangeOrdered[T Word | Float](p *T, old, new T, o Order, s Scope) T {
	return AtomicCompareExchange(p, old, new)
}
