from proofs.certificates import pair_claims
from proofs.recheck import TABLE
from proofs.recheck_table import RECHECK, short_digest, table, with_table


def test_digests_of_pairs_are_in_the_table() -> None:
    assert {short_digest(claim) for claim in pair_claims()} <= set(TABLE)


def test_table_is_replaced_and_nothing_else() -> None:
    source = RECHECK.read_text(encoding="ascii")
    changed = with_table(source, table([]))
    assert changed != source
    assert "THEOREMS, PAIRS, STATEMENTS = TABLE[:0], TABLE[0:5], TABLE[5:]" in changed
    assert with_table(changed, source.partition("72 bits.\n")[2].partition("# The table ends.\n")[0]) == source
