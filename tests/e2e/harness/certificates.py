"""Makes the keys and certificates of a test run with the openssl command: one authority, one certificate, one key.

The authority also bears the name that Kueue's certificate rotator looks for, and the certificate that of its webhook
service: a Secret with these is valid in its eyes and stays as it is.
"""

from __future__ import annotations

import base64
import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

from harness.processes import ServerError

AUTHORITY_NAME = "kueue-ca"
NAMES = "DNS:kueue-webhook-service.kueue-system.svc,DNS:localhost,IP:127.0.0.1"


@dataclass(frozen=True, slots=True)
class Certificates:
    """Files of PEM: the authority, a server certificate for loopback with its key, and a key for service accounts."""

    folder: Path

    @property
    def authority(self) -> Path:
        """The authority's certificate."""
        return self.folder / "ca.crt"

    @property
    def authority_key(self) -> Path:
        """The authority's key."""
        return self.folder / "ca.key"

    @property
    def server(self) -> Path:
        """The certificate of every server here."""
        return self.folder / "tls.crt"

    @property
    def server_key(self) -> Path:
        """Its key."""
        return self.folder / "tls.key"

    @property
    def account_key(self) -> Path:
        """The key that signs service account tokens."""
        return self.folder / "accounts.key"

    def bundle(self) -> str:
        """The authority in base64, as `caBundle` and kubeconfig want it."""
        return base64.b64encode(self.authority.read_bytes()).decode()

    def trust(self) -> ssl.SSLContext:
        """What a client trusts: this authority alone, whatever the environment says."""
        return ssl.create_default_context(cafile=str(self.authority))


def make_certificates(folder: Path) -> Certificates:
    """Make them all, in an empty folder.

    Raises:
        ServerError: there is no openssl, or it refused.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = Certificates(folder)
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    subject = ("-subj", f"/O=stowplan tests/CN={AUTHORITY_NAME}")
    _openssl(folder, "genrsa", "-traditional", "-out", "ca.key", "2048")  # the one form that Kueue's rotator reads
    _openssl(
        folder,
        *("req", "-x509", "-new", "-key", "ca.key", "-days", "3650", *subject, "-out", "ca.crt"),
        *("-addext", f"subjectAltName=DNS:{AUTHORITY_NAME}"),
    )
    _openssl(folder, "req", "-new", *curve, "-subj", "/CN=loopback", "-keyout", "tls.key", "-out", "tls.csr")
    (folder / "extensions").write_text(f"subjectAltName={NAMES}\nextendedKeyUsage=serverAuth,clientAuth\n")
    _openssl(
        folder,
        *("x509", "-req", "-in", "tls.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial"),
        *("-days", "3650", "-extfile", "extensions", "-out", "tls.crt"),
    )
    _openssl(folder, "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "accounts.key")
    return made


def _openssl(folder: Path, *arguments: str) -> None:
    try:
        done = subprocess.run(
            ("openssl", *arguments), cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
    except FileNotFoundError:
        raise ServerError("openssl", "not on the PATH", advice="Install the package openssl.") from None
    if done.returncode != 0:
        raise ServerError("openssl", f"{arguments[0]} ended with {done.returncode}: {done.stderr.strip()[-400:]}")
