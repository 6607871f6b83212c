"""The formats for programs: read back with other people's parsers and held against their standards."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

import jsonschema  # type: ignore[import-untyped]
import pytest

from stowplan.diagnostics.model import Applicability, Diagnostic, Label, Severity, Suggestion, error, warning
from stowplan.diagnostics.render import FORMATS, render
from stowplan.rules.registry import REGISTRY
from stowplan.source.files import SourceTree
from stowplan.source.span import Origin, Span

TREE = SourceTree.from_texts(
    {"fleet/a b.yaml": "# c\nkind: yes\nname: \u540d\nlist: [1,\n  2]\n", "fleet/z.yaml": "a: 1\n"}
)
PATH = "fleet/a b.yaml"
KIND, LIST = Origin(PATH, 0, ("kind",)), Origin(PATH, 0, ("list",))
FINDINGS = (
    error(
        "SP0104", "ambiguous `yes`, 100 %: a::b", KIND, "here", secondary=[Label(Origin("fleet/z.yaml", 0, ("a",)), "there")],
        notes=["n1", "n2\nmore"], helps=["h <&> \"'"], targets=("eu", "us"),
        suggestions=[Suggestion(KIND, '"yes"', Applicability.UNSAFE), Suggestion(KIND, "x", Applicability.DISPLAY_ONLY)],
    ),
    warning("SP0105", "spread out", LIST),
    Diagnostic("SP0112", Severity.NOTE, "odd \x1b\x00 text", Label(None), subject="cluster/eu node/gpu-1"),
    error("SP8888", "not in the catalogue", Origin("fleet/none.yaml", 3, ("x", 0))),
)  # fmt: skip


def rendered(form: str, findings: tuple[Diagnostic, ...] = FINDINGS) -> str:
    return render(findings, form, TREE, catalogue=REGISTRY)


def test_json() -> None:
    document = json.loads(rendered("json"))
    assert document["schema_version"] == 1
    first = document["diagnostics"][0]
    assert list(first) == [
        "code", "name", "severity", "message", "primary", "secondary", "notes", "helps", "suggestions", "subject", "targets",
    ]  # fmt: skip
    assert first["name"] == "ambiguous-plain-scalar" and first["severity"] == "error"
    span = {"line": 2, "column": 7, "end_line": 2, "end_column": 10}
    assert first["primary"] == {"path": PATH, "span": span, "document": 0, "pointer": "kind", "text": "here"}
    assert first["suggestions"][0] == {"path": PATH, "span": span, "replacement": '"yes"', "applicability": "unsafe"}
    assert first["targets"] == ["eu", "us"]
    unplaced = next(d for d in document["diagnostics"] if d["code"] == "SP8888")
    assert unplaced["primary"]["span"] is None and unplaced["primary"]["pointer"] == "x[0]" and unplaced["name"] is None


def test_jsonl_holds_what_json_holds() -> None:
    lines = [json.loads(line) for line in rendered("jsonl").splitlines()]
    assert [{"schema_version": 1} | one for one in json.loads(rendered("json"))["diagnostics"]] == lines


REGION = {
    "type": "object", "required": ["startLine"], "additionalProperties": False,
    "properties": {name: {"type": "integer", "minimum": 1} for name in ("startLine", "startColumn", "endLine", "endColumn")},
}  # fmt: skip
ARTIFACT = {
    "type": "object", "required": ["uri"], "additionalProperties": False,
    "properties": {"uri": {"type": "string", "pattern": "^[A-Za-z0-9._~/%-]+$"}},
}  # fmt: skip
MESSAGE = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
LOCATION: dict[str, Any] = {
    "type": "object", "additionalProperties": False,
    "properties": {
        "id": {"type": "integer", "minimum": 0},
        "message": MESSAGE,
        "physicalLocation": {
            "type": "object", "required": ["artifactLocation"], "additionalProperties": False,
            "properties": {"artifactLocation": ARTIFACT, "region": REGION},
        },
        "logicalLocations": {
            "type": "array", "minItems": 1,
            "items": {"type": "object", "properties": {"fullyQualifiedName": {"type": "string"}, "kind": {"type": "string"}}},
        },
    },
}  # fmt: skip
REPLACEMENT = {
    "type": "object", "required": ["deletedRegion"], "additionalProperties": False,
    "properties": {"deletedRegion": REGION, "insertedContent": MESSAGE},
}  # fmt: skip
FIX = {
    "type": "object", "required": ["artifactChanges"], "additionalProperties": False,
    "properties": {
        "description": MESSAGE,
        "artifactChanges": {
            "type": "array", "minItems": 1,
            "items": {
                "type": "object", "required": ["artifactLocation", "replacements"], "additionalProperties": False,
                "properties": {
                    "artifactLocation": ARTIFACT,
                    "replacements": {"type": "array", "minItems": 1, "items": REPLACEMENT},
                },
            },
        },
    },
}  # fmt: skip
RESULT = {
    "type": "object", "required": ["message"], "additionalProperties": False,
    "properties": {
        "ruleId": {"type": "string"}, "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["none", "note", "warning", "error"]}, "message": MESSAGE,
        "locations": {"type": "array", "items": LOCATION},
        "relatedLocations": {"type": "array", "items": LOCATION, "uniqueItems": True},
        "fixes": {"type": "array", "items": FIX, "uniqueItems": True},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}  # fmt: skip
RULE = {
    "type": "object", "required": ["id"], "additionalProperties": False,
    "properties": {
        "id": {"type": "string"}, "name": {"type": "string"}, "shortDescription": MESSAGE,
        "helpUri": {"type": "string", "format": "uri"},
    },
}  # fmt: skip
SARIF = {
    "type": "object", "required": ["version", "runs"], "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object", "required": ["tool"], "additionalProperties": False,
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"type": "array", "items": RESULT},
                    "tool": {
                        "type": "object", "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object", "required": ["name"],
                                "properties": {"rules": {"type": "array", "items": RULE, "uniqueItems": True}},
                            }
                        },
                    },
                },
            },
        },
    },
}  # fmt: skip


@pytest.mark.parametrize("findings", [FINDINGS, ()], ids=["some", "none"])
def test_sarif__structure(findings: tuple[Diagnostic, ...]) -> None:
    """What sections 3.13 to 3.57 of the standard require of the objects that occur."""
    log = json.loads(rendered("sarif", findings))
    jsonschema.validate(log, SARIF)
    [run] = log["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        identifiers = [location["id"] for location in result.get("relatedLocations", ())]
        assert len(identifiers) == len(set(identifiers))


def test_sarif__content() -> None:
    results = json.loads(rendered("sarif"))["runs"][0]["results"]
    first = next(r for r in results if r["ruleId"] == "SP0104")
    physical = first["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "fleet/a%20b.yaml"
    assert physical["region"] == {"startLine": 2, "startColumn": 7, "endLine": 2, "endColumn": 10}
    assert first["relatedLocations"][0]["message"]["text"] == "there"
    assert len(first["fixes"]) == 1, "an edit that is only for display is no fix"
    assert {r["ruleId"]: r["level"] for r in results} == {
        "SP0104": "error", "SP0105": "warning", "SP0112": "note", "SP8888": "error",
    }  # fmt: skip
    unplaced = next(r for r in results if r["ruleId"] == "SP0112")
    assert unplaced["locations"] == [
        {"logicalLocations": [{"fullyQualifiedName": "cluster/eu node/gpu-1", "kind": "resource"}]}
    ]


def test_github() -> None:
    lines = rendered("github").splitlines()
    assert len(lines) == len(FINDINGS)
    pattern = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)")
    commands = [pattern.fullmatch(line) for line in lines]
    assert all(commands)
    by_title = {re.search(r"title=(\w+)", c[2])[1]: c for c in commands if c}  # type: ignore[index]
    first = by_title["SP0104"]
    assert first[1] == "error"
    assert first[2] == f"file={PATH},line=2,endLine=2,col=7,endColumn=10,title=SP0104 ambiguous-plain-scalar"
    assert first[3].startswith("ambiguous `yes`, 100 %25: a::b%0Ahere%0Anote: n1%0Anote: n2%0Amore%0Ahelp: h")
    assert "col" not in by_title["SP0105"][2] and "endLine=5" in by_title["SP0105"][2]
    assert by_title["SP0112"][1] == "notice" and "file" not in by_title["SP0112"][2]


def test_gitlab() -> None:
    issues = json.loads(rendered("gitlab"))
    for issue in issues:
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert issue["location"]["path"] and issue["location"]["lines"]["begin"] >= 1
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


def fingerprints_of(text: str, *findings: Diagnostic) -> list[str]:
    tree = SourceTree.from_texts({PATH: text})
    return [issue["fingerprint"] for issue in json.loads(render(findings, "gitlab", tree))]


def test_fingerprints_stay_when_lines_move() -> None:
    text, moved = "kind: a\n", "# one\n\n# two\nkind: a\n"
    assert fingerprints_of(text, error("SP0201", "m", KIND)) == fingerprints_of(moved, error("SP0201", "m", KIND))
    at, later = Span(PATH, 1, 7, 1, 8), Span(PATH, 4, 7, 4, 8)
    assert fingerprints_of(text, error("SP0201", "m", at)) == fingerprints_of(moved, error("SP0201", "m", later))
    assert fingerprints_of(text, error("SP0201", "m", at)) != fingerprints_of(text, error("SP0201", "n", at))


def test_fingerprints_differ_for_equal_findings() -> None:
    spans = [Span(PATH, line, 1, line, 2) for line in (1, 2)]
    assert len(set(fingerprints_of("- x\n- x\n", *(error("SP0201", "m", at) for at in spans)))) == 2


def test_junit() -> None:
    root = ElementTree.fromstring(rendered("junit"))
    cases = root.findall("testsuite/testcase")
    assert len(cases) == int(root.get("tests", "0")) == len(FINDINGS)
    failures = root.findall("testsuite/testcase/failure")
    assert len(failures) == int(root.get("failures", "0")) == 2
    for suite in root:
        assert int(suite.get("tests", "0")) == len(suite)
        assert int(suite.get("failures", "0")) == len(suite.findall("testcase/failure"))
    assert failures[0].get("message") == "ambiguous `yes`, 100 %: a::b"
    assert "help: h <&> \"'" in (failures[0].text or "")


def test_junit__nothing_found_is_one_passed_case() -> None:
    root = ElementTree.fromstring(rendered("junit", ()))
    assert len(root.findall("testsuite/testcase")) == 1 and not root.findall("testsuite/testcase/failure")


@pytest.mark.parametrize("form", FORMATS)
def test_every_format__same_for_any_order(form: str) -> None:
    assert rendered(form) == rendered(form, FINDINGS[::-1] + FINDINGS)
