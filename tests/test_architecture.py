"""The house as it is meant: imports point one way, starting is light, files stay short. Read from the source text."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("tms", "query", "cli")
MAY_IMPORT = {"tms": {"tms"}, "query": {"query", "tms"}, "cli": {"cli", "query", "tms"}}
HEAVY = {"graphviz", "lark", "networkx", "re2", "rich"}  # imported by the function that needs them
# No dependency, so never at the top.
OPTIONAL = {"IPython", "matplotlib", "numpy", "pandas", "polars", "prompt_toolkit", "pyarrow", "pygraphviz"}
NETWORK = {"aiohttp", "ftplib", "http", "httpx", "requests", "smtplib", "socket", "ssl", "urllib3", "xmlrpc"}
LONGEST = 400


def files(*packages: str) -> list[Path]:
    return sorted(path for package in packages for path in (ROOT / package).rglob("*.py"))


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in files(*OURS)}


def is_type_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def run_on_import(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node that runs when the module is imported: not inside a function, not for the type checker only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and is_type_checking(node.test):
            for other in node.orelse:
                yield other
                yield from run_on_import(other)
            continue
        yield node
        yield from run_on_import(node)


def imported(nodes: Iterator[ast.AST]) -> set[str]:
    """The modules named by the imports among `nodes`; `from tms import model` names `tms.model`."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (inner & MODULES.keys()) or {node.module}
    return found


def anywhere(path: Path) -> set[str]:
    return imported(ast.walk(ast.parse(path.read_text("utf-8"))))


def at_the_top(path: Path) -> set[str]:
    return imported(run_on_import(ast.parse(path.read_text("utf-8"))))


def packages(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


def test_the_reader_of_imports_sees_those_that_run_and_only_those():
    source = (
        "import a\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import b\nelse:\n    import c\n"
        "try:\n    from d.e import f\nexcept ImportError:\n    pass\n"
        "class K:\n    import g\n    def m(self):\n        import h\n"
    )
    assert imported(run_on_import(ast.parse(source))) == {"a", "typing", "c", "d.e", "g"}
    assert "h" in imported(ast.walk(ast.parse(source)))


@pytest.mark.parametrize("package", OURS)
def test_imports_point_one_way(package):
    for path in files(package):
        wrong = (packages(anywhere(path)) & (set(OURS) | {"tests", "examples", "benchmarks"})) - MAY_IMPORT[package]
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}"


def test_modules_form_a_ladder_without_a_circle():
    ladder = {module: {m for m in at_the_top(path) if m in MODULES and m != module} for module, path in MODULES.items()}
    TopologicalSorter(ladder).prepare()  # raises CycleError, which names the circle


@pytest.mark.parametrize("package", ["tms", "cli"])
def test_heavy_libraries_are_imported_by_the_function_that_needs_them(package):
    for path in files(package):
        wrong = packages(at_the_top(path)) & HEAVY
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong} at the top"


def test_what_is_no_dependency_is_never_imported_at_the_top():
    for path in files(*OURS):
        wrong = packages(at_the_top(path)) & OPTIONAL
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong} at the top"


def test_nothing_can_reach_the_network():
    for path in files(*OURS):
        modules = anywhere(path)
        wrong = packages(modules) & NETWORK | modules & {"urllib.request"}
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}"


@pytest.mark.parametrize("module", ["tms", "cli.main"])
def test_starting_loads_no_heavy_library(module):
    if module not in MODULES:
        pytest.skip(f"{module} is not here")
    script = f"import sys, {module}; print(*sorted({HEAVY | OPTIONAL!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_no_file_is_longer_than_400_lines():
    everything = files(*OURS, "tests", "examples", "benchmarks")
    long = {
        str(path.relative_to(ROOT)): n
        for path in everything
        if (n := len(path.read_text("utf-8").splitlines())) > LONGEST
    }
    assert not long
