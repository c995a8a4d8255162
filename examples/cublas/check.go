package main

// numbers are whole numbers around 0.
func numbers(count, below int) []float32 {
	s := make([]float32, count)
	for i := range s {
		s[i] = float32((i*i+3*i)%below - below/2)
	}
	return s
}

// product is what the program computes, in plain Go.
func product(x, y []float32) []float32 {
	z := make([]float32, h*w)
	for row := range h {
		for column := range w {
			sum := float32(0)
			for i := range n {
				sum += (2*x[row*n+i] + 1) * y[i*w+column]
			}
			z[row*w+column] = 3*sum - 1
		}
	}
	return z
}
