"""Reading exports, rendered trees and a real HTTP API server; the views and the outcome of a run."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).parent))

from drift_fleet import DEPLOYMENT, FACTS, RENDERED, SERVICE, clean_cluster, live_form

from stowplan.diagnostics.model import error
from stowplan.drift.model import ClusterStatus
from stowplan.drift.readers import objects_in, read_exports
from stowplan.drift.rendered import read_rendered_tree
from stowplan.drift.run import DriftOptions, run_drift
from stowplan.drift.views import to_json, to_markdown, to_text


@pytest.fixture
def rendered(tmp_path: Path) -> Path:
    folder = tmp_path / "rendered"
    for cluster in ("east", "west"):
        unit = folder / "clusters" / cluster / "core"
        unit.mkdir(parents=True)
        (unit / "kustomization.yaml").write_text("resources: []\n")
        for data in RENDERED:
            (unit / f"{data['kind'].lower()}.yaml").write_text(yaml.safe_dump(data))
    return folder


def export(folder: Path, name: str, objects: Any) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))


def options(rendered: Path, live: Path, **more: Any) -> DriftOptions:
    return DriftOptions(rendered, live, facts=FACTS, **more)


def test_clean_exports_in_every_form(rendered: Path, tmp_path: Path) -> None:
    live = tmp_path / "live"
    export(live, "east.json", clean_cluster().values())
    west = live / "west"
    west.mkdir()
    (west / "some.yaml").write_text(yaml.safe_dump_all([live_form(DEPLOYMENT), live_form(SERVICE)]))
    deep = west / "deep"
    deep.mkdir()
    (deep / "queues.jsonl").write_text(json.dumps(live_form(RENDERED[1])) + "\n")
    outcome = run_drift(options(rendered, live))
    assert to_text(outcome.report) == "2 of 2 clusters clean\n"
    assert (outcome.exit_code, outcome.diagnostics) == (0, ())


def test_typed_lists_and_several_json_documents(tmp_path: Path) -> None:
    service = {key: value for key, value in SERVICE.items() if key not in ("apiVersion", "kind")}
    text = json.dumps({"kind": "ServiceList", "apiVersion": "v1", "items": [service]}) + "\n" + json.dumps(DEPLOYMENT)
    (tmp_path / "east.json").write_text(text)
    assert [o["kind"] for o in read_exports(tmp_path)["east"].objects] == ["Service", "Deployment"]


@pytest.mark.parametrize("text", ["{", "[1", "a: [", "- 1", "{}", '{"kind": "List", "items": [3]}', "x: &a [*a]"])
def test_a_broken_export_leaves_its_cluster_unknown(rendered: Path, tmp_path: Path, text: str) -> None:
    live = tmp_path / "live"
    export(live, "east.json", clean_cluster().values())
    (live / "west.yaml").write_text(text)
    report = run_drift(options(rendered, live)).report
    assert [c.status for c in report.clusters] == [ClusterStatus.COMPARED, ClusterStatus.UNKNOWN]
    assert report.clusters[1].problems


def test_exit_codes(rendered: Path, tmp_path: Path) -> None:
    live = tmp_path / "live"
    export(live, "east.json", clean_cluster().values())
    unknown = run_drift(options(rendered, live))
    assert (unknown.exit_code, unknown.report.is_clean) == (2, False)
    assert [d.code for d in unknown.diagnostics] == ["SP1107"]
    assert run_drift(options(rendered, live, clusters=frozenset({"east"}))).exit_code == 0
    edited = clean_cluster()
    edited["Deployment"]["spec"]["replicas"] = 9
    export(live, "west.json", edited.values())
    drifted = run_drift(options(rendered, live))
    assert drifted.exit_code == 1
    assert [(d.code, d.targets) for d in drifted.diagnostics] == [("SP1102", ("west",))]
    tree = run_drift(
        options(rendered, live, clusters=frozenset({"east"}), check_tree=lambda path: [error("SP1109", str(path))])
    )
    assert (tree.exit_code, tree.tree[0].code) == (1, "SP1109")


def test_one_change_on_many_clusters_is_one_entry(rendered: Path, tmp_path: Path) -> None:
    live = tmp_path / "live"
    edited = clean_cluster()
    edited["Deployment"]["spec"]["replicas"] = 9
    for cluster in ("east", "west"):
        export(live, f"{cluster}.json", edited.values())
    report = run_drift(options(rendered, live)).report
    text = to_text(report)
    assert text.count("modified: Deployment team/web spec.replicas") == 1
    assert "  on east, west\n  rendered 2, live 9\n  live owner: argocd-controller (Apply)\n" in text
    assert "| modified | Deployment team/web | `spec.replicas` | `2` | `9` |" in to_markdown(report)
    data = json.loads(to_json(report))
    assert (data["schemaVersion"], data["clean"], data["counts"]["modified"]) == (1, False, 2)
    (difference,) = data["clusters"][0]["objects"][0]["differences"]
    assert (difference["rendered"], difference["live"]) == (2, 9)


def test_the_rendered_tree_is_read_with_units_and_engines(rendered: Path) -> None:
    desired = read_rendered_tree(rendered, {"west": "flux"}, frozenset({"west"}))
    assert list(desired) == ["west"]
    assert {(o.engine, o.unit) for o in desired["west"]} == {("flux", "core")}
    assert desired["west"][0].file == "clusters/west/core/clusterqueue.yaml"
    (rendered / "clusters" / "west" / "core" / "bad.yaml").write_text("- 1\n")
    with pytest.raises(ValueError, match=r"^clusters/west/core/bad\.yaml: "):
        read_rendered_tree(rendered, {})


def test_an_object_without_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="no kind"):
        list(objects_in([{"metadata": {}}]))


class Handler(BaseHTTPRequestHandler):
    """As much of an API server as reading lists needs: discovery, pages, refusals."""

    objects: ClassVar[list[dict[str, Any]]]
    refuse: ClassVar[dict[str, int]]
    expire_once: ClassVar[list[str]]
    seen: ClassVar[list[tuple[str, str]]]

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        self.seen.append((self.path, self.headers.get("authorization", "")))
        if url.path in self.refuse:
            self.answer(self.refuse[url.path], {"kind": "Status", "message": "no"})
        elif url.path in ("/api/v1", "/apis/apps/v1"):
            self.answer(200, {"resources": [
                {"name": "services/status", "kind": "Service"}, {"name": "services", "kind": "Service"},
                {"name": "deployments", "kind": "Deployment"},
            ]})  # fmt: skip
        elif url.path.endswith(("/services", "/deployments")):
            self.page(url.path, query)
        else:
            self.answer(404, {"kind": "Status", "message": "not found"})

    def page(self, path: str, query: dict[str, str]) -> None:
        kind = "Service" if path.endswith("services") else "Deployment"
        found = [
            {k: v for k, v in o.items() if k not in ("kind", "apiVersion")} for o in self.objects if o["kind"] == kind
        ]
        if "continue" in query and self.expire_once:
            self.expire_once.pop()
            self.answer(410, {"kind": "Status", "message": "expired"})
            return
        start = int(query.get("continue", 0))
        size = 1 if "limit" in query else len(found)
        more = {"continue": str(start + size)} if start + size < len(found) else {}
        self.answer(200, {"items": found[start : start + size], "metadata": more})

    def answer(self, status: int, data: dict[str, Any]) -> None:
        body = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[type[Handler], str]]:
    class Fresh(Handler):
        """Lists of its own for each test."""

    Fresh.objects = [live_form(DEPLOYMENT), live_form(SERVICE), {**live_form(SERVICE), "metadata": {"name": "b"}}]
    Fresh.refuse, Fresh.expire_once, Fresh.seen = {}, [], []

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Fresh)
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    config = {
        "apiVersion": "v1", "kind": "Config", "current-context": "east",
        "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{httpd.server_port}"}},
                     {"name": "dead", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {"token": "secret"}}],
        "contexts": [{"name": "east", "context": {"cluster": "c", "user": "u"}},
                     {"name": "dead", "context": {"cluster": "dead", "user": "u"}}],
    }  # fmt: skip
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(yaml.safe_dump(config))
    yield Fresh, str(kubeconfig)
    httpd.shutdown()
    httpd.server_close()


def read(server: tuple[type[Handler], str], context: str = "east") -> Any:
    from stowplan.drift.live import read_clusters

    wanted = {"east": [("apps/v1", "Deployment"), ("v1", "Service"), ("gone.example.com/v1", "Gone")]}
    return read_clusters({"east": context}, wanted, kubeconfig=server[1], timeout=5.0)["east"]


def test_pages_are_read_to_the_end_with_the_token_of_the_context(server: tuple[type[Handler], str]) -> None:
    live = read(server)
    assert (live.answered, live.problems) == (True, ())
    assert sorted((o["kind"], o["apiVersion"], o["metadata"]["name"]) for o in live.objects) == [
        ("Deployment", "apps/v1", "web"), ("Service", "v1", "b"), ("Service", "v1", "web"),
    ]  # fmt: skip
    assert {token for _, token in server[0].seen} == {"Bearer secret"}


def test_an_expired_page_token_starts_the_list_again(server: tuple[type[Handler], str]) -> None:
    server[0].expire_once.append("once")
    assert len(read(server).objects) == 3


def test_a_kind_that_may_not_be_listed_is_named(server: tuple[type[Handler], str]) -> None:
    server[0].refuse["/api/v1/services"] = 403
    live = read(server)
    assert live.problems == ("v1 Service: no (HTTP 403)",)
    assert live.kinds_failed == {("", "Service")}
    assert len(live.objects) == 1


def test_a_server_that_does_not_answer_is_unanswered(server: tuple[type[Handler], str]) -> None:
    live = read(server, "dead")
    assert not live.answered
    assert live.problems
    missing = read(server, "nowhere")
    assert not missing.answered
    assert "nowhere" in missing.problems[0]


def test_run_through_the_api(rendered: Path, server: tuple[type[Handler], str]) -> None:
    server[0].objects = [o for o in server[0].objects if o["metadata"]["name"] == "web"]
    outcome = run_drift(
        DriftOptions(rendered, contexts={"east": "east"}, kubeconfig=server[1], timeout=5.0,
                     clusters=frozenset({"east"}), facts=FACTS)
    )  # fmt: skip
    assert [(o.kind, d.drift.value) for o, d in outcome.report.differences()] == [("ClusterQueue", "missing")]
    assert outcome.exit_code == 1
