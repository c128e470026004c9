"""Files of rows: three formats, each number exact, and what is no such file."""

import json
import zipfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proofs.errors import NotADistributionError, ProofsError
from proofs.row_files import ExactRow, Format, RowPair, exact_row, read_pairs

REAL = Path(__file__).parents[1] / "data" / "real_rows.npz"
P = np.array([[0.1, 0.2, 0.7], [0.25, 0.75, 0.0]])
Q = np.array([[0.3, 0.3, 0.4], [1.0, 0.0, 0.0]])


def _read(path: Path, form: Format | None = None) -> list[RowPair]:
    return list(read_pairs(str(path), form or Format()))


def _values(row: ExactRow) -> list[Fraction]:
    return [Fraction(w, row.denominator) for w in row.weights]


@pytest.mark.parametrize("compressed", [False, True])
def test_members_of_npz_are_read_row_by_row(tmp_path: Path, compressed: bool) -> None:
    (np.savez_compressed if compressed else np.savez)(tmp_path / "rows.npz", target=P, draft=Q, other=np.eye(2))
    pairs = _read(tmp_path / "rows.npz", Format("target", "draft"))
    assert [pair.number for pair in pairs] == [0, 1]
    assert np.array_equal([pair.p for pair in pairs], P)
    assert np.array_equal([pair.q for pair in pairs], Q)


def test_one_row_without_a_batch_axis(save: Callable[..., Path]) -> None:
    (pair,) = _read(save(p=P[0], q=Q[0]))
    assert pair.p.tolist() == P[0].tolist()


def test_npy_holds_targets_then_drafts(tmp_path: Path) -> None:
    np.save(tmp_path / "rows.npy", np.stack([P, Q]))
    pairs = _read(tmp_path / "rows.npy")
    assert np.array_equal([pair.q for pair in pairs], Q)


def test_bfloat16_is_the_upper_half_of_a_float32(tmp_path: Path) -> None:
    """As ml_dtypes saves it: two bytes without a type."""
    bits = (np.stack([P, Q]).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    np.save(tmp_path / "rows.npy", bits.view("V2"))
    pairs = _read(tmp_path / "rows.npy")
    expected = (bits.astype(np.uint32) << 16).view(np.float32)
    assert np.array_equal([pair.p for pair in pairs], expected[0])


def test_lines_of_json_hold_numbers_and_fractions(tmp_path: Path) -> None:
    lines = [{"p": ["1/3", "2/3"], "q": [0.25, 0.75]}, {"p": [1, 0], "q": ["3/8", "5/8"]}]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n\n", encoding="utf-8")
    first, second = _read(tmp_path / "rows.jsonl")
    assert _values(exact_row(first.p, "p", Format())) == [Fraction(1, 3), Fraction(2, 3)]
    assert _values(exact_row(second.q, "q", Format())) == [Fraction(3, 8), Fraction(5, 8)]


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[1]",
        "3",
        '{"p": [1]}',
        "null",
        '"p"',
        "[" * 5000,
        '{"p": "abc", "q": "abc"}',
        '{"p": {"a": 1}, "q": {"a": 1}}',
        '{"p": null, "q": [1]}',
        '{"p": [1], "q": [1], "p": [1]}',
        '{"p": [[1]], "q": [1]}',
        '{"p": ' + "[" * 900 + "]" * 900 + ', "q": [1]}',
        "\udcff",
    ],
)
def test_line_that_holds_no_pair_is_a_bad_row_and_not_the_end(tmp_path: Path, line: str) -> None:
    text = f'{line}\n{{"p": [1], "q": [1]}}\n'
    (tmp_path / "rows.jsonl").write_bytes(text.encode("utf-8", "surrogateescape"))
    bad, good = _read(tmp_path / "rows.jsonl")
    assert isinstance(bad.p, NotADistributionError)
    assert good.p == [1]


@pytest.mark.parametrize("value", ["0.5", "-1/2", "1/0", "", "half", True, None, [1], -0.5, float("nan"), "1" * 5000])
def test_entry_that_is_no_probability_is_refused_by_name(value: Any) -> None:
    with pytest.raises(NotADistributionError, match=r"p\[1\] = .* is not a probability"):
        exact_row([0.5, value], "p", Format())


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", ">f4", ">f8"])
def test_arrays_are_taken_at_their_exact_values(dtype: str) -> None:
    rng = np.random.default_rng(2)
    tiny = float(np.finfo(np.dtype(dtype).newbyteorder("=")).smallest_subnormal)
    row = np.array([*rng.random(20), 0.0, 1.0, tiny, 3 * tiny], dtype=dtype)
    assert _values(exact_row(row, "p", Format())) == [Fraction(float(x)) for x in row]


def test_entries_sixty_orders_of_magnitude_apart_and_above_one() -> None:
    row = np.array([1e-300, 1e300, 3.0, 0.0])
    assert _values(exact_row(row, "p", Format())) == [Fraction(x) for x in row.tolist()]


UNREADABLE: dict[str, tuple[dict[str, Any], str]] = {
    "no q": ({"p": np.eye(2), "draft": np.eye(2)}, "has no array named q, only draft, p; name them with --p-key"),
    "nothing": ({}, "has no array named p or q, only nothing"),
    "integers": ({"p": np.eye(2, dtype=int), "q": np.eye(2)}, "array p has dtype int64"),
    "complex": ({"p": np.eye(2), "q": np.eye(2, dtype=complex)}, "array q has dtype complex128"),
    "longdouble": ({"p": np.eye(2, dtype=np.longdouble), "q": np.eye(2)}, "array p has dtype float128"),
    "pickles": ({"p": np.array([{}, None]), "q": np.eye(2)}, "array p has dtype object"),
    "shapes": ({"p": np.eye(2), "q": np.eye(3)}, r"p has shape \(2, 2\) and q has shape \(3, 3\)"),
    "three axes": ({"p": np.zeros((1, 1, 2)), "q": np.eye(2)}, r"array p has shape \(1, 1, 2\)"),
    "0-d": ({"p": np.float64(1), "q": np.float64(1)}, r"array p has shape \(\)"),
    "no tokens": ({"p": np.empty((2, 0)), "q": np.empty((2, 0))}, r"array p has shape \(2, 0\)"),
    "Fortran order": ({"p": np.asfortranarray(P), "q": Q}, "array p is in Fortran order"),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_file_that_holds_no_rows_is_refused(save: Callable[..., Path], kind: str) -> None:
    arrays, message = UNREADABLE[kind]
    with pytest.raises(ProofsError, match=message):
        _read(save(**arrays))


def test_damaged_missing_and_foreign_files_are_refused(tmp_path: Path) -> None:
    contents = {
        "cut.npz": REAL.read_bytes()[:5000],
        "text.npz": b"p,q\n1,1\n",
        "empty.npz": b"",
        "text.npy": b"p,q",
        "empty.npy": b"",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ProofsError):
            _read(tmp_path / name)
    with zipfile.ZipFile(tmp_path / "foreign.npz", "w") as archive:
        archive.writestr("p", b"hello")
        archive.writestr("q", b"hello")
    with pytest.raises(ProofsError):
        _read(tmp_path / "foreign.npz")
    np.save(tmp_path / "one.npy", np.eye(2))
    with pytest.raises(ProofsError, match=r"holds an array of shape \(2, 2\); expected \[2, rows, V\]"):
        _read(tmp_path / "one.npy")
    np.save(tmp_path / "pickled.npy", np.array([[[None]]] * 2))
    with pytest.raises(ProofsError):
        _read(tmp_path / "pickled.npy")
    with pytest.raises(ProofsError, match="cannot be read: No such file"):
        _read(tmp_path / "missing.npz")
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(ProofsError, match="cannot be read"):
        _read(tmp_path / "folder.npz")
    with pytest.raises(ProofsError, match=r"has none of the known endings; expected \.npz, \.npy, \.jsonl"):
        _read(tmp_path / "rows.csv")


def _header(shape: str, fortran: bool = False) -> bytes:
    text = f"{{'descr': '<f8', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    padded = text + " " * (63 - (10 + len(text)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded.encode("ascii")


@pytest.mark.parametrize(
    ("shape", "numbers", "message"),
    [
        ("(1, -4)", 15, r"has shape \(1, -4\)"),
        ("(-4,)", 15, r"has shape \(-4,\)"),
        ("(-3, 5)", 15, r"has shape \(-3, 5\)"),
        ("(1, 5)", 15, "holds more bytes than the header"),
        ("(4, 5)", 15, "ends within array p"),
    ],
)
def test_header_that_does_not_fit_the_data_is_refused(tmp_path: Path, shape: str, numbers: int, message: str) -> None:
    """NumPy reads a negative length as everything there is: three rows would pass as one."""
    content = _header(shape) + np.full(numbers, 0.2).tobytes()
    with zipfile.ZipFile(tmp_path / "rows.npz", "w") as archive:
        archive.writestr("p.npy", content)
        archive.writestr("q.npy", content)
    with pytest.raises(ProofsError, match=message):
        _read(tmp_path / "rows.npz")


def test_order_of_a_single_axis_means_nothing(tmp_path: Path) -> None:
    content = _header("(5,)", fortran=True) + np.full(5, 0.2).tobytes()
    with zipfile.ZipFile(tmp_path / "rows.npz", "w") as archive:
        archive.writestr("p.npy", content)
        archive.writestr("q.npy", content)
    assert len(_read(tmp_path / "rows.npz")) == 1


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_arrays_of_one_name_are_refused(tmp_path: Path) -> None:
    content = _header("(5,)") + np.full(5, 0.2).tobytes()
    with zipfile.ZipFile(tmp_path / "rows.npz", "w") as archive:
        for name in ("p.npy", "q.npy", "p.npy"):
            archive.writestr(name, content)
    with pytest.raises(ProofsError, match="two arrays of one name"):
        _read(tmp_path / "rows.npz")


@pytest.mark.parametrize("row", [[], [10**400, 1], ["1", 2], [True, 1]])
def test_list_of_bad_logits_is_refused(row: list[Any]) -> None:
    with pytest.raises(NotADistributionError):
        exact_row(row, "p", Format(logits=True))


def test_array_that_ends_too_early_gives_the_rows_before_it(tmp_path: Path, save: Callable[..., Path]) -> None:
    """The header promises more rows than there are bytes."""
    whole = save(p=P, q=Q)
    with zipfile.ZipFile(whole) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(tmp_path / "short.npz", "w") as archive:
        archive.writestr("p.npy", members["p.npy"])
        archive.writestr("q.npy", members["q.npy"][:-8])
    read = read_pairs(str(tmp_path / "short.npz"), Format())
    assert next(read).number == 0
    with pytest.raises(ProofsError, match="ends within array q"):
        next(read)
