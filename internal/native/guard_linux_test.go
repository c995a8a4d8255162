package native_test

import (
	"os"
	"syscall"
)

// atPageEnd copies data to the end of pages between two that nobody may touch. They stay until the process ends.
func atPageEnd(data []byte) []byte {
	page := os.Getpagesize()
	n := (len(data) + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, n+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	for _, edge := range [][]byte{mem[:page], mem[page+n:]} {
		if err := syscall.Mprotect(edge, syscall.PROT_NONE); err != nil {
			panic(err)
		}
	}
	end := page + n
	out := mem[end-len(data) : end : end]
	copy(out, data)
	return out
}
