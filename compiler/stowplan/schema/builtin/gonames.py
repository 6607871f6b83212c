"""The names Go's decoder prints in its complaints: structs, embedded structs and types of members."""

from __future__ import annotations

from typing import Final

from stowplan.schema.builtin.pack import Element, Member

__all__ = ["embedded_in", "go_type", "struct_name"]

_SCALARS: Final = {
    "s": "string",
    "b": "bool",
    "i": "int32",
    "l": "int64",
    "f": "float64",
    "y": "[]uint8",
    "q": "resource.Quantity",
    "p": "intstr.IntOrString",
    "t": "v1.Time",
    "u": "v1.MicroTime",
    "*": "runtime.RawExtension",
}

# Strings with a type of their own: `type.member` and the name.
_STRING_TYPES: Final = {
    "admissionregistration.v1.MatchResources.matchPolicy": "v1.MatchPolicyType",
    "admissionregistration.v1.MutatingAdmissionPolicySpec.failurePolicy": "v1.FailurePolicyType",
    "admissionregistration.v1.MutatingAdmissionPolicySpec.reinvocationPolicy": "v1.ReinvocationPolicyType",
    "admissionregistration.v1.MutatingWebhook.failurePolicy": "v1.FailurePolicyType",
    "admissionregistration.v1.MutatingWebhook.matchPolicy": "v1.MatchPolicyType",
    "admissionregistration.v1.MutatingWebhook.reinvocationPolicy": "v1.ReinvocationPolicyType",
    "admissionregistration.v1.MutatingWebhook.sideEffects": "v1.SideEffectClass",
    "admissionregistration.v1.Mutation.patchType": "v1.PatchType",
    "admissionregistration.v1.NamedRuleWithOperations.operations": "v1.OperationType",
    "admissionregistration.v1.ParamRef.parameterNotFoundAction": "v1.ParameterNotFoundActionType",
    "admissionregistration.v1.RuleWithOperations.operations": "v1.OperationType",
    "admissionregistration.v1.RuleWithOperations.scope": "v1.ScopeType",
    "admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec.validationActions": "v1.ValidationAction",
    "admissionregistration.v1.ValidatingAdmissionPolicySpec.failurePolicy": "v1.FailurePolicyType",
    "admissionregistration.v1.ValidatingWebhook.failurePolicy": "v1.FailurePolicyType",
    "admissionregistration.v1.ValidatingWebhook.matchPolicy": "v1.MatchPolicyType",
    "admissionregistration.v1.ValidatingWebhook.sideEffects": "v1.SideEffectClass",
    "admissionregistration.v1.Validation.reason": "v1.StatusReason",
    "apiextensions.v1.CustomResourceConversion.strategy": "v1.ConversionStrategyType",
    "apiextensions.v1.CustomResourceDefinitionSpec.scope": "v1.ResourceScope",
    "apiextensions.v1.JSONSchemaProps.$schema": "v1.JSONSchemaURL",
    "apiextensions.v1.ValidationRule.reason": "v1.FieldValueErrorReason",
    "apps.v1.DaemonSetUpdateStrategy.type": "v1.DaemonSetUpdateStrategyType",
    "apps.v1.DeploymentStrategy.type": "v1.DeploymentStrategyType",
    "apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted": "v1.PersistentVolumeClaimRetentionPolicyType",
    "apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled": "v1.PersistentVolumeClaimRetentionPolicyType",
    "apps.v1.StatefulSetSpec.podManagementPolicy": "v1.PodManagementPolicyType",
    "apps.v1.StatefulSetUpdateStrategy.type": "v1.StatefulSetUpdateStrategyType",
    "autoscaling.v2.ContainerResourceMetricSource.name": "v1.ResourceName",
    "autoscaling.v2.HPAScalingPolicy.type": "v2.HPAScalingPolicyType",
    "autoscaling.v2.HPAScalingRules.selectPolicy": "v2.ScalingPolicySelect",
    "autoscaling.v2.MetricSpec.type": "v2.MetricSourceType",
    "autoscaling.v2.MetricTarget.type": "v2.MetricTargetType",
    "autoscaling.v2.ResourceMetricSource.name": "v1.ResourceName",
    "batch.v1.CronJobSpec.concurrencyPolicy": "v1.ConcurrencyPolicy",
    "batch.v1.JobSpec.completionMode": "v1.CompletionMode",
    "batch.v1.JobSpec.podReplacementPolicy": "v1.PodReplacementPolicy",
    "batch.v1.PodFailurePolicyOnExitCodesRequirement.operator": "v1.PodFailurePolicyOnExitCodesOperator",
    "batch.v1.PodFailurePolicyOnPodConditionsPattern.status": "v1.ConditionStatus",
    "batch.v1.PodFailurePolicyOnPodConditionsPattern.type": "v1.PodConditionType",
    "batch.v1.PodFailurePolicyRule.action": "v1.PodFailurePolicyAction",
    "certificates.v1.CertificateSigningRequestSpec.usages": "v1.KeyUsage",
    "coordination.v1.LeaseSpec.strategy": "v1.CoordinatedLeaseStrategy",
    "core.v1.AppArmorProfile.type": "v1.AppArmorProfileType",
    "core.v1.AzureDiskVolumeSource.cachingMode": "v1.AzureDataDiskCachingMode",
    "core.v1.AzureDiskVolumeSource.kind": "v1.AzureDataDiskKind",
    "core.v1.Capabilities.add": "v1.Capability",
    "core.v1.Capabilities.drop": "v1.Capability",
    "core.v1.ConfigMapNodeConfigSource.uid": "types.UID",
    "core.v1.Container.imagePullPolicy": "v1.PullPolicy",
    "core.v1.Container.restartPolicy": "v1.ContainerRestartPolicy",
    "core.v1.Container.terminationMessagePolicy": "v1.TerminationMessagePolicy",
    "core.v1.ContainerPort.protocol": "v1.Protocol",
    "core.v1.ContainerResizePolicy.resourceName": "v1.ResourceName",
    "core.v1.ContainerResizePolicy.restartPolicy": "v1.ResourceResizeRestartPolicy",
    "core.v1.ContainerRestartRule.action": "v1.ContainerRestartRuleAction",
    "core.v1.ContainerRestartRuleOnExitCodes.operator": "v1.ContainerRestartRuleOnExitCodesOperator",
    "core.v1.EmptyDirVolumeSource.medium": "v1.StorageMedium",
    "core.v1.EndpointPort.protocol": "v1.Protocol",
    "core.v1.EphemeralContainer.imagePullPolicy": "v1.PullPolicy",
    "core.v1.EphemeralContainer.restartPolicy": "v1.ContainerRestartPolicy",
    "core.v1.EphemeralContainer.terminationMessagePolicy": "v1.TerminationMessagePolicy",
    "core.v1.HTTPGetAction.scheme": "v1.URIScheme",
    "core.v1.HostPathVolumeSource.type": "v1.HostPathType",
    "core.v1.ImageVolumeSource.pullPolicy": "v1.PullPolicy",
    "core.v1.Lifecycle.stopSignal": "v1.Signal",
    "core.v1.LimitRangeItem.type": "v1.LimitType",
    "core.v1.NamespaceSpec.finalizers": "v1.FinalizerName",
    "core.v1.NodeSelectorRequirement.operator": "v1.NodeSelectorOperator",
    "core.v1.PersistentVolumeClaimSpec.accessModes": "v1.PersistentVolumeAccessMode",
    "core.v1.PersistentVolumeClaimSpec.volumeMode": "v1.PersistentVolumeMode",
    "core.v1.PersistentVolumeSpec.accessModes": "v1.PersistentVolumeAccessMode",
    "core.v1.PersistentVolumeSpec.persistentVolumeReclaimPolicy": "v1.PersistentVolumeReclaimPolicy",
    "core.v1.PersistentVolumeSpec.volumeMode": "v1.PersistentVolumeMode",
    "core.v1.PodOS.name": "v1.OSName",
    "core.v1.PodReadinessGate.conditionType": "v1.PodConditionType",
    "core.v1.PodSecurityContext.fsGroupChangePolicy": "v1.PodFSGroupChangePolicy",
    "core.v1.PodSecurityContext.seLinuxChangePolicy": "v1.PodSELinuxChangePolicy",
    "core.v1.PodSecurityContext.supplementalGroupsPolicy": "v1.SupplementalGroupsPolicy",
    "core.v1.PodSpec.dnsPolicy": "v1.DNSPolicy",
    "core.v1.PodSpec.preemptionPolicy": "v1.PreemptionPolicy",
    "core.v1.PodSpec.restartPolicy": "v1.RestartPolicy",
    "core.v1.ResourceQuotaSpec.scopes": "v1.ResourceQuotaScope",
    "core.v1.ScopedResourceSelectorRequirement.operator": "v1.ScopeSelectorOperator",
    "core.v1.ScopedResourceSelectorRequirement.scopeName": "v1.ResourceQuotaScope",
    "core.v1.SeccompProfile.type": "v1.SeccompProfileType",
    "core.v1.Secret.type": "v1.SecretType",
    "core.v1.SecurityContext.procMount": "v1.ProcMountType",
    "core.v1.ServicePort.protocol": "v1.Protocol",
    "core.v1.ServiceSpec.externalTrafficPolicy": "v1.ServiceExternalTrafficPolicy",
    "core.v1.ServiceSpec.internalTrafficPolicy": "v1.ServiceInternalTrafficPolicy",
    "core.v1.ServiceSpec.ipFamilies": "v1.IPFamily",
    "core.v1.ServiceSpec.ipFamilyPolicy": "v1.IPFamilyPolicy",
    "core.v1.ServiceSpec.sessionAffinity": "v1.ServiceAffinity",
    "core.v1.ServiceSpec.type": "v1.ServiceType",
    "core.v1.Taint.effect": "v1.TaintEffect",
    "core.v1.Toleration.effect": "v1.TaintEffect",
    "core.v1.Toleration.operator": "v1.TolerationOperator",
    "core.v1.TopologySpreadConstraint.nodeAffinityPolicy": "v1.NodeInclusionPolicy",
    "core.v1.TopologySpreadConstraint.nodeTaintsPolicy": "v1.NodeInclusionPolicy",
    "core.v1.TopologySpreadConstraint.whenUnsatisfiable": "v1.UnsatisfiableConstraintAction",
    "core.v1.VolumeMount.mountPropagation": "v1.MountPropagationMode",
    "core.v1.VolumeMount.recursiveReadOnly": "v1.RecursiveReadOnlyMode",
    "discovery.v1.EndpointPort.protocol": "v1.Protocol",
    "discovery.v1.EndpointSlice.addressType": "v1.AddressType",
    "flowcontrol.v1.FlowDistinguisherMethod.type": "v1.FlowDistinguisherMethodType",
    "flowcontrol.v1.LimitResponse.type": "v1.LimitResponseType",
    "flowcontrol.v1.PriorityLevelConfigurationSpec.type": "v1.PriorityLevelEnablement",
    "flowcontrol.v1.Subject.kind": "v1.SubjectKind",
    "meta.v1.LabelSelectorRequirement.operator": "v1.LabelSelectorOperator",
    "meta.v1.ObjectMeta.uid": "types.UID",
    "meta.v1.OwnerReference.uid": "types.UID",
    "networking.v1.HTTPIngressPath.pathType": "v1.PathType",
    "networking.v1.NetworkPolicyPort.protocol": "v1.Protocol",
    "networking.v1.NetworkPolicySpec.policyTypes": "v1.PolicyType",
    "policy.v1.PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy": "v1.UnhealthyPodEvictionPolicyType",
    "resource.v1.DeviceConstraint.distinctAttribute": "v1.FullyQualifiedName",
    "resource.v1.DeviceConstraint.matchAttribute": "v1.FullyQualifiedName",
    "resource.v1.DeviceSubRequest.allocationMode": "v1.DeviceAllocationMode",
    "resource.v1.DeviceTaint.effect": "v1.DeviceTaintEffect",
    "resource.v1.DeviceToleration.effect": "v1.DeviceTaintEffect",
    "resource.v1.DeviceToleration.operator": "v1.DeviceTolerationOperator",
    "resource.v1.ExactDeviceRequest.allocationMode": "v1.DeviceAllocationMode",
    "resource.v1.NodeAllocatableResourceMapping.capacityKey": "v1.QualifiedName",
    "scheduling.v1.PriorityClass.preemptionPolicy": "v1.PreemptionPolicy",
    "storage.v1.CSIDriverSpec.fsGroupPolicy": "v1.FSGroupPolicy",
    "storage.v1.CSIDriverSpec.volumeLifecycleModes": "v1.VolumeLifecycleMode",
    "storage.v1.StorageClass.reclaimPolicy": "v1.PersistentVolumeReclaimPolicy",
    "storage.v1.StorageClass.volumeBindingMode": "v1.VolumeBindingMode",
}

_RULE: Final = frozenset({"apiGroups", "apiVersions", "resources", "scope"})

# Members that belong to a struct embedded in the type: the struct, and what is not in it.
_EMBEDDED: Final = {
    "core.v1.Probe": ("ProbeHandler", frozenset({"exec", "grpc", "httpGet", "tcpSocket"})),
    "core.v1.ConfigMapEnvSource": ("LocalObjectReference", frozenset({"name"})),
    "core.v1.ConfigMapKeySelector": ("LocalObjectReference", frozenset({"name"})),
    "core.v1.ConfigMapProjection": ("LocalObjectReference", frozenset({"name"})),
    "core.v1.ConfigMapVolumeSource": ("LocalObjectReference", frozenset({"name"})),
    "core.v1.SecretEnvSource": ("LocalObjectReference", frozenset({"name"})),
    "core.v1.SecretKeySelector": ("LocalObjectReference", frozenset({"name"})),
    "core.v1.SecretProjection": ("LocalObjectReference", frozenset({"name"})),
    "admissionregistration.v1.RuleWithOperations": ("Rule", _RULE),
    "admissionregistration.v1.NamedRuleWithOperations": ("RuleWithOperations.Rule", _RULE),
    "networking.v1.IngressRule": ("IngressRuleValue", frozenset({"http"})),
    "resource.v1.DeviceClaimConfiguration": ("DeviceConfiguration", frozenset({"opaque"})),
    "resource.v1.DeviceClassConfiguration": ("DeviceConfiguration", frozenset({"opaque"})),
}
_WHOLE: Final = {
    "core.v1.Volume": ("VolumeSource", frozenset({"name"})),
    "core.v1.EphemeralContainer": ("EphemeralContainerCommon", frozenset({"targetContainerName"})),
    "core.v1.PersistentVolumeSpec": (
        "PersistentVolumeSource",
        frozenset(
            {
                "accessModes",
                "capacity",
                "claimRef",
                "mountOptions",
                "nodeAffinity",
                "persistentVolumeReclaimPolicy",
                "storageClassName",
                "volumeAttributesClassName",
                "volumeMode",
            }
        ),
    ),
}


def struct_name(type_name: str) -> str:
    """The bare name of a type: `core.v1.PodSpec` is `PodSpec`."""
    return type_name.rpartition(".")[2]


def embedded_in(type_name: str, member: str) -> str:
    """The embedded struct a member belongs to, or nothing."""
    if type_name in _EMBEDDED:
        name, members = _EMBEDDED[type_name]
        if member in members:
            return name
        return "RuleWithOperations" if member == "operations" and "." in name else ""
    if type_name in _WHOLE:
        name, others = _WHOLE[type_name]
        return "" if member in others else name
    return ""


def _element_type(owner: str, name: str, element: Element) -> str:
    if element.letter == "@":
        return ".".join(element.type_name.split(".")[-2:])
    if element.letter == "s":
        return _STRING_TYPES.get(f"{owner}.{name}", "string")
    return _SCALARS[element.letter]


def go_type(owner: str, member: Member) -> str:
    """The Go type of a member as messages print it."""
    if member.nested is not None:
        inner = go_type(owner, member.nested)
    else:
        inner = _element_type(owner, member.name, member.element)
    if member.shape == "{":
        return "v1.ResourceList" if member.element.letter == "q" else f"map[string]{inner}"
    return f"[]{inner}" if member.shape else inner
