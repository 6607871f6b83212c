"""THE page: all passes in order. Everything else is a detail of one of these lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from stowplan.diagnostics.echoes import without_echoes
from stowplan.diagnostics.from_source import diagnose_problems
from stowplan.diagnostics.model import Diagnostic, Severity
from stowplan.diagnostics.suppression import apply_suppressions
from stowplan.kueue.findings import kueue_findings
from stowplan.kueue.ledger import ledger_document
from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Lowered
from stowplan.model.plan import PlacementPlan
from stowplan.model.rendered import RenderedTree
from stowplan.ownership.ownermap import OwnershipMap
from stowplan.passes.gitops import kustomizations, lower_engines
from stowplan.passes.load import component_folders, definition_paths, load
from stowplan.passes.lower import lower, units_of
from stowplan.passes.lower.components import component_namespaces, component_problems
from stowplan.passes.lower.karmada import fold
from stowplan.passes.ownership import assign_ownership, engine_ignores, type_lookup
from stowplan.passes.placement import Placer
from stowplan.passes.placement.findings import findings
from stowplan.passes.placement.problem import Previous
from stowplan.passes.render import merged, render
from stowplan.passes.resolve import resolve
from stowplan.passes.validate import validate
from stowplan.policies.exemptions import Exemptions, read_exemptions
from stowplan.policies.guard import GuardReport, compile_guardrails, guard
from stowplan.policies.placement import compile_placement
from stowplan.policies.skew import rule_skew
from stowplan.profile import Profile
from stowplan.resources import builtin_templates
from stowplan.rules.levels import apply_levels, read_levels
from stowplan.rules.model import Level
from stowplan.rules.registry import REGISTRY
from stowplan.schemas import fleet_schemas, own_packs, schema_sets
from stowplan.source.files import SourceTree
from stowplan.source.problems import Problem, ProblemKind
from stowplan.templates.engine import TemplateSet
from stowplan.views.plan_json import plan_document, plan_text

__all__ = ["Compilation", "Options", "compile_workspace"]


@dataclass(frozen=True, slots=True)
class Options:
    """What a compile depends on besides the workspace's files and the lock."""

    as_of: datetime | None = None
    upgrade: bool = False
    previous: Mapping[str, Sequence[Previous]] = field(default_factory=dict)


@dataclass(slots=True)
class Compilation:
    """Everything a compile made, as far as it came. `files` is complete only where no error stopped it."""

    tree: SourceTree
    diagnostics: list[Diagnostic] = field(default_factory=list)
    fleet: Fleet | None = None
    placer: Placer | None = None
    plan: PlacementPlan | None = None
    lowered: Lowered | None = None
    ownership: OwnershipMap | None = None
    rendered: RenderedTree | None = None
    exemptions: Exemptions | None = None
    guarded: GuardReport | None = None
    files: dict[str, str] | None = None
    lock_was_sound: bool = True
    profile: Profile = field(default_factory=Profile)

    def failed(self) -> bool:
        """Whether any finding so far is an error."""
        return any(d.severity is Severity.ERROR for d in self.diagnostics)


def compile_workspace(tree: SourceTree, options: Options | None = None) -> Compilation:
    """Runs the passes; stops after the pass that found errors, with all that it found."""
    done = _run(tree, options or Options())
    done.diagnostics = list(_settle(done))
    if done.failed():
        done.files = None
    return done


def _settle(done: Compilation) -> tuple[Diagnostic, ...]:
    """Findings as the user wants them: no echoes, suppressions applied, levels chosen."""
    tree = done.tree
    found = without_echoes(done.diagnostics, tree.locate)
    found = apply_suppressions(found, tree.files, tree.locate, REGISTRY.codes_by_name)
    if done.exemptions is not None:
        found = done.exemptions.apply(found)
        found = (*found, *(done.exemptions.unused() if done.guarded is not None else ()))
    levels: dict[str, Level] = {}
    complaints: list[Diagnostic] = []
    for policy in done.fleet.policies.levels if done.fleet else ():
        chosen = read_levels(policy.spec.levels, policy.at("levels"))
        levels.update(chosen.value)
        complaints.extend(chosen.diagnostics)
    return tuple(apply_levels((*found, *complaints), levels))


def _run(tree: SourceTree, options: Options) -> Compilation:
    done = Compilation(tree)
    found = done.diagnostics

    with done.profile.measure("load"):
        documents = [document for file in tree.files for document in file.documents]
        folders = component_folders(documents)
        found.extend(diagnose_problems(_input_problems(tree, definition_paths(documents))))
        loaded = load(documents, folders)
        found.extend(loaded.diagnostics)
        found.extend(component_problems(loaded.value.entities.get("Component", ()), tree))
    if tree.is_incomplete:
        return done
    with done.profile.measure("resolve"):
        resolved = resolve(loaded.value, options.as_of)
        found.extend(resolved.diagnostics)
        done.fleet = resolved.value
    if done.fleet is None or done.failed():
        return done

    with done.profile.measure("policies"):
        policy = compile_placement(done.fleet)
        own = own_packs(done.fleet, tree)
        schemas = fleet_schemas(done.fleet, own.value)
        guardrails = compile_guardrails(done.fleet, schema_sets(done.fleet, schemas))
        done.exemptions, complaints = read_exemptions(done.fleet, guardrails.value.mandatory())
        found.extend((*policy.diagnostics, *own.diagnostics, *guardrails.diagnostics, *complaints))
    if done.failed():
        return done
    with done.profile.measure("placement"):
        terms = policy.value.extra_score if policy.value.has_terms else None
        done.placer = Placer(done.fleet, policy.value, terms)
        done.plan = done.placer.plan(options.previous, upgrade=options.upgrade)
        found.extend(findings(done.fleet, done.plan))
    if done.failed():
        return done

    with done.profile.measure("lower"):
        lowered = lower(done.fleet, done.plan, tree)
        found.extend(lowered.diagnostics)
        done.lowered = lowered.value
    with done.profile.measure("render"):
        templates = template_set(tree, lowered.value.component_templates)
        folded = fold(done.fleet, lowered.value.propagated, templates)
        manifests = (*lowered.value.manifests, *folded.value)
        rendered = render(manifests, templates)
        spaces = component_namespaces(done.fleet, rendered.value, lowered.value.components, schemas, templates)
        if spaces.value:
            manifests = (*manifests, *spaces.value)
            rendered = merged(rendered, render(spaces.value, templates))
        units = units_of(manifests)
        found.extend((*folded.diagnostics, *rendered.diagnostics, *spaces.diagnostics))
    if done.failed():
        return done
    with done.profile.measure("ownership"):
        targets = {unit.target.name: unit.target for unit in units}
        owned = assign_ownership(done.fleet, rendered.value, type_lookup(schemas, targets), templates)
        found.extend(owned.diagnostics)
        done.ownership = owned.value
    with done.profile.measure("gitops"):
        ignores = engine_ignores(owned.value, units)
        engines = render(lower_engines(done.fleet, units, rendered.value, ignores), templates)
        found.extend(engines.diagnostics)
        objects = tuple(sorted((*rendered.value, *engines.value), key=lambda o: o.path))
        done.rendered = RenderedTree(units, objects, kustomizations(objects))
    with done.profile.measure("validate"):
        refused = validate(objects, schemas, templates)
        found.extend((*refused, *rule_skew(objects, schemas)))
    if refused:  # rules about rendered objects expect the shape that the API server insists on
        return done
    with done.profile.measure("kueue"):
        found.extend(kueue_findings(done.fleet, done.plan, objects, templates))
    with done.profile.measure("guard"):
        guarded = guard(done.fleet, objects, guardrails.value, done.exemptions, schemas, templates)
        found.extend(guarded.diagnostics)
        done.guarded = guarded.value
    if done.failed():
        return done
    done.files = _files(done.fleet, done.plan, done.rendered, lowered.value.components)
    return done


def _input_problems(tree: SourceTree, definitions: tuple[str, ...]) -> tuple[Problem, ...]:
    """What is wrong with the files as text; definitions of custom kinds are read as the API server reads them."""
    below = tuple(f"{path.strip('/')}/" for path in definitions)
    style = (ProblemKind.AMBIGUOUS_SCALAR, ProblemKind.MERGE_KEY, ProblemKind.UNSUPPORTED_TAG)
    return tuple(p for p in tree.problems if p.kind not in style or not f"{p.path}/".startswith(below))


def _files(
    fleet: Fleet, plan: PlacementPlan, rendered: RenderedTree, components: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Everything that goes below `rendered/` besides the lock."""
    files = {made.path: made.text for made in rendered.objects}
    files.update(rendered.files)
    ledger = ledger_document(fleet, plan)
    files["plan.json"] = plan_text(
        plan_document(fleet, plan, {name: list(clusters) for name, clusters in components.items()}, ledger)
    )
    return files


def template_set(tree: SourceTree, components: Mapping[str, str] | None = None) -> TemplateSet:
    """Built-in templates, with those of the same name in the workspace's `templates/` in their place, sandboxed.

    `components` are the components' own templates by path, sandboxed as well.
    """
    own = {t.path.removeprefix("templates/"): t.text for t in tree.templates if t.path.startswith("templates/")}
    builtin = builtin_templates()
    own = {name: text for name, text in own.items() if builtin.get(name) != text}
    paths = {name: f"templates/{name}" for name in own}
    theirs = dict(components or {})
    return TemplateSet({**builtin, **own, **theirs}, sandboxed={**own, **theirs}, paths=paths)
