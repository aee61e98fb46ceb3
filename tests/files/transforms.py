"""transforms.py COMMAND...: NumPy writes arrays, COMMAND FOLDER transforms them, and NumPy compares the results with its own,
those of cosines and sines with sums from their definitions."""
import pathlib
import subprocess
import sys
import tempfile

import numpy

try:
    import scipy.fft
except ImportError:
    scipy = None


def coefficients(sine, kind, n):
    """The matrix of a cosine or sine transform, from its definition. SciPy's scaling with norm=None."""
    pi = 4 * numpy.arctan(numpy.longdouble(1))
    j = numpy.arange(n, dtype=numpy.longdouble)[None, :]
    k = numpy.arange(n, dtype=numpy.longdouble)[:, None]
    if sine:
        matrix = 2 * numpy.sin(pi * {1: (k + 1) * (j + 1) / (n + 1), 2: (k + 1) * (2 * j + 1) / (2 * n),
                                     3: (2 * k + 1) * (j + 1) / (2 * n), 4: (2 * k + 1) * (2 * j + 1) / (4 * n)}[kind])
        if kind == 3:
            matrix[:, -1] /= 2
        return matrix
    matrix = 2 * numpy.cos(pi * {1: k * j / (n - 1), 2: k * (2 * j + 1) / (2 * n), 3: (2 * k + 1) * j / (2 * n),
                                 4: (2 * k + 1) * (2 * j + 1) / (4 * n)}[kind])
    if kind in (1, 3):
        matrix[:, 0] /= 2
    if kind == 1:
        matrix[:, -1] /= 2
    return matrix


def cosines_and_sines(x):
    """All cosine and sine transforms of x along dimension 1, and their inverses, as sums."""
    n = x.shape[1]
    along = lambda matrix: numpy.einsum("kj,ijl->ikl", matrix, x.astype(numpy.longdouble)).astype(x.dtype)
    expected = {}
    for name, sine in ("dct", False), ("dst", True):
        for kind, inverse in (1, 1), (2, 3), (3, 2), (4, 4):
            twice = 2 * (n + (1 if sine else -1)) if kind == 1 else 2 * n
            expected[f"{name}{kind}"] = along(coefficients(sine, kind, n))
            expected[f"inverse_{name}{kind}"] = along(coefficients(sine, inverse, n) / twice)
    return expected


def compare(folder, expected):
    for transform, array in expected.items():
        found = numpy.load(folder / (transform + ".npy"))
        assert found.shape == array.shape and found.dtype == array.dtype, (transform, found.shape, found.dtype)
        error = abs(found - array).max() / abs(array).max()
        assert error < 1e-13, (transform, error)


def main():
    random = numpy.random.default_rng(3)
    z = random.standard_normal((45, 32, 21)) + 1j * random.standard_normal((45, 32, 21))
    x = random.standard_normal((45, 32, 21))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        numpy.save(folder / "z.npy", z)
        numpy.save(folder / "x.npy", x)
        subprocess.run(sys.argv[1:] + [name], check=True, timeout=200)
        expected = {
            "fft_to": numpy.fft.fftn(z), "inverse_fft_to": numpy.fft.ifft2(z, axes=(0, 2)), "fft": numpy.fft.fft(x, axis=1),
            "inverse_fft": numpy.fft.ifft(z, axis=1), "rfft": numpy.fft.rfft(x, axis=1),
            "inverse_rfft": numpy.fft.irfft(z, 63, axis=1), "fftshift": numpy.fft.fftshift(x, axes=1),
            "fftfreq": numpy.fft.fftfreq(45, 0.25)}
        expected |= cosines_and_sines(x)
        compare(folder, expected)
        if scipy:
            expected = {}
            for kind in 1, 2, 3, 4:
                expected |= {f"dct{kind}": scipy.fft.dct(x, kind, axis=1), f"dst{kind}": scipy.fft.dst(x, kind, axis=1),
                             f"inverse_dct{kind}": scipy.fft.idct(x, kind, axis=1),
                             f"inverse_dst{kind}": scipy.fft.idst(x, kind, axis=1)}
            compare(folder, expected)
    print("24 transforms, of which 16 are compared with sums" + (", and with SciPy" if scipy else ""))


main()
