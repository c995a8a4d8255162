// Package imagecache keeps compiled images in a directory, for the next process that compiles the
// same text for the same device.
//
//	root/cubin/<2 hex digits>/<64 hex digits of the key>.bin   compiled images
//	root/tune/<2 hex digits>/<64 hex digits of the key>.bin    what was measured on a device
//
// In goes an image under a key that covers everything the image depends on, the text itself
// first of all; out comes that image, byte for byte, or none. So nothing in the cache is ever
// stale, and nobody has to clear it. What was measured is kept in the same way, under another magic; two measurements
// may differ, and the later one counts. A file is a header of 96 bytes, little-endian, and the image:
//
//	 0 magic "VYRECUB\x01" or "VYRETUN\x01"   8 u32 version 1   12 u32 flags   16 key (32 bytes)
//	48 u64 length of image  56 BLAKE3-256 of image (32 bytes)
//	88 u32 CRC-32C of bytes 0–87   92 u32 0   96 image
//
// Flags are 0, or 1 in a file without an image: whoever has the text loads that, because the image is worse.
//
// # Invariants
//
// What is read was checked wholly: a file that is cut off, damaged, or another's is removed and is
// an error, never an image. A file appears under its name complete or not at all: it is written
// under a temporary name and renamed. Two that store one key store equal bytes, so it does not
// matter who wins, and there are no lock files. Any number of processes may use one
// directory, and a Cache any number of goroutines.
//
// The files together stay near the bound: whoever has written a sixteenth of it looks, and
// removes what was used longest ago until seven eighths remain. That a file was used is
// noted in its modification time, at most daily.
//
// # Not here
//
// Keys (internal/identity), where the root is (driver.OpenOptions), counting, and what to do
// when the driver refuses an image (driver/cuda).
//
// Start reading at cache.go, then file.go.
package imagecache
