r"""What the symbols of the statements mean, in text with formulas between dollar signs.

A statement that is cited leaves this package, and with it the words at the top of a run. `hypotheses_of` gives the
sentences that go with it, so that what is assumed stands in the citation: the finite vocabulary, the rows, and what
a ratio or a residual is where a quotient is 0/0. Outside of formulas the sentences are plain ASCII, so that LaTeX and
Markdown can both take them as they stand.
"""

from proofs.errors import ProofsError
from proofs.hypotheses_table import DEFINITIONS, NEEDED

__all__ = ["hypotheses_of"]


def hypotheses_of(theorem: str) -> tuple[str, ...]:
    r"""Return the definitions that a theorem's statement needs, in the order in which they build on each other.

    Parameters
    ----------
    theorem : str
        Its id.

    Returns
    -------
    tuple of str
        Sentences with formulas between dollar signs; never empty.

    Raises
    ------
    ProofsError
        If there are none for this id.

    Examples
    --------
    >>> hypotheses_of("alpha_is_one_minus_tv")[-1]
    '$\\mathrm{TV}(p, q) = \\tfrac12 \\sum_x |p(x) - q(x)|$ is the total variation distance.'
    """
    names = NEEDED.get(theorem, ())
    if not names:
        raise ProofsError(f"theorem {theorem!a} has no hypotheses in proofs.hypotheses_table; expected an entry there")
    return tuple(DEFINITIONS[name] for name in names)
