// Command argocd is Argo CD's repo server or application controller, whichever name it is called by.
//
// Only what the tests start is linked: the rest of Argo CD, its API server and command line, is a quarter of its packages.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	controller "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	reposerver "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	"github.com/argoproj/argo-cd/v3/util/log"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
)

func main() {
	klog.SetLogger(log.NewLogrusLogger(log.NewWithCurrentConfig()))
	var command *cobra.Command
	switch name := filepath.Base(os.Args[0]); name {
	case "argocd-repo-server":
		command = reposerver.NewCommand()
	case "argocd-application-controller":
		command = controller.NewCommand()
	default:
		fmt.Fprintf(os.Stderr, "%s: call it argocd-repo-server or argocd-application-controller\n", name)
		os.Exit(2)
	}
	if command.Execute() != nil {
		os.Exit(1)
	}
}
