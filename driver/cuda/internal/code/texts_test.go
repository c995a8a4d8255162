package code

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/internal/ptx"
)

// of16 is a module of 16 KiB, and how often it was made.
func of16(times *int) func() (*ptx.Module, error) {
	return func() (*ptx.Module, error) {
		*times++
		return &ptx.Module{Text: strings.Repeat("x", 16<<10)}, nil
	}
}

func TestATextIsMadeOnceForAllWhoAsk(t *testing.T) {
	kept, times := texts{entries: make(map[[32]byte]*made)}, 0
	emit, all := of16(&times), sync.WaitGroup{}
	for range 8 {
		all.Go(func() {
			m, err := kept.of([32]byte{1}, emit)
			if err != nil || len(m.Text) != 16<<10 {
				t.Errorf("a module %v, error %v", m, err)
				return
			}
			m.Text = "changed" // by one who asked, for himself
		})
	}
	all.Wait()
	if times != 1 || kept.bytes != 16<<10 {
		t.Errorf("made %d times, %d bytes are kept", times, kept.bytes)
	}
}

func TestATextThatCannotBeMadeIsNotKept(t *testing.T) {
	kept, key := texts{entries: make(map[[32]byte]*made)}, [32]byte{1}
	refused := errors.New("refused")
	if _, err := kept.of(key, func() (*ptx.Module, error) { return nil, refused }); !errors.Is(err, refused) {
		t.Errorf("the error is %v", err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a panic was swallowed")
			}
		}()
		_, _ = kept.of(key, func() (*ptx.Module, error) { panic("on purpose") })
	}()
	times := 0
	if _, err := kept.of(key, of16(&times)); err != nil || times != 1 {
		t.Errorf("after that it is made %d times, error %v", times, err)
	}
}

// Beyond the bound those go that nobody asked for lately.
func TestTextsAreKeptWithinABound(t *testing.T) {
	kept, times := texts{entries: make(map[[32]byte]*made)}, 0
	ask := func(i int) {
		if _, err := kept.of([32]byte{byte(i), byte(i >> 8)}, of16(&times)); err != nil {
			t.Fatal(err)
		}
	}
	const fit = mostTextBytes / (16 << 10)
	for i := range fit {
		ask(i)
	}
	ask(0)
	ask(fit) // one too many: 1 goes
	if ask(0); times != fit+1 || kept.bytes != mostTextBytes {
		t.Errorf("made %d of %d, %d bytes are kept", times, fit+1, kept.bytes)
	}
	if ask(1); times != fit+2 || len(kept.entries) != fit || kept.recent.Len() != fit {
		t.Errorf("made %d, %d and %d are kept, of %d that fit", times, len(kept.entries), kept.recent.Len(), fit)
	}
}
