"""packaging.py ROOT CMAKE: the recipes in packaging/ parse, have the version of config.hpp, and set options that CMakeLists.txt has."""

import ast
import json
import pathlib
import re
import subprocess
import sys
import tempfile

root, cmake = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
faults = []


def read(name):
    return (root / name).read_text(encoding="utf-8")


version = ".".join(re.search(rf"define ASHLAR_VERSION_{part} (\d+)", read("include/ashlar/config.hpp"))[1] for part in ["MAJOR", "MINOR", "PATCH"])
options = set(re.findall(r"^(?:option|set)\((ASHLAR_\w+)", read("CMakeLists.txt"), re.M))


def check_options(name, used):
    faults.extend(f"{name}: CMakeLists.txt has no option {option}" for option in sorted(used - options))
    if not used:
        faults.append(f"{name} sets no option")


# Spack: a class with directives, whose conditions name variants that it declares.
recipe = ast.parse(read("packaging/spack/package.py"))
classes = [node for node in recipe.body if isinstance(node, ast.ClassDef)]
if [c.name for c in classes] != ["Ashlar"] or [base.id for base in classes[0].bases] != ["CMakePackage"]:
    faults.append("package.py: the class is Ashlar(CMakePackage)")
calls = [node for node in ast.walk(classes[0]) if isinstance(node, ast.Call)]


def directives(name):
    return [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == name]


variants = {c.args[0].value for c in directives("variant")}
if version not in [c.args[0].value for c in directives("version")]:
    faults.append(f"package.py: no version {version}")
conditions = [k.value.value for c in calls for k in c.keywords if k.arg == "when"] + [c.args[0].value for c in directives("when")]
for condition in conditions:
    faults += [f"package.py: {condition} names no variant" for name in re.findall(r"[+~](\w+)", condition) if name not in variants]
used = {c.args[0].value for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr in ("define", "define_from_variant")}
faults += [f"package.py: {c.args[1].value} is no variant" for c in calls
           if isinstance(c.func, ast.Attribute) and c.func.attr == "define_from_variant" and c.args[1].value not in variants]
check_options("package.py", used)

# vcpkg: the fields that its format requires, and a portfile that CMake runs with the functions of vcpkg as stubs.
port = json.loads(read("packaging/vcpkg/vcpkg.json"))
if port.get("name") != "ashlar" or port.get("version-semver") != version:
    faults.append(f"vcpkg.json: name ashlar, version {version}")
for where in [port, *port["features"].values()]:
    faults += [f"vcpkg.json: {where.get('name', 'a feature')} lacks {field}" for field in ["description", "dependencies"] if field not in where]
    for dependency in where["dependencies"]:
        name = dependency if isinstance(dependency, str) else dependency["name"]
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
            faults.append(f"vcpkg.json: {name} is no name of a port")
portfile = read("packaging/vcpkg/portfile.cmake")
inverted = re.search(r"INVERTED_FEATURES +(\w+) +(ASHLAR_\w+)", portfile)
if not inverted or inverted[1] not in port["features"]:
    faults.append("portfile.cmake: its feature is one of vcpkg.json")
check_options("portfile.cmake", set(re.findall(r"ASHLAR_(?:BUILD|LAYOUT|INST|ONE)\w+", portfile)))
with tempfile.TemporaryDirectory() as folder:
    names = sorted(set(re.findall(r"^ *(vcpkg_\w+)\(", portfile, re.M)))
    stubs = "".join(f"function({name})\n  message(STATUS \"{name} ${{ARGN}}\")\nendfunction()\n" for name in names)
    script = pathlib.Path(folder, "run.cmake")
    script.write_text(stubs + f"set(SOURCE_PATH \"{root}\")\nset(CURRENT_PACKAGES_DIR \"{folder}/packages\")\ninclude(\"{root}/packaging/vcpkg/portfile.cmake\")\n")
    run = subprocess.run([cmake, "-P", str(script)], capture_output=True, text=True)
    if run.returncode != 0 or "vcpkg_cmake_install" not in run.stdout:
        faults.append(f"portfile.cmake: {run.stderr}{run.stdout}")
print("\n".join(faults))
sys.exit(bool(faults))
