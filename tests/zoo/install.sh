#!/usr/bin/env bash
# Makes the environment of the zoo: bash tests/zoo/install.sh [DIRECTORY] [--light]
#
# torch comes first, so that nothing else chooses it (a build for CPUs is enough); the packages come without their
# dependencies, of which the requirements hold those that the adapters need. Packages whose import names are those of
# this project go into a folder that no interpreter looks into.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
environment=${1:-$here/.venv}
group=${2:-}

"${PYTHON:-python3}" -m venv "$environment"
pip() { "$environment/bin/python" -m pip --disable-pip-version-check "$@"; }
pip install torch==2.13.0
pip install --no-deps -r "$here/requirements-light.txt"
pip install --no-deps --target "$environment/apart" --upgrade -r "$here/requirements-apart.txt"
if [ "$group" != --light ]; then
    pip install --no-deps -r "$here/requirements-heavy.txt"
fi
echo "now: $environment/bin/python -m tests.zoo"
