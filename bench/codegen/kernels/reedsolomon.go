package kernels

import "github.com/govyre/vyre/gpu"

const (
	messageBytes = 223
	parityBytes  = 32
)

// Parity are the bytes that a code adds to a message.
type Parity [parityBytes]uint8

// ReedSolomon computes the parity of messages of 223 bytes in the code that space probes use, with 32 bytes of it. Logs
// are those of the numbers of GF(256), powers[k%255] their inverse up to the sum of two logs. The logs of the code's
// polynomial begin with that of the highest power below its first.
//
//vyre:kernel workgroup=128
func ReedSolomon(t gpu.Thread, logs, powers, polynomial, messages []uint8, parities []Parity) {
	log, power := gpu.Shared[uint8](t, 256), gpu.Shared[uint8](t, 512)
	for k := t.LocalIndex(); k < 512; k += 128 {
		if k < 256 {
			log[k] = logs[k]
		}
		power[k] = powers[k]
	}
	t.Barrier()
	i := t.Global().X
	if i >= uint32(len(parities)) {
		return
	}
	var rest Parity
	for _, b := range messages[i*messageBytes:][:messageBytes] {
		feedback := b ^ rest[0]
		for k := range parityBytes - 1 {
			rest[k] = rest[k+1]
		}
		rest[parityBytes-1] = 0
		if feedback == 0 {
			continue
		}
		l := uint32(log[feedback])
		for k := range rest {
			rest[k] ^= power[l+uint32(polynomial[k])]
		}
	}
	parities[i] = rest
}
