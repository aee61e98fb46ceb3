"""commands.py ROOT [--in FOLDER] [PAGE...]: the commands of the pages do what the pages say. A comment stands above each indented block of a page:

    <!-- run -->               bash runs the block, in the folder of the tree
    <!-- run: in FOLDER -->    the same in a folder of the tree, such as a project that uses ashlar
    <!-- not run: WHY -->      nothing runs it, for the reason WHY

The blocks run in a copy of the tree, page by page in the order of docs/README.md, with a home folder of their own. A page begins without the files that
other pages have written outside of build. With --in the copy is FOLDER and stays, so that the next run builds less. Without --in it is a temporary folder."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# ---- What differs from the page ----
# Steps of programs that train, so that no run takes minutes. A run from a checkpoint of the same page takes as many again, and has to go on from it.
STEPS = {"scripts/quickstart": 3, "mnist_mlp": None, "keras_jax_convnet": 3, "keras_distribution": 3, "tf_dtensor": 3, "mirrored": 3, "fsdp": 3, "pipeline": 3,
         "transformer": 3}
# This run is interrupted, and the next line goes on to the end. Other programs read the last checkpoint of that line.
INTERRUPTED = {"mnist_mlp": 500}
# Files that a page tells the reader to write: by folder, a name and where it is in the tree.
FILES = {"tests/package/first": {"sharded_sum.cpp": "examples/01_sharded_sum.cpp"}}
# "mpiexec" is the launcher of the MPI for which build/release is configured.
LAUNCHER = "mpiexec"
# Folders that a reader has: by name, the variable that says where it is here. Without it "--data FOLDER" is left out.
FOLDERS = {"MNIST_FOLDER": "ASHLAR_DATA"}
# Python is one that has the module, and commands of these programs are left out if they are not installed: the tree does not need them.
PYTHONS = ["python3", "/usr/bin/python3"]
OPTIONAL = ["h5dump"]
# Open MPI starts more ranks than cores, and as root; ranks have one thread. CMake builds as many files at once as cores and memory allow.
ENVIRONMENT = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_hwloc_base_binding_policy": "none", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
               "PRTE_MCA_hwloc_default_binding_policy": "none", "OMP_NUM_THREADS": "1"}
# scripts/setup installs nothing: these programs fail.
REFUSED = ["apt-get", "sudo"]

SECONDS = 1200  # for each command of a block: a block of three has three times as long
MARKER = re.compile(r"<!-- (?:run(?:: in (?P<folder>\S+))?|not run: (?P<why>\S.*)) -->")


class block:
    """An indented block of a page: the number of its first line, its lines, and the match of the comment above it, or None."""

    def __init__(self, number, lines, above):
        self.number, self.lines, self.mark = number, lines, MARKER.fullmatch(above)

    def commands(self):
        """Pairs of a number and a command. A line that ends in a backslash goes on in the next one."""
        out, goes_on = [], False
        for i, line in enumerate(self.lines):
            if goes_on:
                out[-1] = (out[-1][0], out[-1][1] + "\n" + line)
            elif line.strip():
                out.append((self.number + i, line))
            goes_on = line.endswith("\\")
        return out


def blocks(text):
    """The indented blocks of a page, without lines of code blocks."""
    text = re.sub(r"^ *```.*?^ *```$", lambda m: "\n" * m[0].count("\n"), text, flags=re.M | re.S)
    for found in re.finditer(r"(?:^    .*\S.*$\n?)+", text, re.M):
        above = text[:found.start()].rstrip("\n").rpartition("\n")[2]
        yield block(text.count("\n", 0, found.start()) + 1, [line[4:] for line in found[0].splitlines()], above)


def reading_order(root):
    """The pages: README.md, those that docs/README.md links, in its order, CONTRIBUTING.md and SECURITY.md."""
    index = (root / "docs" / "README.md").read_text(encoding="utf-8")
    linked = [(root / "docs" / name).resolve().relative_to(root) for name in re.findall(r"\]\(([^)#:]+\.md)", index)]
    return [str(page) for page in dict.fromkeys([pathlib.Path("README.md"), *linked, pathlib.Path("CONTRIBUTING.md"), pathlib.Path("SECURITY.md")])]


def files_of(root):
    if (root / ".git").exists():
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True, check=True)
        return [name for name in listed.stdout.split("\0") if name and (root / name).is_file()]
    return [str(p.relative_to(root)) for p in root.rglob("*") if p.is_file() and p.relative_to(root).parts[0] != "build"]


def copy_tree(root, tree):
    for name in files_of(root):
        source, target = root / name, tree / name
        if not target.exists() or source.stat().st_mtime_ns != target.stat().st_mtime_ns or source.stat().st_size != target.stat().st_size:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    # What scripts/setup has fetched, without what it writes.
    deps = tree / "build" / "deps"
    deps.mkdir(parents=True, exist_ok=True)
    for there in (root / "build" / "deps").iterdir() if (root / "build" / "deps").is_dir() else []:
        if there.is_dir() and not (deps / there.name).exists():
            (deps / there.name).symlink_to(there.resolve())
        elif there.is_file():
            shutil.copy2(there, deps)
    for folder, names in FILES.items():
        for name, source in names.items():
            shutil.copy2(tree / source, tree / folder / name)


def python_with(module):
    return next((p for p in PYTHONS if shutil.which(p) and subprocess.run([p, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0), None)


class runner:
    def __init__(self, tree):
        self.tree, self.folders, self.used = tree, set(), set()
        home = tree / "build" / "home"
        shims = home / "refused"
        shims.mkdir(parents=True, exist_ok=True)
        for name in REFUSED:
            (shims / name).write_text("#!/bin/sh\nexit 1\n")
            (shims / name).chmod(0o755)
        memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 31  # a compiler takes up to 2 GB
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("ASHLAR_") or k in FOLDERS.values()} | ENVIRONMENT
        self.environment |= {"HOME": str(home), "PATH": f"{shims}:{os.environ['PATH']}",
                             "CMAKE_BUILD_PARALLEL_LEVEL": str(max(1, min(os.cpu_count(), memory)))}

    def launcher(self):
        cache = self.tree / "build" / "release" / "CMakeCache.txt"
        found = re.search(r"^MPIEXEC_EXECUTABLE:\w+=(.+)$", cache.read_text(encoding="utf-8"), re.M) if cache.exists() else None
        return found[1] if found else LAUNCHER

    def here(self, command):
        """The command as it runs here, and whether it goes on from a checkpoint; None if it is left out."""
        for name, variable in FOLDERS.items():
            if name in command:
                self.used.add(name)
                folder = self.environment.get(variable)
                command = command.replace(name, f'"${variable}"') if folder else re.sub(rf" --data {name}", "", command)
        for name in OPTIONAL:
            if re.match(rf"{name}\b", command):
                self.used.add(name)
                if not shutil.which(name):
                    return None, False
        module = re.match(r"python3 .*?\bimport (\w+)", command)
        if module:
            self.used.add("python3")
            python = python_with(module[1])
            if not python:
                return None, False
            command = python + command.removeprefix("python3")
        goes_on = False
        program = re.search(rf"(?<![\w-])({'|'.join(STEPS)})(?=\s|$)", command)
        if program:
            name = program[1]
            self.used.add(name)
            folder = re.search(r" --checkpoint (\S+)", command)
            goes_on = bool(folder) and folder[1] in self.folders
            if folder:
                self.folders.add(folder[1])
            steps = STEPS[name] and STEPS[name] * (2 if goes_on else 1)
            if folder and not goes_on:
                steps = INTERRUPTED.get(name, steps)
            if steps:
                command = f"{command[:program.end()]} --steps {steps}{command[program.end():]}"
        if re.match(rf"{LAUNCHER}\b", command):
            self.used.add(LAUNCHER)
            command = self.launcher() + command.removeprefix(LAUNCHER)
        return command, goes_on

    def run(self, b, log):
        """Runs a block. Returns the command that failed, its number and the reason, or None."""
        at = log.with_suffix(".at")
        script, resumed, left_out = "", 0, []
        for number, command in b.commands():
            changed, goes_on = self.here(command)
            if changed is None:
                left_out.append(command)
                continue
            resumed += goes_on
            script += f"echo {number} > '{at}'\n{{ {changed}\n}} || exit\n"  # -e does not see what fails before &&
        folder = self.tree / (b.mark["folder"] or "")
        seconds = SECONDS * len(b.commands())
        at.write_text(str(b.number))
        with log.open("w", encoding="utf-8") as out:
            process = subprocess.Popen(["bash", "-e", "-c", script], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                       start_new_session=True)
            try:
                status = process.wait(seconds)
                reason = f"ended with {status}" if status else None
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                reason = f"took more than {seconds} s"
        text = log.read_text(encoding="utf-8", errors="replace")
        if not reason and len(re.findall(r"^goes on from step [1-9]", text, re.M)) != resumed:
            reason = f"goes on from {len(re.findall('^goes on from step', text, re.M))} checkpoints, and expected were {resumed}"
        for command in left_out:
            print(f"left out, for which a program or a module is not installed: {command}")
        if not reason:
            return None
        number = int(at.read_text())
        return number, dict(b.commands()).get(number, ""), reason, "\n".join(text.splitlines()[-30:])


def main(arguments):
    root = pathlib.Path(arguments.pop(0)).resolve()
    kept = None
    if arguments[:1] == ["--in"]:
        kept = pathlib.Path(arguments[1]).resolve()
        arguments = arguments[2:]
    pages = reading_order(root)
    chosen = arguments or pages
    unknown = [page for page in chosen if page not in pages]
    if unknown:
        sys.exit(f"commands.py: {', '.join(unknown)}: not in {', '.join(pages)}")
    failures, ran, not_run = 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="commands_", dir=None if " " not in tempfile.gettempdir() else "/tmp") as temporary:
        tree = kept or pathlib.Path(temporary) / "ashlar"
        tree.mkdir(exist_ok=True)
        copy_tree(root, tree)
        r = runner(tree)
        for page in pages:
            if page not in chosen:
                continue
            before = set(tree.iterdir()) | {tree / "build"}
            r.folders = set()
            for b in blocks((root / page).read_text(encoding="utf-8")):
                if not b.mark or b.mark["why"]:
                    not_run += 1
                    continue
                ran += 1
                begin = time.monotonic()
                failed = r.run(b, pathlib.Path(temporary) / "output")
                if failed:
                    number, command, reason, output = failed
                    failures += 1
                    print(f"FAILED: {page}:{number}: {reason}: {command}\n{output}", flush=True)
                else:
                    print(f"{page}:{b.number}: {time.monotonic() - begin:.0f} s", flush=True)
            for new in set(tree.iterdir()) - before:
                shutil.rmtree(new) if new.is_dir() and not new.is_symlink() else new.unlink()
        unused = {*STEPS, *FOLDERS, *OPTIONAL, LAUNCHER, "python3"} - r.used
        if not arguments and unused:
            failures += 1
            print(f"FAILED: no command that runs has what the table of differences has: {', '.join(sorted(unused))}")
    print(f"{ran} blocks ran, {failures} of them failed, {not_run} are not run")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
