(* Block verification accepts the most: no lossless rule of one call accepts more.

   For every target p and draft q, given as models, every gamma and every context the file proves:

   block_masses_are_greatest: no lossless call has a node mass above a(v x) = min(Q(v x), a(v) p(x | v)), a() = 1, and
   block verification has these masses;
   block_optimal: block verification, the published algorithm of BlockRule.v, is lossless, accepts as many tokens as
   the sum of these masses, and no lossless rule of one call is expected to accept more.

   Not here: rules that change the target of later calls (greedy block verification), and rules with more than one
   drafted block. What a rule of one call is, NodeMasses.v says. *)

From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq.
From mathcomp Require Import choice fintype tuple bigop order ssralg ssrnum.
From SpecDec Require Import Distribution TokenRule ChainRule BlockRule NodeMasses.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section BlockOptimal.
Variables (R : realFieldType) (V : finType).
Notation model := (seq V -> V -> R).
Notation outcome := (outcome V).
Implicit Types (s t d u v : seq V) (x y z : V) (n i : nat) (a : seq V -> R) (J : program R outcome).
Variables p q : model.
Hypothesis dp : forall ctx, is_dist (p ctx).
Hypothesis dq : forall ctx, is_dist (q ctx).
Variables (g : nat) (ctx : seq V).


(* what the published call says of the block: how many of its tokens are emitted, and the token behind them *)
Definition told s : program R (nat * V) := if s is y :: s' then ret (size s', last y s') else fun=> 0.
Definition block_judge d : program R (nat * V) := s <- verify_block 1 p q ctx d ;; told s.
Definition block_outcome : program R outcome := draft_then q g ctx block_judge.

Lemma told_rcons t y f : told (rcons t y) f = f (size t, y).
Proof. by case: t => [|x t] //=; rewrite /ret last_rcons size_rcons. Qed.

Lemma regular_scan (o : R) c w h pre d stop : regular stop -> regular (scan o p q c w h pre d stop).
Proof.
have D W (r : V -> R) (k : V -> W) : regular (y <- draw r ;; ret (k y)).
  by apply: regular_bind => [|y]; [exact: regular_draw | exact: regular_ret].
elim: d c w h pre stop => [|x d IH] c w h pre stop rs; apply: regular_bind => [|b]; try exact: regular_flip.
  by case: b; [exact: D | exact: rs].
by apply: IH; case: b; [exact: D | exact: rs].
Qed.

Lemma scan_support (o : R) c w h pre d stop (f1 f2 : seq V -> R) : stop f1 = stop f2 ->
  (forall i y, (i <= size d)%N -> f1 (pre ++ rcons (take i d) y) = f2 (pre ++ rcons (take i d) y)) ->
  scan o p q c w h pre d stop f1 = scan o p q c w h pre d stop f2.
Proof.
elim: d c w h pre stop => [|x d IH] c w h pre stop es e.
  rewrite /= /bind /ret /flip es; congr (_ * _ + _); apply: draw_ext => y.
  by rewrite -cats1; exact: (e 0%N).
have E i y : (i <= size d)%N -> f1 (rcons pre x ++ rcons (take i d) y) = f2 (rcons pre x ++ rcons (take i d) y).
  by move=> le; rewrite cat_rcons; exact: (e i.+1).
rewrite !scan_step; congr (_ * _ + _ * _); apply: IH => //.
by apply: draw_ext => y; rewrite /ret -cats1; exact: (e 0%N).
Qed.

Lemma odds01 w c : 0 <= w -> w <= 1 -> 0 <= odds 1 p q w c <= 1.
Proof.
move=> w0 w1; have S0 := spare_ge0 p q w c; have W0 : 0 <= 1 - w by rewrite subr_ge0.
rewrite /odds; have [_|ne] := eqVneq (spare p q w c + (1 - w)) 0; first by rewrite ler01 lexx.
have T0 : 0 < spare p q w c + (1 - w) by rewrite lt_neqAle eq_sym ne addr_ge0.
by rewrite ler_pdivr_mulr // mul1r ler_addl W0 andbT divr_ge0 // ltW.
Qed.

Lemma coin_range k w c : 0 <= w -> w <= 1 -> 0 <= coin p q 1 k w c <= 1.
Proof. by move=> w0 w1; rewrite /coin; case: k => [|k]; [rewrite w0 | exact: odds01]. Qed.

Lemma scan_positive c w h pre d stop : 0 <= w -> 0 <= h <= 1 -> positive stop ->
  positive (scan 1 p q c w h pre d stop).
Proof.
elim: d c w h pre stop => [|x d IH] c w h pre stop w0 /andP[h0 h1] ps.
  apply: positive_bind => [|[]//]; first exact: positive_flip.
  by apply: positive_bind => [|y]; [apply: positive_draw; case: (dp c) | exact: positive_ret].
have w'0 : 0 <= next_weight p q w c x by exact: weight_ge0.
have w'1 : next_weight p q w c x <= 1 by exact: weight_le1.
move=> f f0; rewrite scan_step; apply: addr_ge0; apply: mulr_ge0; rewrite ?subr_ge0 //.
  apply: IH => //; first exact: coin_range.
  apply: positive_bind => [|y]; last exact: positive_ret.
  by apply: positive_draw => z; case: (replacement_dist q dp c w0).
by apply: IH => //; exact: coin_range.
Qed.

Lemma scan_mass c w h pre d stop (e : R) : 0 <= w -> stop (fun=> e) = e -> scan 1 p q c w h pre d stop (fun=> e) = e.
Proof.
elim: d c w h pre stop => [|x d IH] c w h pre stop w0 sv.
  by rewrite /= /bind /ret /flip sv (draw_mass1 (dp c)) -mulrDl addrC subrK mul1r.
have w'0 : 0 <= next_weight p q w c x by exact: weight_ge0.
rewrite scan_step /= !IH //; first by rewrite -mulrDl addrC subrK mul1r.
by rewrite /bind /ret /replacement draw_mass1 //; exact: replacement_dist.
Qed.

Lemma verify_support d (f1 f2 : seq V -> R) :
  (forall i y, (i <= size d)%N -> f1 (rcons (take i d) y) = f2 (rcons (take i d) y)) ->
  verify_block 1 p q ctx d f1 = verify_block 1 p q ctx d f2.
Proof.
rewrite /verify_block; case: d => [|x d] e.
  by rewrite /= /bind /ret /flip subrr !mul0r; congr (_ * _ + _); apply: draw_ext => y; exact: (e 0%N).
rewrite !scan_step /= subrr !mul0r; congr (_ * _ + _); apply: scan_support => [|i y le].
  by apply: draw_ext => y; exact: (e 0%N).
exact: (e i.+1).
Qed.

Lemma block_one_call : one_call q g ctx block_outcome.
Proof.
apply: draft_then_one_call => // d sz; split.
- apply: regular_bind => [|[|y s]]; first by apply: regular_scan; exact: regular_ret.
    by split=> // b c f h; rewrite /told !mulr0 addr0.
  exact: regular_ret.
- apply: positive_bind => [|[|y s]]; first by apply: scan_positive; rewrite ?ler01 ?lexx //; exact: positive_ret.
    by move=> f f0; exact: lexx.
  exact: positive_ret.
- move=> c; rewrite /block_judge /bind (@verify_support d _ (fun=> c)) => [|i y _]; last by rewrite told_rcons.
  by apply: scan_mass; rewrite ?ler01 //; right; left; apply: residual_mass; left.
move=> f h e; apply: verify_support => i y; rewrite sz => le.
by rewrite !told_rcons size_takel ?sz // e.
Qed.

Lemma block_call f : call block_outcome f = block_sampler 1 p q g ctx f.
Proof.
apply: autoreg_size => d sz; apply: verify_support => i y le.
by rewrite told_rcons /emit /= size_takel.
Qed.

Lemma expected_emitted J : one_call q g ctx J -> expected_accepted J = call J (fun s => (size s).-1%:R).
Proof.
move=> oJ; apply: (sJ oJ) => d i y sz le.
by rewrite /ret /emit size_rcons /= size_takel // sz.
Qed.

Lemma block_lossless_call : lossless_call p ctx (call block_outcome).
Proof.
by move=> n f; rewrite -(block_lossless dp dq g ctx n f); exact: block_call.
Qed.

(* The sum of the greatest masses, level by level, is what block verification accepts. *)
Lemma greatest_accepted k c w b : 0 <= b -> 0 <= w ->
  \sum_(v : k.-tuple V) greatest_from p q c (b * w) b v = b * accepted_mass p q k c w.
Proof.
elim: k c w b => [|k IH] c w b b0 w0.
  rewrite (bigD1 [tuple]) //= big1 ?addr0 // => v /negP[].
  by apply/eqP; rewrite [v]tuple0.
rewrite sum_tuples /= big_distrr; apply: eq_bigr => x _ /=.
have -> : Num.min (b * q c x) (b * w * p c x) = b * q c x * next_weight p q w c x.
  rewrite -!mulrA q_ratio; last exact: weighed_ge0.
  by rewrite minr_pmulr // minC /weighed.
rewrite IH ?mulrA //; first by rewrite mulr_ge0 //; case: (dq c).
exact: weight_ge0.
Qed.

Lemma block_expected_greatest :
  block_sampler 1 p q g ctx (fun s => (size s).-1%:R) = \sum_(k < g) \sum_(v : k.+1.-tuple V) greatest p q ctx v.
Proof.
rewrite (block_expected dp dq); apply: eq_bigr => k _.
by rewrite -[LHS]mul1r -greatest_accepted ?ler01 // mulr1.
Qed.

(* Its masses are the greatest. *)
Lemma block_node_mass v : (size v <= g)%N -> node_mass block_outcome v = greatest p q ctx v.
Proof.
move=> le; case: v le => [|x v] le; first by rewrite (node_mass_nil dq block_one_call).
have below u : node_mass block_outcome u <= greatest p q ctx u.
  by apply: (node_mass_greatest dp dq block_one_call); exact: block_lossless_call.
have S : \sum_(k < g) \sum_(u : k.+1.-tuple V) (greatest p q ctx u - node_mass block_outcome u) = 0.
  under eq_bigr do rewrite sumrB.
  rewrite sumrB -block_expected_greatest -(expected_node_masses block_one_call).
  by rewrite (expected_emitted block_one_call) block_call subrr.
have d0 u : 0 <= greatest p q ctx u - node_mass block_outcome u by rewrite subr_ge0.
move/eqP: S; rewrite psumr_eq0 => [/allP/(_ (Ordinal le))|k _]; last by apply: sumr_ge0.
rewrite mem_index_enum => /(_ isT) /=; rewrite psumr_eq0 => [/allP/(_ (in_tuple (x :: v)))|u _ //].
by rewrite mem_index_enum => /(_ isT) /=; rewrite subr_eq0 eq_sym => /eqP.
Qed.

(* Node by node nothing lossless accepts more; block verification accepts as much. *)
Theorem block_masses_are_greatest :
  [/\ greatest p q ctx [::] = 1 /\ forall v x, greatest p q ctx (rcons v x)
        = Num.min (path_probability q ctx (rcons v x)) (greatest p q ctx v * p (ctx ++ v) x),
      forall J, one_call q g ctx J -> lossless_call p ctx (call J) -> forall v, node_mass J v <= greatest p q ctx v &
      [/\ one_call q g ctx block_outcome, lossless_call p ctx (call block_outcome),
          forall f, call block_outcome f = block_sampler 1 p q g ctx f &
          forall v, (size v <= g)%N -> node_mass block_outcome v = greatest p q ctx v]].
Proof.
split; first by split=> // v x; exact: greatest_rcons.
  by move=> J oJ L v; exact: (node_mass_greatest dp dq oJ).
split; [exact: block_one_call | exact: block_lossless_call | exact: block_call | exact: block_node_mass].
Qed.

(* The published algorithm is lossless, and no lossless rule of one call accepts more of the drafted tokens. *)
Theorem block_optimal :
  let accepted := block_sampler 1 p q g ctx (fun s => (size s).-1%:R) in
  [/\ lossless_call p ctx (block_sampler 1 p q g ctx),
      exists J, [/\ one_call q g ctx J, forall f, call J f = block_sampler 1 p q g ctx f &
                    expected_accepted J = accepted],
      accepted = \sum_(k < g) \sum_(v : k.+1.-tuple V) greatest p q ctx v &
      forall J, one_call q g ctx J -> lossless_call p ctx (call J) -> expected_accepted J <= accepted].
Proof.
move=> accepted; split.
- exact: block_lossless.
- exists block_outcome; split; [exact: block_one_call | exact: block_call |].
  by rewrite (expected_emitted block_one_call) block_call.
- exact: block_expected_greatest.
move=> J oJ L; rewrite /accepted block_expected_greatest (expected_node_masses oJ).
by apply: ler_sum => k _; apply: ler_sum => v _; exact: (node_mass_greatest dp dq oJ).
Qed.
End BlockOptimal.
