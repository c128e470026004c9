from pathlib import Path

import numpy as np
import pytest

from proofs import recheck
from proofs.errors import ProofsError
from proofs.row_certificates import certificate_of_rows, file_digest, row_claims, row_digest
from proofs.row_files import Format
from proofs.rows import Options, RowsRun
from proofs.sealing import sealed

DATA = Path(__file__).parents[1] / "data"


def made_of(path: Path) -> bytes:
    run = RowsRun()
    claims = list(row_claims(str(path), 1, Options(), run))
    return sealed(certificate_of_rows(claims, [(str(path), run.rows)], Options()))


@pytest.mark.parametrize("name", ["a.npy", "a.npz", "half.npz", "one.npz"])
@pytest.mark.parametrize("vocabulary", [3, 100])
def test_rechecked_from_the_file(tmp_path: Path, name: str, vocabulary: int) -> None:
    rng = np.random.default_rng(1)
    p, q = (rng.dirichlet(np.ones(vocabulary), 3) for _ in "pq")
    path = tmp_path / name
    if name.endswith(".npy"):
        np.save(path, np.stack([p, q]).astype(np.float32))
    elif name == "one.npz":
        np.savez(path, p=p[0], q=q[0])
    else:
        np.savez(path, p=p.astype(np.float16 if name == "half.npz" else np.float64), q=q.astype(np.float32))
    outcome, done, left = recheck.recheck(made_of(path), tmp_path)
    assert (outcome, all(done), list(left)) == ("as claimed", True, ["names of the arrays"])
    assert len(done) == (1 if name == "one.npz" else 3)


def test_file_that_cannot_be_read_is_listed(tmp_path: Path) -> None:
    rows = np.random.default_rng(1).dirichlet(np.ones(100), (2, 3))
    np.save(tmp_path / "a.npy", rows.astype(">f8"))
    _, done, left = recheck.recheck(made_of(tmp_path / "a.npy"), tmp_path)
    assert not any(done)
    assert any(text.startswith("rows of 'a.npy'") for text in left)


def test_changed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"p": ["1/2", "1/2"], "q": ["1/3", "2/3"]}\n')
    data = made_of(path)
    recheck.recheck(data, tmp_path)
    path.write_text('{"p": ["1/2", "1/2"], "q": ["2/3", "1/3"]}\n')
    with pytest.raises(ValueError, match="another file"):
        recheck.recheck(data, tmp_path)


@pytest.mark.slow
def test_real_rows_are_certified_by_digests() -> None:
    data = made_of(DATA / "real_rows.npz")
    assert len(data) < 50_000
    _, done, _ = recheck.recheck(data, DATA)
    assert done == [True] * 50


def test_sums_that_are_not_one(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"p": [1, 3], "q": ["1/2", "1/3"]}\n')
    (claim,) = row_claims(str(path), 1, Options(), RowsRun())
    assert claim["sums"] == ["4/1", "5/6"]
    assert claim["law"] == ["1/4", "3/4"]
    assert claim["alpha"] == "13/20"


def test_rows_that_are_not_as_claimed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"p": [-1, 2], "q": [1, 0]}\n')
    run = RowsRun()
    assert list(row_claims(str(path), 1, Options(), run)) == []
    assert run.rows == 1
    with pytest.raises(ProofsError, match="logits"):
        list(row_claims(str(path), 1, Options(Format(logits=True)), run))
    with pytest.raises(ProofsError, match="as given"):
        list(row_claims(str(path), 1, Options(policy="as-given"), run))


def test_digests(tmp_path: Path) -> None:
    (tmp_path / "row").write_text("1/4 3/4")
    assert row_digest(["1/4", "3/4"]) == file_digest(str(tmp_path / "row"))
    with pytest.raises(ProofsError, match="cannot be read"):
        file_digest(str(tmp_path / "missing"))
