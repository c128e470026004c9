r"""The definitions that statements rest on, and which statement needs which: a table, read by `proofs.hypotheses`."""

__all__ = ["DEFINITIONS", "NEEDED"]

_TOKEN = {
    "rows": r"Let $V \ge 1$ be the number of tokens, and let $p$ (the target) and $q$ (the draft) be probability "
    r"distributions on these $V$ tokens: entries $\ge 0$ with the sum $1$.",
    "target row": r"Let $V \ge 1$ be the number of tokens, and let $p$ (the target) be a probability distribution on "
    r"these $V$ tokens: entries $\ge 0$ with the sum $1$.",
    "ratio": r"A token $x$ is drafted, which means drawn from $q$, and kept with probability "
    r"$a(x) = \min(1, p(x)/q(x))$, its ratio; $a(x) = 1$ where $q(x) = 0$.",
    "residual": r"If it is not kept, a replacement is drawn from the residual $r = (p - q)_+ / \sum_x (p(x) - q(x))_+$ "
    r"with $(t)_+ = \max(t, 0)$, whichever token was rejected; $r = p$ where $p = q$.",
    "alpha": r"$\alpha = \sum_x q(x)a(x)$ is the probability that the drafted token is kept.",
    "law": r"$\mathrm{dist}$, or the law, is the law of the emitted token: the drafted one if it is kept, else the "
    r"replacement.",
    "tv": r"$\mathrm{TV}(p, q) = \tfrac12 \sum_x |p(x) - q(x)|$ is the total variation distance.",
    "closed form": r"The closed forms are $\mathrm{dist}(y) = q(y)a(y) + \rho\, r(y)$ with $\rho = \sum_x q(x)"
    r"(1 - a(x))$, and $\alpha = \sum_x q(x)a(x)$.",
    "keep": r"Let $a(x)$ with $0 \le a(x) \le 1$ be any probabilities of keeping a drafted token $x$, which was drawn "
    r"from $q$, and let $r$ be a distribution from which a replacement is drawn, whichever token was rejected. $\sum "
    r"qa$ is $\sum_x q(x)a(x)$, and relations between rows hold entry by entry.",
    "couplings": r"$\Pi(q, p)$ is the set of couplings of $q$ and $p$: joint laws $c(x, y) \ge 0$ with $\sum_y c(x, y) "
    r"= q(x)$ and $\sum_x c(x, y) = p(y)$. The maximal coupling, the rule's own, is the joint law of the drafted and "
    r"the emitted token.",
    "one-hot": r"$1_x$ is the distribution with mass $1$ on the token $x$.",
    "disjoint": r"$pq = 0$ says that $p(x)q(x) = 0$ for every token $x$.",
    "map": r"For a map $f$ from the tokens to a finite set, $f_* p$ is the law of $f(x)$ where $x$ has the law $p$, "
    r"and $\alpha(p, q)$ is $\alpha$ for the rows $p$ and $q$.",
}

_PROCESS = {
    "processes": r"Let $V \ge 1$ be the number of tokens, a letter that also stands for their set. A target and a "
    r"draft each give a probability distribution on the tokens after every finite sequence of tokens, the empty one "
    r"included. One call drafts $\gamma \ge 0$ tokens $x_1, \dots, x_\gamma$, each drawn from the draft's row after "
    r"those before it.",
    "positions": r"$p_i$ and $q_i$ are the rows of target and draft at position $i$, given the $i - 1$ tokens before "
    r"it, and $x^i = x_1 \dots x_i$.",
    "joint": r"$P(y)$ and $Q(y)$ are the probabilities of a sequence $y$ under target and draft, and $P(y \mid e)$ is "
    r"the target's probability of the rest of $y$ after its prefix $e$.",
    "emitted": r"$\Pr(e)$ is the probability that one call emits exactly the tokens $e$, of which there are $1$ to "
    r"$\gamma + 1$.",
    "prefix": r"A sum over $e \preceq y$ is over the non-empty prefixes $e$ of $y$, $y$ itself included.",
    "tau": r"$\tau$ is the number of drafted tokens that the call keeps, and $|e|$ the number of tokens in $e$.",
    "chain": r"From the first on, a drafted token is kept with probability $a_i = \min(1, p_i(x_i)/q_i(x_i))$. The "
    r"first one that is not kept is replaced by a token drawn from $r_i$, which is $(p_i - q_i)_+$ divided by its "
    r"sum, or $p_i$ where $p_i = q_i$, and the call ends; if all are kept a last token, the bonus, is drawn from the "
    r"target's row after them. $(t)_+ = \max(t, 0)$.",
    "counted": r"The formula counts positions from $1$ on; the words count them from $0$ on.",
    "reached": r"$\Pr(w \preceq e)$ is the probability that what one call emits begins with $w = w_1 \dots w_k$, which "
    r"can be reached if its first $k - 1$ tokens can all be drafted and kept; the product is over $1 \le i < k$.",
    "less": r"$E_\gamma[\tau]$ is the expectation with $\gamma$ drafted tokens; where an index is below $0$ the term "
    r"is left out.",
    "constant": r"The rows of target and draft are $p$ and $q$ after every prefix, and $\alpha = \sum_x \min(p(x), "
    r"q(x))$; for $\alpha = 1$ the quotient stands for its limit $\gamma + 1$.",
    "cost": r"$0 \le \alpha \le 1$ is the probability that a drafted token is kept, the same for every token, and $c "
    r"\ge 0$ the cost of one call of the draft where a call of the target costs $1$; $\gamma$ runs over $0$ to a "
    r"stated bound, and for $\alpha = 1$ the quotient $(1 - \alpha^{\gamma+1})/(1 - \alpha)$ stands for its limit "
    r"$\gamma + 1$.",
}

_MATCH = {
    "match": r"The match rule draws a token from $p$, independently of what was drafted, and emits it; a drafted token "
    r"is kept if it is the one drawn.",
    "match drafts": r"$S$ is the set of $k$ tokens that are drawn independently from $q$, and the acceptance is the "
    r"probability that the emitted token is in $S$.",
    "match set": r"$S$ is any set of drafted tokens that does not depend on the token drawn from $p$.",
    "match chain": r"At every position the match rule draws a token from the target's row, independently of what was "
    r"drafted, and emits it; the call ends when it is not the drafted token, or with one more token of the target "
    r"when all $\gamma$ were.",
    "greedy": r"Greedy decoding emits the token of least index among those of greatest probability under $p$; $g$ is "
    r"the distribution with mass $1$ on it.",
    "greedy target": r"Both rules are given the target $g$, with mass $1$ on the token of least index among those of "
    r"greatest probability under $p$, and the draft $q$; $\Pr(x, y)$ is the joint law of drafted and emitted token.",
    "token rule": r"The token rule keeps a drafted token $x$ with probability $\min(1, p(x)/q(x))$ and otherwise draws "
    r"from $(p - q)_+$ divided by its sum, or from $p$ where $p = q$.",
    "indicator": r"$1[\cdot]$ is $1$ where the condition holds and $0$ elsewhere.",
}

_BLOCK = {
    "after": r"$P_i$ and $Q_i$ are the rows of target and draft after the first $i$ drafted tokens, $p(x \mid v)$ and "
    r"$q(x \mid v)$ those after the prefix $v$, and $\rho_i = p(x_i \mid x^{i-1})/q(x_i \mid x^{i-1})$.",
    "block": r"Block verification: $p_0 = 1$ and $p_i = \min(1, p_{i-1} \rho_i)$ are the weights of the drafted "
    r"path; with $Z_i = \sum_x (p_i P_i(x) - Q_i(x))_+$ the odds are $h_i = Z_i/(Z_i + 1 - p_i)$ for $0 < i < \gamma$, "
    r"$1$ where that is $0/0$, and $h_\gamma = p_\gamma$. Every position has a coin of its own, independent of all "
    r"others, which is kept with probability $h_i$; $\tau$ is the greatest $i$ whose coin is kept, or $0$. The call "
    r"emits $x^\tau$ and a token drawn from $r_\tau$: $(p_\tau P_\tau - Q_\tau)_+$ divided by its sum ($P_\tau$ where "
    r"nothing is left), and $P_\gamma$ for $\tau = \gamma$. $(t)_+ = \max(t, 0)$.",
    "block prefix": r"A sum over $e \sqsubseteq y$ is over the non-empty prefixes $e$ of $y$, $y$ itself included.",
    "lossless": r"A rule is lossless if one call, and then the target's own tokens up to $\gamma + 1$, have the "
    r"target's law on sequences.",
    "node masses": r"Node masses say what a rule of one call accepts: $a(v)$ is the probability that $v$ is "
    r"drafted and kept, $a() = 1$ for the empty prefix, and $a(vx) \ge 0$ sum over $x$ to at most $a(v)$. Here two "
    r"tokens are drafted.",
    "greatest": r"$a(v)$ is given by $a() = 1$ and $a(vx) = \min(Q(vx), a(v)\, p(x \mid v))$; $Q(v)$ is the draft's "
    r"probability of $v$, and $b \le Q$ holds for the node masses $b$ of any rule that keeps drafted tokens alone.",
    "block sum": r"$v$ ranges over the prefixes of $0$ to $\gamma$ tokens, $()$ being the empty one, and $Q(v)$ is the "
    r"draft's probability of $v$.",
    "greedy block": r"Greedy block verification: with $R_i = P(x^i)/Q(x^i)$ the odds are $h_i = \min(1, A_i/B_i)$ for "
    r"$i < \gamma$, and $1$ where $B_i = 0$, with $A_i = \sum_x (R_i P_i(x) - Q_i(x))_+$ and $B_i = \sum_x (Q_i(x) - "
    r"R_i P_i(x))_+$; $h_\gamma = \min(1, R_\gamma)$. Every position has a coin of its own, independent of all others, "
    r"which is kept with probability $h_i$; $\tau$ is the greatest $i$ whose coin is kept, or $0$. The call emits "
    r"$x^\tau$ and a token drawn from $r_\tau$: $(R_\tau P_\tau - Q_\tau)_+$ divided by its sum ($P_\tau$ where "
    r"nothing is left), and $P_\gamma$ for $\tau = \gamma$. $(t)_+ = \max(t, 0)$.",
    "changed": r"After the call, the target's row after a prefix $v$ of fewer than $\gamma$ tokens, counted from where "
    r"the block began, is $P'(\cdot \mid v)$; all other rows stay as they are.",
    "joint laws": r"$P_i$ and $Q_i$ in $\mathrm{TV}(P_i, Q_i)$ are the joint laws of the first $i$ tokens under target "
    r"and draft, and $\mathrm{TV}$ is half the sum of the absolute differences.",
    "block rule": r"Block verification accepts $\sum_v a(v)$ tokens on average, over the prefixes $v$ of $1$ to "
    r"$\gamma$ tokens, with $a() = 1$ and $a(vx) = \min(Q(vx), a(v)\, p(x \mid v))$.",
}

_SIBLINGS = {
    "siblings": r"$k \ge 1$ siblings are drafted for one position: with replacement, each drawn from $q$; or "
    r"without, each drawn from $q$ without those before it, normalised, and uniformly from the tokens not yet drawn "
    r"once those with $q > 0$ are used up ($k \le V$). $S$ is the set of them, and $Y$ the emitted token.",
    "replacement": r"$k \ge 1$ siblings are drawn independently from $q$. $Y$ is the emitted token.",
    "recursive": r"Recursive rejection tries the siblings in turn. With $r_1 = p$, and $q_j$ the law that $x_j$ was "
    r"drawn from, $x_j$ is kept with probability $\min(1, r_j(x_j)/q_j(x_j))$ and emitted; after a rejection $r_{j+1}$ "
    r"is $(r_j - q_j)_+$ divided by its sum, or $r_j$ where $r_j = q_j$; if none is kept the token is drawn from "
    r"$r_{k+1}$. $(t)_+ = \max(t, 0)$.",
    "kept": r"$\alpha$, the acceptance, is the probability that a sibling is kept.",
    "sampler": r"$s$ ranges over the sequences of $k$ siblings, and $\mathrm{dist}$ is the law of $Y$.",
    "optimum": r"The optimum $\alpha^*$ is the greatest probability that the emitted token is one of the siblings, "
    r"over all rules whose emitted token has the law $p$.",
    "sets": r"$H$ ranges over the sets of tokens, the empty one included, and $p(H) = \sum_{x \in H} p(x)$.",
    "flow": r"A flow has $f(S, x) \ge 0$ for the members $x$ of $S$, $\sum_x f(S, x) \le \Pr(S)$ and $\sum_S f(S, x) "
    r"\le p(x)$; its value $|f|$ is the sum of all $f(S, x)$.",
    "k-seq": r"K-SEQ with $\rho \ge 1$ looks at the siblings in turn and keeps the first one that passes, each with "
    r"probability $\min(1, p(x)/(\rho q(x)))$. With $\beta = \sum_x \min(q(x), p(x)/\rho)$ and $G = \sum_{j=0}^{k-1} "
    r"(1 - \beta)^j$, which is $(1 - (1 - \beta)^k)/\beta$ for $\beta > 0$, the token is drawn if none is kept from "
    r"the positive part of $p - \min(q, p/\rho)\, G$, divided by its sum, or from $p$ where nothing is left.",
    "admissible": r"$\rho$ is admissible if $\min(q(x), p(x)/\rho)\, G(\rho) \le p(x)$ for every $x$, where "
    r"$G(\rho)$ is $G$ as it depends on $\rho$ through $\beta$, and $\rho^*$ is the least such $\rho \ge 1$. The "
    r"bounds given for it are two rationals, of which the upper one is admissible and the lower one is not, unless "
    r"they are equal.",
    "candidates": r"Candidates $x_1, \dots, x_k$ are given, not drawn; $S$ is the set of them. In turn, repeated ones "
    r"skipped, $x_j$ is kept with probability $p(x_j)/(1 - p(x_1) - \dots - p(x_{j-1}))$ and emitted; if none is kept "
    r"the token is drawn from $p$ without $S$, normalised. $\alpha$ is the probability that one is kept, and "
    r"$p(S) = \sum_{x \in S} p(x)$.",
}

_COUPLINGS = {
    "gumbel": r"Shared noise: $E_1, \dots, E_V$ are independent exponential variables of rate $1$; the drafted "
    r"token is $x = \arg\min_i E_i/q_i$, and the emitted one $y = \arg\min_i E_i/p_i$, tokens of probability $0$ being "
    r"left out. The draft is kept iff $x = y$. $p_i$ and $q_i$ are the entries of the rows.",
    "minhash": r"Shared samples: pairs of a token and a height are drawn independently and uniformly from the $V$ "
    r"tokens and $[0, 1]$; the drafted token $x$ is that of the first pair whose height is below $q$ at its token, and "
    r"the emitted one $y$ that of the first below $p$. The draft is kept iff $x = y$.",
    "joint law": r"$\Pr(x, y)$ is the joint law of the drafted token $x$ and the emitted token $y$.",
    "which": r"$\Pr_{\mathrm{Gumbel}}$ and $\Pr_{\mathrm{MinHash}}$ are the probabilities that $x = y$ with shared "
    r"noise and with shared samples, and with arguments the joint laws; $1 - \mathrm{TV}(p, q)$ is that of the maximal "
    r"coupling.",
}

_LOSSY = {
    "lossy": r"A token $x$ is drafted, which means drawn from $q$, and kept with probability $a(x)$; if it is not "
    r"kept, another token is drawn in its place. $\mathrm{dist}$ is the law of the emitted token, and $\alpha$ the "
    r"probability that the drafted one is kept.",
    "part": r"$(t)_+ = \max(t, 0)$, and $r \propto f$ says that $r$ is $f$ divided by its sum, or $p$ where that is "
    r"$0$.",
    "lenience": r"Lenience with $0 < l \le 1$ has $a(x) = \min(1, p(x)/(l q(x)))$, and $\alpha_l$ is its acceptance.",
    "synthetic": r"Synthetic acceptance with $0 \le r \le 1$ keeps any drafted token with probability $r$ and else "
    r"draws from $p$.",
    "ensemble": r"The ensemble with $0 \le w \le 1$ is the token rule with $wp + (1 - w)q$ in the place of $p$.",
    "cascade": r"The cascade is the token rule with a declared distribution $\pi$ in the place of $p$.",
    "sglang": r"With thresholds $0 \le s \le 1$ and $0 < t \le 1$, $a(x) = 1$ if $p(x) \ge s$, else $\min(1, p(x)/t)$, "
    r"which the formula writes as $1[\cdot] \vee \cdot$; after a rejection of $x$ the token is drawn from $r_x$: $p$ "
    r"without $x$, normalised.",
    "relaxed": r"$N \ge 1$ and $0 \le \delta \le 1$; $\mathrm{top}_N(p)$ are the $N$ tokens of greatest probability, "
    r"of equals the lower index first; the token that replaces a rejected one is the first of them.",
    "typical": r"$0 \le \varepsilon, \delta \le 1$, and $H(p) = -\sum_x p(x) \ln p(x)$ is the entropy with $0 \ln 0 "
    r"= 0$.",
    "typical law": r"$\mathrm{kept}$ is the set of the tokens with $p(x) > \min(\varepsilon, \delta e^{-H(p)})$, and "
    r"$q(\overline{\mathrm{kept}})$ the draft's mass outside of it; $r$ is $p$, or $p$ on $\mathrm{kept}$ normalised, "
    r"or has mass $1$ on the likeliest token, of equals the lowest index, as the variant is named.",
    "bound": r"The rules meant are lenience, synthetic acceptance, the ensemble, the cascade, acceptance by "
    r"thresholds, relaxed and typical acceptance, as this package defines them.",
    "report": r"$\mathrm{dist}$ is $q$, for the rule that keeps everything; ratios are over the tokens with $p(x) > 0$ "
    r"or $q(x) > 0$, and infinite where $p(x) = 0$ alone.",
}

_TARGETS = {
    "steps": r"$T$ is a list of steps, applied to a row in the order written and then divided by the sum: "
    r"temperature, top-k, top-p, min-p, factors, masks. $y^{i-1}$ are the first $i - 1$ of the tokens $y$.",
    "verifier": r"The verifier is the token rule, position after position: a drafted token is kept with "
    r"$\min(1, p/q)$, the first rejected one replaced from $(p - q)_+$ normalised, and after $\gamma$ kept ones a "
    r"bonus token is drawn; $p$ and $q$ are the rows after the steps.",
    "temperature": r"$T_t(p)$ is temperature $t$, which raises the entries to the power $1/t$ and divides by their "
    r"sum; $a$ and $b$ are positive integers.",
    "kept tokens": r"$\mathrm{supp}$ is the set of the tokens that are left, and $\mathrm{supp}\ p$ that of those with "
    r"$p(x) > 0$; what is left is divided by its mass.",
    "top-p": r"$K$ is the set of the tokens that are left, taken from the greatest probability down, of equals the "
    r"lower index first, $p(K)$ its mass and $K \setminus \min K$ the set without the last one taken; $0 < P \le 1$.",
    "min-p": r"$0 \le f \le 1$.",
}

DEFINITIONS: dict[str, str] = {
    **_TOKEN, **_PROCESS, **_MATCH, **_BLOCK, **_SIBLINGS, **_COUPLINGS, **_LOSSY, **_TARGETS,
}  # fmt: skip

_RULE = ("rows", "ratio", "residual")
_CHAIN = ("processes", "positions", "chain")
_BLOCKS = ("processes", "joint", "after", "block")
_GREEDY = ("processes", "joint", "after", "greedy block")
_RECURSIVE = ("rows", "siblings", "recursive")

NEEDED: dict[str, tuple[str, ...]] = {
    "lossless": _RULE,
    "distribution": (*_RULE, "alpha", "law"),
    "alpha_is_one_minus_tv": ("rows", "ratio", "alpha", "tv"),
    "completion": ("rows", "keep"),
    "optimal": (*_RULE, "alpha", "couplings"),
    "identical_draft": (*_RULE, "alpha", "law"),
    "token_never_proposed": (*_RULE, "alpha", "law"),
    "token_never_wanted": (*_RULE, "law"),
    "disjoint_supports": (*_RULE, "alpha", "law", "disjoint"),
    "one_hot_draft": ("rows", "ratio", "alpha", "one-hot"),
    "one_hot_target": ("rows", "ratio", "alpha", "one-hot"),
    "single_token": (*_RULE, "alpha", "law"),
    "merging_never_lowers_alpha": ("rows", "ratio", "alpha", "map"),
    "closed_form_is_sampler": (*_RULE, "closed form"),
    "chain_lossless": (*_CHAIN, "joint", "emitted", "prefix"),
    "chain_law_is_the_samplers": (*_CHAIN, "joint", "emitted"),
    "chain_path_law": (*_CHAIN, "tau", "counted"),
    "chain_prefix_law": (*_CHAIN, "reached"),
    "chain_accepted_law": (*_CHAIN, "tau"),
    "chain_expected_accepted": (*_CHAIN, "tau"),
    "chain_monotone_in_gamma": (*_CHAIN, "tau", "less"),
    "chain_constant_rows": (*_CHAIN, "tau", "constant"),
    "chain_best_gamma": ("cost",),
    "match_lossless_for_every_drafter": ("target row", "match"),
    "match_acceptance_is_mass_of_drafts": ("rows", "match", "match drafts"),
    "match_set_acceptance": ("target row", "match", "match set"),
    "match_below_maximal": ("rows", "match", "tv"),
    "certain_draft_makes_both_rules_one": ("rows", "match", "token rule", "one-hot", "indicator"),
    "greedy_takes_the_first_of_the_likeliest": ("target row", "greedy", "indicator"),
    "greedy_match_is_token_rule": ("rows", "match", "token rule", "greedy target", "indicator"),
    "match_lossless_on_sequences": ("processes", "match chain", "joint"),
    "match_chain": ("processes", "positions", "match chain", "tau", "indicator"),
    "block_lossless": (*_BLOCKS, "emitted", "block prefix"),
    "block_law_is_the_algorithm": (*_BLOCKS, "emitted"),
    "block_optimal": (*_BLOCKS, "lossless", "block sum"),
    "block_not_below_the_chain": (*_BLOCKS, "block sum"),
    "block_weights_by_running_maximum": _BLOCKS,
    "block_odds_at_zero_over_zero": _BLOCKS,
    "block_validity": ("processes", "after", "lossless", "node masses"),
    "block_masses_are_greatest": ("processes", "after", "lossless", "node masses", "greatest"),
    "greedy_lossless_over_calls": (*_GREEDY, "changed"),
    "greedy_reaches_the_ceiling": (*_GREEDY, "joint laws"),
    "greedy_law_is_the_algorithm": (*_GREEDY, "emitted", "changed"),
    "greedy_not_below_blocks": (*_GREEDY, "joint laws", "block rule"),
    "siblings_lossless": _RECURSIVE,
    "siblings_closed_form_is_sampler": (*_RECURSIVE, "kept", "sampler"),
    "sibling_acceptance_is_product": (*_RECURSIVE, "kept", "tv"),
    "siblings_never_above_optimum": (*_RECURSIVE, "kept", "k-seq", "sets"),
    "sibling_optimum_is_flow": ("rows", "siblings", "optimum", "sets", "flow"),
    "one_sibling": (*_RECURSIVE, "kept", "k-seq", "optimum", "tv"),
    "more_siblings_never_hurt": (*_RECURSIVE, "kept", "optimum"),
    "support_used_up": (*_RECURSIVE, "kept", "optimum"),
    "kseq_lossless_iff_admissible": ("rows", "replacement", "k-seq"),
    "kseq_acceptance": ("rows", "replacement", "k-seq", "kept"),
    "least_admissible_rho": ("rows", "replacement", "k-seq", "admissible"),
    "fixed_candidates": ("target row", "candidates"),
    "gumbel_marginals": ("rows", "gumbel", "joint law"),
    "shared_noise_under_keep_iff_equal": ("rows", "gumbel"),
    "gumbel_match_is_diagonal": ("rows", "gumbel", "joint law"),
    "gumbel_between_its_bounds": ("rows", "gumbel", "tv"),
    "gumbel_one_way": ("rows", "gumbel", "joint law"),
    "minhash_marginals": ("rows", "minhash", "joint law"),
    "minhash_one_sample": ("rows", "minhash", "tv"),
    "minhash_one_token": ("rows", "minhash", "tv"),
    "couplings_in_order": ("rows", "gumbel", "minhash", "tv", "which"),
    "noise_above_samples_by_token": ("rows", "gumbel", "minhash", "which"),
    "lenience_law": ("rows", "lossy", "lenience", "part"),
    "lenience_one_is_token_rule": ("rows", "lossy", "lenience", "tv"),
    "lenience_keeps_more": ("rows", "lossy", "lenience"),
    "synthetic_distance": ("rows", "lossy", "synthetic", "tv"),
    "ensemble_mixture": ("rows", "lossy", "token rule", "ensemble", "tv"),
    "ensemble_keeps_more_than_synthetic": ("rows", "lossy", "token rule", "synthetic", "ensemble", "tv"),
    "cascade_declared": ("rows", "lossy", "token rule", "cascade", "tv"),
    "sglang_law": ("rows", "lossy", "sglang", "part"),
    "sglang_lossless_at_one": ("rows", "lossy", "sglang"),
    "relaxed_law": ("rows", "lossy", "relaxed", "indicator", "one-hot"),
    "typical_decision": ("target row", "typical"),
    "typical_law": ("rows", "lossy", "typical", "typical law"),
    "acceptance_bound": ("rows", "lossy", "bound", "tv"),
    "report_is_tight": ("rows", "lossy", "report", "tv"),
    "lossless_for_the_transformed_target": ("processes", "joint", "steps", "verifier"),
    "temperatures_multiply": ("target row", "temperature"),
    "top_k_keeps_k": ("target row", "kept tokens"),
    "top_p_keeps_the_least": ("target row", "top-p"),
    "min_p_keeps_its_fraction": ("target row", "kept tokens", "min-p"),
}
