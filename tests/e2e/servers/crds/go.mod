// Modules of which only the files with CustomResourceDefinitions are read: nothing of them is built.
module stowplan.test/servers/crds

go 1.26.0

require (
	github.com/cert-manager/cert-manager v1.21.2
	github.com/fluxcd/source-controller v1.9.6
	github.com/kedacore/keda/v2 v2.21.0
	github.com/prometheus-operator/prometheus-operator v0.85.0
	istio.io/api v1.30.1
	sigs.k8s.io/gateway-api v1.6.0
)

// cert-manager asks for a newer one; the fleet's clusters run this.
replace sigs.k8s.io/gateway-api => sigs.k8s.io/gateway-api v1.5.1
