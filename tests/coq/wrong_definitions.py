"""Wrong definitions: the rules with a fault, with which the library must not compile.

Coq must stop in the proof of a statement that is false of the wrong definition. An equation that only says a definition
once more is changed with it, and so is the proof of what stays true.
"""

from typing import NamedTuple

__all__ = ["WRONG", "Wrong"]

_RATIO = "if q x <= p x then 1 else p x / q x"
_RESIDUAL = "else pos (p y - q y) / excess p q."
_SAMPLER = "if b then ret x else draw (residual p q)."
_WEIGHT = "Definition next_weight p q w ctx x : R := ratio (weighed p w ctx) (q ctx) x."
_VERIFY = "if b then s <- verify p q (rcons ctx x) d' ;; ret (x :: s)\n    else "
_REPLACE = "y <- draw (residual (p ctx) (q ctx)) ;; ret [:: y]"
_VERIFY_STEP = (
    "  ratio (p ctx) (q ctx) x * verify p q (rcons ctx x) d (fun s => f (x :: s))\n"
    "    + (1 - ratio (p ctx) (q ctx) x) * draw (residual (p ctx) (q ctx))"
)


class Wrong(NamedTuple):
    """A fault.

    Attributes
    ----------
    file : str
    edits : tuple of (str, str)
        What stands in the file once, and what takes its place; the definition first.
    stops : str
        The statement whose proof is refused.
    fault : str
    """

    file: str
    edits: tuple[tuple[str, str], ...]
    stops: str
    fault: str


def _one(file: str, right: str, wrong: str, stops: str, fault: str) -> Wrong:
    return Wrong(file, ((right, wrong),), stops, fault)


TOKEN = (
    _one("TokenRule.v", _RATIO, "if q x <= p x then 1 else q x / p x", "ratio_le1", "keeps with the inverted ratio"),
    _one("TokenRule.v", _RATIO, "p x / q x", "ratio_le1", "keeps with the ratio uncapped"),
    _one(
        "TokenRule.v",
        r"excess p q : R := \sum_x pos (p x - q x).",
        r"excess p q : R := \sum_x pos (q x - p x).",
        "overlap_excess",
        "normalises by the mass of (q - p)+",
    ),
    _one("TokenRule.v", _RESIDUAL, "else pos (q y - p y) / excess p q.", "excess_residual", "replaces from (q - p)+"),
    _one("TokenRule.v", _RESIDUAL, "else pos (p y - q y).", "excess_residual", "leaves the residual unnormalised"),
    _one("TokenRule.v", _RESIDUAL, "else `|p y - q y| / excess p q.", "excess_residual", "replaces from |p - q|"),
    _one(
        "TokenRule.v",
        "if excess p q == 0 then p y else",
        "if excess p q == 0 then 0 else",
        "residual_dist",
        "has no residual for equal rows",
    ),
    _one(
        "TokenRule.v",
        _SAMPLER,
        "if b then draw (residual p q) else ret x.",
        "token_rule_draw",
        "replaces what it keeps",
    ),
    _one("TokenRule.v", _SAMPLER, "if b then ret x else draw p.", "token_rule_draw", "replaces from p"),
    _one(
        "TokenRule.v",
        r"(\sum_x q x * (1 - ratio p q x)) * residual p q y.",
        "residual p q y.",
        "emittedE",
        "leaves the probability of a rejection out of the law",
    ),
)

CHAIN = (
    Wrong(
        "ChainRule.v",
        (
            (
                f"{_VERIFY}{_REPLACE}\n  else y <- draw (p ctx) ;; ret [:: y].",
                f"{_VERIFY}{_REPLACE}\n  else y <- draw (q ctx) ;; ret [:: y].",
            ),
        ),
        "sampler_chain",
        "draws the bonus token from q",
    ),
    Wrong(
        "ChainRule.v",
        (
            (_VERIFY + _REPLACE, f"{_VERIFY}y <- draw (p ctx) ;; ret [:: y]"),
            (_VERIFY_STEP, _VERIFY_STEP.replace("(residual (p ctx) (q ctx))", "(p ctx)")),
        ),
        "sampler_chain",
        "draws the replacement from p",
    ),
    Wrong(
        "ChainRule.v",
        (
            (_VERIFY, _VERIFY.replace("(rcons ctx x)", "ctx")),
            (_VERIFY_STEP, _VERIFY_STEP.replace("(rcons ctx x)", "ctx")),
        ),
        "sampler_chain",
        "verifies every token against the first row",
    ),
    _one(
        "ChainRule.v",
        "if (n <= size s)%N then ret (take n s)",
        "if (n <= size s)%N then ret s",
        "generate_law",
        "does not cut the last call",
    ),
)

BLOCK = (
    _one(
        "BlockRule.v",
        _WEIGHT,
        "Definition next_weight p q w ctx x : R := w * p ctx x / q ctx x.",
        "weight_le1",
        "weighs the path without the cap",
    ),
    Wrong(
        "BlockRule.v",
        (
            (_WEIGHT, "Definition next_weight p q w ctx x : R := ratio (p ctx) (q ctx) x."),
            (
                "apply: ratio_ge0; [exact: weighed_ge0 | case: (dq ctx)].",
                "apply: ratio_ge0; [case: (dp ctx) | case: (dq ctx)].",
            ),
        ),
        "rejectedE",
        "takes the ratio of the last token for the weight",
    ),
    _one(
        "BlockRule.v",
        "else spare p q w ctx / (spare p q w ctx + (1 - w)).",
        "else w.",
        "odds_mass",
        "keeps every coin with the weight",
    ),
    _one(
        "BlockRule.v",
        "b <- flip h ;; if b then y <- draw (p ctx) ;; ret (rcons pre y) else stop.",
        "b <- flip h ;; if b then y <- draw (q ctx) ;; ret (rcons pre y) else stop.",
        "published",
        "draws the bonus token from q",
    ),
    Wrong(
        "BlockRule.v",
        (
            (
                "(if b then y <- replacement p q w ctx ;; ret (rcons pre y) else stop)",
                "(if b then stop else y <- replacement p q w ctx ;; ret (rcons pre y))",
            ),
            (
                "h * next (y <- replacement p q w ctx ;; ret (rcons pre y)) + (1 - h) * next stop.",
                "h * next stop + (1 - h) * next (y <- replacement p q w ctx ;; ret (rcons pre y)).",
            ),
        ),
        "scan_next",
        "stops at the coins that fail",
    ),
    _one(
        "BlockRule.v",
        "foldr Num.max 1 [seq",
        "foldr Num.max 0 [seq",
        "running_maximum_gt0",
        "lets the running maximum be below 1",
    ),
)

SIBLINGS = (
    _one(
        "SiblingRule.v",
        "Definition after_rejection r q : V -> R := residual r q.",
        "Definition after_rejection r q : V -> R := r.",
        "after_rejection_mass",
        "tries every sibling against the target",
    ),
    _one(
        "SiblingRule.v",
        "Definition after_rejection r q : V -> R := residual r q.",
        "Definition after_rejection r q : V -> R := residual q r.",
        "after_rejection_mass",
        "takes (q - r)+ for the residual",
    ),
    _one(
        "SiblingRule.v",
        "then normalised (unstruck h (fun=> 1)) else normalised (unstruck h q)",
        "then normalised (unstruck h (fun=> 1)) else unstruck h q",
        "left_to_draw_dist",
        "does not normalise the row without the drawn tokens",
    ),
    _one(
        "SiblingRule.v",
        "iter j (fun r => after_rejection r q) p.",
        "iter j (fun r => after_rejection p q) p.",
        "recursive_kept",
        "reports one residual for every try",
    ),
    _one(
        "KSeqRule.v",
        "Definition keep_mass p q rho x : R := Num.min (q x) (p x / rho).",
        "Definition keep_mass p q rho x : R := Num.min (q x) (p x * rho).",
        "one_sibling_tried",
        "multiplies the target by rho",
    ),
    _one(
        "KSeqRule.v",
        "  residual p (fun x => keep_mass p q rho x * expected_tries p q rho k).",
        "  residual p (fun x => keep_mass p q rho x).",
        "fits_law",
        "leaves the number of tries out of the residual",
    ),
    _one(
        "KSeqRule.v",
        r"\sum_(j < k) (1 - beta p q rho) ^+ j.",
        r"\sum_(j < k.+1) (1 - beta p q rho) ^+ j.",
        "tries_beta",
        "counts one try too many",
    ),
    _one(
        "KSeqRule.v",
        r"    if x \in seen then candidates p seen d' else",
        "    if false then candidates p seen d' else",
        "candidates_mass",
        "counts a candidate twice",
    ),
    _one(
        "KSeqRule.v",
        "Definition off_candidates p seen : V -> R := normalised (unstruck seen p).",
        "Definition off_candidates p seen : V -> R := p.",
        "candidates_mass",
        "draws the last token from the target, candidates too",
    ),
    _one(
        "SiblingOptimum.v",
        r"Definition cut p qf k H : R := 1 + \sum_(x in H) p x - inside qf k [::] H.",
        "Definition cut p qf k H : R := 1 - inside qf k [::] H.",
        "any_drafter_below_cut",
        "leaves p(H) out of the bound",
    ),
)

NODES = (
    _one(
        "NodeMasses.v",
        "(size v <= o.1.2)%N && (take (size v) o.1.1 == v).",
        "(size v < o.1.2)%N && (take (size v) o.1.1 == v).",
        "node_mass_nil",
        "counts a prefix as accepted only if more than it is",
    ),
    _one(
        "NodeMasses.v",
        "(o.1.2 == size v) && (take (size v) o.1.1 == v).",
        "(o.1.2 == size v).",
        "keeps_split",
        "stops at a prefix whatever the block begins with",
    ),
    _one(
        "NodeMasses.v",
        "Definition emit o : seq V := rcons (take o.1.2 o.1.1) o.2.",
        "Definition emit o : seq V := rcons o.1.1 o.2.",
        "balance_of",
        "emits the whole block whatever is accepted",
    ),
    _one(
        "NodeMasses.v",
        "(Num.min (b * q ctx x) (w * p ctx x)) (b * q ctx x) v'",
        "(Num.min (b * q ctx x) (b * p ctx x)) (b * q ctx x) v'",
        "greatest_rcons",
        "caps by the drafted mass, not by the accepted one",
    ),
    _one(
        "NodeMasses.v",
        "(Num.min (b * q ctx x) (w * p ctx x)) (b * q ctx x) v' else w.",
        "(w * Num.min (q ctx x) (p ctx x)) (b * q ctx x) v' else w.",
        "greatest_rcons",
        "takes the masses of the token rule for the greatest",
    ),
    _one(
        "NodeMasses.v",
        "let f x := a v * p (ctx ++ v) x in let h x := a (rcons v x) in",
        "let f x := p (ctx ++ v) x in let h x := a (rcons v x) in",
        "redraw_lossless",
        "forgets the node mass in the row of the last token",
    ),
    _one(
        "NodeMasses.v",
        "else (share v - later v) / (1 - later v).",
        "else share v.",
        "coin_missed",
        "keeps a coin with the whole share of its position",
    ),
    _one(
        "BlockOptimal.v",
        "if s is y :: s' then ret (size s', last y s') else fun=> 0.",
        "if s is y :: s' then ret (size s', y) else fun=> 0.",
        "told_rcons",
        "takes the first emitted token for the last",
    ),
)

MATCH = (
    _one(
        "MatchRule.v",
        r"y <- draw p ;; ret (y \in s, y).",
        r"y <- draw p ;; ret (y \notin s, y).",
        "match_kept",
        "accepts what was not drafted",
    ),
    _one(
        "MatchRule.v",
        r"\sum_(x <- undup s) p x.",
        r"\sum_(x <- s) p x.",
        "set_acceptanceE",
        "counts a token twice that was drafted twice",
    ),
    _one(
        "MatchRule.v",
        "p x * (1 - (1 - q x) ^+ k).",
        "p x * (k%:R * q x).",
        "match_acceptance_is_mass_of_drafts",
        "adds the drafts up",
    ),
    _one(
        "MatchRule.v",
        "(if y == x then 0 else p y) / (1 - p x).",
        "p y.",
        "others_sum",
        "replaces a looked up token from the target",
    ),
)

LOSSY = (
    _one(
        "LossyRules.v",
        "if scaled then l * q x else q x.",
        "if scaled then q x else l * q x.",
        "lenience_law",
        "takes each residual under the other's name",
    ),
    _one(
        "LossyRules.v",
        "ratio p (fun x => l * q x).",
        "ratio (fun x => l * p x) q.",
        "lenienceE",
        "keeps with l p / q",
    ),
    _one(
        "LossyRules.v",
        "lossy_call q (fun=> b) (fun=> p).",
        "lossy_call q (fun=> b) (fun=> residual p q).",
        "synthetic_distance",
        "replaces from (p - q)+ whatever was kept",
    ),
    _one(
        "LossyRules.v",
        "mixture p q w x : R := w * p x + (1 - w) * q x.",
        "mixture p q w x : R := w * q x + (1 - w) * p x.",
        "ensemble_tv",
        "weighs the draft with the target's weight",
    ),
    _one(
        "LossyRules.v",
        "cascade_call p pi q := token_call pi q.",
        "cascade_call p pi q := lossy_call q (ratio pi q) (fun=> residual p q).",
        "cascade_declared",
        "replaces from the target's residual",
    ),
    _one(
        "LossyRules.v",
        "lossy_call q (sglang_keep p s t) (others p).",
        "lossy_call q (sglang_keep p s t) (fun=> p).",
        "sglang_law",
        "lets the rejected token come back",
    ),
    _one(
        "LossyRules.v",
        r"(x \in first_tokens p n) && (greatest p - delta <= p x).",
        r"(x \in first_tokens p n) && (greatest p - delta < p x).",
        "relaxed_law",
        "leaves out what is exactly delta below the greatest",
    ),
    _one(
        "LossyRules.v",
        "Num.min 1 (1 - tv p q + budget).",
        "Num.min 1 (1 - tv p q).",
        "kept_bound",
        "bounds a lossy rule as a lossless one",
    ),
)

WRONG = (*TOKEN, *CHAIN, *MATCH, *LOSSY, *BLOCK, *NODES, *SIBLINGS)
