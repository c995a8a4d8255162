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

    return launches, dispatch


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

    return launches, dispatch


def main():
    launches, dispatch = {"cupy": cupy_side, "torch": torch_side}[sys.argv[1]]()
    print("ready", flush=True)
    for line in sys.stdin:
        name, samples, *rest = line.split()
        if name == "launches-wait":
            n = int(rest[0])
            once = lambda: launches(n)
        elif name == "dispatch":
            once = dispatch(int(rest[0]))
        else:
            print("skip it has no", name, flush=True)
            continue
        times = []
        for _ in range(int(samples)):
            begin = time.perf_counter_ns()
            once()
            times.append(time.perf_counter_ns() - begin)
        times.sort()
        n = len(times)
        print("ok", n, times[0], times[n // 2], times[min(n * 99 // 100, n - 1)], flush=True)


main()
