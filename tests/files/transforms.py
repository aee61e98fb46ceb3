"""transforms.py COMMAND...: NumPy writes arrays, COMMAND FOLDER transforms them, and NumPy compares the results with its own."""
import pathlib
import subprocess
import sys
import tempfile

import numpy

try:
    import scipy.fft
except ImportError:
    scipy = None


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
        if scipy:
            for kind in 1, 2, 3, 4:
                expected |= {f"dct{kind}": scipy.fft.dct(x, kind, axis=1), f"dst{kind}": scipy.fft.dst(x, kind, axis=1),
                             f"inverse_dct{kind}": scipy.fft.idct(x, kind, axis=1),
                             f"inverse_dst{kind}": scipy.fft.idst(x, kind, axis=1)}
        for transform, array in expected.items():
            found = numpy.load(folder / (transform + ".npy"))
            assert found.shape == array.shape and found.dtype == array.dtype, (transform, found.shape, found.dtype)
            error = abs(found - array).max() / abs(array).max()
            assert error < 1e-13, (transform, error)
    print(f"{len(expected)} transforms" + ("" if scipy else ", without those of SciPy, which is not installed"))


main()
