"""docs/federated.md as it is typed: every command of its fifteen minutes, with three sites, in one folder."""

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from core.desk.commands import main, with_keys

GUIDE = (Path(__file__).parents[3] / "docs" / "federated.md").read_text(encoding="utf-8")
STEPS = GUIDE[GUIDE.index("## Fifteen minutes") : GUIDE.index("## What can be released")]
SITES = "abc"


def blocks(kind):
    """Blocks of a language, without their indentation and comments."""
    found = re.findall(rf"^( *)```{kind}\n(.*?)^ *```", STEPS, flags=re.S | re.M)
    return [re.sub(rf"^{indent}", "", text, flags=re.M) for indent, text in found]


def commands():
    """The arguments of every `cape-lab` command of the guide."""
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("cape-lab")]


def typed(command, capsys):
    assert main(command) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_the_guide_leads_to_a_verified_receipt(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("builtins.input", lambda words: "yes")
    every = commands()
    kinds = ["site init"] * 3 + [
        "aggregate --init",
        "plan saved.json",
        "site ceiling",
        "site consent",
        "site run",
    ]
    kinds += ["aggregate plan.json", "verify", "verify", "ledger verify"]
    assert [" ".join(one).startswith(kind) for one, kind in zip(every, kinds, strict=True)] == [True] * len(
        kinds
    )
    keys = {}
    for name, command in zip((*SITES, "aggregator"), every, strict=False):
        keys[name] = re.search(r"public key: (\w+)", typed(command, capsys))[1]
    (program,) = blocks("python")
    exec(compile(program, "docs/federated.md", "exec"), {})
    typed([re.sub(r"^(\w+)=KEY$", lambda m: f"{m[1]}={keys[m[1]]}", word) for word in every[4]], capsys)
    rng, truth = np.random.default_rng(0), []
    for name, count in zip(SITES, (120, 60, 80), strict=True):
        stays = rng.uniform(0, 50, count).round(1)
        truth += stays.tolist()
        Path("records.csv").write_text(
            "patient;stay\n" + "".join(f"{n};{str(x).replace('.', ',')}\n" for n, x in enumerate(stays))
        )
        for command in every[5:7]:
            typed([word.replace("desk-a", f"desk-{name}") for word in command], capsys)
    for _ in range(9):
        for s, name in enumerate(SITES):
            run = [word.replace("desk-a", f"desk-{name}").replace("site-0", f"site-{s}") for word in every[7]]
            typed([*run, "--once"], capsys)
        told = typed([*every[8], "--once"], capsys)
    value = float(re.search(r"stay: (\S+) days", told)[1])
    assert abs(value - np.mean(truth)) < 6 * float(re.search(r"deviation (\S+)", told)[1])
    (made,) = Path("centre/runs").glob("*/receipt.json")
    Path("receipts").mkdir()
    Path("receipts/1.json").write_bytes(made.read_bytes())
    words = [
        typed([word.replace("centre/runs/*/receipt.json", str(made)) for word in one], capsys)
        for one in every[9:]
    ]
    assert "signed by 4 of 4" in words[0] and "the same average" in words[1] and "unbroken" in words[2]


def test_the_histogram_of_the_guide_is_one_that_a_desk_carries_out():
    (program,) = blocks("python")
    statistic, column = re.findall(r"`((?:Statistic|Column)\(.*?\))`", STEPS)
    program = program.replace('Statistic("mean", (1,), 0.0, 50.0)', statistic)
    program = program.replace('Column("stay", "days", 0.0, 50.0)', column).split("open(")[0]
    scope = {}
    exec(compile(program, "docs/federated.md", "exec"), scope)
    assert "dropouts=0" in program and scope["plan"].statistic.shape == (5,)
    keys = [f"{name}={n:064x}" for n, name in enumerate(("a", "b", "c", "aggregator"))]
    assert with_keys(scope["plan"], keys).columns[0].bins == 5


@pytest.mark.skipif(sys.platform == "win32", reason="the guide's last lines are for a POSIX shell")
def test_other_files_that_the_guide_names_are_there():
    root = Path(__file__).parents[3]
    for name in re.findall(r"\]\((?!http)([^)#]+)", GUIDE):
        assert (root / "docs" / name).exists(), name
    assert (root / "core/desk/receipt.py").exists() and (root / "examples/flower/run.py").exists()
