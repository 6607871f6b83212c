"""THE page: all passes in order. Everything else is a detail of one of these lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from stowplan.diagnostics.echoes import without_echoes
from stowplan.diagnostics.from_source import diagnose_problems
from stowplan.diagnostics.model import Diagnostic, Outcome, Severity
from stowplan.diagnostics.suppression import apply_suppressions
from stowplan.emission.lock import file_digests
from stowplan.kueue.admission import Admission
from stowplan.kueue.changes import kueue_refusals
from stowplan.kueue.findings import judged_tree, kueue_findings
from stowplan.kueue.ledger import ledger_document
from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Lowered, Unit
from stowplan.model.plan import PlacementPlan
from stowplan.model.previous import Changes, PreviousTree
from stowplan.model.rendered import RenderedObject, RenderedTree
from stowplan.ownership.ownermap import OwnershipMap
from stowplan.passes.changes import change_findings, find_changes, refused_changes, updates_in_place
from stowplan.passes.gitops import engine_kinds, kustomizations, lower_engines
from stowplan.passes.load import Loaded, component_folders, definition_paths, load
from stowplan.passes.lower import lower, units_of
from stowplan.passes.lower.components import component_namespaces, component_problems
from stowplan.passes.lower.karmada import fold
from stowplan.passes.lower.readers import drift_readers
from stowplan.passes.overrides import idle_templates
from stowplan.passes.ownership import assign_ownership, engine_ignores, type_lookup
from stowplan.passes.placement import Placer
from stowplan.passes.placement.findings import findings
from stowplan.passes.placement.problem import Previous
from stowplan.passes.render import merged, render
from stowplan.passes.resolve import resolve
from stowplan.passes.settling import settled
from stowplan.passes.validate import SchemasFor, validate
from stowplan.passes.warned import server_warnings
from stowplan.policies.exemptions import Exemptions, read_exemptions
from stowplan.policies.guard import Guardrails, GuardReport, compile_guardrails, guard
from stowplan.policies.placement import PlacementRules, compile_placement
from stowplan.policies.podsecurity import pod_security
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


_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Options:
    """What a compile depends on besides the workspace's files: what the lock decided, and the tree as it was."""

    as_of: datetime | None = None
    upgrade: bool = False
    previous: Mapping[str, Sequence[Previous]] = field(default_factory=dict)
    tree_before: PreviousTree | None = None


@dataclass(slots=True)
class Compilation:
    """Everything a compile made, as far as it came. `files` is complete only where no error stopped it.

    `speaks_of_changes` says that findings depend on what the tree was before, so that they are gone once it is written.
    """

    tree: SourceTree
    diagnostics: list[Diagnostic] = field(default_factory=list)
    fleet: Fleet | None = None
    placer: Placer | None = None
    plan: PlacementPlan | None = None
    lowered: Lowered | None = None
    ownership: OwnershipMap | None = None
    rendered: RenderedTree | None = None
    admissions: Mapping[str, Admission] = field(default_factory=dict)
    exemptions: Exemptions | None = None
    guarded: GuardReport | None = None
    files: dict[str, str] | None = None
    digests: dict[str, str] = field(default_factory=dict)
    speaks_of_changes: bool = False
    lock_was_sound: bool = True
    profile: Profile = field(default_factory=Profile)

    def failed(self) -> bool:
        """Whether any finding so far is an error."""
        return any(d.severity is Severity.ERROR for d in self.diagnostics)

    def take(self, outcome: Outcome[_Value]) -> _Value:
        """The value of an outcome; its findings join those so far."""
        self.diagnostics.extend(outcome.diagnostics)
        return outcome.value


def compile_workspace(tree: SourceTree, options: Options | None = None) -> Compilation:
    """Runs the passes; stops after the pass that found errors, with all that it found.

    Errors that stopped it stay errors, whoever allows them: there is nothing to write.
    """
    done = _run(tree, options or Options())
    found = done.diagnostics
    done.diagnostics = list(_settle(done))
    if done.failed():
        done.files = None
    elif done.files is None:
        done.diagnostics.extend(_not_forgivable(found, tree))
    return done


def _not_forgivable(found: list[Diagnostic], tree: SourceTree) -> Iterator[Diagnostic]:
    """The errors that a pass stopped for, where all of them were suppressed or exempt: nothing can be made of that."""
    for one in without_echoes(tuple(dict.fromkeys(found)), tree.locate):
        if one.severity is Severity.ERROR:
            yield replace(one, notes=(*one.notes, "this cannot be allowed: the compile cannot go on from here"))


def _settle(done: Compilation) -> tuple[Diagnostic, ...]:
    """Findings as the user wants them: no echoes, suppressions applied, levels chosen."""
    tree = done.tree
    found = without_echoes(tuple(dict.fromkeys(done.diagnostics)), tree.locate)
    found = apply_suppressions(found, (*tree.files, *tree.templates), tree.locate, REGISTRY.codes_by_name)
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


@dataclass(frozen=True, slots=True)
class _Policies:
    """What the policies come to, and the schemas that count for each target."""

    placement: PlacementRules
    guardrails: Guardrails
    exemptions: Exemptions
    schemas_for: SchemasFor


@dataclass(frozen=True, slots=True)
class _Rendered:
    """Everything rendered before the GitOps engines' own objects, which depend on who owns what of it."""

    units: tuple[Unit, ...]
    objects: tuple[RenderedObject, ...]
    templates: TemplateSet


def _run(tree: SourceTree, options: Options) -> Compilation:
    done = Compilation(tree)
    loaded = _load(done)
    if tree.is_incomplete:
        return done
    with done.profile.measure("resolve"):
        done.fleet = done.take(resolve(loaded, options.as_of))
    if done.fleet is None or done.failed():
        return done
    policies = _read_policies(done, done.fleet)
    if done.failed():
        return done
    with done.profile.measure("placement"):
        rules = policies.placement
        terms = rules.extra_score if rules.has_terms else None
        done.placer = Placer(done.fleet, rules, terms)
        done.plan = done.placer.plan(options.previous, upgrade=options.upgrade)
        done.diagnostics.extend(findings(done.fleet, done.plan))
    if done.failed():
        return done
    with done.profile.measure("lower"):
        done.lowered = done.take(lower(done.fleet, done.plan, tree))
    made = _render(done, done.fleet, done.lowered, policies.schemas_for)
    if done.failed():
        return done
    with done.profile.measure("ownership"):
        targets = {unit.target.name: unit.target for unit in made.units}
        types = type_lookup(policies.schemas_for, targets)
        done.ownership = done.take(assign_ownership(done.fleet, made.objects, types, made.templates))
    with done.profile.measure("gitops"):
        ignores = engine_ignores(done.ownership, made.units)
        engines = done.take(render(lower_engines(done.fleet, made.units, made.objects, ignores), made.templates))
        objects = tuple(sorted((*made.objects, *engines), key=lambda o: o.path))
        done.rendered = RenderedTree(made.units, objects, kustomizations(objects))
    if _judge(done, done.fleet, done.plan, objects, policies, made.templates, options.tree_before):
        # whatever was found: levels, suppressions, and exemptions may yet forgive it
        done.files = _files(done, done.fleet, done.plan, done.rendered, done.lowered.components)
    return done


def _load(done: Compilation) -> Loaded:
    with done.profile.measure("load"):
        tree, found = done.tree, done.diagnostics
        documents = [document for file in tree.files for document in file.documents]
        found.extend(diagnose_problems(_input_problems(tree, definition_paths(documents))))
        loaded = done.take(load(documents, component_folders(documents)))
        found.extend(component_problems(loaded.entities.get("Component", ()), tree))
        found.extend(idle_templates(tree.templates, builtin_templates()) if tree.templates else ())
        return loaded


def _read_policies(done: Compilation, fleet: Fleet) -> _Policies:
    with done.profile.measure("policies"):
        placement = done.take(compile_placement(fleet))
        schemas_for = fleet_schemas(fleet, done.take(own_packs(fleet, done.tree)))
        guardrails = done.take(compile_guardrails(fleet, schema_sets(fleet, schemas_for)))
        exemptions, complaints = read_exemptions(fleet, guardrails.mandatory())
        done.exemptions = exemptions
        done.diagnostics.extend(complaints)
        return _Policies(placement, guardrails, exemptions, schemas_for)


def _render(done: Compilation, fleet: Fleet, lowered: Lowered, schemas_for: SchemasFor) -> _Rendered:
    with done.profile.measure("render"):
        templates = template_set(done.tree, lowered.component_templates)
        propagated = settled(lowered.propagated, schemas_for)
        manifests = (*settled(lowered.manifests, schemas_for), *done.take(fold(fleet, propagated, templates)))
        rendered = render(manifests, templates)
        spaces = done.take(component_namespaces(fleet, rendered.value, lowered.components, schemas_for, templates))
        kinds = engine_kinds(fleet, units_of(manifests))
        more = (*spaces, *drift_readers(fleet, rendered.value, kinds, schemas_for))
        if more:
            manifests = (*manifests, *more)
            rendered = merged(rendered, render(more, templates))
        return _Rendered(units_of(manifests), done.take(rendered), templates)


def _judge(
    done: Compilation,
    fleet: Fleet,
    plan: PlacementPlan,
    objects: tuple[RenderedObject, ...],
    policies: _Policies,
    templates: TemplateSet,
    before: PreviousTree | None,
) -> bool:
    """Judges what is rendered: as the API server, as Kueue, by guardrails; as an object, and as a change.

    False where it did not come to the latter.
    """
    with done.profile.measure("validate"):
        refused = validate(objects, policies.schemas_for, templates)
        done.diagnostics.extend((*refused, *rule_skew(objects, policies.schemas_for)))
    if refused:  # rules about rendered objects expect the shape that the API server insists on
        return False
    with done.profile.measure("validate"):
        done.diagnostics.extend(server_warnings(objects, policies.schemas_for, templates))
    with done.profile.measure("kueue"):
        tree = judged_tree(fleet, plan, objects)
        done.admissions = {admission.intent: admission for admission in tree.admissions}
        done.diagnostics.extend(kueue_findings(tree, templates))
    with done.profile.measure("changes"):
        changes = _changes(done, fleet, objects, policies, templates, before)
    with done.profile.measure("guard"):
        schemas_for, exemptions = policies.schemas_for, policies.exemptions
        judged = guard(fleet, objects, policies.guardrails, exemptions, schemas_for, templates, changes)
        done.guarded = done.take(judged)
        done.speaks_of_changes = done.speaks_of_changes or done.guarded.saw_changes
        done.diagnostics.extend(pod_security(objects, schemas_for, templates))
    return True


def _changes(
    done: Compilation,
    fleet: Fleet,
    objects: tuple[RenderedObject, ...],
    policies: _Policies,
    templates: TemplateSet,
    before: PreviousTree | None,
) -> Changes:
    if before is not None:
        done.digests = file_digests({made.path: made.text for made in objects})
    changes = find_changes(objects, done.digests, before)
    updates = updates_in_place(changes)
    refused = (*kueue_refusals(updates, fleet), *refused_changes(updates, policies.schemas_for))
    told = change_findings(refused, changes, before, templates)
    done.diagnostics.extend(told)
    done.speaks_of_changes = bool(told)
    return changes


def _input_problems(tree: SourceTree, definitions: tuple[str, ...]) -> tuple[Problem, ...]:
    """What is wrong with the files as text; definitions of custom kinds are read as the API server reads them."""
    below = tuple(f"{path.strip('/')}/" for path in definitions)
    style = (ProblemKind.AMBIGUOUS_SCALAR, ProblemKind.MERGE_KEY, ProblemKind.UNSUPPORTED_TAG)
    return tuple(p for p in tree.problems if p.kind not in style or not f"{p.path}/".startswith(below))


def _files(
    done: Compilation,
    fleet: Fleet,
    plan: PlacementPlan,
    rendered: RenderedTree,
    components: Mapping[str, Sequence[str]],
) -> dict[str, str]:
    """Everything that goes below `rendered/` besides the lock."""
    files = {made.path: made.text for made in rendered.objects}
    files.update(rendered.files)
    targets = {name: list(clusters) for name, clusters in components.items()}
    document = plan_document(fleet, plan, targets, ledger_document(fleet, plan), done.admissions)
    files["plan.json"] = plan_text(document)
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
