package front_test

import (
	"context"
	"fmt"
	"go/build"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
)

// The arithmetic of Go's own P-256 and P-384, which crypto/ecdsa uses, compiles as it is: functions with
// pointers for their results. The reference are numbers of any size.
func TestFieldCodeOfTheStandardLibraryIsAKernel(t *testing.T) {
	for _, c := range []struct{ name, prime, limbs string }{
		{"p256", "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", "4"},
		{"p384", "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff", "6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(build.Default.GOROOT, "src", "crypto", "internal", "fips140", "nistec", "fiat", c.name+"_fiat64.go")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Skipf("this Go comes without its source: %v", err)
			}
			kernel := fmt.Sprintf(`package fiat

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=32
func Field(t gpu.Thread, x, y, out [][%[2]s]uint64) {
	i := t.Global().X
	if i >= uint32(len(out)) {
		return
	}
	var z %[1]sMontgomeryDomainFieldElement
	a, b := %[1]sMontgomeryDomainFieldElement(x[i]), %[1]sMontgomeryDomainFieldElement(y[i])
	%[1]sMul(&z, &a, &b)
	%[1]sSquare(&z, &z)
	%[1]sAdd(&z, &z, &a)
	%[1]sSub(&z, &b, &z)
	out[i] = z
}`, c.name, c.limbs)
			pkg, err := front.Parse(t.Context(), []front.File{{Name: c.name + "_fiat64.go", Src: text}, {Name: "kernel.go", Src: []byte(kernel)}}, front.Options{})
			if err != nil {
				t.Fatal(err)
			}
			p, _ := new(big.Int).SetString(c.prime, 16)
			n := len(c.prime) / 16 // words
			back := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), uint(64*n)), p)
			const elements = 40
			rng := rand.New(rand.NewPCG(1, 9))
			x, y, out := make([]uint64, n*elements), make([]uint64, n*elements), make([]uint64, n*elements)
			var want []*big.Int
			for i := range elements {
				a, b := drawn(rng, p, i), drawn(rng, p, elements-1-i)
				words(x[i*n:], a, n)
				words(y[i*n:], b, n)
				z := new(big.Int).Mul(a, b)
				z.Mul(z, back).Mod(z, p)
				z.Mul(z, z).Mul(z, back).Add(z, a)
				want = append(want, z.Sub(b, z).Mod(z, p))
			}
			k := pkg.Kernels()[0]
			args := []any{x, y, out}
			l := launch.Launch{Grid: [3]uint32{2, 1, 1}}
			for i := range args {
				l.Args = append(l.Args, argsOf(t, k.Params[i], args[i])...)
			}
			prepared, err := interp.Prepare(k.Program)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := prepared.Run(context.Background(), l, interp.Options{Detect: interp.Everything}); err != nil {
				t.Fatal(err)
			}
			for i := range elements {
				got := new(big.Int)
				for w := n - 1; w >= 0; w-- {
					got.Lsh(got, 64).Or(got, new(big.Int).SetUint64(out[i*n+w]))
				}
				if got.Cmp(want[i]) != 0 {
					t.Fatalf("element %d is %x, want %x", i, got, want[i])
				}
			}
		})
	}
}

// drawn is a number below p, at first one at an end.
func drawn(rng *rand.Rand, p *big.Int, i int) *big.Int {
	switch i {
	case 0:
		return new(big.Int)
	case 1:
		return big.NewInt(1)
	case 2:
		return new(big.Int).Sub(p, big.NewInt(1))
	}
	z := new(big.Int)
	for range (p.BitLen() + 63) / 64 {
		z.Lsh(z, 64).Or(z, new(big.Int).SetUint64(rng.Uint64()))
	}
	return z.Mod(z, p)
}

// words writes the n words of z, the lowest first.
func words(to []uint64, z *big.Int, n int) {
	var b [64]byte
	z.FillBytes(b[:8*n])
	for i := range n {
		for k := range 8 {
			to[n-1-i] = to[n-1-i]<<8 | uint64(b[8*i+k])
		}
	}
}
