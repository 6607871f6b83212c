"""One broken rule of each family per case: where the sample is changed, and the field and text that are reported."""

from __future__ import annotations

from typing import Any

import pytest
from builtin_validation_samples import CONTAINER, MINOR, SAMPLES, changed

from stowplan.schema.builtin.validation import validate_create

P = "spec.template.spec"
C = f"{P}.containers.0"
FC = "spec.template.spec.containers[0]"

CASES: list[tuple[str, str, Any, str, str]] = [
    # names and metadata
    ("ConfigMap", "metadata.name", "Bad_Name", "metadata.name", "a lowercase RFC 1123 subdomain"),
    ("ConfigMap", "metadata.name", None, "metadata.name", "name or generateName is required"),
    ("Service", "metadata.name", "a_b", "metadata.name", "a lowercase RFC 1123 label"),
    ("Namespace", "metadata.name", "a.b", "metadata.name", "must not contain dots"),
    ("Role", "metadata.name", "a/b", "metadata.name", "may not contain '/'"),
    ("ConfigMap", "metadata.labels", {"a b": "c"}, "metadata.labels", "name part must consist of"),
    ("ConfigMap", "metadata.labels", {"a": "c d"}, "metadata.labels", "a valid label must be an empty string"),
    ("ConfigMap", "metadata.annotations", {"/a": ""}, "metadata.annotations", "prefix part must be non-empty"),
    ("ConfigMap", "metadata.finalizers", ["plain"], "metadata.finalizers[0]", "nor is it fully qualified"),
    # selectors
    ("Deployment", "spec.selector", {}, "spec.selector", "empty selector is invalid for deployment"),
    ("Deployment", "spec.selector.matchLabels", {"app": "x"}, "spec.template.metadata.labels", "does not match"),
    (
        "Budget",
        "spec.selector",
        {"matchExpressions": [{"key": "a", "operator": "In"}]},
        "spec.selector.matchExpressions[0].values",
        "must be specified when",
    ),
    # containers
    ("Deployment", f"{C}.name", "a.b", f"{FC}.name", "must not contain dots"),
    (
        "Pod",
        "spec.containers.0.image",
        " x",
        "spec.containers[0].image",
        "must not have leading or trailing whitespace",
    ),
    ("Deployment", f"{P}.containers.1", CONTAINER, "spec.template.spec.containers[1].name", "Duplicate value"),
    ("Deployment", f"{C}.imagePullPolicy", "Sometimes", f"{FC}.imagePullPolicy", "Unsupported value"),
    ("Deployment", f"{C}.ports", [{"containerPort": 0}], f"{FC}.ports[0].containerPort", "Required"),
    ("Deployment", f"{C}.ports", [{"containerPort": 70000}], f"{FC}.ports[0].containerPort", "between 1 and 65535"),
    ("Deployment", f"{C}.env", [{"name": "a=b"}], f"{FC}.env[0].name", "printable ASCII"),
    # resources
    ("Deployment", f"{C}.resources.limits", {"cpu": "-1"}, f"{FC}.resources.limits[cpu]", "greater than or equal"),
    ("Deployment", f"{C}.resources.limits", {"gpu": "1"}, f"{FC}.resources.limits[gpu]", "fully qualified"),
    (
        "Deployment",
        f"{C}.resources",
        {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}},
        f"{FC}.resources.requests",
        "must be less than or equal to memory limit of 1Gi",
    ),
    (
        "Deployment",
        f"{C}.resources",
        {"limits": {"example.com/gpu": "500m"}},
        f"{FC}.resources.limits[example.com/gpu]",
        "must be an integer",
    ),
    # probes and hooks
    ("Deployment", f"{C}.livenessProbe", {"periodSeconds": 5}, f"{FC}.livenessProbe", "must specify a handler type"),
    (
        "Deployment",
        f"{C}.readinessProbe",
        {"httpGet": {"port": 80}, "periodSeconds": -1},
        f"{FC}.readinessProbe.periodSeconds",
        "greater than or equal to 0",
    ),
    (
        "Deployment",
        f"{C}.livenessProbe",
        {"tcpSocket": {"port": 80}, "successThreshold": 2},
        f"{FC}.livenessProbe.successThreshold",
        "must be 1",
    ),
    # mounts and volumes
    (
        "Deployment",
        f"{C}.volumeMounts",
        [{"name": "v", "mountPath": "/v"}],
        f"{FC}.volumeMounts[0].name",
        "Not found",
    ),
    ("Deployment", f"{P}.volumes", [{"name": "V", "emptyDir": {}}], "spec.template.spec.volumes[0].name", "RFC 1123"),
    (
        "Deployment",
        f"{P}.volumes",
        [{"name": "v", "emptyDir": {}, "configMap": {"name": "c"}}],
        "spec.template.spec.volumes[0].configMap",
        "may not specify more than 1 volume type",
    ),
    (
        "Deployment",
        f"{P}.volumes",
        [{"name": "v", "hostPath": {"path": "/a/../b"}}],
        "spec.template.spec.volumes[0].hostPath.path",
        "must not contain '..'",
    ),
    # scheduling and security
    (
        "Deployment",
        f"{P}.tolerations",
        [{"operator": "Equal", "value": "x"}],
        "spec.template.spec.tolerations[0].operator",
        "operator must be Exists",
    ),
    (
        "Deployment",
        f"{P}.topologySpreadConstraints",
        [{"maxSkew": 0, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
        "spec.template.spec.topologySpreadConstraints[0].maxSkew",
        "greater than zero",
    ),
    (
        "Deployment",
        f"{P}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
        {"nodeSelectorTerms": []},
        "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
        "Required",
    ),
    (
        "Deployment",
        f"{P}.securityContext.runAsUser",
        -1,
        "spec.template.spec.securityContext.runAsUser",
        "between 0 and 2147483647",
    ),
    (
        "Deployment",
        f"{C}.securityContext",
        {"privileged": True, "allowPrivilegeEscalation": False},
        f"{FC}.securityContext",
        "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
    ),
    ("Deployment", f"{P}.restartPolicy", "Never", "spec.template.spec.restartPolicy", 'supported values: "Always"'),
    ("Pod", "spec.serviceAccountName", "A", "spec.serviceAccountName", "RFC 1123 subdomain"),
    # workloads
    (
        "Deployment",
        "spec.strategy",
        {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}},
        "spec.strategy.rollingUpdate.maxUnavailable",
        "may not be 0 when `maxSurge` is 0",
    ),
    ("Deployment", "spec.replicas", -1, "spec.replicas", "greater than or equal to 0"),
    ("StatefulSet", "spec.serviceName", "a.b", "spec.serviceName", "must not contain dots"),
    ("StatefulSet", "spec.podManagementPolicy", "Random", "spec.podManagementPolicy", "must be 'OrderedReady'"),
    ("DaemonSet", "spec.updateStrategy.type", "Never", "spec.updateStrategy", "Unsupported value"),
    # jobs
    ("Job", f"{P}.restartPolicy", "Always", "spec.template.spec.restartPolicy", "valid values:"),
    ("Job", "spec.backoffLimit", -1, "spec.backoffLimit", "greater than or equal to 0"),
    ("Job", "spec.maxFailedIndexes", 3, "spec.backoffLimitPerIndex", "when maxFailedIndexes is specified"),
    ("CronJob", "spec.schedule", "99 * * * *", "spec.schedule", "above maximum (59)"),
    ("CronJob", "spec.timeZone", "Moon/Crater", "spec.timeZone", "unknown time zone"),
    ("CronJob", "spec.concurrencyPolicy", "Maybe", "spec.concurrencyPolicy", "Unsupported value"),
    # services and networking
    ("Service", "spec.ports.1", {"port": 81}, "spec.ports[0].name", "Required"),
    ("Service", "spec.ports.0.targetPort", "Bad_Port", "spec.ports[0].targetPort", "must contain only alpha-numeric"),
    ("Service", "spec.type", "External", "spec.type", "Unsupported value"),
    ("Service", "spec.ports", None, "spec.ports", "Required"),
    (
        "NetworkPolicy",
        "spec.ingress.0.from",
        [{"ipBlock": {"cidr": "10.0.0.0/99"}}],
        "spec.ingress[0].from[0].ipBlock.cidr",
        "must be a valid CIDR value",
    ),
    ("NetworkPolicy", "spec.ingress.0.from", [{}], "spec.ingress[0].from[0]", "must specify a peer"),
    ("Ingress", "spec.defaultBackend.service.port", {}, "spec.defaultBackend", "port name or number is required"),
    # configuration, quotas and storage
    ("ConfigMap", "data", {"a b": "c"}, "data[a b]", "a valid config key"),
    ("Secret", "type", "kubernetes.io/tls", "data[tls.crt]", "Required"),
    ("ResourceQuota", "spec.hard", {"pods": "1.5"}, "spec.hard[pods]", "must be an integer"),
    ("ResourceQuota", "spec.scopes", ["Nothing"], "spec.scopes", "unsupported scope"),
    (
        "LimitRange",
        "spec.limits.0.min",
        {"cpu": "3"},
        "spec.limits[0].min[cpu]",
        "min value 3 is greater than max value 2",
    ),
    ("Claim", "spec.accessModes", [], "spec.accessModes", "at least 1 access mode is required"),
    ("Claim", "spec.resources", {}, "spec.resources[storage]", "Required"),
    # rights
    ("Role", "rules.0.verbs", [], "rules[0].verbs", "must contain at least one value"),
    ("Role", "rules.0.nonResourceURLs", ["/x"], "rules[0].nonResourceURLs", "namespaced rules cannot apply"),
    ("RoleBinding", "roleRef.kind", "Group", "roleRef.kind", "Unsupported value"),
    ("RoleBinding", "subjects.0.apiGroup", "a.b", "subjects[0].apiGroup", "Unsupported value"),
    # autoscaling and classes
    ("Autoscaler", "spec.maxReplicas", 0, "spec.maxReplicas", "must be set and greater than 0"),
    ("Autoscaler", "spec.minReplicas", 9, "spec.maxReplicas", "greater than or equal to `minReplicas`"),
    (
        "Autoscaler",
        "spec.metrics.0.resource.target.averageValue",
        "1",
        "spec.metrics[0].resource.target.averageValue",
        "may not set both",
    ),
    ("Budget", "spec.maxUnavailable", 1, "spec", "minAvailable and maxUnavailable cannot be both set"),
    ("Budget", "spec.minAvailable", "120%", "spec.minAvailable", "must not be greater than 100%"),
    ("PriorityClass", "value", 2_000_000_000, "value", "maximum allowed value"),
    # admission
    ("Policy", "spec.validations.0.expression", "1 + ", "spec.validations[0].expression", "compilation failed"),
    ("Policy", "spec.validations.0.expression", "1 + 1", "spec.validations[0].expression", "must evaluate to bool"),
    ("Policy", "spec.validations", None, "spec.validations", "validations or auditAnnotations must contain"),
    ("Webhook", "webhooks.0.name", "x", "webhooks[0].name", "at least three segments"),
    ("Webhook", "webhooks.0.clientConfig", {}, "webhooks[0].clientConfig", "exactly one of"),
    ("Webhook", "webhooks.0.timeoutSeconds", 31, "webhooks[0].timeoutSeconds", "between 1 and 30"),
    # definitions
    ("Definition", "metadata.name", "other.example.org", "metadata.name", 'must be spec.names.plural+"."+spec.group'),
    (
        "Definition",
        "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.n",
        {},
        "spec.validation.openAPIV3Schema.properties[spec].properties[n].type",
        "must not be empty for specified object fields",
    ),
    (
        "Definition",
        "spec.versions.0.schema.openAPIV3Schema.properties.spec.x-kubernetes-validations",
        [{"rule": "self.m > 0"}],
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule",
        "undefined field 'm'",
    ),
]


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_well(name: str) -> None:
    assert validate_create(changed(name), MINOR) == []


@pytest.mark.parametrize(("sample", "place", "value", "field", "text"), CASES, ids=lambda item: str(item)[:40])
def test_broken_rule(sample: str, place: str, value: Any, field: str, text: str) -> None:
    causes = validate_create(changed(sample, (place, value)), MINOR)
    assert any(cause.field == field and text in cause.message for cause in causes), causes


def test_all_causes_in_order() -> None:
    value = changed("Deployment", ("spec.replicas", -1), (f"{C}.image", None), (f"{P}.volumes", [{"name": "v"}]))
    fields = [cause.field for cause in validate_create(value, MINOR)]
    assert fields[0] == "spec.replicas"
    assert f"{FC}.image" in fields


def test_unknown_kinds_have_no_rules() -> None:
    value = {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "A"}}
    assert validate_create(value, MINOR) == []
