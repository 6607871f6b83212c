"""Any manifests judged as the API server would judge them: the library behind `stowplan validate`."""
