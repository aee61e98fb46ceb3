"""series.py COMMAND...: COMMAND FOLDER writes series of fields; their XDMF files, read by XDMF's rules, name all values."""
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import h5py
import numpy


def numbers(item):
    return [float(x) for x in item.text.split()]


def extents(element):
    return tuple(int(n) for n in element.get("Dimensions").split())


def read(path):
    """Each step as (time, center of the values, origin, spacing, {name: array})."""
    root = xml.etree.ElementTree.parse(path).getroot()
    assert root.tag == "Xdmf" and [child.tag for child in root] == ["Domain"]
    (series,) = root[0]
    assert series.get("GridType") == "Collection" and series.get("CollectionType") == "Temporal"
    steps = []
    for grid in series:
        assert grid.tag == "Grid" and grid.get("GridType") == "Uniform"
        topology, geometry = grid.find("Topology"), grid.find("Geometry")
        points = extents(topology)
        assert topology.get("TopologyType") == f"{len(points)}DCoRectMesh"
        assert geometry.get("GeometryType") == {2: "ORIGIN_DXDY", 3: "ORIGIN_DXDYDZ"}[len(points)]
        origin, spacing = [numbers(item) for item in geometry]
        assert len(origin) == len(spacing) == len(points)
        fields = {}
        for attribute in grid.findall("Attribute"):
            (item,) = attribute
            name, dataset = item.text.split(":")
            with h5py.File(path.parent / name) as file:
                values = file[dataset][()]
                assert file.attrs["time"] == float(grid.find("Time").get("Value"))
            assert item.get("Format") == "HDF" and values.shape == extents(item)
            kind = {"f": "Float", "i": "Int", "u": "UInt"}[values.dtype.kind]
            assert item.get("NumberType") == kind and int(item.get("Precision")) == values.dtype.itemsize
            more = {"Scalar": (), "Vector": (3,)}[attribute.get("AttributeType")]
            one = 1 if attribute.get("Center") == "Cell" else 0
            assert tuple(n - one for n in points) + more == values.shape
            fields[attribute.get("Name")] = values
        steps.append((float(grid.find("Time").get("Value")), attribute.get("Center"), origin, spacing, fields))
    return steps


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run(sys.argv[1:] + [name], check=True, timeout=200)
        i, j, k = numpy.indices((5, 4, 3))
        density = 100 * i + 10 * j + k
        first, second = read(folder / "cells.xdmf")
        assert (first[:4], second[0]) == ((0, "Cell", [1, 2, 3], [0.5, 0.25, 0.125]), 0.5)
        for step in first, second:
            assert list(step[4]) == ["rho"] and step[4]["rho"].dtype == "<f4" and (step[4]["rho"] == density).all()
        first, second = read(folder / "points&.xdmf")
        assert (first[:4], second[0]) == ((0, "Node", [0, 0], [0.1, 2]), 0.1)
        i, j = numpy.indices((6, 7))
        for step in first, second:
            assert step[4]["state/count"].dtype == "<i4" and (step[4]["state/count"] == 10 * i + j).all()
            assert (step[4]["twice"] == 20 * i + 2 * j).all()
        (only,) = read(folder / "vectors.xdmf")
        i, j, k, c = numpy.indices((5, 4, 3, 3))
        assert only[0] == 7 and (only[4]["velocity"] == 1000 * i + 100 * j + 10 * k + c).all()
        assert (only[4]["rho"] == density).all() and only[3] == [1, 1, 1]
        assert not list(folder.glob("*.part"))


main()
