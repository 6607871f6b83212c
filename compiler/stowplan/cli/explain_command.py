"""`stowplan explain`: a rule, a workload, a cluster, or a rendered file, in words."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stowplan.cli.console import say, show
from stowplan.cli.exit_codes import NOT_DONE, OK
from stowplan.cli.options import as_of_option, directory_option
from stowplan.cli.subjects import complete_subject

if TYPE_CHECKING:
    from stowplan.driver import Compilation

__all__ = ["command"]


@click.command("explain")
@directory_option
@as_of_option
@click.argument("what", metavar="<what>", shell_complete=complete_subject)
def command(directory: Path, as_of: datetime | None, what: str) -> int:
    """Explain a rule, a workload, a cluster, a quota, or where a rendered file came from.

    \b
    stowplan explain SP0604
    stowplan explain workload/asr-pretrain
    stowplan explain workload/asr@us-east-spot
    stowplan explain cluster/eu-west-h200
    stowplan explain quota/speech@eu-west-h200
    stowplan explain rendered/clusters/eu-west/kueue/clusterqueue-speech.yaml
    """
    if _is_rule(what):
        return _explain_rule(what)
    from stowplan.driver import Options
    from stowplan.workspace import compile_directory

    done = compile_directory(directory, Options(as_of=as_of))
    if done.fleet is None or done.plan is None:
        say("error: the workspace has errors; `stowplan check` shows them")
        return NOT_DONE
    kind, _, name = what.partition("/")
    if kind in ("workload", "cluster", "quota") and name and not what.endswith((".yaml", ".yml")):
        return _explain_subject(done, kind, name)
    return _explain_rendered(done, directory, what)


def _is_rule(what: str) -> bool:
    from stowplan.rules.registry import REGISTRY

    return (
        what.upper() in REGISTRY.names
        or what in REGISTRY.codes_by_name
        or (what[:2].upper() == "SP" and what[2:].isdigit())
    )


def _explain_rule(what: str) -> int:
    from stowplan.rules.registry import REGISTRY

    page = REGISTRY.find(what)
    if page is None:
        say(f"error: unknown rule `{what}`" + "".join(f"\n  = help: {h}" for h in REGISTRY.did_you_mean(what)))
        return NOT_DONE
    show(f"# {page.rule.code} {page.rule.name} ({page.rule.level_word})\n\n{page.markdown}\n")
    return OK


def _explain_subject(done: Compilation, kind: str, name: str) -> int:
    from stowplan.views.explain_quota import explain_quota
    from stowplan.views.explain_workload import explain_cluster, explain_workload

    assert done.fleet is not None
    assert done.plan is not None
    name, _, cluster = name.partition("@")
    if cluster and cluster not in done.fleet.clusters:
        return _unknown("cluster", cluster, done.fleet.clusters)
    known: Iterable[str]
    if kind == "workload":
        text = explain_workload(
            done.fleet, done.plan, name, done.tree.locate, cluster or None, done.admissions.get(name)
        )
        known = done.plan.placements
    elif kind == "cluster":
        text = explain_cluster(done.fleet, done.plan, name)
        known = done.fleet.clusters
    else:
        text = explain_quota(done.fleet, done.plan, name, cluster or None)
        known = done.fleet.tenants
    if text is None:
        return _unknown("tenant" if kind == "quota" else kind, name, known)
    show(text)
    return OK


def _unknown(kind: str, name: str, known: Iterable[str]) -> int:
    from stowplan.diagnostics.suggest import suggest

    close = suggest(name, known)
    say(f"error: no {kind} `{name}`" + (f"; did you mean `{close[0]}`?" if close else ""))
    return NOT_DONE


def _explain_rendered(done: Compilation, directory: Path, what: str) -> int:
    from stowplan.driver import template_set
    from stowplan.views.explain_file import explain_file, explain_kustomization
    from stowplan.workspace import LOCK_NAME, OUTPUT

    if done.rendered is None:
        say("error: the workspace has errors; `stowplan check` shows them")
        return NOT_DONE
    asked = Path(what)
    inside = [asked.as_posix(), *(_relative(asked, base) for base in (directory / OUTPUT, Path(OUTPUT)))]
    made = next((o for o in done.rendered.objects if o.path in inside), None)
    if made is not None:
        components = done.lowered.component_templates if done.lowered is not None else {}
        show(explain_file(made, template_set(done.tree, components), done.tree.locate))
        return OK
    listed = next((path for path in inside if path in done.rendered.files), None)
    if listed is not None:
        show(explain_kustomization(listed, done.rendered, done.tree.locate))
        return OK
    if any(path in ("plan.json", LOCK_NAME) for path in inside):
        show(f"{what}: made from everything below fleet/, policies/, and templates/; "
             "`stowplan explain workload/NAME` explains a decision")  # fmt: skip
        return OK
    say(_nothing_like(done, what))
    return NOT_DONE


def _nothing_like(done: Compilation, what: str) -> str:
    assert done.fleet is not None
    assert done.plan is not None
    text = f"error: `{what}` is no rendered file, rule, workload/NAME, cluster/NAME, or quota/TENANT@CLUSTER"
    kinds = (("workload", done.plan.placements), ("cluster", done.fleet.clusters), ("quota", done.fleet.tenants))
    meant = [f"`{kind}/{what}`" for kind, names in kinds if what in names]
    return text + (f"\n  = help: did you mean {' or '.join(meant)}?" if meant else "")


def _relative(path: Path, base: Path) -> str:
    try:
        return path.resolve().relative_to(base.resolve()).as_posix()
    except ValueError:
        return path.as_posix()
