"""The names in code: nested code, texts, imports and what is stored."""

from typing import Any

from proofs.engine.code_names import CodeNames, names_of


def names(source: str) -> CodeNames:
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    return names_of(namespace["f"].__code__)


def test_globals_and_attributes() -> None:
    found = names("def f(x):\n    global made\n    made = module.part.value + len(x)\n    x.field = 1\n    del x.other")
    assert {"made", "module", "part", "value", "len", "field"} <= found.used
    assert found.globals == {"made", "module", "len"}
    assert found.stored == {"field", "other"}
    assert not found.whole


def test_nested_code_counts() -> None:
    found = names("def f():\n    def g():\n        return [lambda: deep.inner for _ in outer]\n    return g")
    assert {"deep", "inner", "outer"} <= found.used
    assert found.globals == {"deep", "outer"}


def test_texts_count_as_names() -> None:
    found = names(
        "def f(m):\n    return getattr(m, 'hidden'), [setattr(m, k, 1) for k in ('one', 'two')], 'not a name'"
    )
    assert {"hidden", "one", "two"} <= found.used
    assert {"one", "two"} <= found.stored
    assert "not a name" not in found.used
    assert names("def f(m): return getattr(m, 'hidden')").stored == frozenset()


def test_imports() -> None:
    assert names("def f():\n    import a.b\n    from c import d").imports == {"a.b", "c", "d"}
    assert "late.module" in names("def f(): importlib.import_module('late.module')").imports
    assert names("def f(): return 'late.module'").imports == frozenset()


def test_whole_namespaces() -> None:
    for word in ("globals()", "exec('x')", "eval('x')", "f.__globals__"):
        assert names(f"def f(): return {word}").whole
    assert not names("def f(): return locals()").whole
