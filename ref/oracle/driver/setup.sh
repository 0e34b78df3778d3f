#!/bin/bash
# Installs what the oracle needs into a new venv: setup.sh VENV_DIR   (Python 3.11, x86-64, cc, binutils)
# The torch wheel is a CUDA build; make_cuda_stubs.py stands in for the CUDA libraries.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python3 -m venv "$1"
"$1/bin/pip" install --quiet --no-cache-dir --no-deps -r "$here/requirements-lite.txt"
"$1/bin/python" "$here/make_cuda_stubs.py"
