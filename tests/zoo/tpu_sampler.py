"""tpu-inference's rejection sampler by itself: importing the package around it needs many others.

The three modules that the file imports are stood in for by empty ones: none of their names is used by the function
that the adapter calls. `install.sh` puts the package into a folder that no interpreter looks into: it brings a
package `tests` of its own.
"""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

from tests.zoo.records import apart, modules

__all__ = ["compiled"]

NAMES = {
    "tpu_inference.layers.common.binary_search": ("topk_mask", "topp_mask"),
    "tpu_inference.layers.common.sharding": ("ShardingAxisName",),
    "tpu_inference.layers.jax.sample.sampling_metadata": ("TPUSupportedSamplingMetadata",),
}


def _sampler() -> ModuleType:
    path = apart() / "tpu_inference" / "layers" / "jax" / "sample" / "rejection_sampler.py"
    spec = spec_from_file_location("tpu_inference_apart_rejection_sampler", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ModuleNotFoundError(f"{path} is not there; expected the environment of install.sh.", name="tpu_inference")
    for name, names in NAMES.items():
        stub = ModuleType(name)
        vars(stub).update(dict.fromkeys(names, object))
        sys.modules[name] = stub
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _compiled() -> Any:
    (jax,) = modules(("jax",))
    return jax.jit(_sampler().rejection_sample, static_argnames="do_sampling")


compiled = _compiled()
"""The package's rejection_sample, compiled as its caller compiles it: eager JAX takes a thousand times as long."""
