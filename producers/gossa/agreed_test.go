package main

import (
	"maps"
	"testing"
)

// TestSecretsOfRecords: a check of a path compares a secret of the record that is kept under it, on all ways on which it accepts. It says
// nothing of lines that are logged. A hash is not a secret, since the caller knows it.
func TestSecretsOfRecords(t *testing.T) {
	list, _ := findingsOf(t, map[string]string{"go.mod": "module main\n\ngo 1.25\n", "main.go": `package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
)

type record struct{ Secret string }

type store interface {
	get(name string) (io.ReadCloser, error)
	missing(err error) bool
}

type disk struct{}

func (disk) get(name string) (io.ReadCloser, error) { return os.Open("/srv/" + os.Args[1]) }

func (disk) missing(err error) bool { return os.IsNotExist(err) }

type server struct {
	mutex   sync.Mutex
	store   store
	secrets map[string]string
}

func (s *server) check(secret, name string, without error) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	r, err := s.store.get(name)
	if s.store.missing(err) {
		return errors.New("no record")
	} else if err != nil {
		return err
	}
	defer r.Close()
	var of record
	if err := json.NewDecoder(r).Decode(&of); err != nil {
		return err
	}
	if of.Secret != secret {
		return errors.New("another secret")
	}
	return nil
}

func (s *server) checkIfThere(secret, name string) error {
	r, err := s.store.get(name)
	if s.store.missing(err) {
		return nil
	} else if err != nil {
		return err
	}
	var of record
	if err := json.NewDecoder(r).Decode(&of); err != nil {
		return err
	}
	if of.Secret != secret {
		return errors.New("another secret")
	}
	return nil
}

func (s *server) knows(secret, name string) bool {
	return subtle.ConstantTimeCompare([]byte(s.secrets[name]), []byte(secret)) == 1
}

func checkHash(hash, name string) bool {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:]) == hash
}

func (s *server) recovers(secret, name string) (err error) {
	defer func() { recover() }()
	if s.secrets[name] != secret {
		return errors.New("another secret")
	}
	return nil
}

func main() {
	s := &server{store: disk{}, secrets: map[string]string{}}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		name, secret := r.FormValue("name"), r.FormValue("secret")
		if s.check(secret, name, nil) == nil {
			os.Remove("/a/" + name)
			log.Print(name)
		}
		if s.checkIfThere(secret, name) == nil {
			os.Remove("/b/" + name)
		}
		if s.knows(secret, name) {
			os.Remove("/c/" + name)
		}
		if checkHash(secret, name) {
			os.Remove("/d/" + name)
		}
		if s.recovers(secret, name) == nil {
			os.Remove("/e/" + name)
		}
	})
}
`})
	guards := make(map[int]bool)
	for _, f := range list {
		if f.Sink.Procedure != "(main.disk).get" {
			guards[f.Sink.Line] = f.Confidence == guarded
		}
	}
	want := map[int]bool{94: true, 95: false, 98: false, 101: true, 104: false, 107: false}
	if !maps.Equal(guards, want) {
		t.Errorf("guarded are %v, want %v", guards, want)
	}
}
