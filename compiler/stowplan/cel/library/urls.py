"""URLs as the server's parser reads a request URI: absolute, or an absolute path; no fragment."""

from __future__ import annotations

import re
import urllib.parse
from functools import lru_cache

from stowplan.cel.library import Signatures
from stowplan.cel.operators import fault
from stowplan.cel.problem import CelEvaluationError

__all__ = ["FUNCTIONS", "Url", "parse_url"]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_USER = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*\Z")
_HOST = re.compile(r"(?:[A-Za-z0-9\-_.~!$&'()*+,;=:\[\]<>\"]|[^\x00-\x7f]|%[89A-Fa-f][0-9A-Fa-f])*\Z")
_PORT = re.compile(r"(?::[0-9]*)?\Z")
_PLAIN_PATH = re.compile(r"(?:[A-Za-z0-9\-_.~!$&'()*+,;=:@/\[\]]|%[0-9A-Fa-f]{2})*\Z")


class Url:
    """The parts of one URL; `host` includes the port."""

    __slots__ = ("host", "path", "query", "scheme", "text")
    cel_type = "kubernetes.URL"

    def __init__(self, text: str, scheme: str, host: str, path: str, query: str) -> None:
        self.text = text
        self.scheme = scheme
        self.host = host
        self.path = path
        self.query = query

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Url) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"url({self.text!r})"


@lru_cache(maxsize=1024)
def parse_url(text: str) -> Url:
    """Read a URL. Raises `CelEvaluationError`."""
    if not text or _CONTROL.search(text):
        raise fault(f"invalid URL {text[:80]!r}")
    match = _SCHEME.match(text)
    scheme = match.group()[:-1].lower() if match else ""
    rest = text[match.end() :] if match else text
    if text.startswith(":"):
        raise fault(f"invalid URL {text[:80]!r}: no scheme")
    rest, _, query = rest.partition("?")
    host = ""
    if not rest.startswith("/"):
        if not scheme and text != "*":
            raise fault(f"invalid URL {text[:80]!r}: neither absolute nor a path from the root")
        return Url(text, scheme, "", "*" if text == "*" else "", query)
    if scheme and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        host = _host(text, authority)
        rest = slash + path
    if _BAD_ESCAPE.search(rest):
        raise fault(f"invalid URL {text[:80]!r}: a bad % escape")
    return Url(text, scheme, host, rest, query)


def _host(text: str, authority: str) -> str:
    user, at, host = authority.rpartition("@")
    if at and (not _USER.match(user) or _BAD_ESCAPE.search(user)):
        raise fault(f"invalid URL {text[:80]!r}: bad user part")
    if host.startswith("["):
        inner, bracket, port = host.rpartition("]")
        good = bool(bracket) and bool(_PORT.match(port)) and "%" not in inner.replace("%25", "", 1)
    else:
        colon = host.rfind(":")
        good = colon < 0 or bool(_PORT.match(host[colon:]))
    if not good or not (_HOST.match(host) or host.startswith("[")) or re.search(r"[\s\\^{}|`]", host):
        raise fault(f"invalid URL {text[:80]!r}: bad host or port")
    return host if host.startswith("[") else urllib.parse.unquote(host)


@lru_cache(maxsize=2048)
def _is_url(text: str) -> bool:
    try:
        parse_url(text)
    except CelEvaluationError:
        return False
    return True


def _split_port(host: str) -> tuple[str, str]:
    bracket = host.rfind("]")
    colon = host.rfind(":")
    name, port = (host[:colon], host[colon + 1 :]) if colon > bracket else (host, "")
    return (name[1:-1] if name.startswith("[") and name.endswith("]") else name), port


def _escaped_path(url: Url) -> str:
    if _PLAIN_PATH.match(url.path):
        return url.path
    return urllib.parse.quote(urllib.parse.unquote_to_bytes(url.path), safe="/$&+,:;=@~!*'()[]")


def _query(url: Url) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for part in url.query.split("&")[:10_000]:
        name, _, value = part.partition("=")
        if part and ";" not in part and not _BAD_ESCAPE.search(part):
            found.setdefault(urllib.parse.unquote_plus(name), []).append(urllib.parse.unquote_plus(value))
    return found


FUNCTIONS: Signatures = (
    ("url(string) -> kubernetes.URL", parse_url),
    ("isURL(string) -> bool", _is_url),
    ("(kubernetes.URL).getScheme() -> string", lambda url: url.scheme),
    ("(kubernetes.URL).getHost() -> string", lambda url: url.host),
    ("(kubernetes.URL).getHostname() -> string", lambda url: _split_port(url.host)[0]),
    ("(kubernetes.URL).getPort() -> string", lambda url: _split_port(url.host)[1]),
    ("(kubernetes.URL).getEscapedPath() -> string", _escaped_path),
    ("(kubernetes.URL).getQuery() -> map<string,list<string>>", _query),
)
