(* Siblings, several drafts for one position: recursive rejection.

   A drafter gives the row that the next sibling is drawn from, for every list of the siblings drawn before it. The
   siblings are tried in turn by the token rule, the first against the target p; a rejection puts the residual
   (r - q)+, normalised, in the place of r, q being the row that the rejected sibling was drawn from. When all are
   rejected the token is drawn from the last residual. Two drafters have a name: with replacement the row is q every
   time; without replacement it is q with the drawn tokens struck, normalised, and the uniform row over the tokens not
   yet drawn once the support of q is used up (k is then at most the number of tokens).

   The file proves, for every finite vocabulary, target p, draft q and k: the emitted token has the law p, whether the
   siblings are drafted one by one or all before the first is tried (siblings_lossless; any_drafter_lossless for every
   drafter); law and acceptance in closed form, sums over the rejected siblings, are the sampler's
   (siblings_closed_form_is_sampler); with replacement the acceptance is one minus a product of distances
   (sibling_acceptance_is_product); a sibling is kept exactly if the emitted token is one of the siblings
   (kept_iff_drafted); a sibling more never lowers the acceptance (acceptance_grows).

   Not here: the best acceptance there is, which is in SiblingOptimum.v, and K-SEQ, which is in KSeqRule.v. *)

From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq.
From mathcomp Require Import choice fintype bigop order ssralg ssrnum.
From SpecDec Require Import Distribution TokenRule.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section SiblingRule.
Variables (R : realFieldType) (V : finType).
Notation drafter := (seq V -> V -> R).
Implicit Types (p q r w : V -> R) (qf : drafter) (d h : seq V) (x y z : V) (k : nat).

(* ----------------------------------------------- the drafters ----------------------------------------------- *)

Definition unstruck h w x : R := if x \in h then 0 else w x.
Definition normalised w x : R := w x / \sum_y w y.
Definition left_to_draw q h : V -> R :=
  if [forall x, unstruck h q x == 0] then normalised (unstruck h (fun=> 1)) else normalised (unstruck h q).
Definition row_of (replacement : bool) q : drafter := fun h => if replacement then q else left_to_draw q h.

(* ------------------------------------------------- the rule ------------------------------------------------- *)

(* what is left to be emitted when a sibling from the row q has been rejected *)
Definition after_rejection r q : V -> R := residual r q.

(* drafted one by one; whether a sibling was kept, and the emitted token *)
Fixpoint recursive qf k h r : program R (bool * V) :=
  if k is k'.+1 then
    x <- draw (qf h) ;; b <- flip (ratio r (qf h) x) ;;
    if b then ret (true, x) else recursive qf k' (rcons h x) (after_rejection r (qf h))
  else y <- draw r ;; ret (false, y).

(* the siblings d, all given, tried in turn *)
Fixpoint try_in_turn qf h r d : program R (bool * V) :=
  if d is x :: d' then
    b <- flip (ratio r (qf h) x) ;;
    if b then ret (true, x) else try_in_turn qf (rcons h x) (after_rejection r (qf h)) d'
  else y <- draw r ;; ret (false, y).

(* all k siblings, whether one was kept, and the emitted token; h are the siblings drawn and rejected before *)
Definition siblings qf k h r : program R (seq V * (bool * V)) :=
  d <- autoreg qf k h ;; o <- try_in_turn qf h r d ;; ret (d, o).

(* closed forms: the mass with which x is a kept sibling, and with which it is drawn when all are rejected *)
Fixpoint kept_law qf k h r x : R :=
  if k is k'.+1 then
    Num.min (r x) (qf h x) + \sum_z pos (qf h z - r z) * kept_law qf k' (rcons h z) (after_rejection r (qf h)) x
  else 0.

Fixpoint last_law qf k h r x : R :=
  if k is k'.+1 then \sum_z pos (qf h z - r z) * last_law qf k' (rcons h z) (after_rejection r (qf h)) x
  else r x.

Definition recursive_law qf k p x : R := kept_law qf k [::] p x + last_law qf k [::] p x.
Definition acceptance qf k p : R := \sum_x kept_law qf k [::] p x.

(* the residuals with replacement: they do not depend on the siblings *)
Definition residual_after q p (j : nat) : V -> R := iter j (fun r => after_rejection r q) p.

(* ------------------------------------------ rows of the two drafters ------------------------------------------ *)

Lemma normalised_dist w : (forall x, 0 <= w x) -> (exists x, w x != 0) -> is_dist (normalised w).
Proof.
move=> w0 [x wx]; have sn : \sum_y w y != 0.
  apply: contraNN wx; rewrite psumr_eq0 // => /allP/(_ x).
  by rewrite mem_index_enum => /(_ isT).
split=> [y|]; first by rewrite divr_ge0 ?sumr_ge0.
by rewrite -mulr_suml divff.
Qed.

Lemma unstruck_ge0 h w x : 0 <= w x -> 0 <= unstruck h w x.
Proof. by rewrite /unstruck; case: ifP. Qed.

(* what can be drawn has not been drawn; below: it is in the support as long as that is not used up *)
Lemma left_to_draw_new q h x : left_to_draw q h x != 0 -> x \notin h.
Proof. by rewrite /left_to_draw; case: ifP => _; rewrite /normalised /unstruck; case: ifP; rewrite ?mul0r ?eqxx. Qed.

Lemma left_to_draw_dist q h : is_dist q -> (size h < #|V|)%N -> is_dist (left_to_draw q h).
Proof.
move=> [q0 _] lt; rewrite /left_to_draw; case: ifP => [_|/negbT].
  apply: normalised_dist => [x|]; first by rewrite unstruck_ge0 ?ler01.
  have /existsP [x xh] : [exists x, x \notin h].
    rewrite -negb_forall; apply: contraL lt => /forallP all; rewrite -leqNgt.
    by rewrite (leq_trans _ (card_size h)) // subset_leq_card //; apply/subsetP => x _; exact: all.
  by exists x; rewrite /unstruck (negPf xh) oner_eq0.
rewrite negb_forall => /existsP [x nx]; apply: normalised_dist; last by exists x.
by move=> y; rewrite unstruck_ge0.
Qed.

Lemma left_to_draw_support q h x z : z \notin h -> q z != 0 -> left_to_draw q h x != 0 -> q x != 0.
Proof.
move=> zh qz; rewrite /left_to_draw; case: ifP => [/forallP/(_ z)|_].
  by rewrite /unstruck (negPf zh) (negPf qz).
rewrite /normalised /unstruck; case: ifP => _; first by rewrite mul0r eqxx.
by apply: contraNN => /eqP->; rewrite mul0r.
Qed.

Lemma row_of_dist replacement q k h : is_dist q -> replacement || (k <= #|V|)%N -> (size h < k)%N ->
  is_dist (row_of replacement q h).
Proof. by case: replacement => //= dq le lt; apply: left_to_draw_dist => //; exact: leq_trans le. Qed.

(* ------------------------------------------------ one sibling ------------------------------------------------ *)

(* One try, for any value A of keeping and B of rejecting each token. *)
Lemma one_try r q (A B : V -> R) : (forall x, 0 <= r x) ->
  \sum_x q x * (ratio r q x * A x + (1 - ratio r q x) * B x) =
  \sum_x Num.min (r x) (q x) * A x + \sum_x pos (q x - r x) * B x.
Proof.
move=> r0; rewrite -big_split; apply: eq_bigr => x _ /=.
by rewrite mulrDr !mulrA q_ratio // q_reject.
Qed.

Lemma recursive_step qf k h r f : recursive qf k.+1 h r f =
  \sum_x qf h x * (ratio r (qf h) x * f (true, x)
    + (1 - ratio r (qf h) x) * recursive qf k (rcons h x) (after_rejection r (qf h)) f).
Proof. by apply: eq_bigr => x _. Qed.

Lemma try_step qf h r x d f : try_in_turn qf h r (x :: d) f =
  ratio r (qf h) x * f (true, x)
    + (1 - ratio r (qf h) x) * try_in_turn qf (rcons h x) (after_rejection r (qf h)) d f.
Proof. by []. Qed.

Lemma regular_try qf h r d : regular (try_in_turn qf h r d).
Proof.
elim: d h r => [|x d IH] h r /=.
  by apply: regular_bind => [|y]; [exact: regular_draw | exact: regular_ret].
apply: regular_bind => [|[]]; first exact: regular_flip.
  exact: regular_ret.
exact: IH.
Qed.

Lemma regular_siblings qf k h r : regular (siblings qf k h r).
Proof.
apply: regular_bind => [|d]; first exact: regular_autoreg.
by apply: regular_bind => [|o]; [exact: regular_try | exact: regular_ret].
Qed.

Lemma siblings_step qf k h r f : siblings qf k.+1 h r f =
  \sum_x qf h x * (ratio r (qf h) x * autoreg qf k (rcons h x) (fun d => f (x :: d, (true, x)))
    + (1 - ratio r (qf h) x) * siblings qf k (rcons h x) (after_rejection r (qf h)) (fun o => f (x :: o.1, o.2))).
Proof.
rewrite /siblings /bind autoreg_step; apply: eq_bigr => x _; congr (_ * _).
rewrite -(regular_autoreg qf k (rcons h x)).2.
by apply: (regular_autoreg _ _ _).1 => d; rewrite try_step.
Qed.

Lemma rejected_mass r q : is_dist r -> is_dist q -> \sum_x pos (q x - r x) = excess r q.
Proof. by move=> dr dq; rewrite -(excess_sym dr dq). Qed.

(* what the residual is: its mass times it is what the target has over the row *)
Lemma after_rejection_mass r q x : excess r q * after_rejection r q x = pos (r x - q x).
Proof. exact: excess_residual. Qed.

Lemma next_residual_ge0 r q : (forall x, 0 <= r x) -> forall x, 0 <= after_rejection r q x.
Proof. by move=> r0 x; exact: residual_ge0. Qed.

Lemma after_rejection_dist r q : is_dist r -> is_dist (after_rejection r q).
Proof. exact: residual_dist. Qed.

(* a rejected token is not emitted any more: the residual is zero there *)
Lemma residual_rejected r q x : is_dist r -> is_dist q -> pos (q x - r x) != 0 -> after_rejection r q x = 0.
Proof.
move=> dr dq nz; have lt : r x < q x.
  by rewrite ltNge; apply: contra nz => le; rewrite /pos max_l ?subr_le0.
have en : excess r q != 0.
  by rewrite -(excess_sym dr dq); apply: contra nz => /eqP/excess0->.
by rewrite /after_rejection /residual (negPf en) /pos max_l ?mul0r // subr_le0 ltW.
Qed.

(* -------------------------------------------------- the laws -------------------------------------------------- *)

Lemma autoreg_drafter_mass1 qf k h : (forall h', (size h' < size h + k)%N -> is_dist (qf h')) ->
  mass1 (autoreg qf k h).
Proof.
elim: k h => [//|k IH] h dq c; rewrite autoreg_step.
have dh : is_dist (qf h) by apply: dq; rewrite -addSnnS leq_addr.
rewrite -[RHS](draw_mass1 dh); apply: eq_bigr => x _; rewrite IH // => h' lt.
by apply: dq; rewrite -addSnnS -(size_rcons h x).
Qed.

(* Tried one by one or all drafted first: the same. *)
Lemma siblings_recursive qf k h r f : (forall h', (size h' < size h + k)%N -> is_dist (qf h')) ->
  siblings qf k h r (fun o => f o.2) = recursive qf k h r f.
Proof.
elim: k h r => [//|k IH] h r dq; rewrite siblings_step recursive_step; apply: eq_bigr => x _.
have dq' h' : (size h' < size (rcons h x) + k)%N -> is_dist (qf h').
  by rewrite size_rcons addSnnS; exact: dq.
congr (_ * (_ * _ + _ * _)); first exact: (autoreg_drafter_mass1 dq' (f (true, x))).
exact: IH.
Qed.

Lemma recursive_draw qf k h r f : (forall h', (size h' < size h + k)%N -> is_dist (qf h')) -> is_dist r ->
  recursive qf k h r (fun o => f o.2) = draw r f.
Proof.
elim: k h r => [//|k IH] h r dq dr; rewrite recursive_step one_try; last by case: dr.
have dh : is_dist (qf h) by apply: dq; rewrite -addSnnS leq_addr.
rewrite -[RHS](rebuild r (qf h) f) -rejected_mass // mulr_suml; congr (_ + _).
apply: eq_bigr => x _; rewrite IH //; last exact: after_rejection_dist.
by move=> h' lt; apply: dq; rewrite -addSnnS -(size_rcons h x).
Qed.

Lemma recursive_closed qf k h r f : (forall x, 0 <= r x) -> recursive qf k h r f =
  \sum_x kept_law qf k h r x * f (true, x) + \sum_x last_law qf k h r x * f (false, x).
Proof.
elim: k h r => [|k IH] h r r0.
  by rewrite [X in _ = X + _]big1 ?add0r // => x _; rewrite mul0r.
have into (F : V -> V -> R) (g : V -> R) :
    \sum_z pos (qf h z - r z) * (\sum_x F z x * g x) = \sum_x (\sum_z pos (qf h z - r z) * F z x) * g x.
  under eq_bigr do rewrite mulr_sumr.
  by rewrite exchange_big; apply: eq_bigr => x _; rewrite mulr_suml; apply: eq_bigr => z _; rewrite mulrA.
rewrite recursive_step one_try //=.
under [in RHS]eq_bigr do rewrite mulrDl.
rewrite big_split -addrA; congr (_ + _).
rewrite -!into -big_split /=; apply: eq_bigr => z _.
by rewrite -mulrDr IH //; exact: next_residual_ge0.
Qed.

Theorem any_drafter_lossless qf k p : (forall h, (size h < k)%N -> is_dist (qf h)) -> is_dist p ->
  (forall f, recursive qf k [::] p (fun o => f o.2) = draw p f) /\
  (forall f, siblings qf k [::] p (fun o => f o.2.2) = draw p f).
Proof.
move=> dq dp; split=> f; first exact: recursive_draw.
by rewrite (siblings_recursive _ (fun o => f o.2)) // recursive_draw.
Qed.

Theorem siblings_lossless replacement p q k : is_dist p -> is_dist q -> replacement || (k <= #|V|)%N ->
  let row := row_of replacement q in
  [/\ forall x, recursive row k [::] p (fun o => (o.2 == x)%:R) = p x,
      forall x, siblings row k [::] p (fun o => (o.2.2 == x)%:R) = p x,
      forall f, recursive row k [::] p (fun o => f o.2) = draw p f &
      forall f, siblings row k [::] p (fun o => f o.2.2) = draw p f].
Proof.
move=> dp dq le row.
have [one eager] := any_drafter_lossless (fun h => row_of_dist dq le) dp.
split=> [x|x|//|//].
  by rewrite -[RHS]draw_point -one.
by rewrite -[RHS]draw_point -eager.
Qed.

Theorem siblings_closed_form_is_sampler replacement p q k : is_dist p -> is_dist q ->
  replacement || (k <= #|V|)%N ->
  let row := row_of replacement q in
  [/\ forall x, siblings row k [::] p (fun o => (o.2.2 == x)%:R) = recursive_law row k p x,
      siblings row k [::] p (fun o => (o.2.1)%:R) = acceptance row k p,
      forall x, recursive row k [::] p (fun o => (o.2 == x)%:R) = recursive_law row k p x &
      recursive row k [::] p (fun o => (o.1)%:R) = acceptance row k p].
Proof.
move=> dp dq le row; have [p0 _] := dp.
have eager f : siblings row k [::] p (fun o => f o.2) = recursive row k [::] p f.
  by apply: siblings_recursive => h; exact: row_of_dist.
have law x : recursive row k [::] p (fun o => (o.2 == x)%:R) = recursive_law row k p x.
  by rewrite recursive_closed //= -!/(draw _ _) !draw_point.
have kept : recursive row k [::] p (fun o => (o.1)%:R) = acceptance row k p.
  rewrite recursive_closed //= [X in _ + X]big1 ?addr0 => [|x _]; last by rewrite mulr0.
  by apply: eq_bigr => x _; rewrite mulr1.
split=> // [x|]; first by rewrite -law -eager.
by rewrite -kept -eager.
Qed.

(* ------------------------------------------ acceptance, with replacement ------------------------------------------ *)

Lemma excess_tv p q : is_dist p -> is_dist q -> excess p q = tv p q.
Proof.
move=> dp dq; rewrite -reject_mass // -alphaE; last by case: dp.
by rewrite alpha_is_one_minus_tv // subKr.
Qed.

Lemma residual_after_dist q p j : is_dist p -> is_dist (residual_after q p j).
Proof. by move=> dp; elim: j => [//|j IH]; exact: after_rejection_dist. Qed.

Lemma recursive_kept q k h r : is_dist q -> is_dist r ->
  recursive (fun=> q) k h r (fun o => (o.1)%:R) = 1 - \prod_(j < k) tv (residual_after q r j) q.
Proof.
move=> dq; elim: k h r => [|k IH] h r dr.
  by rewrite big_ord0 subrr -[RHS](draw0 r).
have [r0 _] := dr; rewrite recursive_step one_try // big_ord_recl /=.
have -> : \prod_(j < k) tv (residual_after q r (lift ord0 j)) q =
          \prod_(j < k) tv (residual_after q (after_rejection r q) j) q.
  by apply: eq_bigr => j _; rewrite /residual_after lift0 iterSr.
under [X in _ + X]eq_bigr do rewrite (IH _ _ (after_rejection_dist q dr)).
under eq_bigr do rewrite mulr1.
rewrite -mulr_suml rejected_mass // excess_tv // mulrBr mulr1 addrA; congr (_ - _).
by rewrite -(alphaE q r0) alpha_is_one_minus_tv // subrK.
Qed.

Theorem sibling_acceptance_is_product p q k : is_dist p -> is_dist q ->
  [/\ forall j, is_dist (residual_after q p j),
      siblings (row_of true q) k [::] p (fun o => (o.2.1)%:R) = 1 - \prod_(j < k) tv (residual_after q p j) q &
      acceptance (row_of true q) k p = 1 - \prod_(j < k) tv (residual_after q p j) q].
Proof.
move=> dp dq; have [_ eager _ one] := @siblings_closed_form_is_sampler true p q k dp dq isT.
have e : acceptance (row_of true q) k p = 1 - \prod_(j < k) tv (residual_after q p j) q.
  by rewrite -one -(recursive_kept k [::] dq dp).
split=> // [j|]; first exact: residual_after_dist.
by rewrite eager.
Qed.

(* ------------------------------------------- what is kept was drafted ------------------------------------------- *)

(* Only what can happen is looked at: a kept token is a sibling, the token drawn at the end is none of them. *)
Lemma siblings_outcome qf k h r f g : (forall h', (size h' < size h + k)%N -> is_dist (qf h')) -> is_dist r ->
  (forall z, z \in h -> r z = 0) ->
  (forall d y, y \in d -> f (d, (true, y)) = g (d, (true, y))) ->
  (forall d y, y \notin h ++ d -> f (d, (false, y)) = g (d, (false, y))) ->
  siblings qf k h r f = siblings qf k h r g.
Proof.
elim: k h r f g => [|k IH] h r f g dq dr rh et ef.
  apply: eq_bigr => y _; have [yh|yh] := boolP (y \in h); first by rewrite rh ?mul0r.
  by rewrite /= /ret ef ?cats0.
have dh : is_dist (qf h) by apply: dq; rewrite -addSnnS leq_addr.
have [r0 _] := dr; rewrite !siblings_step !one_try //; congr (_ + _).
  apply: eq_bigr => x _; congr (_ * _); apply: (regular_autoreg _ _ _).1 => d.
  by rewrite et ?mem_head.
apply: eq_bigr => x _; have [->|nz] := eqVneq (pos (qf h x - r x)) 0; first by rewrite !mul0r.
congr (_ * _); apply: IH.
- by move=> h' lt; apply: dq; rewrite -addSnnS -(size_rcons h x).
- exact: after_rejection_dist.
- move=> z; rewrite mem_rcons inE => /orP[/eqP->|/rh rz]; first exact: residual_rejected.
  by have [_ e] := token_never_wanted dr dh rz; exact: e.
- by move=> d y yd; rewrite et // inE yd orbT.
by move=> d y yd; rewrite ef //= -cat_rcons.
Qed.

Theorem kept_iff_drafted qf k p f : (forall h, (size h < k)%N -> is_dist (qf h)) -> is_dist p ->
  siblings qf k [::] p (fun o => f (o.1, (o.2.1, o.2.2))) =
  siblings qf k [::] p (fun o => f (o.1, (o.2.2 \in o.1, o.2.2))).
Proof. by move=> dq dp; apply: siblings_outcome => //= d y => [->|/negPf->]. Qed.

Lemma kept_law_ge0 qf k h r x : (forall h', (size h' < size h + k)%N -> is_dist (qf h')) ->
  (forall x, 0 <= r x) -> 0 <= kept_law qf k h r x.
Proof.
elim: k h r => [//|k IH] h r dq r0 /=.
have [q0 _] : is_dist (qf h) by apply: dq; rewrite -addSnnS leq_addr.
rewrite addr_ge0 ?min_ge0 // sumr_ge0 // => z _; rewrite mulr_ge0 ?pos_ge0 // IH //.
  by move=> h' lt; apply: dq; rewrite -addSnnS -(size_rcons h z).
exact: next_residual_ge0.
Qed.

Lemma kept_law_grows qf k h r x : (forall h', (size h' < size h + k.+1)%N -> is_dist (qf h')) ->
  (forall x, 0 <= r x) -> kept_law qf k h r x <= kept_law qf k.+1 h r x.
Proof.
elim: k h r => [|k IH] h r dq r0; first exact: kept_law_ge0.
rewrite /= ler_add2l; apply: ler_sum => z _; apply: ler_wpmul2l; first exact: pos_ge0.
apply: IH; last exact: next_residual_ge0.
by move=> h' lt; apply: dq; rewrite -addSnnS -(size_rcons h z).
Qed.

Theorem acceptance_grows qf k p : (forall h, (size h < k.+1)%N -> is_dist (qf h)) -> is_dist p ->
  acceptance qf k p <= acceptance qf k.+1 p.
Proof. by move=> dq [p0 _]; apply: ler_sum => x _; exact: kept_law_grows. Qed.
End SiblingRule.
