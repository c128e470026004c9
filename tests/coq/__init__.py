"""What needs Coq: run by .ci/full, or with ``pytest -m coq`` where coqc and mathcomp are installed."""
