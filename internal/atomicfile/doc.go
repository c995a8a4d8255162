// Package atomicfile writes files that are complete or not there.
//
//	err := atomicfile.Write(ctx, name, func(w io.Writer) error { return g.Encode(w) })
//
// A file is written under a temporary name in its folder, synchronised with the disk and renamed. After an error, a
// cancelled context, a full disk or the death of the process, the name still has its earlier content. An earlier file
// that is open or mapped elsewhere stays whole there, so that a command may write to the file that it reads.
//
//   - A symbolic link stays; its target is replaced. With hard links, the other names keep the earlier content.
//   - An existing file keeps its mode, and its owner where the system permits. A new file has the mode 0666 less the umask.
//   - A file that the user may not write is refused, although a rename would replace it.
//   - A FIFO, a device or a descriptor such as /dev/stdout is opened and written to, never replaced.
//   - The temporary name is short, so that a name of 255 bytes works.
//   - A process that is killed, or a machine that loses power, leaves its temporary file, .vyre-* in the same folder. Nothing
//     reads it, the next write is not disturbed by it, and it may be removed when no command runs: only who is alive
//     could say that it is not being written.
//
// All files of the module's commands and packages are written by this package; .ci/lint holds that.
//
// Not here: the cache of images in driver/cuda, whose files are private to a user, and folders.
package atomicfile
