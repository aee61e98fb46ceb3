"""outputs.py ROOT BUILD PAGE: each code block of a page that follows "<!-- output: COMMAND -->" is what COMMAND prints. COMMAND runs in ROOT, by a
shell; build/release in it is BUILD. "<!-- output: COMMAND; varies: REGEX -->" makes each match of REGEX one sign on both sides. A line "..." of a
block stands for any lines."""

import difflib
import pathlib
import re
import shlex
import subprocess
import sys

COMMENT = re.compile(r"^<!-- output: (?P<command>[^\n]*?)(?:; varies: (?P<varies>[^\n]*))? -->\n+```\w*\n(?P<block>.*?)^```$", re.M | re.S)


def masked(text, varies):
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    return [re.sub(varies, "#", line) if varies else line for line in lines]


def fits(shown, printed):
    """True if the lines are equal; "..." among those shown is any number of lines."""
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def main(root, build, page):
    text = page.read_text(encoding="utf-8")
    found = list(COMMENT.finditer(text))
    failed = len(found) != len(re.findall(r"^<!-- output:", text, re.M)) or not found
    if failed:
        print(f"{page}: a comment that begins with \"output:\" precedes no code block")
    for match in found:
        command = match["command"].replace("build/release", shlex.quote(str(build)))
        done = subprocess.run(["bash", "-c", command], cwd=root, capture_output=True, text=True, check=False)
        shown, printed = (masked(t, match["varies"]) for t in (match["block"], done.stdout))
        if done.returncode != 0 or not fits(shown, printed):
            failed = True
            print(f"{page}: {match['command']} ended with {done.returncode} and did not print the block after it:")
            print("\n".join(difflib.unified_diff(shown, printed, "page", "printed", lineterm="")) + "\n" + done.stderr)
    print(f"{len(found)} outputs")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])))
