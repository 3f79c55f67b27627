"""Connections that the service encrypts by itself, with a certificate that the test has made."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.serve.conftest import HOST, KNOWN, Service

from simsieve import Client, ServiceError
from simsieve.cli import main

KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]


def certificate(folder: Path, *words: str) -> list[str]:
    """Make a certificate for this machine, and give the options that name it."""
    if shutil.which("openssl") is None:
        pytest.skip("TLS NOT TESTED: there is no openssl")
    subprocess.run(
        ["openssl", "req", "-x509", *KEY, *(words or ["-nodes"]), "-days", "2", "-subj", "/CN=test", "-addext",
         f"subjectAltName=IP:{HOST}", "-keyout", "key.pem", "-out", "certificate.pem"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    return ["--certificate", "certificate.pem", "--certificate-key", "key.pem"]


def test_connections_are_encrypted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that trusts the certificate is answered, one that does not is refused, plain HTTP gets nothing."""
    service = Service(folder, *certificate(folder))
    assert service.url.startswith("https://")
    with pytest.raises(ServiceError, match="CERTIFICATE_VERIFY_FAILED"):
        service.client(retries=0).stats()
    monkeypatch.setenv("SSL_CERT_FILE", str(folder / "certificate.pem"))
    with Client(service.url) as client:
        assert client.check_texts([KNOWN[0]["text"]])[0].representative == 7
    assert service.ask("/healthz").status == 0 and service.stop() == 0


def test_a_key_with_a_password_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A service does not ask on the terminal, and names the file of the certificate."""
    words = certificate(folder, "-passout", "pass:secret")
    monkeypatch.chdir(folder)
    assert main(["serve", "seen", "--port", "0", *words]) == 2
    assert "certificate.pem: is no certificate with its key" in capsys.readouterr().err
