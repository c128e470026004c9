r"""What can be said of a piece of LaTeX without LaTeX: that its braces, environments and formulas close.

It is not what compiles; it is what holds on a machine without LaTeX, and refuses every command that was not meant.
"""

import re

# What amsmath and amsthm, and LaTeX itself, know of what is written here.
_COMMANDS = (
    "alpha beta gamma delta varepsilon rho tau pi infty sum prod min max exp Pr arg ln frac tfrac ge le ne in notin "
    "mid cdot dots ldots times propto forall exists implies iff wedge vee subseteq setminus preceq sqsubseteq "
    "overline Pi quad textstyle Bigl Bigr bigl bigr mathrm text begin end noindent emph texttt allowbreak "
    "cite ensuremath newcommand textbackslash textasciicircum textasciitilde textless textgreater textbar "
    "textasciigrave"
)
KNOWN = set(_COMMANDS.split())
ENVIRONMENTS = {"theorem", "claim"}
_SCRIPT = r"(?:\{[^{}]*\}|\\[A-Za-z]+|[^{}\\])"


def problems(latex: str) -> list[str]:
    """Return everything that is wrong with it; none where nothing is."""
    found = [] if latex.isascii() and set(latex) - {"\n"} <= set(map(chr, range(32, 127))) else ["not printable ASCII"]
    body = re.sub(r"(?<!\\)%.*", "", latex)
    found += [f"unknown command {name}" for name in re.findall(r"\\([A-Za-z]+)", body) if name not in KNOWN]
    found += _environments(body)
    body = re.sub(r"\\ensuremath\{((?:[^{}]|\{[^{}]*\})*)\}", r"$\1$", body)
    plain = re.sub(r"\\[\\{}$&#%_,:; !]", " ", body.replace(r"\[", "$$").replace(r"\]", "$$"))
    found += _braces(plain)
    parts = re.split(r"\$\$|\$", plain)
    if len(parts) % 2 == 0:
        return [*found, "a formula is not closed"]
    for text in parts[::2]:
        found += [f"{c} in text" for c in sorted(set('^_<>|&#"') & set(_without_arguments(text)))]
    for formula in parts[1::2]:
        found += _formula(formula)
    return found


def _without_arguments(text: str) -> str:
    """Leave out keys of citations and names of environments, where an underscore is none."""
    return re.sub(r"\\(?:cite|begin|end)\{[^{}]*\}", "", text)


def _environments(body: str) -> list[str]:
    open_ones: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{([^{}]*)\}", body):
        if name not in ENVIRONMENTS:
            return [f"unknown environment {name}"]
        if kind == "begin":
            open_ones.append(name)
        elif not open_ones or open_ones.pop() != name:
            return [f"\\end{{{name}}} closes nothing"]
    return [f"{name} is not closed" for name in open_ones]


def _braces(plain: str) -> list[str]:
    depth = 0
    for c in plain:
        depth += (c == "{") - (c == "}")
        if depth < 0:
            return ["a brace closes nothing"]
    return ["a brace is not closed"] if depth else []


def _formula(formula: str) -> list[str]:
    found = [] if formula.strip() else ["an empty formula"]
    if re.search(rf"_\s*{_SCRIPT}\s*_|\^\s*{_SCRIPT}\s*\^", formula):
        found.append(f"two scripts at one place: {formula}")
    if re.search(r"[_^]\s*$", formula):
        found.append(f"a script without anything: {formula}")
    return found + _braces(formula)
