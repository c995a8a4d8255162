package calls_test

// source is a program in which every way to call stands once.
const source = `package main

type shape interface{ area() int }

type square struct{ side int }

func (s square) area() int { return multiply(s.side, s.side) }

type line struct{}

func (line) area() int { return 0 }

func multiply(a, b int) int { return a * b }

func twice(f func()) { f(); f() }

func hello() { goodbye() }

func goodbye() {}

func recursive(n int) {
	if n > 0 {
		recursive(n - 1)
	}
}

func unused() { hello() }

var sizes = []shape{square{2}, line{}}

func main() {
	for _, s := range sizes {
		s.area()
	}
	twice(hello)
	hello()
	defer goodbye()
	go recursive(3)
}
`
