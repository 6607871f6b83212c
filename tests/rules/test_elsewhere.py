"""Every rule is executed: by the example on its page, or by a test that names it and runs what reports it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from stowplan.cli.main import run
from stowplan.policies.shipped import SHIPPED_CODES
from stowplan.rules.model import Stage, Status
from stowplan.rules.registry import REGISTRY

TESTS = Path(__file__).parents[1]
CODE = re.compile(r"SP\d{4}")
LISTS = ("test_elsewhere.py", "test_catalogue.py", "test_checks.py")
"""Modules that list codes for other reasons; of this one the functions below count, which run them."""


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """The exit code of a command, and all that it printed."""
    code = run([*arguments])
    printed = capsys.readouterr()
    return code, printed.out + printed.err


FOO = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a}\n"
VALIDATED = {
    "SP0821": ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndatta: {k: v}\n", 1, 'unknown field "datta"'),
    "SP0822": ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: [k]\n", 1, "cannot unmarshal"),
    "SP0823": (FOO, 1, "Foo"),
    "SP0824": ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A.B}\n", 1, "metadata.name"),
    "SP0825": ("apiVersion: ray.io/v1alpha1\nkind: RayCluster\nmetadata: {name: a}\nspec: {headGroupSpec: {rayStartParams: {}, template: {}}}\n", 0, "is deprecated"),
}  # fmt: skip


@pytest.mark.parametrize("code", VALIDATED)
def test_validate(code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, exit_code, words = VALIDATED[code]
    (tmp_path / "a.yaml").write_text(text)
    found = said(capsys, "validate", str(tmp_path / "a.yaml"))
    assert found[0] == exit_code
    assert set(CODE.findall(found[1])) == {code} and words in found[1]


def test_schemas_import__without_a_definition(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_text(FOO)
    _, text = said(capsys, "schemas", "import", str(tmp_path / "a.yaml"), "-o", str(tmp_path / "a.pack"))
    assert "SP0811" in text and "a.yaml" in text


def test_schemas_import__a_definition_is_no_such_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    names = {"kind": "Foo", "plural": "foos"}
    spec = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.example.com"},
    }
    (tmp_path / "a.yaml").write_text(yaml.safe_dump({**crd, "spec": spec}))
    code, text = said(capsys, "schemas", "import", str(tmp_path / "a.yaml"), "-o", str(tmp_path / "a.pack"))
    assert (code, "SP0811" in text) == (0, False)


def policy_test(policy: str, expect: str) -> str:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a"},
        "spec": {"hostNetwork": True, "containers": []},
    }
    spec = {"policy": policy, "cases": [{"name": "shared", "object": pod, "expect": expect}]}
    return yaml.safe_dump(
        {"apiVersion": "stowplan.io/v1alpha1", "kind": "PolicyTest", "metadata": {"name": "t"}, "spec": spec}
    )


@pytest.mark.parametrize(
    ("policy", "expect", "code"),
    [("no-host-acess", "fail", "SP1241"), ("no-host-access", "pass", "SP1242"), ("no-host-access", "fail", None)],
)
def test_policy_test(
    policy: str, expect: str, code: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.yaml").write_text(policy_test(policy, expect))
    exit_code, text = said(capsys, "policy", "test", str(tmp_path / "t.yaml"))
    assert set(CODE.findall(text)) == ({code} if code else set())
    assert exit_code == (1 if code else 0)


def executed_elsewhere() -> dict[str, str]:
    """Codes that stand as data in a module of tests, with the first such module; words in prose do not count."""
    found = dict.fromkeys(SHIPPED_CODES.values(), "policies/test_shipped_reports.py")
    for path in sorted(TESTS.rglob("*.py")):
        if path.name not in LISTS or path.samefile(__file__):
            for code in _data(ast.parse(path.read_text(encoding="utf-8"))):
                found.setdefault(code, path.relative_to(TESTS).as_posix())
    for path in sorted((TESTS / "mistakes" / "cases").glob("*.yaml")):
        found.setdefault(yaml.safe_load(path.read_text())["code"], path.relative_to(TESTS).as_posix())
    return found


def _data(tree: ast.Module) -> Iterator[str]:
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose
        if is_text and (match := re.fullmatch(r"\[?(SP\d{4})\]?", node.value)):  # type: ignore[attr-defined]
            yield match[1]


def test_every_rule_is_executed() -> None:
    elsewhere = executed_elsewhere()
    assert elsewhere["SP1105"] == "drift/test_drift_compare.py"
    idle = [
        page.rule.code
        for page in REGISTRY.pages()
        if page.rule.stage is Stage.ELSEWHERE
        and page.rule.status is not Status.REMOVED
        and page.rule.code not in elsewhere
    ]
    assert idle == [], "give each an example that runs on its page, or a test that reports it"
