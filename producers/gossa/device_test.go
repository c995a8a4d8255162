package main

import (
	"encoding/json"
	"testing"

	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/testing/long"
)

// TestDevicesFindTheSame: byte for byte, with paths, where kernels follow calls and where the host does. With -long it asks about all classes.
func TestDevicesFindTheSame(t *testing.T) {
	e, g := valuesIn(t, map[string]string{"go.mod": "module main\n\ngo 1.25\n", "main.go": `package main

import (
	"net/http"
	"os"
	"os/exec"
)

type job struct{ name, dir string }

func same(s string, n int) string {
	if n == 0 {
		return s
	}
	return same(s, n-1) + "x"
}

func isValid(s string) bool { return len(s) > 3 }

func run(j *job) {
	exec.Command(j.name)
	if isValid(j.dir) {
		os.Open(j.dir)
	}
}

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		a, b := same(r.FormValue("a"), 3), same("ls", 3)
		run(&job{a, r.PathValue("d")})
		exec.Command(b)
		w.Write([]byte(a))
		http.Redirect(w, r, r.URL.Query().Get("to"), 302)
	})
}
`})
	modes, only, n := []string{"exact"}, []string{"command"}, 1
	if long.Enabled() { // a simulated device takes seconds for a class
		modes, only, n = []string{"exact", "none"}, nil, 4
	}
	for _, contexts := range modes {
		var want string
		for _, device := range []string{"cpu", "cuda-sim"} {
			list := must(e.findings(t.Context(), g, device, contexts, only))
			if len(list) != n && contexts == "exact" {
				t.Fatalf("%s: %d findings, want %d: %+v", device, len(list), n, list)
			}
			got := string(must(json.Marshal(list)))
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("contexts %s: %s finds\n%s\nand cpu\n%s", contexts, device, got, want)
			}
		}
	}
}
