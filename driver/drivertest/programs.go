package drivertest

import (
	"fmt"
	"strings"
)

// The kernels of the tests.
const (
	// saxpy: y = a·x + y.
	saxpy = `
kernel @saxpy workgroup(64) {
  param %a: f32
  param @x: buf<f32> ro
  param @y: buf<f32> rw
  %i = global.x
  %x = load @x[%i]
  %y = load @y[%i]
  %p = mul.f32 %a, %x
  %s = add.f32 %p, %y
  store @y[%i], %s
}`

	// add: x += n.
	add = `
kernel @add workgroup(32) {
  param @x: buf<u32> rw
  param %n: u32
  %i = global.x
  %v = load @x[%i]
  %w = add.u32 %v, %n
  store @x[%i], %w
}`

	// addTo: y = x + n.
	addTo = `
kernel @add_to workgroup(32) {
  param @x: buf<u32> ro
  param @y: buf<u32> wo
  param %n: u32
  %i = global.x
  %v = load @x[%i]
  %w = add.u32 %v, %n
  store @y[%i], %w
}`

	// countDown: flag −= 1, x += 1, by one invocation, whatever the grid.
	countDown = `
kernel @count_down workgroup(1) {
  param @flag: buf<u32> rw
  param @x: buf<u32> rw
  %g = group.x
  %one = eq.u32 %g, 0_u32
  if %one {
    %f = load @flag[0_u32]
    %d = sub.u32 %f, 1_u32
    store @flag[0_u32], %d
    %v = load @x[0_u32]
    %w = add.u32 %v, 1_u32
    store @x[0_u32], %w
  }
}`

	// spin: goes round n times, then x[0] = n.
	spin = `
kernel @spin workgroup(1) {
  param @x: buf<u32> rw
  param %n: u32
  %end = loop ^l (%i: u32 = 0_u32) -> (u32) {
    %done = le.u32 %n, %i
    if %done { break ^l (%i) }
    %next = add.u32 %i, 1_u32
    continue ^l (%next)
  }
  store @x[0_u32], %end
}`

	// everyType: takes a scalar of every type and stores what it sees, widened to 64 bits.
	everyType = `
kernel @every_type workgroup(1) {
  param @out: buf<u64> wo
  param %a: i8
  param %b: u8
  param %c: i16
  param %d: u16
  param %e: i32
  param %f: u32
  param %g: i64
  param %h: u64
  param %i: f32
  param %j: f64
  param %k: bool
  %a1 = cvt.i64.i32 %a
  %a2 = bitcast.u64.i64 %a1
  store @out[0_u32], %a2
  %b2 = cvt.u64.u32 %b
  store @out[1_u32], %b2
  %c1 = cvt.i64.i32 %c
  %c2 = bitcast.u64.i64 %c1
  store @out[2_u32], %c2
  %d2 = cvt.u64.u32 %d
  store @out[3_u32], %d2
  %e1 = cvt.i64.i32 %e
  %e2 = bitcast.u64.i64 %e1
  store @out[4_u32], %e2
  %f2 = cvt.u64.u32 %f
  store @out[5_u32], %f2
  %g2 = bitcast.u64.i64 %g
  store @out[6_u32], %g2
  store @out[7_u32], %h
  %i1 = bitcast.u32.f32 %i
  %i2 = cvt.u64.u32 %i1
  store @out[8_u32], %i2
  %j2 = bitcast.u64.f64 %j
  store @out[9_u32], %j2
  %k2 = cvt.u64.bool %k
  store @out[10_u32], %k2
}`

	// wide: reads whole vectors, so that its buffer is aligned to 16 bytes.
	wide = `
kernel @wide workgroup(1) {
  param @x: buf<u32> rw
  %v = load.v4 @x[0_u32]
  store.v4 @x[1_u32], %v
}`

	// bounded: a buffer of eight elements at most.
	bounded = `
kernel @bounded workgroup(1) {
  param @x: buf<u32> rw max 8
  %n = len @x
  store @x[0_u32], %n
}`

	// chained: every group waits for the next one and adds one to what that stored; the last stores 5.
	chained = `
kernel @chained workgroup(1) {
  param @flag: buf<u32> rw
  param @x: buf<u32> rw
  resident
  %g = group.x
  %n = groups.x
  %next = add.u32 %g, 1_u32
  %last = eq.u32 %next, %n
  if %last {
    store @x[%g], 5_u32
    atomic_store.release.dev @flag[%g], 1_u32
  } else {
    loop ^wait () {
      %f = atomic_load.acquire.dev @flag[%next]
      %there = eq.u32 %f, 1_u32
      if %there { break ^wait }
      pause 100_u32
      continue ^wait
    }
    %v = load @x[%next]
    %w = add.u32 %v, 1_u32
    store @x[%g], %w
    atomic_store.release.dev @flag[%g], 1_u32
  }
}`

	// together: every group adds one, and after a grid barrier the first stores the sum.
	together = `
kernel @together workgroup(32) {
  param @sum: buf<u32> rw
  %all = barrier_add.grid 1_u32
  %i = global.x
  %first = eq.u32 %i, 0_u32
  if %first { store @sum[0_u32], %all }
}`

	// rest: stores the length of the shared array that comes with the launch. It takes it back from
	// another shared array, at a place that no pass knows to be the same. For one group.
	rest = `
kernel @rest workgroup(1) {
  param @out: buf<u32> wo
  shared @fixed: u32[3]
  shared @tail: u32[?]
  %n = len @tail
  store @fixed[0_u32], %n
  %zero = group.x
  %m = load @fixed[%zero]
  store @out[0_u32], %m
}`

	// grid: stores the number of groups along each axis.
	grid = `
kernel @grid workgroup(1) {
  param @out: buf<u32> wo
  %x = groups.x
  %y = groups.y
  %z = groups.z
  store @out[0_u32], %x
  store @out[1_u32], %y
  store @out[2_u32], %z
}`

	// check: traps in every invocation whose word is not zero, then stores 7 there.
	check = `
kernel @check workgroup(32) {
  param @x: buf<u32> rw
  %i = global.x
  %v = load @x[%i]
  %bad = ne.u32 %v, 0_u32
  %w = cvt.u64.u32 %v
  trap %bad, %w, #7
  store @x[%i], 7_u32
}`

	// tellTo: y = x + 1, and traces x of the first invocation.
	tellTo = `
kernel @tell_to workgroup(32) {
  param @x: buf<u32> ro
  param @y: buf<u32> wo
  %i = global.x
  %v = load @x[%i]
  %first = eq.u32 %i, 0_u32
  if %first { trace %v, #3 }
  %w = add.u32 %v, 1_u32
  store @y[%i], %w
}`

	// tell: traces the id of every invocation.
	tell = `
kernel @tell workgroup(4) {
  %i = global.x
  trace %i, #3
}`
)

// crowded turns n words of each invocation round: all are loaded before the first is stored, so n values are live at once.
func crowded(n int) string {
	var b strings.Builder
	b.WriteString("kernel @crowded workgroup(32) {\n  param @x: buf<u32> rw\n  %i = local.x\n")
	for v := range n {
		fmt.Fprintf(&b, "  %%a%d = add.u32 %%i, %d_u32\n  %%v%d = load @x[%%a%d]\n", v, 32*v, v, v)
	}
	for v := range n {
		fmt.Fprintf(&b, "  store @x[%%a%d], %%v%d\n", v, n-1-v)
	}
	return b.String() + "}\n"
}
