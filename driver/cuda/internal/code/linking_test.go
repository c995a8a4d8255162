package code

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/wire"
)

var update = flag.Bool("update", false, "encode sample.vyre again")

func TestSampleIsWhatItsTextSays(t *testing.T) {
	source, err := os.ReadFile("sample.vyre")
	if err != nil {
		t.Fatal(err)
	}
	ps, err := text.Parse("sample.vyre", string(source))
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := wire.Encode(ps[0])
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("sample.bin", encoded, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(encoded, sample) {
		t.Error("sample.bin is not sample.vyre encoded; go test ./driver/cuda/internal/code -update remakes it")
	}
}
