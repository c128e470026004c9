(* Siblings, several drafts for one position: no lossless rule is above the optimum.

   A rule for several drafts makes a joint law of the set S of drafted tokens and of the emitted token. If the emitted
   token has the law p, then for every set H of tokens it is one of the drafted ones with probability at most
   1 + p(H) - Pr(S subset of H). The optimum is the least of these values over the sets H.

   The file proves, for every finite vocabulary, target p, draft q and k: that bound, for every rule whatever
   (no_rule_above_any_set for programs, no_joint_law_above_any_set for joint laws); that neither recursive rejection,
   with and without replacement, nor K-SEQ with rho = k keeps a sibling more often than the optimum
   (siblings_never_above_optimum); that with one sibling all of them and the optimum accept with 1 - TV (one_sibling);
   that a sibling more lowers neither acceptance nor optimum (more_siblings_never_hurt); and what they are when the
   support of q, or the vocabulary, is used up (support_used_up).

   Not here: that some rule attains the optimum for every k (max-flow min-cut). *)

From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq.
From mathcomp Require Import choice fintype finset bigop order ssralg ssrnum.
From SpecDec Require Import Distribution TokenRule SiblingRule KSeqRule.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section AnyRule.
Variables (R : realFieldType) (V : finType).
Implicit Types (p : V -> R) (H S : {set V}) (x y : V).

(* A rule is a program; what it drafts and what it emits can be read off its outcome a, whatever else that holds. *)
Theorem no_rule_above_any_set A (m : program R A) (drafted : A -> {set V}) (token : A -> V) p H :
  regular m -> mass1 m -> positive m -> (forall f, m (fun a => f (token a)) = draw p f) ->
  m (fun a => (token a \in drafted a)%:R) <= 1 + \sum_(x in H) p x - m (fun a => (drafted a \subset H)%:R).
Proof.
move=> rm m1 pm law.
have -> : \sum_(x in H) p x = m (fun a => (token a \in H)%:R).
  rewrite (law (fun y => (y \in H)%:R)) big_mkcond; apply: eq_bigr => x _.
  by case: (x \in H); rewrite ?mulr1 ?mulr0.
rewrite -[X in X + _ - _](m1 1) -regular_add // -regular_sub //; apply: positive_le => // a.
have [/subsetP sub|_] := boolP (drafted a \subset H); last first.
  by rewrite subr0; apply: (@le_trans _ _ 1); [rewrite lern1 leq_b1 | rewrite ler_addl ler0n].
rewrite addrAC subrr add0r ler_nat; case: (boolP (token a \in drafted a)) => // /sub->.
by [].
Qed.

Theorem no_joint_law_above_any_set (c : {set V} -> V -> R) p H : is_dist p ->
  (forall S y, 0 <= c S y) -> (forall y, \sum_(S : {set V}) c S y = p y) ->
  \sum_(S : {set V}) \sum_(y in S) c S y <= 1 + \sum_(y in H) p y - \sum_(S : {set V} | S \subset H) \sum_y c S y.
Proof.
move=> dp c0 cp; pose m : program R ({set V} * V) := fun f => \sum_(S : {set V}) \sum_y c S y * f (S, y).
have rm : regular m.
  split=> [f h e|a b f h]; first by apply: eq_bigr => S _; apply: eq_bigr => y _; rewrite e.
  rewrite /m !mulr_sumr -big_split; apply: eq_bigr => S _ /=.
  by rewrite !mulr_sumr -big_split; apply: eq_bigr => y _ /=; rewrite mulrDr ![c S y * (_ * _)]mulrCA.
have law f : m (fun a => f a.2) = draw p f.
  by rewrite /m exchange_big; apply: eq_bigr => y _ /=; rewrite -mulr_suml cp.
have m1 : mass1 m by move=> e; rewrite (law (fun=> e)) draw_mass1.
have pm : positive m.
  by move=> f f0; apply: sumr_ge0 => S _; apply: sumr_ge0 => y _; rewrite mulr_ge0.
have := @no_rule_above_any_set _ m fst snd p H rm m1 pm law.
have -> : m (fun a => (a.2 \in a.1)%:R) = \sum_(S : {set V}) \sum_(y in S) c S y.
  apply: eq_bigr => S _; rewrite [RHS]big_mkcond; apply: eq_bigr => y _ /=.
  by case: (y \in S); rewrite ?mulr1 ?mulr0.
have -> // : m (fun a => (a.1 \subset H)%:R) = \sum_(S : {set V} | S \subset H) \sum_y c S y.
rewrite [RHS]big_mkcond; apply: eq_bigr => S _ /=.
by case: (S \subset H); [apply: eq_bigr => y _; rewrite mulr1 | rewrite big1 // => y _; rewrite mulr0].
Qed.
End AnyRule.

Section Optimum.
Variables (R : realFieldType) (V : finType).
Notation drafter := (seq V -> V -> R).
Implicit Types (p q r : V -> R) (qf : drafter) (H : {set V}) (d h : seq V) (x y z : V) (k : nat).

(* that k siblings, drawn behind h, all lie in H *)
Definition inside qf k h H : R := autoreg qf k h (fun d => ([set x in d] \subset H)%:R).
Definition cut p qf k H : R := 1 + \sum_(x in H) p x - inside qf k [::] H.
Definition optimum p qf k : R := cut p qf k [arg min_(H < set0) cut p qf k H]%O.

Lemma optimum_le p qf k H : optimum p qf k <= cut p qf k H.
Proof. by rewrite /optimum; case: arg_minP => // G _; exact. Qed.

Lemma subset_cons x d H : ([set y in x :: d] \subset H) = (x \in H) && ([set y in d] \subset H).
Proof.
apply/subsetP/andP => [sub|[xH /subsetP sub] y]; last first.
  by rewrite !inE => /orP[/eqP->|yd] //; apply: sub; rewrite inE.
split; first by apply: sub; rewrite !inE eqxx.
by apply/subsetP => y; rewrite inE => yd; apply: sub; rewrite !inE yd orbT.
Qed.

Lemma inside0 qf h H : inside qf 0 h H = 1.
Proof. by rewrite /inside /= /ret (_ : _ \subset H) //; apply/subsetP => y; rewrite !inE. Qed.

Lemma inside_step qf k h H : inside qf k.+1 h H = \sum_x qf h x * ((x \in H)%:R * inside qf k (rcons h x) H).
Proof.
rewrite /inside autoreg_step; apply: eq_bigr => x _; congr (_ * _).
rewrite -(regular_scale _ _ (regular_autoreg _ _ _)); apply: (regular_autoreg _ _ _).1 => d.
by rewrite subset_cons -mulnb natrM.
Qed.

(* with replacement it is q(H)^k *)
Lemma inside_independent q k h H : inside (fun=> q) k h H = (\sum_(x in H) q x) ^+ k.
Proof.
elim: k h => [|k IH] h; first exact: inside0.
rewrite inside_step exprS mulr_suml [RHS]big_mkcond; apply: eq_bigr => x _ /=.
by rewrite IH; case: (x \in H); rewrite ?mul1r // mul0r mulr0.
Qed.

Lemma positive_autoreg qf k h : (forall h', (size h' < size h + k)%N -> is_dist (qf h')) ->
  positive (autoreg qf k h).
Proof.
elim: k h => [|k IH] h dq f f0; first exact: f0.
rewrite autoreg_step; apply: sumr_ge0 => x _; apply: mulr_ge0.
  by apply: dist_ge0; apply: dq; rewrite -addSnnS leq_addr.
by apply: IH => [h' lt|d]; [apply: dq; rewrite -addSnnS -(size_rcons h x) | exact: f0].
Qed.

Lemma positive_try qf h r x : (forall x, 0 <= r x) -> is_dist (qf h) ->
  0 <= ratio r (qf h) x /\ 0 <= 1 - ratio r (qf h) x.
Proof. by move=> r0 [q0 _]; rewrite subr_ge0 ratio_ge0 ?ratio_le1. Qed.

Lemma positive_siblings qf k h r : (forall h', (size h' < size h + k)%N -> is_dist (qf h')) ->
  (forall x, 0 <= r x) -> positive (siblings qf k h r).
Proof.
elim: k h r => [|k IH] h r dq r0 f f0; first by apply: sumr_ge0 => y _; rewrite mulr_ge0 // f0.
have dh : is_dist (qf h) by apply: dq; rewrite -addSnnS leq_addr.
have dq' x h' : (size h' < size (rcons h x) + k)%N -> is_dist (qf h').
  by rewrite size_rcons addSnnS; exact: dq.
rewrite siblings_step; apply: sumr_ge0 => x _; have [a0 a1] := positive_try x r0 dh.
apply: mulr_ge0; first exact: dist_ge0.
apply: addr_ge0; apply: mulr_ge0 => //.
  by apply: (positive_autoreg (dq' x)) => d; exact: f0.
by apply: IH => [h'|y|o]; [exact: dq' | exact: next_residual_ge0 | exact: f0].
Qed.

(* verification does not change what was drafted *)
Lemma try_mass1 qf h r d : is_dist r -> mass1 (try_in_turn qf h r d).
Proof.
elim: d h r => [|x d IH] h r dr c; first exact: draw_mass1.
by rewrite try_step (IH _ _ (after_rejection_dist _ dr)) mulrBl mul1r addrC subrK.
Qed.

Lemma siblings_drafts qf k h r g : is_dist r -> siblings qf k h r (fun o => g o.1) = autoreg qf k h g.
Proof. by move=> dr; apply: (regular_autoreg _ _ _).1 => d; exact: (try_mass1 qf h d dr (g d)). Qed.

Theorem any_drafter_below_cut qf k p H : (forall h, (size h < k)%N -> is_dist (qf h)) -> is_dist p ->
  siblings qf k [::] p (fun o => (o.2.1)%:R) <= cut p qf k H.
Proof.
move=> dq dp; have [_ law] := any_drafter_lossless dq dp; have [p0 _] := dp.
rewrite (kept_iff_drafted (fun o => (o.2.1)%:R)) //=.
rewrite /cut /inside -(siblings_drafts qf k [::] _ dp).
rewrite (_ : siblings _ _ _ _ _ = siblings qf k [::] p (fun o => (o.2.2 \in [set x in o.1])%:R)); last first.
  by apply: (regular_siblings _ _ _ _).1 => o; rewrite inE.
apply: (no_rule_above_any_set (fun o => [set x in o.1]) H (regular_siblings _ _ _ _) _ _ law).
  by move=> c; rewrite (law (fun=> c)) draw_mass1.
exact: positive_siblings.
Qed.

Lemma positive_kseq_verify p q rho last d : (forall x, 0 <= p x) -> (forall x, 0 <= q x) -> 0 < rho ->
  (forall x, 0 <= last x) -> positive (kseq_verify p q rho last d).
Proof.
move=> p0 q0 rho0 last0 f f0; elim: d => [|x d IH]; first by apply: sumr_ge0 => y _; rewrite mulr_ge0 // f0.
have s0 : 0 <= p x / rho by rewrite divr_ge0 // ltW.
by rewrite kseq_verify_step addr_ge0 // mulr_ge0 // ?subr_ge0 ?ratio_le1 ?ratio_ge0.
Qed.

Lemma positive_kseq p q rho k : is_dist p -> is_dist q -> 0 < rho -> positive (kseq p q rho k).
Proof.
move=> [p0 p1] dq rho0 f f0; have [q0 _] := dq.
apply: (positive_autoreg (fun h' _ => dq)) => d; apply: positive_kseq_verify => // [x|o]; last exact: f0.
exact: residual_ge0.
Qed.

Lemma kseq_verify_mass1 p q rho last d : is_dist last -> mass1 (kseq_verify p q rho last d).
Proof.
move=> dl; elim: d => [|x d IH] c; first exact: draw_mass1.
by rewrite kseq_verify_step IH mulrBl mul1r addrC subrK.
Qed.

Lemma kseq_drafted p q rho k g : is_dist p -> kseq p q rho k (fun o => g o.1) = autoreg (fun=> q) k [::] g.
Proof.
move=> dp; apply: (regular_autoreg _ _ _).1 => d.
exact: (kseq_verify_mass1 p q rho d (residual_dist _ dp) (g d)).
Qed.

(* a kept token is a sibling *)
Lemma kseq_verify_kept p q rho last d H : (forall x, 0 <= q x) -> (forall x, 0 <= last x) ->
  {subset d <= H} ->
  kseq_verify p q rho last d (fun o => (o.1)%:R) <= kseq_verify p q rho last d (fun o => (o.2 \in H)%:R).
Proof.
move=> q0 last0; elim: d => [|x d IH] sub.
  rewrite -[X in X <= _]/(\sum_y last y * (false%:R)) -[X in _ <= X]/(\sum_y last y * ((y \in H)%:R)).
  by apply: ler_sum => y _; rewrite ler_wpmul2l ?ler0n.
have xH : x \in H by rewrite sub ?mem_head.
rewrite !kseq_verify_step /= xH ler_add2l; apply: ler_wpmul2l; first by rewrite subr_ge0 ratio_le1.
by apply: IH => y yd; rewrite sub // inE yd orbT.
Qed.

Lemma kseq_kept_drafted p q rho k : is_dist p -> is_dist q -> 0 < rho ->
  kseq p q rho k (fun o => (o.2.1)%:R) <= kseq p q rho k (fun o => (o.2.2 \in [set x in o.1])%:R).
Proof.
move=> [p0 p1] dq rho0; have [q0 _] := dq.
apply: (@positive_le _ _ (autoreg (fun=> q) k [::])) => [||d]; first exact: regular_autoreg.
  exact: positive_autoreg (fun h' _ => dq).
apply: (@kseq_verify_kept p q rho (last_residual p q rho k) d [set x in d]) => // [x|x xd].
  exact: residual_ge0.
by rewrite inE.
Qed.

Theorem kseq_below_cut p q rho k H : is_dist p -> is_dist q -> 1 <= rho -> admissible p q rho k ->
  kseq p q rho k (fun o => (o.2.1)%:R) <= cut p (fun=> q) k H.
Proof.
move=> dp dq rho1 ok; have rho0 : 0 < rho := lt_le_trans ltr01 rho1.
have law f : kseq p q rho k (fun o => f o.2.2) = draw p f by exact: kseq_draw.
apply: le_trans (kseq_kept_drafted k dp dq rho0) _; rewrite /cut /inside -(kseq_drafted q rho k _ dp).
apply: (no_rule_above_any_set (fun o => [set x in o.1]) H (regular_kseq _ _ _ _) _ _ law).
  by move=> c; rewrite (law (fun=> c)) draw_mass1.
exact: positive_kseq.
Qed.

(* The optimum is the least over all sets, and one of its values; K-SEQ with rho = 0 has no sibling. *)
Theorem siblings_never_above_optimum p q k : is_dist p -> is_dist q ->
  [/\ forall replacement, replacement || (k <= #|V|)%N ->
        siblings (row_of replacement q) k [::] p (fun o => (o.2.1)%:R) <= optimum p (row_of replacement q) k,
      kseq p q k%:R k (fun o => (o.2.1)%:R) <= optimum p (row_of true q) k &
      forall replacement, let row := row_of replacement q in
        let bound H := 1 + \sum_(x in H) p x - siblings row k [::] p (fun o => ([set x in o.1] \subset H)%:R) in
        (exists H, optimum p row k = bound H) /\ (forall H, optimum p row k <= bound H)].
Proof.
move=> dp dq; split=> [replacement le||replacement row bound].
- exact: any_drafter_below_cut (fun h => row_of_dist dq le) dp.
- case: k => [|k]; last first.
    have le1 : 1 <= k.+1%:R :> R by rewrite ler1n.
    have [_ _ _ ok] := kseq_lossless_iff_admissible k.+1 dp dq le1.
    exact: kseq_below_cut dp dq le1 (ok (lexx _)).
  have zero (r : V -> R) : \sum_y r y * (false%:R : R) = 0 by rewrite big1 // => y _; rewrite mulr0.
  rewrite -[X in X <= _]/(\sum_y _ * (false%:R : R)) zero -[X in X <= _](zero p).
  by apply: (@any_drafter_below_cut (row_of true q) 0 p _ _ dp) => h.
have E H : siblings row k [::] p (fun o => ([set x in o.1] \subset H)%:R) = inside row k [::] H.
  exact: (siblings_drafts row k [::] (fun d => ([set x in d] \subset H)%:R) dp).
split=> [|H]; last by rewrite /bound E; exact: optimum_le.
by exists [arg min_(H < set0) cut p row k H]%O; rewrite /bound E.
Qed.

(* ------------------------------------------------ one sibling ------------------------------------------------ *)

Lemma left_to_draw_nil q x : is_dist q -> left_to_draw q [::] x = q x.
Proof.
move=> [q0 q1]; have u y : unstruck [::] q y = q y by [].
rewrite /left_to_draw; case: ifP => [/forallP z|_]; last by rewrite /normalised q1 divr1.
by have /eqP := oner_neq0 R; rewrite -q1 big1 // => y _; apply/eqP; exact: z.
Qed.

Lemma overlap_tv p q : is_dist p -> is_dist q -> \sum_x Num.min (p x) (q x) = 1 - tv p q.
Proof. by move=> dp dq; rewrite -alpha_is_one_minus_tv // alphaE //; case: dp. Qed.

Lemma acceptance_one replacement p q : is_dist p -> is_dist q -> acceptance (row_of replacement q) 1 p = 1 - tv p q.
Proof.
move=> dp dq; rewrite -overlap_tv //; apply: eq_bigr => x _ /=.
rewrite [X in _ + X]big1 ?addr0 => [|z _]; last by rewrite mulr0.
by case: replacement => //=; rewrite left_to_draw_nil.
Qed.

Lemma inside_one replacement q H : is_dist q -> inside (row_of replacement q) 1 [::] H = \sum_(x in H) q x.
Proof.
move=> dq; rewrite inside_step [RHS]big_mkcond; apply: eq_bigr => x _.
have -> : row_of replacement q [::] x = q x by case: replacement => //=; rewrite left_to_draw_nil.
by rewrite inside0 mulr1; case: (x \in H); rewrite ?mulr1 ?mulr0.
Qed.

(* the set of the tokens that the draft gives more than the target *)
Lemma cut_one replacement p q : is_dist p -> is_dist q ->
  cut p (row_of replacement q) 1 [set x | p x < q x] = 1 - tv p q.
Proof.
move=> dp dq; have [_ q1] := dq; set H := [set x | _].
have mH : \sum_(x in H) Num.min (p x) (q x) = \sum_(x in H) p x.
  by apply: eq_bigr => x; rewrite inE => lt; rewrite min_l // ltW.
have mN : \sum_(x | x \notin H) Num.min (p x) (q x) = \sum_(x | x \notin H) q x.
  by apply: eq_bigr => x; rewrite inE -leNgt => le; rewrite min_r.
rewrite -overlap_tv // /cut inside_one //; apply/eqP; rewrite subr_eq -q1 (bigID (mem H)) /=; apply/eqP.
rewrite [\sum_x Num.min _ _](bigID (mem H)) /= mH mN.
by rewrite addrC [\sum_(x in H) q x + _]addrC addrA.
Qed.

Lemma card_gt0_dist p : is_dist p -> (0 < #|V|)%N.
Proof.
move=> [_ p1]; rewrite lt0n; apply/eqP => /card0_eq none; have /eqP := oner_neq0 R.
by rewrite -p1 big1 // => x; have := none x; rewrite !inE.
Qed.

Theorem one_sibling p q : is_dist p -> is_dist q ->
  [/\ forall replacement, siblings (row_of replacement q) 1 [::] p (fun o => (o.2.1)%:R) = 1 - tv p q,
      kseq p q 1 1 (fun o => (o.2.1)%:R) = 1 - tv p q &
      forall replacement, optimum p (row_of replacement q) 1 = 1 - tv p q].
Proof.
move=> dp dq; have le replacement : replacement || (1 <= #|V|)%N by rewrite (card_gt0_dist dp) orbT.
have kept replacement : siblings (row_of replacement q) 1 [::] p (fun o => (o.2.1)%:R) = 1 - tv p q.
  by have [_ -> _ _] := siblings_closed_form_is_sampler dp dq (le replacement); rewrite acceptance_one.
split=> // [|replacement].
  rewrite kseq_acceptance // expr1 subKr -overlap_tv //; apply: eq_bigr => x _.
  by rewrite divr1 minC.
apply/eqP; rewrite eq_le -{1}(cut_one replacement dp dq) optimum_le /= -(kept replacement).
by have [-> //] := siblings_never_above_optimum 1 dp dq.
Qed.

(* ------------------------------------------------ one more sibling ------------------------------------------------ *)

Lemma inside_ge0 qf k h H : (forall h', (size h' < size h + k)%N -> is_dist (qf h')) -> 0 <= inside qf k h H.
Proof. by move=> dq; apply: positive_autoreg => // d; exact: ler0n. Qed.

Lemma inside_falls qf k h H : (forall h', (size h' < size h + k.+1)%N -> is_dist (qf h')) ->
  inside qf k.+1 h H <= inside qf k h H.
Proof.
elim: k h => [|k IH] h dq.
  have dh : is_dist (qf h) by apply: dq; rewrite addn1.
  rewrite inside0 inside_step -[X in _ <= X](dist_sum dh); apply: ler_sum => x _.
  by rewrite inside0 mulr1 ler_pimulr ?(dist_ge0 x dh) // lern1 leq_b1.
rewrite inside_step [X in _ <= X]inside_step; apply: ler_sum => x _.
apply: ler_wpmul2l; first by apply: dist_ge0; apply: dq; rewrite addnS ltnS leq_addr.
apply: ler_wpmul2l; first exact: ler0n.
by apply: IH => h' lt; apply: dq; rewrite -addSnnS -(size_rcons h x).
Qed.

Theorem more_siblings_never_hurt replacement p q k : is_dist p -> is_dist q -> replacement || (k < #|V|)%N ->
  let row := row_of replacement q in
  [/\ siblings row k [::] p (fun o => (o.2.1)%:R) <= siblings row k.+1 [::] p (fun o => (o.2.1)%:R) &
      optimum p row k <= optimum p row k.+1].
Proof.
move=> dp dq lt row; have le : replacement || (k <= #|V|)%N by case: (replacement) lt => //=; exact: ltnW.
have rows h : (size h < k.+1)%N -> is_dist (row h) by exact: row_of_dist.
split.
  have [_ -> _ _] := siblings_closed_form_is_sampler dp dq le.
  have [_ -> _ _] := siblings_closed_form_is_sampler dp dq lt.
  exact: acceptance_grows.
rewrite [X in _ <= X]/optimum; set H := [arg min_(_ < _) _]%O.
apply: le_trans (optimum_le p row k H) _; rewrite /cut ler_add2l ler_opp2.
exact: inside_falls.
Qed.

(* ------------------------------------------------ nothing left ------------------------------------------------ *)

(* Drawn without replacement from a set that is not left before it is used up, as many as it has: all of its tokens. *)
Lemma draws_cover q (P : {set V}) k h f g :
  (forall h z x, z \in P -> z \notin h -> left_to_draw q h x != 0 -> x \in P) ->
  uniq h -> {subset h <= P} -> (size h + k)%N = #|P| -> (forall d, h ++ d =i P -> f d = g d) ->
  autoreg (row_of false q) k h f = autoreg (row_of false q) k h g.
Proof.
move=> stay; elim: k h f g => [|k IH] h f g uh hP sz e.
  apply: e => x; rewrite cats0; rewrite addn0 in sz.
  have hs : {subset h <= enum P} by move=> y /hP; rewrite mem_enum.
  by have [|_ ->] := uniq_min_size uh hs; rewrite ?mem_enum // -cardE sz.
rewrite !autoreg_step; apply: eq_bigr => x _.
have [->|nz] := eqVneq (row_of false q h x) 0; first by rewrite !mul0r.
have xh := left_to_draw_new nz.
have [z zP zh] : exists2 z, z \in P & z \notin h.
  apply/exists_inP; rewrite -negb_forall_in; apply/negP => /forall_inP all.
  have : (#|P| <= size h)%N by rewrite (leq_trans _ (card_size h)) // subset_leq_card //; apply/subsetP.
  by rewrite -sz leqNgt -addSnnS leq_addr.
congr (_ * _); apply: IH => [|y||d cover].
- by rewrite rcons_uniq xh.
- by rewrite mem_rcons inE => /orP[/eqP->|/hP //]; exact: stay zP zh nz.
- by rewrite size_rcons addSnnS.
by apply: e; rewrite -cat_rcons.
Qed.

Lemma used_up p q (P : {set V}) : is_dist p -> is_dist q ->
  (forall h z x, z \in P -> z \notin h -> left_to_draw q h x != 0 -> x \in P) ->
  siblings (row_of false q) #|P| [::] p (fun o => (o.2.1)%:R) = \sum_(x in P) p x /\
  optimum p (row_of false q) #|P| = \sum_(x in P) p x.
Proof.
move=> dp dq stay; have le : false || (#|P| <= #|V|)%N by exact: max_card.
have rows h : (size h < #|P|)%N -> is_dist (row_of false q h) by exact: row_of_dist.
have [_ law] := any_drafter_lossless rows dp.
have cover f g : (forall d, d =i P -> f d = g d) ->
    autoreg (row_of false q) #|P| [::] f = autoreg (row_of false q) #|P| [::] g.
  by move=> e; apply: (draws_cover stay).
have kept : siblings (row_of false q) #|P| [::] p (fun o => (o.2.1)%:R) = \sum_(x in P) p x.
  rewrite (kept_iff_drafted (fun o => (o.2.1)%:R)) //=.
  transitivity (siblings (row_of false q) #|P| [::] p (fun o => (o.2.2 \in P)%:R)).
    by apply: cover => d dP; apply: (regular_try _ _ _ _).1 => o; rewrite /ret dP.
  rewrite (law (fun y => (y \in P)%:R)) [RHS]big_mkcond; apply: eq_bigr => x _.
  by case: (x \in P); rewrite ?mulr1 ?mulr0.
split=> //; apply/eqP; rewrite eq_le -{2}kept; apply/andP; split; last first.
  by have [-> //] := siblings_never_above_optimum #|P| dp dq.
apply: le_trans (optimum_le _ _ _ P) _; rewrite /cut /inside (cover _ (fun=> 1)).
  by rewrite autoreg_drafter_mass1 // addrAC subrr add0r.
by move=> d dP; rewrite (_ : _ \subset P) //; apply/subsetP => x; rewrite inE dP.
Qed.

Theorem support_used_up p q : is_dist p -> is_dist q ->
  let support := [set x | q x != 0] in
  let kept k := siblings (row_of false q) k [::] p (fun o => (o.2.1)%:R) in
  [/\ kept #|support| = \sum_(x in support) p x, optimum p (row_of false q) #|support| = \sum_(x in support) p x,
      kept #|V| = 1 & optimum p (row_of false q) #|V| = 1].
Proof.
move=> dp dq support kept.
have [|ks os] := @used_up p q support dp dq.
  by move=> h z x; rewrite !inE => qz zh; exact: left_to_draw_support zh qz.
have [//|kv ov] := @used_up p q setT dp dq.
have all1 : \sum_(x in [set: V]) p x = 1 by rewrite -(dist_sum dp); apply: eq_bigl => x; rewrite inE.
by rewrite cardsT all1 in kv ov.
Qed.
End Optimum.
