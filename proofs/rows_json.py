"""The results of `rows` as JSON, written as they come, so that no list of rows is held in memory."""

import json
from types import TracebackType
from typing import IO, Any

from proofs.verdicts import Conclusion

__all__ = ["SCHEMA", "RowsJson"]

SCHEMA = "specdec-proofs/rows/1"


class RowsJson:
    """A document ``{"schema": ..., "rows": [...], "verdict": {...}}``; without a path it writes nothing.

    Parameters
    ----------
    path : str or None
    schema : str
        What the rows are.

    Attributes
    ----------
    problem : str or None
        Why the file could not be written.
    """

    def __init__(self, path: str | None, schema: str = SCHEMA) -> None:
        self._schema = schema
        self.problem: str | None = None
        self._path = path
        self._file: IO[str] | None = None
        self._empty = True

    def __enter__(self) -> "RowsJson":
        if self._path is not None:
            try:
                self._file = open(self._path, "w", encoding="ascii")
            except OSError as error:
                self.problem = error.strerror
            self._write(f'{{"schema": {json.dumps(self._schema)}, "rows": [')
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._file is not None:
            try:
                self._file.close()
            except OSError as error:
                self.problem = error.strerror

    @property
    def wanted(self) -> bool:
        """Whether there is a document to write to."""
        return self._file is not None

    def add(self, row: dict[str, Any]) -> None:
        """Write one row."""
        self._write(("" if self._empty else ",") + "\n" + json.dumps(row, sort_keys=True))
        self._empty = False

    def close(self, conclusion: Conclusion) -> None:
        """Write the verdict and end the document."""
        self._write(f'\n], "verdict": {json.dumps(conclusion.to_json(), sort_keys=True)}}}\n')

    def _write(self, text: str) -> None:
        if self._file is not None and self.problem is None:
            try:
                self._file.write(text)
                self._file.flush()
            except OSError as error:
                self.problem = error.strerror
