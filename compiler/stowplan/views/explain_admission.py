"""What Kueue would do with a workload now, in words."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.kueue.admission import Admission, OnManager, Resize, because

__all__ = ["explain_admission"]

_STATES = {
    "running": "runs", "admitted": "admitted now", "reserved": "gets quota now", "waiting": "waits", "never": "never admitted",
}  # fmt: skip


_ON_MANAGER = {"reserved": "quota is reserved", "waiting": "waits, and is sent nowhere", "never": "never admitted"}
_OPTIONS = {
    "takes": "takes it", "could": "has room just as soon, and may take it first", "later": "is not asked, others come before",
    "waiting": "waits there", "never": "never admitted there",
}  # fmt: skip


def explain_admission(admission: Admission) -> Iterator[str]:
    """The manager's part where there is one, then one line for the outcome, and one for each reason."""
    if admission.manager is not None:
        yield from _on_manager(admission, admission.manager)
    if admission.is_kept_back:
        return
    text = f"Kueue, queue {admission.queue}: {_STATES[admission.state]}"
    if admission.state in ("admitted", "reserved") and admission.flavor is not None:
        text += f" on {admission.flavor}"
        text += f" in domain {'/'.join(admission.domain)}" if admission.domain else ""
        text += ", on borrowed quota" if admission.borrows else ""
    if admission.checks:
        text += _checks(admission.checks)
    if admission.preempts:
        text += f", by preempting {_listed(admission.preempts)}"
    if admission.after:
        text += f"; admitted after {_listed(admission.after)}"
    yield text
    if admission.preempted is not None:
        yield f"    preempted by {admission.preempted.by}: {because(admission.preempted.reason)}"
    for reason in admission.why:
        yield f"    {reason}"
    for option in admission.options:
        yield f"    {option.cluster}: {'; '.join((_OPTIONS[option.state], *option.why))}"
    if admission.resize is not None:
        yield from _resize(admission.resize)


def _resize(resize: Resize) -> Iterator[str]:
    """One line for the size that running work is to have, and one for each reason."""
    text = f"    with {resize.pods_before} of {resize.pods} pods"
    if resize.state == "shrinks":
        text = f"    with {resize.pods_before} pods, of which {resize.pods} stay"
    elif resize.state in ("admitted", "reserved"):
        text += "; the others " + ("are admitted now" if resize.state == "admitted" else "get quota now")
    else:
        text += "; the others " + ("wait" if resize.state == "waiting" else "are never admitted")
    if resize.checks:
        text += f"; admitted once {_listed(resize.checks)} {'is' if len(resize.checks) == 1 else 'are'} ready"
    if resize.after:
        text += f"; admitted after {_listed(resize.after)}"
    yield text
    for reason in resize.why:
        yield f"        {reason}"


def _on_manager(admission: Admission, part: OnManager) -> Iterator[str]:
    text = f"Kueue on the manager {part.cluster}, queue {part.queue}: {_ON_MANAGER[part.state]}"
    text += ", on borrowed quota" if part.borrows else ""
    text += _checks(part.checks) if part.checks else ""
    text += f", by preempting {_listed(part.preempts)}" if part.preempts else ""
    text += f"; admitted after {_listed(admission.after)}" if admission.is_kept_back and admission.after else ""
    yield text
    if part.preempted is not None:
        yield f"    preempted by {part.preempted.by}: {because(part.preempted.reason)}"
    for reason in part.why:
        yield f"    {reason}"


def _checks(names: tuple[str, ...]) -> str:
    return f"; admitted once {_listed(names)} {'is' if len(names) == 1 else 'are'} ready"


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
