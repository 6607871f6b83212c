"""Habits of the code that a reader may rely on."""

from __future__ import annotations

import ast
import re
from functools import cache

from sources import ROOT, Module, modules

CODE = [module for module in modules() if module.path.parent.name != "catalogue"]


def names(found: list[Module]) -> list[str]:
    return [module.where for module in found]


def test_modules__say_their_one_job_in_the_first_line() -> None:
    def says(module: Module) -> bool:
        first = (ast.get_docstring(module.tree) or "").split("\n")[0]
        return bool(first) and first[-1] in ".:?" and len(first) <= 130

    assert names([module for module in modules() if not says(module)]) == []


def public(module: Module) -> set[str]:
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def test_public_names__have_a_docstring() -> None:
    bare = [
        f"{module.where}: {node.name}"
        for module in CODE
        for node in module.tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and node.name in public(module)
        and not ast.get_docstring(node)
    ]
    assert bare == []


def test_public_names__exist() -> None:
    missing = []
    for module in CODE:
        defined = {n.id for n in ast.walk(module.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        defined |= {n.name for n in module.tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        defined |= {
            (a.asname or a.name)
            for n in ast.walk(module.tree)
            if isinstance(n, ast.ImportFrom | ast.Import)
            for a in n.names
        }
        missing += [f"{module.where}: {name}" for name in sorted(public(module) - defined)]
    assert missing == []


@cache
def calls(module: Module) -> list[str]:
    return [ast.unparse(node.func) for node in ast.walk(module.tree) if isinstance(node, ast.Call)]


def test_only_the_command_line_prints() -> None:
    prints = re.compile(r"print|sys\.(stdout|stderr)\.write|click\.echo")
    tools = "schema/building/"
    told = [m for m in modules() if m.package != "cli" and any(prints.fullmatch(call) for call in calls(m))]
    assert [where for where in names(told) if not where.startswith(tools)] == []


CLOCK = re.compile(
    r"(time\.)?(time|monotonic|perf_counter|process_time)(_ns)?|datetime(\.datetime)?\.(now|utcnow|today)|date\.today"
)


def test_no_clock__outside_of_the_profile() -> None:
    assert names([m for m in modules() if any(CLOCK.fullmatch(call) for call in calls(m))]) == ["profile.py"]


OVERRIDES = {
    "cli/main.py": {"ctx"},
    "templates/environment.py": {"obj"},
    "templates/sandbox.py": {"obj"},
    "templates/trace.py": {"obj"},
}
SHORT = {"ctx", "cfg", "conf", "mgr", "ns", "tmp", "svc", "idx", "msg", "obj", "res", "resp", "req"}


def test_no_abbreviations() -> None:
    """Names that we give; methods that override those of a library keep its names."""
    found = set()
    for module in modules():
        for node in ast.walk(module.tree):
            given = node.arg if isinstance(node, ast.arg) else node.id if isinstance(node, ast.Name) else None
            if isinstance(given, str) and given in SHORT - OVERRIDES.get(module.where, set()):
                found.add(f"{module.where}: {given}")
    assert sorted(found) == []


def test_no_assertion_that_cannot_fail() -> None:
    """An assertion of a text or of a tuple is always true."""
    found = [
        f"{module.where}:{node.lineno}"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.JoinedStr | ast.Tuple | ast.Constant)
    ]
    assert found == []


def test_folders__are_packages() -> None:
    folders = {module.path.parent for module in modules()}
    assert [f.relative_to(ROOT).as_posix() for f in sorted(folders) if not (f / "__init__.py").exists()] == []
