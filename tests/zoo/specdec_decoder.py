"""The decoder of the package specdec by itself: its import name is that of this project.

`install.sh` puts it into a folder of its own, which no interpreter looks into.
"""

from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

from tests.zoo.records import apart

__all__ = ["DECODER"]


def _decoder() -> ModuleType:
    path = apart() / "specdec" / "decoder.py"
    spec = spec_from_file_location("specdec_apart_decoder", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ModuleNotFoundError(f"{path} is not there; expected the environment of install.sh.", name="specdec")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DECODER = _decoder()
