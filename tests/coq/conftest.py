"""The library, compiled once for all tests that need it."""

import shutil
from pathlib import Path

import pytest

from proofs.coq_library import compile_file, sources, write_sources


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the compiled library."""
    assert shutil.which("coqc"), "these tests need Coq and mathcomp: they are not to be skipped"
    directory = tmp_path_factory.mktemp("coq")
    texts = sources()
    write_sources(directory, texts)
    for name in texts:
        status, printed = compile_file(directory, name)
        assert status == 0, f"{name}: {printed}"
    return directory
