#!/usr/bin/python3
"""docs/picture.py FOLDPROOF: draws docs/finding.svg, a terminal in which examples/wrong.cu is audited.

Run it from the root of the source tree, by `./x picture`.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from rich.console import Console
from rich.text import Text

columns = 100
kernel = "examples/wrong.cu"


def printed(arguments, folder):
    return subprocess.run(arguments, cwd=folder, stdout=subprocess.PIPE, text=True, check=False).stdout


# In an empty folder: stored cases of earlier audits would run first.
with tempfile.TemporaryDirectory() as folder:
    shutil.copytree("examples", f"{folder}/examples", ignore=shutil.ignore_patterns("foldproof-cases"))
    listing = printed(["cat", kernel], folder)
    audit = printed([os.path.abspath(sys.argv[1]), "audit", kernel, "--color", "always"], folder)

console = Console(record=True, width=columns, file=open("/dev/null", "w"), force_terminal=True)
for command, output in ((f"cat {kernel}", listing), (f"foldproof audit {kernel}", audit)):
    console.print(Text.from_ansi(f"\x1b[1;32m$\x1b[0m {command}"))
    console.print(Text.from_ansi(output))
picture = console.export_svg(title="foldproof audit", unique_id="finding")
# Without the web fonts that Rich names: a reader's own monospace font is as good, and nothing is loaded.
picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
picture = picture.replace("font-family: Fira Code, monospace", "font-family: monospace")
# Some viewers drop leading spaces, even those that do not break.
picture = picture.replace("<svg ", '<svg xml:space="preserve" ', 1)
with open("docs/finding.svg", "w", encoding="utf-8") as file:
    file.write(picture)
