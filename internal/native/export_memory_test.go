//go:build (amd64 && (linux || darwin || windows)) || (arm64 && (linux || darwin))

package native

import "errors"

// Refuse lets the n-th call that makes memory for code fail, counted from 0, until restore is called; taken is how many
// mappings were made since and not given back.
func Refuse(n int) (taken func() int, restore func()) {
	was, calls, mapped := system, 0, 0
	refused := func() error {
		if calls++; calls-1 == n {
			return errors.New("it is refused")
		}
		return nil
	}
	system.reserve = func(n int) ([]byte, error) {
		if err := refused(); err != nil {
			return nil, err
		}
		mapped++
		return was.reserve(n)
	}
	system.seal = func(mem []byte) error {
		if err := refused(); err != nil {
			return err
		}
		return was.seal(mem)
	}
	system.release = func(mem []byte) error {
		mapped--
		return was.release(mem)
	}
	return func() int { return mapped }, func() { system = was }
}
