"""`stowplan policy`: unit tests of policies, single expressions, export to admission policies, a list of guardrails."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stowplan.cli.console import say, show, wants_color
from stowplan.cli.exit_codes import FINDINGS, NOT_DONE, OK
from stowplan.cli.options import color_option, directory_option, format_option, quiet_option

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stowplan.diagnostics.locator import Locator
    from stowplan.diagnostics.model import Diagnostic

__all__ = ["command"]

_TESTS = Path("tests/policies")


@click.group("policy")
def command() -> None:
    """Test, evaluate, export, and list policies.

    \b
    stowplan policy test
    stowplan policy eval 'object.spec.replicas > 1' --input vars.yaml --explain
    stowplan policy export image-by-digest
    """


@command.command("test")
@directory_option
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True), metavar="[path]...")
@format_option
@color_option
@quiet_option
def test_command(directory: Path, paths: tuple[Path, ...], format_: str, color: str, quiet: int) -> int:
    """Run PolicyTest documents: files, or folders with everything below them.

    Without a path, those of `tests/policies` in the workspace. Exit code 1 when a case fails or names what does not
    exist, 2 when the policies themselves cannot be compiled.
    """
    from stowplan.policies.testing import run_policy_tests
    from stowplan.policies.workbench import open_workbench

    bench = open_workbench(directory)
    if bench.failed:
        _tell(bench.diagnostics, bench.tree, format_, color)
        say("error: the policies cannot be compiled")
        return NOT_DONE
    if not paths and not (directory / _TESTS).is_dir():
        say(f"error: there are no tests: `{directory / _TESTS}` does not exist")
        return NOT_DONE
    tree, problems = _read_tests(paths or (directory / _TESTS,))
    outcome = run_policy_tests(tree, bench.subjects)
    _tell((*problems, *outcome.diagnostics), tree, format_, color)
    summary = outcome.value
    if not quiet:
        say(f"{summary.n_cases} cases, {summary.n_failed} failed")
    if not summary.n_cases and not outcome.diagnostics and not problems:
        say("error: no PolicyTest was found")
        return NOT_DONE
    return FINDINGS if outcome.failed or problems else OK


def _read_tests(paths: Iterable[Path]) -> Any:
    """The test files as a source tree, and what is wrong with them as text."""
    from stowplan.diagnostics.from_source import diagnose_problems
    from stowplan.source.faults import EnvironmentFault
    from stowplan.source.files import SourceTree

    texts: dict[str, bytes] = {}
    for path in paths:
        for file in sorted(p for p in path.rglob("*.y*ml") if p.is_file()) if path.is_dir() else [path]:
            try:
                texts[file.as_posix()] = file.read_bytes()
            except OSError as problem:
                raise EnvironmentFault(f"cannot read `{file}`: {problem.strerror}") from problem
    tree = SourceTree.from_texts(texts)
    return tree, diagnose_problems(tree.problems)


@command.command("eval")
@click.argument("expression", metavar="<expression>")
@click.option(
    "--input", "input_", metavar="<file>", help="YAML or JSON: a mapping of variables, or an object (`-`: stdin)."
)
@click.option("--explain", is_flag=True, help="When the value is not true, show the value of every sub-expression.")
@click.option("--kubernetes", metavar="<version>", help="Only what an API server of this version knows.")
def eval_command(expression: str, input_: str | None, explain: bool, kubernetes: str | None) -> int:
    """Evaluate a CEL expression and print its value as JSON.

    The keys of the input are the variables. An input that is a Kubernetes object is also the variable `object` (and
    `self`). Exit code 0 when there is a value, 1 when the evaluation fails, 2 when the expression or the input cannot
    be used.
    """
    from stowplan.cel import CelBudgetError, CelCompileError, CelEvaluationError
    from stowplan.policies.expressions import InputFault, compile_for, read_variables
    from stowplan.policies.wording import explanation_lines, value_text

    try:
        variables = read_variables(input_, sys.stdin.buffer)
        program = compile_for(expression, variables, kubernetes)
    except InputFault as problem:
        say(f"error: {problem}")
        return NOT_DONE
    except CelCompileError as problem:
        for p in problem.problems:
            _point(expression, p.line, p.column, p.message, p.helps)
        return NOT_DONE
    try:
        value = program.evaluate(variables)
    except CelEvaluationError as problem:
        _point(expression, problem.line, problem.column, problem.message)
        if explain and not isinstance(problem, CelBudgetError):
            show("\n".join(explanation_lines(program.explain(variables))))
        return FINDINGS
    show(value_text(value))
    if explain and value is not True:
        show("\n".join(explanation_lines(program.explain(variables))))
    return OK


def _point(expression: str, line: int, column: int, message: str, helps: Iterable[str] = ()) -> None:
    """A message with the line of the expression and a caret below the place."""
    where = f" at {line}:{column}" if line else ""
    say(f"error{where}: {message}")
    lines = expression.split("\n")
    if 0 < line <= len(lines) and len(lines[line - 1]) <= 500:
        say(f"  | {lines[line - 1]}\n  | {' ' * (column - 1)}^")
    for text in helps:
        say(f"  = help: {text}")


@command.command("export")
@directory_option
@click.argument("name", metavar="<name>")
@color_option
def export_command(directory: Path, name: str, color: str) -> int:
    """Print a guardrail as ValidatingAdmissionPolicy and binding; exit code 1, and why, where a server cannot hold it."""
    from stowplan.diagnostics.suggest import did_you_mean
    from stowplan.policies.export import export_guardrail
    from stowplan.policies.workbench import open_workbench
    from stowplan.source.yaml_writer import dumps

    bench = open_workbench(directory)
    if bench.failed:
        say(_rendered(bench.diagnostics, bench.tree, "text", wants_color(color, error_stream=True)))
        return NOT_DONE
    entity = bench.guardrail(name)
    if entity is None:
        helps = did_you_mean(name, [g.name for g in bench.guardrails])
        say(f"error: no guardrail `{name}`" + "".join(f"\n  = help: {h}" for h in helps))
        return NOT_DONE
    outcome = export_guardrail(entity, bench.minors(), bench.schemas)
    if outcome.diagnostics:
        say(_rendered(outcome.diagnostics, bench.tree, "text", wants_color(color, error_stream=True)))
    if outcome.failed:
        return FINDINGS
    show("---\n".join(dumps(made) for made in outcome.value))
    if entity.spec.match.clusters:
        say(f"note: meant for {', '.join(entity.spec.match.clusters)} only: apply it there and nowhere else")
    return OK


@command.command("list")
@directory_option
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def list_command(directory: Path, format_: str) -> int:
    """List all guardrails; in a workspace that compiles, with how many objects passed, failed, were exempt."""
    from stowplan.policies.workbench import open_workbench

    bench = open_workbench(directory)
    counts: Any = {}
    if bench.fleet is not None:
        from stowplan.workspace import compile_directory

        done = compile_directory(directory)
        counts = done.guarded.counts if done.guarded is not None else {}
    rows: list[dict[str, Any]] = [
        {
            "name": g.name, "code": g.code, "level": g.severity.word, "mandatory": g.mandatory, "shipped": g.is_shipped,
            "kinds": list(g.match.kinds), "outcomes": dict(counts.get(g.name, {})),
        }
        for g in bench.guardrails
    ]  # fmt: skip
    if format_ == "json":
        import json

        show(json.dumps({"schemaVersion": 1, "guardrails": rows}, indent=1, ensure_ascii=False))
        return OK
    for row in rows:
        outcomes = ", ".join(f"{n} {word}" for word, n in sorted(row["outcomes"].items())) or "no object"
        show(f"{row['code']}  {row['level']:<7}  {row['name']:<28}  {outcomes}")
    return OK


def _tell(diagnostics: Iterable[Diagnostic], tree: Locator, format_: str, color: str) -> None:
    text = _rendered(diagnostics, tree, format_, wants_color(color))
    if text:
        show(text)


def _rendered(diagnostics: Iterable[Diagnostic], tree: Locator, format_: str, colored: bool) -> str:
    from stowplan.diagnostics.render import render
    from stowplan.rules.registry import REGISTRY

    return render(diagnostics, format_, tree, color=colored, catalogue=REGISTRY)
