"""What Kueue would do with a workload now, in words."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.kueue.admission import Admission, because

__all__ = ["explain_admission"]

_STATES = {
    "running": "runs", "admitted": "admitted now", "reserved": "gets quota now", "waiting": "waits", "never": "never admitted",
}  # fmt: skip


def explain_admission(admission: Admission) -> Iterator[str]:
    """One line for the outcome, and one for each reason."""
    text = f"Kueue, queue {admission.queue}: {_STATES[admission.state]}"
    if admission.state in ("admitted", "reserved") and admission.flavor is not None:
        text += f" on {admission.flavor}"
        text += f" in domain {'/'.join(admission.domain)}" if admission.domain else ""
        text += ", on borrowed quota" if admission.borrows else ""
    if admission.checks:
        text += f"; admitted once {_listed(admission.checks)} {'is' if len(admission.checks) == 1 else 'are'} ready"
    if admission.preempts:
        text += f", by preempting {_listed(admission.preempts)}"
    if admission.after:
        text += f"; admitted after {_listed(admission.after)}"
    yield text
    if admission.preempted is not None:
        yield f"    preempted by {admission.preempted.by}: {because(admission.preempted.reason)}"
    for reason in admission.why:
        yield f"    {reason}"


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
