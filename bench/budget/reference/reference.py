"""The sides of CuPy and PyTorch: what their users write for the same work, with one device and one stream.

    python3 reference.py cupy|torch

Lines of standard input and output are those of reference.c. A measure that a library has no way for is skipped. PyTorch has
no kernels of its user's, so one of its own on 32 elements stands for the empty one.
"""
import sys
import time


def cupy_side():
    import cupy
    import numpy

    empty = cupy.RawKernel('extern "C" __global__ void empty() {}', "empty")
    copy = cupy.RawKernel(
        'extern "C" __global__ void copy(const unsigned *x, unsigned *y, unsigned n)'
        "{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; }", "copy")
    stream = cupy.cuda.Stream(non_blocking=True)
    stream.use()

    def launches(n):
        for _ in range(n):
            empty((1,), (32,), ())
        stream.synchronize()

    def dispatch(size):
        n = size // 4
        words = numpy.arange(n, dtype=numpy.uint32)
        x, y = cupy.empty(n, cupy.uint32), cupy.empty(n, cupy.uint32)

        def once():
            x.set(words)
            copy(((n + 255) // 256,), (256,), (x, y, numpy.uint32(n)))
            return y.get()

        assert (once() == words).all()
        return once

    def batch(rows, size):
        n = size // 4
        runtime = cupy.cuda.runtime
        move = runtime.memcpyAsync
        pinned = cupy.cuda.alloc_pinned_memory(2 * rows * size)
        host = numpy.frombuffer(pinned, numpy.uint32, 2 * rows * n).reshape(2, rows, n)
        host[0] = numpy.arange(rows * n, dtype=numpy.uint32).reshape(rows, n)
        host[1] = 0
        x, y = cupy.empty((rows, n), cupy.uint32), cupy.empty((rows, n), cupy.uint32)
        copy(((n + 255) // 256,), (256,), (x[0], y[0], numpy.uint32(n)))  # compiles it
        stream.synchronize()
        stream.begin_capture()
        for i in range(rows):  # arrays' own copies are refused while a stream is captured
            move(x[i].data.ptr, host[0, i].ctypes.data, size, runtime.memcpyHostToDevice, stream.ptr)
            copy(((n + 255) // 256,), (256,), (x[i], y[i], numpy.uint32(n)))
            move(host[1, i].ctypes.data, y[i].data.ptr, size, runtime.memcpyDeviceToHost, stream.ptr)
        graph = stream.end_capture()

        def once():
            graph.launch(stream)
            stream.synchronize()

        once()
        assert (host[1] == host[0]).all()
        return once

    return launches, dispatch, batch


def torch_side():
    import torch

    some = torch.zeros(32, device="cuda")
    stream = torch.cuda.current_stream()

    def launches(n):
        for _ in range(n):
            some.add_(1)
        stream.synchronize()

    def dispatch(size):
        words = torch.arange(size // 4, dtype=torch.int32).pin_memory()
        x = torch.empty_like(words, device="cuda")

        def once():
            x.copy_(words, non_blocking=True)
            return x.add(1).cpu()

        assert (once() == words + 1).all()
        return once

    def batch(rows, size):
        n = size // 4
        words = torch.arange(rows * n, dtype=torch.int32).reshape(rows, n).pin_memory()
        out = torch.zeros_like(words).pin_memory()
        x = torch.empty((rows, n), dtype=torch.int32, device="cuda")

        def all_rows():
            for i in range(rows):
                x[i].copy_(words[i], non_blocking=True)
                out[i].copy_(x[i].add(1), non_blocking=True)

        aside = torch.cuda.Stream()
        with torch.cuda.stream(aside):
            all_rows()
        aside.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            all_rows()

        def once():
            graph.replay()
            torch.cuda.synchronize()

        once()
        assert (out == words + 1).all()
        return once

    return launches, dispatch, batch


def main():
    launches, dispatch, batch = {"cupy": cupy_side, "torch": torch_side}[sys.argv[1]]()
    print("ready", flush=True)
    for line in sys.stdin:
        name, samples, *rest = line.split()
        each = 1
        if name == "launches-wait":
            n = int(rest[0])
            once = lambda: launches(n)
        elif name == "dispatch":
            once = dispatch(int(rest[0]))
        elif name == "batch":
            each = int(rest[0])
            once = batch(each, int(rest[1]))
        else:
            print("skip it has no", name, flush=True)
            continue
        times = []
        for _ in range(int(samples)):
            begin = time.perf_counter_ns()
            once()
            times.append((time.perf_counter_ns() - begin) / each)
        times.sort()
        n = len(times)
        print("ok", n, times[0], times[n // 2], times[min(n * 99 // 100, n - 1)], flush=True)


main()
