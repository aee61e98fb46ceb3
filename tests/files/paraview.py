"""paraview.py PVPYTHON COMMAND...: COMMAND FOLDER writes series of fields; ParaView opens their XDMF files, finds the values, and makes a picture."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Runs in ParaView's Python.
INSIDE = """
import sys
from paraview.simple import *

def series(path, fields, center, times):
    reader = OpenDataFile(path)
    assert reader is not None, path
    reader.UpdatePipeline()
    found = reader.TimestepValues  # of one step a number
    assert (list(found) if hasattr(found, "__len__") else [found]) == times, found
    for time in times:
        reader.UpdatePipeline(time)
        arrays = reader.CellData if center == "cells" else reader.PointData
        for name, ranges in fields.items():
            array = arrays.GetArray(name)
            assert array is not None, (name, [a.Name for a in arrays])
            assert [array.GetRange(i) for i in range(array.GetNumberOfComponents())] == ranges, (name, array.GetRange())
    return reader

folder = sys.argv[1]
cells = series(folder + "/cells.xdmf", {"rho": [(0, 432)]}, "cells", [0, 0.5])
assert cells.GetDataInformation().GetBounds() == (3, 3.375, 2, 3, 1, 3.5), cells.GetDataInformation().GetBounds()
series(folder + "/vectors.xdmf", {"velocity": [(i, 4320 + i) for i in range(3)], "rho": [(0, 432)]}, "points", [7])
points = series(folder + "/points&.xdmf", {"state/count": [(0, 56)], "twice": [(0, 112)]}, "points", [0, 0.1])
shown = Show(cells)
ColorBy(shown, ("CELLS", "rho"))
view = GetActiveViewOrCreate("RenderView")
view.ViewSize = [200, 150]
ResetCamera()
Render()
SaveScreenshot(folder + "/picture.png", view)
print("ParaView", GetParaViewVersion())
"""


def main():
    pvpython, command = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as name:
        subprocess.run(command + [name], check=True, timeout=200)
        screen = ["xvfb-run", "-a", "-w", "10"] if shutil.which("xvfb-run") else []
        script = pathlib.Path(name) / "inside.py"
        script.write_text(INSIDE)
        done = subprocess.run(screen + [pvpython, str(script), name], text=True, capture_output=True, timeout=400)
        assert done.returncode == 0, done.stdout + done.stderr
        picture = (pathlib.Path(name) / "picture.png").read_bytes()
        assert picture.startswith(b"\x89PNG") and len(picture) > 1000, len(picture)
        print(done.stdout.strip().splitlines()[-1])


main()
