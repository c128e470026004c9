(* K-SEQ: the least admissible rho, between two bounds.

   The bounds are found by halving: they begin with 1 and k, or with 1 and 1 if 1 is admissible, and n times the one or
   the other is moved to the middle. Then one number between them is tried: if it is G of itself both bounds are it.
   Which number that is does not matter here; proofs/kseq_rule.py takes the fraction of least denominator, and halves
   until the bounds are 2**-40 apart.

   The file proves, for every finite vocabulary, target p, draft q, k, n, and way to pick the number: what is above an
   admissible rho is admissible; the upper bound is admissible and the lower one, where it is below, is not; where both
   are equal they are the least admissible rho, and that is 1 or solves rho = G(rho) (least_admissible_rho). *)

From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq.
From mathcomp Require Import choice fintype bigop order ssralg ssrnum.
From SpecDec Require Import Distribution TokenRule SiblingRule KSeqRule.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section KSeqLeast.
Variables (R : realFieldType) (V : finType).
Implicit Types (p q : V -> R) (x y : V) (k n : nat) (rho low high : R).

Definition fits p q k rho : bool := [forall x, keep_mass p q rho x * expected_tries p q rho k <= p x].

Fixpoint halved p q k n low high : R * R :=
  if n is n'.+1 then
    let middle := (low + high) / 2%:R in
    if fits p q k middle then halved p q k n' low middle else halved p q k n' middle high
  else (low, high).

Definition bounds p q k n (pick : R -> R -> R) : R * R :=
  let found := if fits p q k 1 then (1, 1) else halved p q k n 1 k%:R in
  let root := pick found.1 found.2 in
  if expected_tries p q root k == root then (root, root) else found.

Section Laws.
Variables (p q : V -> R).
Hypothesis dp : is_dist p.
Hypothesis dq : is_dist q.

Lemma fitsP k rho : 1 <= rho -> reflect (admissible p q rho k) (fits p q k rho).
Proof.
move=> r1; apply: (iffP forallP) => [ok|/(admissible_fits dp dq r1) ok x]; last exact: ok.
exact/(admissible_fits dp dq r1).
Qed.

Lemma halved_bounds k n low high : 1 <= low -> low < high -> ~~ fits p q k low -> fits p q k high ->
  let found := halved p q k n low high in
  [/\ 1 <= found.1, found.1 < found.2, ~~ fits p q k found.1, fits p q k found.2 &
      found.2 - found.1 = (high - low) / 2%:R ^+ n].
Proof.
elim: n low high => [|n IH] low high l1 lt nl fh; first by split; rewrite ?expr0 ?divr1.
have two : (2%:R : R) != 0 by rewrite pnatr_eq0.
have two0 : 0 < (2%:R : R) by rewrite ltr0n.
have lm : low < (low + high) / 2%:R by rewrite ltr_pdivl_mulr // mulr_natr mulr2n ltr_add2l.
have mh : (low + high) / 2%:R < high by rewrite ltr_pdivr_mulr // mulr_natr mulr2n ltr_add2r.
have w1 : (low + high) / 2%:R - low = (high - low) / 2%:R.
  by apply: (mulIf two); rewrite mulrBl !divfK // mulr_natr mulr2n opprD addrACA subrr add0r.
have w2 : high - (low + high) / 2%:R = (high - low) / 2%:R.
  by apply: (mulIf two); rewrite mulrBl !divfK // mulr_natr mulr2n opprD addrACA subrr addr0.
have half (a : R) : a / 2%:R / 2%:R ^+ n = a / 2%:R ^+ n.+1 by rewrite exprS invfM mulrA.
rewrite /=; case: ifP => [fm|/negbT nm].
  by have [? ? ? ? ->] := IH low _ l1 lm nl fm; split; rewrite // w1 half.
by have [? ? ? ? ->] := IH _ high (le_trans l1 (ltW lm)) mh nm fh; split; rewrite // w2 half.
Qed.

Lemma k_above_one k : ~~ fits p q k 1 -> 1 < k%:R :> R.
Proof.
move=> n1; rewrite ltNge; apply: contra n1 => le; apply/(fitsP _ (lexx 1)).
by have [_ _ _] := kseq_lossless_iff_admissible k dp dq (lexx 1); apply.
Qed.

(* Below a solution of rho = G(rho) nothing is admissible, unless 1 is. *)
Lemma root_least k rho root : ~~ fits p q k 1 -> 1 <= rho -> 1 <= root -> expected_tries p q root k = root ->
  fits p q k rho -> root <= rho.
Proof.
move=> n1 r1 t1 groot fr; rewrite leNgt; apply/negP => lt; move: n1; apply/negP; rewrite negbK.
have r0 : 0 < rho := lt_le_trans ltr01 r1.
have fx x : keep_mass p q rho x * expected_tries p q rho k <= p x by move/forallP: fr.
have [small|large] := lerP (expected_tries p q rho k) rho; last first.
  (* m is q where p is positive: it is the same for 1 *)
  have same x : keep_mass p q 1 x = keep_mass p q rho x.
    have p0 : 0 <= p x by exact: dist_ge0.
    have := fx x; rewrite -ler_pdivl_mulr ?(lt_trans r0 large) // /keep_mass divr1.
    have pr : p x / rho <= p x by rewrite ler_pdivr_mulr // ler_pemulr.
    have [le_q|lt_q] := lerP (q x) (p x / rho) => fit; first by rewrite min_l // (le_trans le_q).
    suff px0 : p x = 0 by rewrite px0 mul0r min_r ?dist_ge0.
    apply/eqP; rewrite eq_le p0 andbT leNgt; apply/negP => pp.
    by move: fit; rewrite ler_pmul2l // lef_pinv ?posrE ?(lt_trans r0 large) // leNgt large.
  have g : expected_tries p q 1 k = expected_tries p q rho k.
    by apply: eq_bigr => j _; congr ((1 - _) ^+ _); apply: eq_bigr => y _; exact: same.
  by apply/forallP => x; rewrite same g.
have grows := scaled_beta_grows p dq r1 (ltW lt).
have b0 := beta_ge0 dp dq r1; have b0' := beta_ge0 dp dq t1.
have falls : beta p q root <= beta p q rho by apply: ler_sum => x _; apply: keep_mass_falls; rewrite // ltW.
have le1 := beta_le1 p rho dq; have le1' := beta_le1 p root dq.
have up : beta p q root * root <= beta p q rho * expected_tries p q rho k.
  rewrite -{2}groot !tries_beta // ler_add2l ler_opp2 ler_expn2r ?nnegrE ?subr_ge0 //.
  by rewrite ler_add2l ler_opp2.
have down : beta p q rho * expected_tries p q rho k <= beta p q rho * rho by exact: ler_wpmul2l.
have eqs : beta p q rho * rho = beta p q root * root.
  by apply/eqP; rewrite eq_le grows (le_trans up down).
have eqt : beta p q rho * expected_tries p q rho k = beta p q root * root.
  by apply/eqP; rewrite eq_le up andbT (le_trans down grows).
have [k0|kp] := posnP k.
  by apply/forallP => x; rewrite k0 /expected_tries big_ord0 mulr0; exact: dist_ge0.
have eqb : beta p q rho = beta p q root.
  have : (1 - beta p q rho) ^+ k = (1 - beta p q root) ^+ k.
    apply: (addrI (-1)); apply: oppr_inj; rewrite !opprD opprK -!tries_beta // groot.
    exact: eqt.
  by move/eqP; rewrite eqr_expn2 ?subr_ge0 // (inj_eq (addrI _)) eqr_opp => /eqP.
have bz : beta p q rho = 0.
  move/eqP: eqs; rewrite -eqb -subr_eq0 -mulrBr mulf_eq0 => /orP[/eqP//|].
  by rewrite subr_eq0 => /eqP e; move: lt; rewrite e ltxx.
have b1 : beta p q 1 = 0.
  apply/eqP; rewrite eq_le (beta_ge0 dp dq (lexx 1)) andbT.
  by have := scaled_beta_grows p dq (lexx 1) r1; rewrite bz mul0r mulr1.
by apply/forallP => x; rewrite (keep_mass_beta0 dp dq (lexx 1) x b1) mul0r; exact: dist_ge0.
Qed.
End Laws.

Theorem least_admissible_rho p q k n (pick : R -> R -> R) : is_dist p -> is_dist q ->
  (forall low high, low <= high -> low <= pick low high <= high) ->
  let low := (bounds p q k n pick).1 in
  let high := (bounds p q k n pick).2 in
  [/\ forall rho rho', 1 <= rho -> rho <= rho' -> admissible p q rho k -> admissible p q rho' k,
      [/\ 1 <= low, low <= high & admissible p q high k],
      low < high -> ~ admissible p q low k /\ high - low = (k%:R - 1) / 2%:R ^+ n &
      low = high -> (forall rho, 1 <= rho -> admissible p q rho k -> low <= rho) /\
                    (low = 1 \/ low = expected_tries p q low k)].
Proof.
move=> dp dq between; rewrite /bounds; set found := if fits p q k 1 then _ else _.
have above rho rho' : 1 <= rho -> rho <= rho' -> admissible p q rho k -> admissible p q rho' k.
  exact: admissible_above.
have [f1l f12 f2a] : [/\ 1 <= found.1, found.1 <= found.2 & admissible p q found.2 k].
  rewrite /found; case: ifP => [f1|/negbT n1].
    by split=> /=; [exact: lexx | exact: lexx | exact: (elimT (fitsP dp dq k (lexx 1)) f1)].
  have k1 := k_above_one dp dq n1; have [_ _ _ ok] := kseq_lossless_iff_admissible k dp dq (ltW k1).
  have [l1 lt nl fh _] := halved_bounds n (lexx 1) k1 n1 (introT (fitsP dp dq k (ltW k1)) (ok (lexx _))).
  by split; [| exact: ltW | exact/(fitsP dp dq k (le_trans l1 (ltW lt)))].
have /andP[lr rh] := between _ _ f12; set root := pick _ _ in lr rh *.
have r1 : 1 <= root := le_trans f1l lr.
case: eqP => [g|ng] /=; split=> //.
- split=> //; apply/(admissible_fits dp dq r1) => x; apply: fits_tries => //.
  by rewrite g.
- by rewrite ltxx.
- move=> _; split; last by right.
  move=> rho rho1 ok; have [f1|n1] := boolP (fits p q k 1).
    by apply: le_trans rho1; rewrite (le_trans rh) // /found f1.
  by apply: (root_least dp dq n1 rho1 r1 g); apply/(fitsP dp dq k rho1).
- rewrite /found; case: ifP => [f1|/negbT n1]; first by rewrite ltxx.
  have k1 := k_above_one dp dq n1; have [_ _ _ ok] := kseq_lossless_iff_admissible k dp dq (ltW k1).
  have [l1 lt nl fh ->] := halved_bounds n (lexx 1) k1 n1 (introT (fitsP dp dq k (ltW k1)) (ok (lexx _))).
  by move=> _; split=> // /(fitsP dp dq k l1); exact/negP.
rewrite /found; case: ifP => [f1 _|/negbT n1]; first by split; [| left].
have k1 := k_above_one dp dq n1; have [_ _ _ ok] := kseq_lossless_iff_admissible k dp dq (ltW k1).
have [l1 lt _ _ _] := halved_bounds n (lexx 1) k1 n1 (introT (fitsP dp dq k (ltW k1)) (ok (lexx _))).
by move=> e; move: lt; rewrite e ltxx.
Qed.
End KSeqLeast.
