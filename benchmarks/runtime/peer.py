"""What programs beside a benchmark share: PROGRAM FOLDER BATCH CORES DEVICE.

DEVICE is gpu if the benchmark's tensors are in the memory of a GPU, else cpu. Products are of float32 on both, without TF32.

The folder holds what all variants begin with, as raw little-endian arrays. The first line written is the names of the
frameworks that are installed. Then each line read is a command and a position in that list, answered by one line:
  check I   the checked steps from the beginning; writes checked_* to the folder
  reset I   back to the beginning
  step I    one step; answers when its results are there
"""
import os
import sys

folder, batch, cores, on_gpu = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "gpu"
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
os.environ["OMP_NUM_THREADS"] = str(cores)
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
if not on_gpu:
    os.environ["JAX_PLATFORMS"] = "cpu"

try:
    import numpy as np
except ImportError:
    print(flush=True)
    sys.exit()


def array(name, extents, kind=np.float32):
    return np.fromfile(os.path.join(folder, name), dtype=kind).reshape(extents)


def write(name, a):
    np.asarray(a, np.float32).tofile(os.path.join(folder, "checked_" + name))


def torch_device():
    """The device of PyTorch's tensors."""
    import torch

    torch.set_num_threads(cores)
    torch.backends.cudnn.allow_tf32 = False
    return torch.device("cuda" if on_gpu else "cpu")


def serve(makers, check):
    """Makes the frameworks, which have a name, reset() and step(), and does what is asked of them."""
    frameworks = []
    for make in makers:
        try:
            frameworks.append(make())
        except ImportError:
            pass
    print(*(f.name for f in frameworks), sep=",", flush=True)
    for line in sys.stdin:
        what, which = line.split()
        {"check": check, "reset": lambda f: f.reset(), "step": lambda f: f.step()}[what](frameworks[int(which)])
        print("done", flush=True)
