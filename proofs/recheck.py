"""Rechecks a certificate: python recheck.py cert.json. One file, standard library only; it can be copied elsewhere.

Each field is recomputed, compared with the digests below (of theorems with their evidence, reach and inputs), or
named on the last line as not rechecked; anything else is refused. The field sha256 is the digest of the file
without that field: JSON in ASCII, sorted keys, indent of one space, a newline at the end.
Exit status: 0 nothing refused and a claim recomputed, 1 refused, 2 usage or no such file, 5 nothing recomputed.
"""
import json, re, struct, sys, zipfile
from base64 import b64encode
from fractions import Fraction
from functools import cache
from hashlib import sha256
from itertools import chain, product, repeat
from math import lcm, prod
from pathlib import Path
from typing import Any

BYTES, DEPTH, DIGITS, SEQUENCES = 1 << 25, 8, 4000, 200_000
# The table begins: made by proofs/recheck_table.py. Of each digest the first 72 bits.
SCHEMA, PROJECT = "specdec-proofs/certificate/1", "specdec-proofs 0.1.0"
TABLE = """
FMLDjqozpNDD OKPceim8xzRu Dl4KyPvcYiZu VB1I9Cm2GthO wn5fAuCPWG69 FIY/tjyk7c/P suKmXCibCk4Z 2CsS8ToJjzR8 5DHVx4TGiPt+
qODXh8WMG2So JGHBrSJhJP+O f5Zjhu1ilgfV +JKZ651QdfzQ zuBfj7hvRhJ0 IBY1S07rV670 ehD5FFh6lZk3 Fvv1wxk29OVf Dh7IkZ4gv58P
vLApe7nMY+SN z4wcLIV3Cmam 2zicClUk3MTm h3CubHJ89GPi FdGsT5bxmpUo eYekm1nljBtC oCDR4mz1+L1z AcYB96c2kfmp c4lCw41ac766
OnrdwGi7ROLz 2UNUOhnwCeZN o9ik8Ogr0xp6 QYmN4aoYVhVT SZq8YJDCgCAn /XyeQ4Hft4u+ /uVyRLvLMkP3 kUrw8LC9r2fq dK+pNGFugc/T
uKv3YtmwAQMC 1FYLx5S05poI bL8aGHi5rLLj TyRhPovDcGkH RQ1y+WgZVA1T tL0SiJM/3mu2 1lcezId9Jss1 /OgTHaOoYRrO bHR48HIzqNxs
bpLRzHcWWWtO J+irAK7KwFtt Qta8VesOKM6Z e5JPrqOSyqBe q/WpEFdI8QTb PwOMV4WwBw74 iaGc5AL8GyOB lhxNKOAR1JHF 0xb5YYO6sP9V
XDzc/sJT3plc nrt/kbHwuSL9 gVskHE8uwoNs ckM8eTNV1cjd NURhGbcF7OXu MW/+Y3alnA6q aIEs+cOjbWIM sUbwpnBj3Q+i w9hY4WeUbEwP
DH1Pdc84vWs4 +fl3AJrvp3Tv 0GUoTX5qOf9n NJRqTXlUe6sn T3DcNPJT95aL BAjDsC9ZVMsX ib+CmsATn2R9 uXjAFTtdAFQt l+1BXYfdaTnz
0P0UqPK1aHwR u0rAUoBPvF/P 6CTJuxbJaHg/ TEw2QOnggBPP KXNNKDwwy0zc H2n61jtoW3ev Y12NpetkT/6F uy06YDasCRrs OmPZP45N9/Ee
rfkNqZWHW6Iy NoTbs6MVOW8S zyyeLp89NnE6 PM4P0iP9sXwg ggjtTzr8rUwR i2tH4vc55xHB Sn1TAaCiodTV L0EluDxSnAuU Ihip9EeNOiAc
myvaw8uIyIk9 sm2SjCvD6aKo SWVsD1nEF6Uv 8ETEfmBTsZEE 6EnPwaYG67lP 9aVnzRpo7lMa VGftf9sXBZqU
""".split()
THEOREMS, PAIRS, STATEMENTS = TABLE[:85], TABLE[85:90], TABLE[90:]
# The table ends.
canonical: Any = lambda document: (json.dumps(document, indent=1, sort_keys=True) + "\n").encode("ascii")
text: Any = lambda exact: "/".join(map(str, Fraction(exact).as_integer_ratio()))

def need(condition: Any, why: str) -> None:
    if not condition:
        raise ValueError(why)

def tabled(value: Any, table: list[str]) -> str:
    digest = b64encode(sha256(canonical(value)).digest()[:9]).decode()
    need(digest in table, f"{canonical(value)[:60]!a} is not in the table")
    return digest

def same(claim: Any, **expected: Any) -> bool:
    """Refuse a claim that is not, to the byte, what was computed here: 1 and true are not the same."""
    expected |= {"evidence": [{"kind": "computed"}], "statement": claim["statement"]}
    wrong = [k for k in sorted({*claim, *expected}) if canonical(claim.get(k)) != canonical(expected.get(k))]
    need(not wrong and len(claim) == len(expected), f"claim {expected['id']!a:.80}: {wrong} not as computed")
    return bool(tabled([claim["kind"], claim.get("status"), claim["statement"]], STATEMENTS))

def number(value: str) -> Fraction:
    need(re.fullmatch("-?[0-9]+/[1-9][0-9]*", value), f"{value!a:.40} is no num/den")
    need(max(map(len, value.strip("-").split("/"))) <= DIGITS, f"{value:.40} has more than {DIGITS} digits")
    need(text(Fraction(value)) == value, f"{value:.40} is not in lowest terms")
    return Fraction(value)

def parse(data: bytes) -> dict[str, Any]:
    """Return the document; refuse what is not canonical (a key twice, too), too large or deep, or no part of it."""
    need(len(data) <= BYTES, f"the file has more than {BYTES} bytes")
    depth = 0
    for found in re.finditer(rb'[\[\]{}]|"(?:[^"\\]++|\\.)*+"?', data, re.DOTALL):
        depth += (found[0] in b"[{") - (found[0] in b"]}")
        need(depth <= DEPTH, f"nested deeper than {DEPTH}")
    never: Any = lambda word: need(False, f"{word:.20} is no part of a certificate")
    whole: Any = lambda word: int(word) if len(word) < 11 else never(word)
    document = json.loads(data.decode("ascii"), parse_int=whole, parse_float=never, parse_constant=never)
    need(type(document) is dict and canonical(document) == data, "it is not in canonical form")
    return dict(document)

def token_rule(p: Any, q: Any) -> tuple[Any, ...]:
    """Return law, alpha, residual and ratios of the token rule."""
    ratios = [min(Fraction(1), a / b) if b else Fraction(1) for a, b in zip(p, q)]
    alpha, excess = sum(b * a for a, b in zip(ratios, q)), [max(Fraction(0), a - b) for a, b in zip(p, q)]
    residual = [e / sum(excess) for e in excess] if any(excess) else list(p)
    return [b * a + (1 - alpha) * r for a, b, r in zip(ratios, q, residual)], alpha, residual, ratios

@cache
def grid() -> dict[str, int]:
    """Return on how many pairs with probabilities k/6, V = 1 to 3, theorems of the token rule hold; -1 if one fails."""
    rows = [[Fraction(k, 6) for k in c] for v in (1, 2, 3) for c in product(range(7), repeat=v) if sum(c) == 6]
    held: dict[str, list[bool]] = {}
    for p, q in ((p, q) for p in rows for q in rows if len(p) == len(q)):
        (law, alpha, residual, ratios), size = token_rule(p, q), range(len(p))
        never = [ratios[x] == 1 and law[x] == (1 - alpha) * residual[x] for x in size if not q[x]]
        for name, speaks, holds in (
            ("lossless", True, law == p),
            ("distribution", True, min(*law, *residual, alpha, 1 - alpha) >= 0 and sum(law) == sum(residual) == 1),
            ("alpha_is_one_minus_tv", True, 2 * (1 - alpha) == sum(abs(a - b) for a, b in zip(p, q))),
            ("token_never_proposed", 0 in q, all(never)),
            ("token_never_wanted", 0 in p, not any(law[x] or residual[x] for x in size if not p[x])),
        ):
            held.setdefault(name, []).extend([holds] * speaks)
    return {name: len(found) if all(found) else -1 for name, found in held.items()}

def stored(path: Path, keys: list[str], left: dict[str, None]) -> Any:
    """Yield the pairs of rows of a file of exact text (.jsonl) or little-endian floats (.npy, .npz), or else None."""
    ending, readers = path.suffix.lower(), []
    try:
        with path.open("rb") as file, path.open("rb") as other:
            if ending == ".jsonl":
                yield from ([[*map(Fraction, json.loads(line)[k])] for k in keys] for line in file if line.strip())
                return
            streams: Any = [zipfile.ZipFile(file).open(f"{k}.npy") for k in keys] if ending == ".npz" else [file, other]
            for stream in streams:
                head = stream.read(int.from_bytes(stream.read(4 if stream.read(8)[6] > 1 else 2), "little")).decode()
                form = r"'descr': '<f([248])', 'fortran_order': False, 'shape': \(([0-9, ]+)\)"
                shape = [1, *map(int, re.findall(form, head)[0][1].strip(", ").split(","))]
                readers.append(struct.Struct(f"<{shape[-1]}{'__e_f___d'[int(re.findall(form, head)[0][0])]}"))
            other.seek(shape[-2] * readers[1].size if ending == ".npy" else 0, 1)
            for _ in range(shape[-2]):
                yield [[*map(Fraction, reader.unpack(s.read(reader.size)))] for reader, s in zip(readers, streams)]
    except Exception as error:
        left[f"rows of {path.name!a:.80} ({type(error).__name__})"] = None
        yield from repeat(None)

def row(claim: Any, name: str, place: dict[str, int], given: Any = None) -> bool:
    """Recompute a claim from the rows of the file, or else from those in it; tell whether there were any."""
    held = "p" in claim["inputs"]
    if given is None and not held:
        return not same(claim, id=name, **{k: claim[k] for k in "alpha inputs kind reach sums total_variation".split()})
    rows = [[number(x) for x in claim["inputs"][side]] for side in "pq"] if given is None else given
    common = lcm(*(x.denominator for x in chain(*rows)))
    weights = [[x.numerator * (common // x.denominator) for x in values] for values in rows]
    one = lcm(*map(sum, weights))
    p, q = ([x * scale for x in values] for values in weights for scale in [one // sum(values)])
    need(len(p) == len(q) and min(*p, *q) >= 0, f"{name}: no rows of weights")
    found: Any = {side: [text(x) for x in values] for side, values in zip("pq", rows)}
    if not held:
        found = {f"{side}_sha256": sha256(" ".join(values).encode()).hexdigest() for side, values in found.items()}
    sums = [text(Fraction(sum(values), common)) for values in weights]
    numbers = dict(sums=sums, inputs=found, alpha=text(Fraction(sum(map(min, p, q)), one)))
    if held:
        law, _, residual, _ = token_rule(*([Fraction(x, one) for x in values] for values in (p, q)))
        need([x * one for x in law] == p, f"{name}: the law is not p")
        numbers |= dict(law=[*map(text, law)], residual=[*map(text, residual)])
    numbers["total_variation"] = text(Fraction(sum(abs(a - b) for a, b in zip(p, q)), 2 * one))
    return same(claim, kind="row", id=name, reach={**place, "vocabulary": len(p)}, **numbers)

def call(claim: Any, name: str) -> bool:
    arithmetic, gamma, size = (claim["reach"][key] for key in ("arithmetic", "gamma", "vocabulary"))
    need(type(gamma) is type(size) is int and 0 <= gamma < 20 and 0 < size ** (gamma + 1) <= SEQUENCES, f"{name}: size")
    rows, blocks, ended, breach, accepted = [], dict[Any, Any](), dict[Any, Any](), False, Fraction(0)
    for length, side in ((gamma + 1, claim["inputs"]["target"]), (gamma, claim["inputs"]["draft"])):
        keys = [x for n in range(length) for x in product(range(size), repeat=n)]
        rows.append({x: [number(value) for value in side[" ".join(map(str, x))]] for x in keys})
        need(len(side) == len(keys) and len(claim["inputs"]) == 2, f"{name}: rows")
        need(all(len(r) == size and min(r) >= 0 and sum(r) == 1 for r in rows[-1].values()), f"{name}: no distribution")
    target, draft = rows
    for key, value in claim["law"].items():
        drafted, emitted = sides = [tuple(map(int, side.split())) for side in key.split("|")]
        need("|".join(" ".join(map(str, side)) for side in sides) == key and number(value) > 0, f"{name}: {key!a:.40}")
        need(len(drafted) == gamma and 0 < len(emitted) <= gamma + 1, f"{name}: {key!a:.40}")
        blocks[drafted] = blocks.get(drafted, 0) + number(value)
        ended[emitted] = ended.get(emitted, 0) + number(value)
        accepted += number(value) * (len(emitted) - 1)
        breach |= emitted[:-1] != drafted[: len(emitted) - 1]
    for x, mass in blocks.items():
        chance = prod(draft[x[:i]][token] for i, token in enumerate(x)) if min(x, default=0) >= 0 else 0
        need(mass <= chance, f"{name}: {x} has more weight than the draft's probability")
    missing = [number(value) for value in claim["missing"].values()]
    need(sum(missing) + sum(ended.values()) == 1 and min(missing, default=1) > 0, f"{name}: weights do not sum to one")
    lost = {y: mass for y, mass in ended.items() if not 0 <= min(y) <= max(y) < size}
    grow: Any = lambda law: {(*y, x): m * c for y, m in law.items() for x, c in enumerate(target[y]) if c}
    allowed, found = {(): Fraction(1)}, dict[Any, Any]()
    for length in range(1, gamma + 2):
        allowed, found = grow(allowed), grow(found)
        found |= {y: m + found.get(y, 0) for y, m in ended.items() if (gamma + 1 if y in lost else len(y)) == length}
    distance = sum((max(Fraction(0), m - allowed.get(y, 0)) for y, m in found.items()), Fraction(0))
    need(0 <= number(claim["tolerance"]) <= (arithmetic != "exact"), f"{name}: tolerance")
    biased = breach or distance > number(claim["tolerance"]) or not found.keys() <= allowed.keys()
    status = "biased" if biased else "unverified" if missing or claim["reasons"] else "lossless"
    reach = dict(arithmetic=arithmetic, gamma=gamma, vocabulary=size, name=claim["reach"]["name"])
    known = {key: claim[key] for key in ("inputs", "law", "missing", "reasons", "tolerance")} | dict(status=status)
    known |= dict(accepted=text(accepted), total_variation=text(distance))
    return same(claim, kind="input", id=name, reach=reach, **known)

def beside(directory: Path, file: Any, left: dict[str, None]) -> Any:
    """Return a file beside the certificate, which has to be the one that was read; None where there is none."""
    path = directory / file["name"]
    need(file["name"] == path.name and re.fullmatch("[0-9a-f]{64}", file["sha256"]), "name or digest of a file")
    if not path.is_file():
        return left.setdefault(f"{path.name!a:.80}, which is not beside the certificate")
    need(sha256(path.read_bytes()).hexdigest() == file["sha256"], f"{path.name!a:.80} is another file")
    return path

def check(inputs: list[Any], verdict: Any, document: Any, directory: Path, left: dict[str, None]) -> list[bool]:
    need(set(document["code"]) == {"function", "name", "sha256"}, "code")
    beside(directory, document["code"], left)
    left["that the code has these laws on these inputs; the command to redo it; names of function and inputs; reasons, "
         "kinds of missing mass, tolerances of float arithmetic"] = None
    done = [call(claim, f"input {n}, {claim['reach']['arithmetic']}") for n, claim in enumerate(inputs, 1)]
    status = min((claim["status"] for claim in inputs), key=["biased", "unverified", "lossless"].index)
    whole = {key: sorted({claim["reach"][key] for claim in inputs}) for key in ("arithmetic", "gamma", "vocabulary")}
    worst = text(max(number(claim["total_variation"]) for claim in inputs))
    known = dict(reasons=verdict["reasons"], status="unverified" if verdict["reasons"] else status, inputs=len(inputs))
    return [*done, same(verdict, kind="verdict", id="verdict", reach=whole, total_variation=worst, **known)]

def recheck(data: bytes, directory: Path) -> tuple[str, list[bool], dict[str, None]]:
    """Return the outcome, for each claim whether it was recomputed, and what is left; raise for what is refused."""
    document, left, outcome = parse(data), dict[str, None](), "as claimed"
    need(document.pop("sha256") == sha256(canonical(document)).hexdigest(), "sha256 is that of another content")
    need([document["schema"], document["project"]] == [SCHEMA, PROJECT], "schema or project is another one")
    kind, claims = document["kind"], document["claims"]
    names = {"proof run": {"selected"}, "rows": {"files", "keys"}, "check": {"code", "redo"}}[kind]
    need(set(document) == {"claims", "kind", "outcome", "project", "schema"} | names and claims, "fields are missing")
    if kind == "proof run":
        proofs = [claim.pop("machine_checked") for claim in claims if "machine_checked" in claim]
        need(all(p and all(re.fullmatch("[0-9a-f]{64}", x) for x in p.values()) for p in proofs), "machine_checked")
        left |= dict.fromkeys(["machine-checked sources"][: len(proofs)])
        found = [tabled(claim, TABLE) for claim in claims]
        one = [found[0], *(PAIRS if claims[0]["inputs"] else [])] if document["selected"] == claims[0]["id"] else []
        need(found == (THEOREMS + PAIRS if document["selected"] == "all" else one), "claims are missing, or others")
        need(all(c["reach"]["grid"] == grid()[c["id"]] for c in claims if c["id"] in grid()), "a grid was recounted")
        done = [c["id"] in grid() if c["kind"] == "theorem" else row(c, c["id"], {}) for c in claims]
    elif kind == "rows":
        done, rest = [], iter(claims)
        for n, file in enumerate(document["files"], 1):
            path = beside(directory, file, left)
            given = repeat(None) if path is None else stored(path, document["keys"], left)
            for at in range(file["rows"]):
                done.append(row(next(rest), f"file {n}, row {at}", {"file": n, "row": at}, next(given)))
            need(set(file) == {"name", "rows", "sha256"} and next(given, None) is None, f"file {n} has more rows")
        need(next(rest, None) is None, "there are claims beyond the files")
        left["names of the arrays"] = None
    else:
        done, outcome = check(claims[:-1], claims[-1], document, directory, left), claims[-1]["status"]
    need(document["outcome"] == outcome, "outcome is another one")
    return outcome, done, left

def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or not Path(arguments[0]).is_file():
        print("usage: python recheck.py cert.json (a file that exists)", file=sys.stderr)
        return 2
    try:
        with open(arguments[0], "rb") as file:
            outcome, done, left = recheck(file.read(BYTES + 1), Path(arguments[0]).parent)
    except Exception as error:
        print(f"REFUSED: {error!a:.300}")
        return 1
    print(f"{outcome}: {sum(done)} of {len(done)} claims recomputed, {len(done) - sum(done)} not; nothing refused")
    print(f"not rechecked: {'; '.join(left) or 'nothing'}")
    return 0 if any(done) else 5

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
