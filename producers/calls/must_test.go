package calls_test

// must is for what does not fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
