package pprof_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/internal/pprof"
	"github.com/govyre/vyre/internal/testing/pprofs"
)

func example() *pprof.Profile {
	kernel, path := pprof.Frame{Name: "Saxpy", File: "/src/saxpy.go", Line: 14}, pprof.Frame{Name: "4.body.1 of step"}
	return &pprof.Profile{Subject: "cuda:0", Types: []pprof.Type{{Name: "launches", Unit: "count"}, {Name: "device", Unit: "nanoseconds"}, {Name: "bytes", Unit: "bytes"}}, Default: "device",
		Begin: time.Unix(0, 1700000000000000001), Duration: 3 * time.Second, Comments: []string{"2 runs are not in it"},
		Samples: []pprof.Sample{
			{Stack: []pprof.Frame{kernel, path, {Name: "step"}, {Name: "cuda:0"}}, Values: []int64{300, 1 << 40, 0}, Labels: []pprof.Label{{Key: "grid", Text: "4×1×1"}, {Key: "registers", Number: 255}}},
			{Stack: []pprof.Frame{{Name: "gap"}, path, {Name: "step"}, {Name: "cuda:0"}}, Values: []int64{0, 7, 0}},
			{Stack: []pprof.Frame{{Name: "Saxpy", File: "/src/saxpy.go", Line: 20}, {Name: "cuda:0"}}, Values: []int64{1, -1, 1<<63 - 1}},
		}}
}

func TestReadsWhatIsWritten(t *testing.T) {
	var b bytes.Buffer
	if err := example().Write(&b); err != nil {
		t.Fatal(err)
	}
	p, err := pprofs.Read(&b)
	if err != nil || !reflect.DeepEqual(p, example()) {
		t.Errorf("read %+v, %v", p, err)
	}
}

// The tool of Go reads it, too.
func TestGoToolReadsIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(example().Write(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"-raw"}, []string{"launches/count device/nanoseconds[dflt] bytes/bytes", "Duration: 3s", "2 runs are not in it", "300 1099511627776", "grid:[4×1×1]", "[FN][FL][LN][IN]", "registers:[255]",
			"Saxpy /src/saxpy.go:14", "Saxpy /src/saxpy.go:20", "4.body.1 of step"}},
		{[]string{"-top", "-sample_index=launches"}, []string{"Type: launches", "Saxpy"}},
		{[]string{"-traces", "-tagfocus=grid=4.*"}, []string{"Saxpy", "cuda:0"}},
	} {
		out, err := exec.Command("go", append(append([]string{"tool", "pprof"}, c.args...), file)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", c.args, err, out)
		}
		for _, want := range c.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("%v has no %q:\n%s", c.args, want, out)
			}
		}
	}
}

// failing takes so many bytes.
type failing int

func (f *failing) Write(b []byte) (int, error) {
	if *f -= failing(len(b)); *f < 0 {
		return 0, errors.New("full")
	}
	return len(b), nil
}

func TestEveryWriteThatFailsIsTold(t *testing.T) {
	var b bytes.Buffer
	if err := example().Write(&b); err != nil {
		t.Fatal(err)
	}
	for n := range b.Len() {
		f := failing(n)
		if err := example().Write(&f); err == nil || err.Error() != "full" {
			t.Fatalf("after %d bytes: %v", n, err)
		}
	}
}

//ci:inputs 8000
func FuzzWrite(f *testing.F) {
	f.Add("Saxpy", "a.go", int64(3), int64(-5), "grid", uint8(3))
	f.Add("", "", int64(0), int64(0), "", uint8(0))
	f.Add("\xff\x00", "ü", int64(1)<<62, int64(-1)<<63, "\n", uint8(200))
	f.Fuzz(func(t *testing.T, name, file string, line, value int64, key string, n uint8) {
		want := &pprof.Profile{Subject: file, Types: []pprof.Type{{Name: key, Unit: name}}, Default: key, Begin: time.Unix(0, 1+line&(1<<50-1)), Duration: time.Duration(value & (1<<62 - 1)), Comments: []string{file, ""}}
		for i := range int64(n) {
			s := pprof.Sample{Values: []int64{value + i, line}, Labels: []pprof.Label{{Key: key, Text: file}, {Key: name, Number: value}}}
			if file == "" {
				s.Labels = s.Labels[1:]
			}
			for j := range i%5 + 1 {
				s.Stack = append(s.Stack, pprof.Frame{Name: fmt.Sprint(name, i%7), File: file, Line: line + j%2})
			}
			want.Samples = append(want.Samples, s)
		}
		var b bytes.Buffer
		if err := want.Write(&b); err != nil {
			t.Fatal(err)
		}
		got, err := pprofs.Read(&b)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("read %+v, %v\nwant %+v", got, err, want)
		}
	})
}

// Whatever the bytes are, the reader answers.
//
//ci:inputs 25000
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := example().Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{0x0a, 0xff})
	f.Add([]byte{0x22, 0x02, 0x08, 0x01})
	f.Fuzz(func(t *testing.T, body []byte) {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(body)
		_ = z.Close()
		_, _ = pprofs.Read(&packed)
	})
}
