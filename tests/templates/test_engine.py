"""Rendering: values stay data, mistakes are diagnostics at the template's line, hostile templates are stopped."""

from __future__ import annotations

import time
from types import MappingProxyType

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from stowplan.diagnostics.model import Diagnostic
from stowplan.source.span import Span
from stowplan.source.yaml_writer import dumps
from stowplan.templates.engine import TemplateSet
from stowplan.templates.marks import CLOSE, OMIT, OPEN


def render(template: str, sandboxed: bool = False, **variables: object) -> list[object]:
    templates = TemplateSet({"t.yaml.j2": template}, sandboxed=["t.yaml.j2"] if sandboxed else [])
    outcome = templates.render("t.yaml.j2", variables)
    assert not outcome.diagnostics, outcome.diagnostics
    for rendered in outcome.value:
        assert rendered.text == dumps(rendered.object)
        assert yaml.load(rendered.text, yaml.CSafeLoader) == rendered.object
    return [rendered.object for rendered in outcome.value]


def failure(template: str, sandboxed: bool, variables: dict[str, object]) -> Diagnostic:
    templates = TemplateSet({"t": template}, sandboxed=["t"] if sandboxed else [])
    outcome = templates.render("t", variables)
    assert outcome.value == ()
    (diagnostic,) = outcome.diagnostics
    return diagnostic


def place(diagnostic: Diagnostic) -> tuple[str, int, int, int]:
    span = diagnostic.primary.at
    assert isinstance(span, Span)
    return span.path, span.line, span.column, span.end_column


EVIL = "a: b\n- c\n---\n!!python/object/apply:os.system ['x']"

TYPED = [
    ("k: {{ x }}", {"x": 1}, {"k": 1}),
    ("k: {{ x }}", {"x": "1"}, {"k": "1"}),
    ("k: '{{ x }}'", {"x": 1}, {"k": "1"}),
    ("k: {{ x }}/{{ x }}", {"x": 1}, {"k": "1/1"}),
    ("k: {{ x }}", {"x": {"b": [1], "a": None}}, {"k": {"a": None, "b": [1]}}),
    ("k: {{ x }}", {"x": MappingProxyType({"b": (1,)})}, {"k": {"b": [1]}}),
    ('k: {{ "a: b\n- c" }}', {}, {"k": "a: b\n- c"}),
    ("k: {{ 'yes' }}", {}, {"k": "yes"}),
    ("k: {{ x }}", {"x": EVIL}, {"k": EVIL}),
    ("{{ x }}: {{ x }}", {"x": EVIL}, {EVIL: EVIL}),
    ("k: # {{ x }}\n  1", {"x": EVIL}, {"k": 1}),
    ("k: {{ x }}\nl: {{ omit }}\nm: {{ y }}\n", {"x": 1, "y": OMIT}, {"k": 1}),
    ("k: {{ x if x else omit }}\nl: 1", {"x": ""}, {"l": 1}),
    ("k:\n{% for q in x %}\n- name: {{ q.name }}\n  i: {{ loop.index }}\n{% endfor %}\n",
     {"x": [{"name": "a"}, {"name": "no"}]}, {"k": [{"name": "a", "i": 1}, {"name": "no", "i": 2}]}),
    ("{% for k, v in x | items %}\n{{ k }}: {{ v }}\n{% endfor %}\n", {"x": {"b": 1, "a": 2}}, {"a": 2, "b": 1}),
    ("k: {{ x.items }}\nl: {{ x.values }}\n", {"x": {"items": 1, "values": 2}}, {"k": 1, "l": 2}),
    ("{% macro m(a) %}\nl:\n  v: {{ a }}\n{% endmacro %}\n{{ m(x) }}", {"x": [1]}, {"l": {"v": [1]}}),
    ("{% set t %}{{ x }}-{{ x }}{% endset %}\nk: {{ t }}\n", {"x": 1}, {"k": "1-1"}),
    ("k: |\n  #!/bin/sh\n  echo {{ x }}\n", {"x": "$(rm)"}, {"k": "#!/bin/sh\necho $(rm)\n"}),
    ("k: {{ x | default(3) }}\n", {}, {"k": 3}),
    ("k: {{ x ~ '-a' }}\n", {"x": 1}, {"k": "1-a"}),
    ("k: {{ {'a': [x, x]} }}\n", {"x": 1}, {"k": {"a": [1, 1]}}),
]  # fmt: skip


@pytest.mark.parametrize("sandboxed", [False, True])
@pytest.mark.parametrize(("template", "variables", "wanted"), TYPED)
def test_render__what_braces_yield_is_data(
    template: str, variables: dict[str, object], wanted: object, sandboxed: bool
) -> None:
    assert render(template, sandboxed, **variables) == [wanted]


def test_render__several_documents_and_none() -> None:
    assert render("a: {{ x }}\n---\n---\nb: {{ y }}\n", x=1, y=2) == [{"a": 1}, {"b": 2}]
    assert render("# nothing {{ x }}\n", x=1) == []


def test_render__a_path_through_a_template_is_one_shape() -> None:
    templates = TemplateSet({"t": "k: {{ x }}\n{% if y %}\nl: {{ y }}\n{% endif %}\n"})
    first = templates.render("t", {"x": 1, "y": 0}).value[0]
    second = templates.render("t", {"x": "a: b", "y": 0}).value[0]
    third = templates.render("t", {"x": 1, "y": 2}).value[0]
    assert first.shape is second.shape
    assert third.shape is not first.shape
    assert templates.n_shapes == 2
    assert (second.object, third.object) == ({"k": "a: b"}, {"k": 1, "l": 2})


def test_render__text_that_is_made_and_not_used_does_no_harm() -> None:
    templates = TemplateSet({"t": "k: {{ x }}\n{% if y %}{% set unused %}{{ y }}{% endset %}{% endif %}\n"})
    for y in (0, 1, 0):
        assert templates.render("t", {"x": 5, "y": y}).value[0].object == {"k": 5}
    assert templates.n_shapes == 1


@settings(max_examples=150, deadline=None)
@given(
    st.recursive(
        st.one_of(
            st.text(alphabet=st.characters(exclude_characters=OPEN, exclude_categories=["Cs"]), max_size=9),
            st.integers(-9, 9),
            st.booleans(),
            st.none(),
        ),
        lambda i: st.one_of(
            st.lists(i, max_size=3),
            st.dictionaries(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=5), i, max_size=3),
        ),
        max_leaves=5,
    )
)
def test_any_value_stands_as_it_is(value: object) -> None:
    assert render("k: {{ x }}\nl: [{{ x }}]\n", x=value) == [{"k": value, "l": [value]}]


FAILURES = [
    # template, variables, code, (line, column, end column), words
    ("a: 1\nk: {{ nam }}\n", {"name": 1}, "SP0712", (2, 7, 10), "did you mean `name`"),
    ("k: {{ x.nam }}\n", {"x": {"name": 1}}, "SP0712", (1, 9, 12), "did you mean `name`"),
    ("k: 1\n{% if x.y.z %}\n{% endif %}\n", {"x": {}}, "SP0712", (2, 9, 10), "field `y`"),
    ("{% for i in xs %}\n{% endfor %}\n", {}, "SP0712", (1, 13, 15), "`xs`"),
    ("k: 1\n{% if %}\n", {}, "SP0711", (2, 1, 9), "syntax"),
    ("k: 1\nl: {{ x | nosuch }}\n", {}, "SP0711", (2, 1, 20), "nosuch"),
    ("k: 1\n{% endfor %}\n", {}, "SP0711", (2, 1, 13), "endfor"),
    ("k: 1\n\nl: {{ 1 // x }}\n", {"x": 0}, "SP0713", (3, 1, 16), "zero"),
    ("k: {{ x + 'a' }}\n", {"x": 0}, "SP0713", (1, 1, 17), "unsupported"),
    ("{% if x %}\nk: [\n{% endif %}\nl: 1\n", {"x": 1}, "SP0714", (4, 1, 5), "YAML"),
    ("k: 1\n{% if x %}\n\nk: 2\n{% endif %}\n", {"x": 1}, "SP0714", (4, 1, 5), "twice"),
    ("{% for i in x %}\nk: {{ i }}\n{% endfor %}\n", {"x": [1, 2]}, "SP0714", (2, 1, 11), "twice"),
    ("k: {{ x }}\nl: yes\n", {"x": 1}, "SP0714", (2, 1, 7), "ambiguous"),
    ("k: {{ x }} {{ omit }}\n", {"x": 1}, "SP0714", (1, 1, 22), "omit"),
    ("a: 1\nk: x-{{ spec.name }}\n", {"spec": {"name": None}}, "SP0715", (2, 14, 18), "`spec.name`"),
    ("a: 1\n{{ x }}: 1\n", {"x": "a"}, "SP0715", (2, 4, 5), "twice"),
    ("a: 1\n\nk: {{ x }}\n", {"x": float("inf")}, "SP0715", (3, 7, 8), "finite"),
    ("a: {{ x | map('upper') }}\n", {"x": ["a"]}, "SP0715", (1, 7, 8), "plain data"),
    ("a: 1\n{% include 'nosuch' %}\n", {}, "SP0718", (2, 13, 19), "nosuch"),
    ("{% macro m() %}{{ x }}{% endmacro %}\nk: {{ m() | upper }}\n", {"x": 1}, "SP0719", (2, 1, 21), "macro"),
    ("{% macro m() %}{{ x }}{% endmacro %}\n{% if m() == 'a' %}{% endif %}\n", {"x": 1}, "SP0719", (2, 1, 31), "macro"),
    ("k: {{ x }}\n", {"x": f"{OPEN}0{CLOSE}"}, "SP0719", (1, 1, 11), "reserved"),
    (f"a: 1\nk: {OPEN}0{CLOSE}\n", {"x": 1}, "SP0711", (2, 1, 7), "private use"),
    ('a: {{ x }}\nk: "\\ue0000\\ue001"\n', {"x": 1}, "SP0714", (2, 1, 19), "kept for values"),
    ("- {{ x }}\n", {"x": 1}, "SP0714", (1, 1, 10), "must be a mapping"),
    ("k: !!python/name:os.system {{ x }}\n", {"x": 1}, "SP0714", (1, 1, 35), "tag"),
    ("{% macro m(n) %}{{ m(n) }}{% endmacro %}\nk: {{ m(1) }}\n", {}, "SP0716", (1, 1, 41), "deep"),
]  # fmt: skip


@pytest.mark.parametrize("sandboxed", [False, True])
@pytest.mark.parametrize(("template", "variables", "code", "where", "words"), FAILURES)
def test_failures__code_and_place(
    template: str, variables: dict[str, object], code: str, where: tuple[int, int, int], words: str, sandboxed: bool
) -> None:
    diagnostic = failure(template, sandboxed, variables)
    assert (diagnostic.code, place(diagnostic)) == (code, ("t", *where)), diagnostic
    assert words in " ".join((diagnostic.message, *diagnostic.helps, *diagnostic.notes))


def test_failures__in_an_included_file_name_both_places() -> None:
    templates = TemplateSet(
        {"a": "k: 1\n{% include 'b' %}\n", "b": "l: 1\n\nm: {{ nosuch }}\n"}, paths={"b": "templates/b.yaml.j2"}
    )
    (diagnostic,) = templates.render("a", {}).diagnostics
    assert place(diagnostic) == ("templates/b.yaml.j2", 3, 7, 13)
    (caller,) = diagnostic.secondary
    assert isinstance(caller.at, Span)
    assert (caller.at.path, caller.at.line) == ("a", 2)


def test_failures__unknown_template() -> None:
    (diagnostic,) = TemplateSet({}).render("nosuch", {}).diagnostics
    assert diagnostic.code == "SP0718"


def test_failures__leave_nothing_behind() -> None:
    templates = TemplateSet({"t": "k: {{ x }}\nl: {{ x.y }}\n"})
    assert templates.render("t", {"x": {}}).failed
    assert templates.render("t", {"x": {"y": 1}}).value[0].object == {"k": {"y": 1}, "l": 1}


HOSTILE = [
    "{{ ''.__class__.__mro__ }}",
    "{{ x.__class__ }}",
    "{{ x['__class__'] }}",
    "{{ self.__init__.__globals__ }}",
    "{{ range.__self__ }}",
    "{{ omit.__class__ }}",
    "{{ (x | map(attribute='__class__') | list) }}",
    "{{ '%1000000000d' % 1 }}",
    "{{ '{:1000000000}'.format(1) }}",
    "{{ 'a'.ljust(1000000000) }}",
    "{{ 'a' | center(1000000000) }}",
    "{{ 'a' | format }}",
    "{{ 'a' * 1000000000 }}",
    "{{ [1] * 1000000000 }}",
    "{{ 1000000000 * 'a' }}",
    "{{ 9 ** 9 ** 9 }}",
    "{{ 2 | round(1000000000) }}",
    "{{ 'aaaa' * 999 | replace('a', 'b' * 9999) }}",
    "{% set a = 'a' * 9999 %}{{ a | replace('a', a) }}",
    "{% set n = namespace(a='aaaaaaaa') %}{% for i in range(99) %}{% set n.a = n.a ~ n.a %}{% endfor %}{{ n.a }}",
    "{% set n = namespace(a='aaaaaaaa') %}{% for i in range(99) %}{% set n.a = n.a + n.a %}{% endfor %}{{ n.a }}",
    "{% set n = namespace(a=[1]) %}{% for i in range(99) %}{% set n.a = n.a + n.a %}{% endfor %}{{ n.a }}",
    "{% set n = namespace(a=[1]) %}{% for i in range(99) %}{% set n.a = [n.a, n.a] %}{% endfor %}{{ n.a }}",
    "{% set n = namespace(a=[1]) %}{% for i in range(99) %}{% set n.a = {'a': n.a, 'b': n.a} %}{% endfor %}{{ n.a }}",
    "{% set n = namespace(a=1) %}{% for i in range(99) %}{% set n.a = dict(a=n.a, b=n.a) %}{% endfor %}{{ n.a }}",
    "{% set n = namespace(a=1) %}{% for i in range(99) %}{% set n.a = n.a, n.a %}{% endfor %}{{ n.a }}",
    "{% set n = namespace(a=9) %}{% for i in range(99) %}{% set n.a = n.a * n.a %}{% endfor %}{{ n.a }}",
    "{% for i in range(1000000000) %}{% endfor %}",
    "{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}",
    "{% for i in range(9999) %}{% set a = range(9999) | list %}{% endfor %}",
    "{% for i in range(9999) %}{% for j in range(999) %}- aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n{% endfor %}{% endfor %}",
    "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
    "{% macro m(n) %}{{ m(n) }}{% endmacro %}{{ m(60) }}",
    "{% include 't' %}",
    "{% include 't' ignore missing %}{% include 't' ignore missing %}",
    "{% extends 't' %}",
    "{% for i in x recursive %}{{ loop(x) }}{{ loop(x) }}{% endfor %}",
    "{{ x | map('pprint') | list }}",
    "{{ lipsum() }}",
    "{{ cycler }}",
    "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "{{ " + "[" * 500 + "1" + "]" * 500 + " }}",
    "{{ " + "-" * 20000 + "1 }}",
    "".join("{% for i in x %}" for _ in range(40)) + "a" + "{% endfor %}" * 40,
    "{% set a = 'b' * 9999 %}{% for i in range(9999) %}{{ a }}{% endfor %}",
    "{% macro m() %}" + "y" * 9999 + "{% endmacro %}{% for i in range(9999) %}{{ m() }}{% endfor %}",
    "{% set a %}{% for i in range(9999) %}" + "y" * 9999 + "{% endfor %}{% endset %}",
    "{{ [x, x] | join('y' * 9999) }}{{ range(9999) | join('y' * 9999) }}",
    "{% set a = range(9999) | list %}{% for i in a %}{% for j in a %}{% if -1 in a %}{% endif %}{% endfor %}{% endfor %}",
    "{% set a = range(9999) | list %}{% for i in a %}{% for j in a %}{% set b = a[:] %}{% endfor %}{% endfor %}",
    "{{ ([[1]] * 9999) | sum(start=[]) }}",
]  # fmt: skip


@pytest.mark.parametrize("template", HOSTILE, ids=range(len(HOSTILE)))
def test_sandbox__hostile_templates_are_stopped(template: str) -> None:
    started = time.process_time()
    outcome = TemplateSet({"t": template}, sandboxed=["t"]).render("t", {"x": ["a", "b"]})
    assert time.process_time() - started < 5
    assert outcome.value == ()
    (diagnostic,) = outcome.diagnostics
    assert diagnostic.code in ("SP0711", "SP0712", "SP0713", "SP0714", "SP0715", "SP0716", "SP0717"), diagnostic


@pytest.mark.parametrize(
    ("template", "code"),
    [
        ("{% for i in range(2000) %}\na: {{ i }}\n---\n{% endfor %}", None),
        ("k:\n{% for i in range(4000) %}\n- {{ i }}\n{% endfor %}", None),
        ("k:\n{% for i in range(9000) %}\n- {{ i }}-{{ i }}-{{ i }}\n{% endfor %}", "SP0714"),
        ("{% for i in range(9000) %}\nk{{ i }}: {{ i }}\n{% endfor %}", "SP0714"),
    ],
)
def test_sandbox__large_output_costs_no_more_than_its_size(template: str, code: str | None) -> None:
    started = time.process_time()
    outcome = TemplateSet({"t": template}, sandboxed=["t"]).render("t", {})
    assert time.process_time() - started < 8
    assert [found.code for found in outcome.diagnostics] == ([code] if code else [])


def test_sandbox__ordinary_templates_have_what_they_need() -> None:
    template = """\
{% from 'lib' import label %}
{% set parts = values.name.split('-') %}
name: {{ parts | join('.') | upper }}
first: {{ parts[0].strip() }}
total: {{ values.ports | sum }}
ports:
{% for port in values.ports | sort(reverse=true) %}
- port: {{ port + 8000 }}
  last: {{ loop.last }}
{% endfor %}
labels:
{{ label('app', values.name) }}
rest: {{ values.ports | map('string') | list }}
has: {{ values.get('nosuch', 'none') }}
"""
    sources = {"t": template, "lib": "{% macro label(k, v) %}\n  {{ k }}: {{ v }}\n{% endmacro %}\n"}
    outcome = TemplateSet(sources, sandboxed=["t", "lib"]).render("t", {"values": {"name": "a-b", "ports": [1, 2]}})
    assert not outcome.diagnostics
    assert outcome.value[0].object == {
        "name": "A.B", "first": "a", "total": 3, "ports": [{"port": 8002, "last": False}, {"port": 8001, "last": True}],
        "labels": {"app": "a-b"}, "rest": ["1", "2"], "has": "none",
    }  # fmt: skip


def test_sandbox__a_trusted_template_that_uses_a_workspace_one_runs_in_the_sandbox() -> None:
    sources = {
        "built-in": "{% include 'theirs' %}",
        "theirs": "k: {{ ''.__class__ }}\n",
        "free": "k: {{ 'a'.__class__.__name__ }}\n",
    }
    templates = TemplateSet(sources, sandboxed=["theirs"])
    assert templates.render("built-in", {}).diagnostics[0].code == "SP0717"
    assert templates.render("free", {}).value[0].object == {"k": "str"}
    dynamic = TemplateSet({"t": "{% include x %}", "theirs": "k: 1\n"}, sandboxed=["theirs"])
    assert dynamic.render("t", {"x": "theirs"}).diagnostics[0].code == "SP0718"


def test_trace__every_hole_names_what_it_read() -> None:
    template = """\
# a comment
{% macro pair(key, value) %}
{{ key }}: {{ value }}
{% endmacro %}
kind: Queue
flag: {{ queue.stopped }}
flavors:
{% for flavor in queue.flavors if flavor.nominal %}
- name: {{ flavor.name }}
  quota: {{ flavor.nominal * queue.factor }}
  label: "{{ cluster }}-{{ flavor.name }}"
{% endfor %}
labels:
  {{ pair(queue.label, zone) }}
  fixed: {{ "text" }}
  nested: {{ queue.rest }}
"""
    variables = {
        "cluster": "eu", "zone": "z1",
        "queue": {
            "stopped": False, "factor": 2, "label": "zone", "rest": {"a": [1]},
            "flavors": [{"name": "h100", "nominal": 0}, {"name": "h200", "nominal": 4}],
        },
    }  # fmt: skip
    templates = TemplateSet({"t": template})
    rendered = templates.render("t", variables).value[0]
    trace = templates.trace("t", variables).value
    assert trace is not None
    assert len(trace.holes) == len(rendered.values)
    (document,) = trace.documents

    def sources(*path: str | int) -> list[object]:
        return [(trace.holes[i].reads, trace.holes[i].is_exact, trace.holes[i].at.line) for i in document.holes[path]]

    assert sources("flag") == [((("queue", "stopped"),), True, 6)]
    assert sources("flavors", 0, "name") == [((("queue", "flavors", 1, "name"),), True, 9)]
    assert sources("flavors", 0, "quota") == [((("queue", "flavors", 1, "nominal"), ("queue", "factor")), False, 10)]
    assert sources("flavors", 0, "label") == [
        ((("cluster",),), True, 11),
        ((("queue", "flavors", 1, "name"),), True, 11),
    ]
    assert sources("labels", "zone") == [((("zone",),), True, 3)]
    assert sources("labels", "fixed") == [((), False, 15)]
    assert sources("labels", "nested") == [((("queue", "rest"),), True, 16)]
    wanted: list[tuple[tuple[str | int, ...], int]] = [
        (("kind",), 5),
        (("flavors",), 7),
        (("flavors", 0, "quota"), 10),
        (("labels", "zone"), 3),
    ]
    assert [(path, document.lines[path].line) for path, _ in wanted] == wanted


@pytest.mark.parametrize("sandboxed", [False, True])
@pytest.mark.parametrize(("template", "variables", "wanted"), TYPED)
def test_trace__sees_the_same_holes_as_rendering(
    template: str, variables: dict[str, object], wanted: object, sandboxed: bool
) -> None:
    templates = TemplateSet({"t": template}, sandboxed=["t"] if sandboxed else [])
    (rendered,) = templates.render("t", variables).value
    trace = templates.trace("t", variables)
    assert not trace.diagnostics
    assert trace.value is not None
    assert len(trace.value.holes) == len(rendered.values)
