(* Siblings, several drafts for one position: K-SEQ, and candidates that are fixed.

   K-SEQ: of k siblings drawn independently from q each is tried alike and kept with min(1, p / (rho q)). One try keeps
   token x with mass m(x) = min(q(x), p(x) / rho), some token with probability beta, the sum of m, and of k tries
   G = 1 + (1 - beta) + .. + (1 - beta)^(k - 1) are looked at on average. When none is kept the token is drawn from
   (p - m G)+, normalised. Fixed candidates: each is kept with what the target gives it of what the candidates before
   it have left, and a candidate that comes again is skipped; when none is kept the token is drawn from the target off
   them, normalised.

   The file proves, for every finite vocabulary, target p, draft q, k and rho >= 1: K-SEQ is lossless exactly if
   m (1 - (1 - beta)^k) / beta is nowhere above p, which rho >= k implies (kseq_lossless_iff_admissible); it keeps a
   sibling with probability 1 - (1 - beta)^k (kseq_acceptance); fixed candidates are lossless and one of them is kept
   with the target's probability of their set (fixed_candidates). What is larger than an admissible rho is admissible
   (admissible_above).

   Not here: the bounds that are computed for the least admissible rho, and what equation it solves. *)

From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq.
From mathcomp Require Import choice fintype finset bigop order ssralg ssrnum.
From SpecDec Require Import Distribution TokenRule SiblingRule.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section KSeqRule.
Variables (R : realFieldType) (V : finType).
Implicit Types (p q r : V -> R) (d : seq V) (x y z : V) (k : nat) (rho : R).

(* mass with which one sibling is x and kept; that it is kept; siblings looked at *)
Definition keep_mass p q rho x : R := Num.min (q x) (p x / rho).
Definition beta p q rho : R := \sum_x keep_mass p q rho x.
Definition expected_tries p q rho k : R := \sum_(j < k) (1 - beta p q rho) ^+ j.
Definition last_residual p q rho k : V -> R :=
  residual p (fun x => keep_mass p q rho x * expected_tries p q rho k).

Definition kseq_law p q rho k x : R :=
  keep_mass p q rho x * expected_tries p q rho k + (1 - beta p q rho) ^+ k * last_residual p q rho k x.

Definition admissible p q rho k := forall x,
  keep_mass p q rho x * ((1 - (1 - beta p q rho) ^+ k) / beta p q rho) <= p x.

(* min(1, p / (rho q)): the token rule's ratio of p / rho and q, which is never asked for where q is zero *)
Definition keep p q rho x : R := ratio (fun z => p z / rho) q x.

(* the siblings d are given; last is drawn from at the end *)
Fixpoint kseq_verify p q rho last d : program R (bool * V) :=
  if d is x :: d' then
    b <- flip (keep p q rho x) ;;
    if b then ret (true, x) else kseq_verify p q rho last d'
  else y <- draw last ;; ret (false, y).

(* the siblings, whether one was kept, the emitted token *)
Definition kseq p q rho k : program R (seq V * (bool * V)) :=
  d <- autoreg (fun=> q) k [::] ;; o <- kseq_verify p q rho (last_residual p q rho k) d ;; ret (d, o).

Lemma kseq_verify_step p q rho last x d f : kseq_verify p q rho last (x :: d) f =
  keep p q rho x * f (true, x)
    + (1 - keep p q rho x) * kseq_verify p q rho last d f.
Proof. by []. Qed.

Lemma regular_kseq_verify p q rho last d : regular (kseq_verify p q rho last d).
Proof.
elim: d => [|x d IH] /=.
  by apply: regular_bind => [|y]; [exact: regular_draw | exact: regular_ret].
apply: regular_bind => [|[]]; first exact: regular_flip.
  exact: regular_ret.
exact: IH.
Qed.

Lemma regular_kseq p q rho k : regular (kseq p q rho k).
Proof.
apply: regular_bind => [|d]; first exact: regular_autoreg.
by apply: regular_bind => [|o]; [exact: regular_kseq_verify | exact: regular_ret].
Qed.

Section Laws.
Variables (p q : V -> R) (rho : R).
Hypothesis dp : is_dist p.
Hypothesis dq : is_dist q.
Hypothesis rho1 : 1 <= rho.

Let rho0 : 0 < rho. Proof. exact: lt_le_trans ltr01 rho1. Qed.
Let m := keep_mass p q rho.
Let b := beta p q rho.
Let G := expected_tries p q rho.

Lemma scaled_ge0 x : 0 <= p x / rho.
Proof. exact: divr_ge0 (dist_ge0 x dp) (ltW rho0). Qed.

Lemma keep_mass_ge0 x : 0 <= m x.
Proof.
by rewrite /m /keep_mass min_ge0 ?mulr_ge0 ?invr_ge0 ?(ltW rho0) ?(dist_ge0 x dp) ?(dist_ge0 x dq).
Qed.

Lemma beta_ge0 : 0 <= b.
Proof. by apply: sumr_ge0 => x _; exact: keep_mass_ge0. Qed.

Lemma beta_le1 : b <= 1.
Proof. by case: dq => _ <-; apply: ler_sum => x _; rewrite le_minl lexx. Qed.

Lemma tries_beta k : b * G k = 1 - (1 - b) ^+ k.
Proof.
rewrite /G /expected_tries -/b -[RHS]opprB subrX1 -mulNr; congr (_ * _).
by rewrite opprB subKr.
Qed.

Lemma tries_step k : G k.+1 = 1 + (1 - b) * G k.
Proof.
rewrite /G /expected_tries -/b big_ord_recl expr0 mulr_sumr; congr (_ + _).
by apply: eq_bigr => j _; rewrite -exprS.
Qed.

Lemma tries_ge0 k : 0 <= G k.
Proof. by apply: sumr_ge0 => j _; rewrite exprn_ge0 // subr_ge0 beta_le1. Qed.

Lemma tries_le k : G k <= k%:R.
Proof.
rewrite -[k in k%:R]card_ord -sumr_const; apply: ler_sum => j _.
by rewrite exprn_ile1 ?subr_ge0 ?beta_le1 // ler_subl_addr ler_addl beta_ge0.
Qed.

Lemma keep_mass_beta0 x : b = 0 -> m x = 0.
Proof.
move/eqP; rewrite psumr_eq0 => [/allP/(_ x)|z _]; last exact: keep_mass_ge0.
by rewrite mem_index_enum => /(_ isT)/eqP.
Qed.

(* the quotient is G, but where beta is 0, and then so is the mass *)
Lemma quotient_tries k x : m x * ((1 - (1 - b) ^+ k) / b) = m x * G k.
Proof.
have [b0|bn] := eqVneq b 0; first by rewrite keep_mass_beta0 // !mul0r.
by rewrite -tries_beta mulrAC divff // mul1r.
Qed.

(* one try: independent of what comes after *)
Lemma one_sibling_tried (B : R) (g : V -> R) :
  \sum_x q x * (keep p q rho x * g x + (1 - keep p q rho x) * B) =
  \sum_x m x * g x + (1 - b) * B.
Proof.
rewrite /keep round //; last exact: scaled_ge0.
rewrite /b /beta /m /keep_mass; congr (_ + (_ - _) * _); apply: eq_bigr => x _; by rewrite minC.
Qed.

Lemma iid_mass1 k h : mass1 (autoreg (fun=> q) k h).
Proof. exact: autoreg_mass1. Qed.

Lemma kseq_drafts last k h f : autoreg (fun=> q) k h (fun d => kseq_verify p q rho last d f) =
  G k * (\sum_x m x * f (true, x)) + (1 - b) ^+ k * draw last (fun y => f (false, y)).
Proof.
elim: k h => [|k IH] h.
  by rewrite /G /expected_tries big_ord0 mul0r add0r expr0 mul1r.
rewrite autoreg_step.
transitivity (\sum_x q x * (keep p q rho x * f (true, x) + (1 - keep p q rho x) *
    (G k * (\sum_x m x * f (true, x)) + (1 - b) ^+ k * draw last (fun y => f (false, y))))).
  apply: eq_bigr => x _; congr (_ * _).
  rewrite -(IH (rcons h x)) -{1}(iid_mass1 k (rcons h x) (f (true, x))) -(regular_autoreg _ _ _).2.
  by apply: (regular_autoreg _ _ _).1 => d; rewrite kseq_verify_step.
by rewrite one_sibling_tried tries_step [(1 + _ * _) * _]mulrDl mul1r [(1 - b) * (_ + _)]mulrDr !mulrA exprS addrA.
Qed.

Lemma kseq_mass k f : kseq p q rho k (fun o => f o.2) =
  G k * (\sum_x m x * f (true, x)) + (1 - b) ^+ k * draw (last_residual p q rho k) (fun y => f (false, y)).
Proof. by rewrite -(kseq_drafts _ k [::]). Qed.

Lemma kseq_lawE k x : kseq p q rho k (fun o => (o.2.2 == x)%:R) = kseq_law p q rho k x.
Proof.
rewrite (kseq_mass k (fun o => (o.2 == x)%:R)) /= draw_point -/(draw m _) draw_point.
by rewrite mulrC.
Qed.

Lemma kseq_kept k : kseq p q rho k (fun o => (o.2.1)%:R) = 1 - (1 - b) ^+ k.
Proof.
rewrite (kseq_mass k (fun o => (o.1)%:R)) /= draw0 mulr0 addr0 -tries_beta mulrC; congr (_ * _).
by apply: eq_bigr => x _; rewrite mulr1.
Qed.

Lemma fits_law k : (forall x, m x * G k <= p x) -> forall x, kseq_law p q rho k x = p x.
Proof.
move=> fits x; have [p0 p1] := dp; rewrite /kseq_law.
have -> : (1 - beta p q rho) ^+ k = excess p (fun x => m x * G k).
  rewrite -reject_mass //; have -> : \sum_x Num.min (p x) (m x * G k) = b * G k.
    by rewrite /b /beta mulr_suml; apply: eq_bigr => y _; rewrite min_r.
  by rewrite tries_beta subKr.
by rewrite excess_residual /pos max_r ?subr_ge0 // addrC subrK.
Qed.

Lemma law_fits k x : kseq_law p q rho k x = p x -> m x * G k <= p x.
Proof.
move=> <-; rewrite ler_addl mulr_ge0 ?exprn_ge0 ?subr_ge0 ?beta_le1 //.
by apply: residual_ge0; case: dp.
Qed.

Lemma admissible_fits k : admissible p q rho k <-> forall x, m x * G k <= p x.
Proof. by split=> fits x; have := fits x; rewrite quotient_tries. Qed.

Lemma fits_k k x : k%:R <= rho -> m x * G k <= p x.
Proof.
move=> le; apply: (@le_trans _ _ (p x / rho * rho)); last by rewrite divfK // gt_eqF.
apply: ler_pmul; rewrite ?keep_mass_ge0 ?tries_ge0 //; last exact: le_trans (tries_le k) le.
by rewrite /m /keep_mass le_minl lexx orbT.
Qed.

Lemma kseq_draw k f : admissible p q rho k -> kseq p q rho k (fun o => f o.2.2) = draw p f.
Proof.
move=> /admissible_fits/fits_law law; rewrite (kseq_mass k (fun o => f o.2)) /= /draw !mulr_sumr -big_split /=.
by apply: eq_bigr => x _; rewrite -law mulrA mulrA -mulrDl [G k * _]mulrC.
Qed.
Lemma fits_tries k x : G k <= rho -> m x * G k <= p x.
Proof.
move=> le; apply: (@le_trans _ _ (p x / rho * rho)); last by rewrite divfK // gt_eqF.
apply: ler_pmul; rewrite ?keep_mass_ge0 ?tries_ge0 //.
by rewrite /m /keep_mass le_minl lexx orbT.
Qed.
End Laws.

Theorem kseq_lossless_iff_admissible p q rho k : is_dist p -> is_dist q -> 1 <= rho ->
  [/\ (forall x, kseq p q rho k (fun o => (o.2.2 == x)%:R) = p x) <-> admissible p q rho k,
      (forall x, kseq_law p q rho k x = p x) <-> admissible p q rho k,
      admissible p q rho k -> forall f, kseq p q rho k (fun o => f o.2.2) = draw p f &
      k%:R <= rho -> admissible p q rho k].
Proof.
move=> dp dq rho1.
have iff : (forall x, kseq_law p q rho k x = p x) <-> admissible p q rho k.
  split=> [law|/(admissible_fits dp dq rho1)]; last exact: fits_law.
  by apply/(admissible_fits dp dq rho1) => x; exact: law_fits.
split=> [|//|ok f|le].
- split=> [law|/iff law x]; last by rewrite kseq_lawE.
  by apply/iff => x; rewrite -kseq_lawE.
- exact: kseq_draw.
by apply/(admissible_fits dp dq rho1) => x; exact: fits_k.
Qed.

Theorem kseq_acceptance p q rho k : is_dist p -> is_dist q -> 1 <= rho ->
  let once := \sum_x Num.min (q x) (p x / rho) in
  kseq p q rho k (fun o => (o.2.1)%:R) = 1 - (1 - once) ^+ k.
Proof. by move=> dp dq rho1 once; rewrite kseq_kept. Qed.

(* --------------------------------------- what is above an admissible rho --------------------------------------- *)

Section Above.
Variables (p q : V -> R).
Hypothesis dp : is_dist p.
Hypothesis dq : is_dist q.
Let m := keep_mass p q.
Let b := beta p q.
Let G := expected_tries p q.

Lemma keep_mass_falls (rho rho' : R) x : 1 <= rho -> rho <= rho' -> m rho' x <= m rho x.
Proof.
move=> r1 le; have r0 : 0 < rho := lt_le_trans ltr01 r1; have r0' : 0 < rho' := lt_le_trans r0 le.
rewrite /m /keep_mass le_minr !le_minl lexx /=; apply/orP; right.
by apply: ler_wpmul2l; [exact: dist_ge0 | rewrite lef_pinv].
Qed.

Lemma scaled_beta_grows (rho rho' : R) : 1 <= rho -> rho <= rho' -> b rho * rho <= b rho' * rho'.
Proof.
move=> r1 le; have r0 : 0 < rho := lt_le_trans ltr01 r1; have r0' : 0 < rho' := lt_le_trans r0 le.
have E (r : R) x : 0 < r -> m r x * r = Num.min (q x * r) (p x).
  by move=> rp; rewrite /m /keep_mass minr_pmull ?ltW // divfK // gt_eqF.
rewrite /b /beta !mulr_suml; apply: ler_sum => x _; rewrite -!/(m _ _) !E // le_minr !le_minl lexx orbT andbT.
by rewrite ler_wpmul2l // dist_ge0.
Qed.

Lemma tries_below (rho rho' : R) k : 1 <= rho -> rho <= rho' -> G rho k <= rho -> G rho' k <= rho'.
Proof.
move=> r1 le small; have r1' : 1 <= rho' := le_trans r1 le.
have r0 : 0 < rho := lt_le_trans ltr01 r1; have r0' : 0 < rho' := lt_le_trans ltr01 r1'.
have grows := scaled_beta_grows r1 le; have b0 := beta_ge0 dp dq r1; have b0' := beta_ge0 dp dq r1'.
have falls : b rho' <= b rho by apply: ler_sum => x _; exact: keep_mass_falls.
have [z|nz] := eqVneq (b rho') 0.
  have z' : b rho = 0.
    by apply/eqP; rewrite eq_le b0 andbT -(ler_pmul2r r0) mul0r (le_trans grows) // z mul0r.
  apply: le_trans le; apply: le_trans small.
  by rewrite /G /expected_tries -/(b rho) -/(b rho') z z'.
have bp : 0 < b rho' by rewrite lt_neqAle eq_sym nz.
rewrite -(ler_pmul2l bp); apply: le_trans grows; apply: (@le_trans _ _ (b rho * G rho k)).
  rewrite /b /G !tries_beta // ler_add2l ler_opp2 ler_expn2r ?nnegrE ?subr_ge0 ?beta_le1 //.
  by rewrite ler_add2l ler_opp2.
by rewrite ler_wpmul2l.
Qed.

(* where rho is below G nothing changes until G is reached *)
Lemma keep_mass_flat (rho r : R) k x : 1 <= rho -> rho <= r -> rho < G rho k -> r <= G rho k ->
  m rho x * G rho k <= p x -> m r x = m rho x.
Proof.
move=> r1 le lt up; have p0 : 0 <= p x by exact: dist_ge0.
have r0 : 0 < rho := lt_le_trans ltr01 r1; have rr0 : 0 < r := lt_le_trans r0 le.
have g0 : 0 < G rho k := lt_trans r0 lt.
rewrite -ler_pdivl_mulr // {1}/m /keep_mass.
have [le_q|lt_q] := lerP (q x) (p x / rho) => fits.
  rewrite /m /keep_mass !min_l // (le_trans fits) //.
  by apply: ler_wpmul2l; rewrite // lef_pinv.
have px0 : p x = 0.
  apply/eqP; rewrite eq_le p0 andbT leNgt; apply/negP => pp.
  by move: fits; rewrite ler_pmul2l // lef_pinv // leNgt lt.
by rewrite /m /keep_mass px0 !mul0r !min_r ?dist_ge0.
Qed.

Theorem admissible_above (rho rho' : R) k : 1 <= rho -> rho <= rho' ->
  admissible p q rho k -> admissible p q rho' k.
Proof.
move=> r1 le ok; have r1' : 1 <= rho' := le_trans r1 le.
move/(admissible_fits dp dq r1): ok => fits; apply/(admissible_fits dp dq r1') => x.
have [small|large] := lerP (G rho k) rho.
  by apply: fits_tries => //; exact: tries_below small.
have same (r : R) : rho <= r -> r <= G rho k -> G r k = G rho k.
  move=> lr rg; rewrite /G /expected_tries; apply: eq_bigr => j _; congr ((1 - _) ^+ _).
  by apply: eq_bigr => y _; exact: keep_mass_flat lr large rg (fits y).
have [below|above] := lerP rho' (G rho k).
  by rewrite -/(m _ _) -/(G _ _) same // (keep_mass_flat r1 le large below (fits x)).
apply: fits_tries => //; apply: (@tries_below (G rho k)); rewrite ?(ltW above) ?(le_trans r1 (ltW large)) //.
by rewrite same ?(ltW large).
Qed.
End Above.
End KSeqRule.

Section FixedCandidates.
Variables (R : realFieldType) (V : finType).
Implicit Types (p : V -> R) (d seen : seq V) (x y z : V).

(* what the target gives x of what the tokens before it have left *)
Definition share p seen x : R := p x / (1 - \sum_(y in seen) p y).

(* what is drawn from when none is kept *)
Definition off_candidates p seen : V -> R := normalised (unstruck seen p).

(* the candidates d are given, seen are those before them *)
Fixpoint candidates p seen d : program R (bool * V) :=
  if d is x :: d' then
    if x \in seen then candidates p seen d' else
    b <- flip (share p seen x) ;;
    if b then ret (true, x) else candidates p (x :: seen) d'
  else y <- draw (off_candidates p seen) ;; ret (false, y).

Lemma candidates_step p seen x d f : x \notin seen -> candidates p seen (x :: d) f =
  share p seen x * f (true, x)
    + (1 - share p seen x) * candidates p (x :: seen) d f.
Proof. by move=> /negPf nx; rewrite /= ?nx. Qed.

Lemma unstruck_sum p seen : is_dist p -> 1 - \sum_(y in seen) p y = \sum_y unstruck seen p y.
Proof.
move=> [_ <-]; rewrite (bigID (mem seen)) /= addrAC subrr add0r big_mkcond /=.
by apply: eq_bigr => y _; rewrite /unstruck; case: (y \in seen).
Qed.

Lemma unstruck_cons p seen x y : unstruck (x :: seen) p y = if y == x then 0 else unstruck seen p y.
Proof. by rewrite /unstruck inE; case: eqP. Qed.

(* What the candidates so far have left of the target is shared out: to the candidates to come, and to the rest. *)
Lemma candidates_mass p seen d f : is_dist p ->
  (1 - \sum_(y in seen) p y) * candidates p seen d f = \sum_x unstruck seen p x * f (x \in d, x).
Proof.
move=> dp; have [p0 _] := dp.
have u0 s x : 0 <= unstruck s p x by apply: unstruck_ge0.
have none s x : \sum_y unstruck s p y = 0 -> unstruck s p x = 0.
  move/eqP; rewrite psumr_eq0 // => /allP/(_ x).
  by rewrite mem_index_enum => /(_ isT)/eqP.
elim: d seen => [|x d IH] seen.
  rewrite unstruck_sum // -[candidates _ _ _ _]/(draw _ _) /draw mulr_sumr; apply: eq_bigr => y _.
  rewrite mulrA /off_candidates /normalised; have [s0|sn] := eqVneq (\sum_y unstruck seen p y) 0.
    by rewrite s0 mul0r (none _ _ s0).
  by rewrite mulrCA divff // mulr1.
have [xs|xs] := boolP (x \in seen).
  rewrite /= xs IH; apply: eq_bigr => y _; rewrite inE.
  by have [->|//] := eqVneq y x; rewrite /unstruck xs !mul0r.
have px : unstruck seen p x = p x by rewrite /unstruck (negPf xs).
rewrite candidates_step // [RHS](bigD1 x) //= px mem_head.
transitivity (p x * f (true, x) + (1 - \sum_(y in x :: seen) p y) * candidates p (x :: seen) d f).
  have -> : 1 - \sum_(y in x :: seen) p y = 1 - \sum_(y in seen) p y - p x.
    rewrite !unstruck_sum // [X in _ = X - _](bigD1 x) //= px addrC addKr (bigD1 x) //= unstruck_cons eqxx add0r.
    by apply: eq_bigr => y /negPf nx; rewrite unstruck_cons nx.
  rewrite /share unstruck_sum //; set s := \sum_y _; have [s0|sn] := eqVneq s 0.
    by rewrite s0 -px (none _ _ s0) subrr !mul0r addr0.
  have e : s * (p x / s) = p x by rewrite mulrCA divff ?mulr1.
  by rewrite mulrDr (mulrA s) e (mulrA s) mulrBr mulr1 e.
rewrite IH (bigD1 x) //= unstruck_cons eqxx mul0r add0r; congr (_ + _).
by apply: eq_bigr => y /negPf nx; rewrite unstruck_cons inE nx.
Qed.

Theorem fixed_candidates p d : is_dist p ->
  [/\ forall x, candidates p [::] d (fun o => (o.2 == x)%:R) = p x,
      forall f, candidates p [::] d (fun o => f o.2) = draw p f &
      candidates p [::] d (fun o => (o.1)%:R) = \sum_(x in [set y in d]) p x].
Proof.
move=> dp; have law f : candidates p [::] d f = draw p (fun x => f (x \in d, x)).
  by rewrite -[RHS](candidates_mass [::] d f dp) big_pred0_eq subr0 mul1r.
split=> [x|f|]; rewrite law // ?draw_point //.
by rewrite [RHS]big_mkcond; apply: eq_bigr => x _ /=; rewrite inE; case: ifP; rewrite ?mulr1 ?mulr0.
Qed.
End FixedCandidates.
