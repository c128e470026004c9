(* Block verification: the drafted path is weighed by its likelihood ratio, capped at every token.

   For every target p and draft q, given as models, every gamma and every context the file proves: one call of the
   published algorithm (all tokens drafted, weights along the path, a coin for every position, the last coin kept
   decides), completed by the target, has the target's law on sequences of any length (block_lossless); the law of the
   emitted block is the closed form that shares prefixes (block_law_is_the_algorithm); the odds at 0/0 matter to no law
   (block_odds_at_zero_over_zero); the weights are the likelihood ratio over its running maximum
   (block_weights_by_running_maximum); token after token it accepts with at least the probability of the chain, and with
   the same for one drafted token (block_not_below_the_chain). That no lossless rule of one call accepts more is proved
   in BlockOptimal.v.

   The algorithm scans forward; [backward] is its lazy form, in which a position is looked at only where no later one
   was kept. Both are defined here, and [published] says that they have one law. *)

From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq.
From mathcomp Require Import choice fintype bigop order ssralg ssrnum.
From SpecDec Require Import Distribution TokenRule ChainRule.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section BlockRule.
Variables (R : realFieldType) (V : finType).
Notation model := (seq V -> V -> R).
Implicit Types (p q : model) (ctx s t d pre : seq V) (x y z : V) (n g k : nat) (w h o : R).

(* the target's row, weighed; its residual has the mass Z *)
Definition weighed p w ctx : V -> R := fun x => w * p ctx x.
Definition next_weight p q w ctx x : R := ratio (weighed p w ctx) (q ctx) x.
Definition spare p q w ctx : R := excess (weighed p w ctx) (q ctx).
Definition odds o p q w ctx : R :=
  if spare p q w ctx + (1 - w) == 0 then o else spare p q w ctx / (spare p q w ctx + (1 - w)).
Definition replacement p q w ctx : program R V :=
  draw (if spare p q w ctx == 0 then p ctx else residual (weighed p w ctx) (q ctx)).

(* The drafted tokens d are left, pre is behind, w its weight, h the odds of its coin, stop the end
   that the last kept coin has chosen. *)
Fixpoint scan o p q ctx w h pre d (stop : program R (seq V)) : program R (seq V) :=
  if d is x :: d' then
    b <- flip h ;;
    let w' := next_weight p q w ctx x in
    scan o p q (rcons ctx x) w' (if d' is [::] then w' else odds o p q w' (rcons ctx x)) (rcons pre x) d'
      (if b then y <- replacement p q w ctx ;; ret (rcons pre y) else stop)
  else
    b <- flip h ;; if b then y <- draw (p ctx) ;; ret (rcons pre y) else stop.

(* The first position needs no coin: its odds are 1. *)
Definition verify_block o p q ctx d : program R (seq V) := scan o p q ctx 1 1 [::] d (ret [::]).
Definition block_sampler o p q g ctx : program R (seq V) := d <- autoreg q g ctx ;; verify_block o p q ctx d.

(* the lazy form: None where nothing is kept from this position on *)
Fixpoint backward o p q g ctx w : program R (option (seq V)) :=
  if g is g'.+1 then
    x <- draw (q ctx) ;;
    r <- backward o p q g' (rcons ctx x) (next_weight p q w ctx x) ;;
    if r is Some s then ret (Some (x :: s)) else
    b <- flip (odds o p q w ctx) ;;
    if b then y <- replacement p q w ctx ;; ret (Some [:: y])
    else ret None
  else
    b <- flip w ;; if b then y <- draw (p ctx) ;; ret (Some [:: y]) else ret None.

(* closed forms: the law of the emitted block, and the probability that k drafted tokens are accepted *)
Fixpoint block_law p q g ctx w s : R :=
  match g, s with
  | _, [::] => 0
  | 0%N, y :: s' => w * p ctx y * (s' == [::])%:R
  | g'.+1, x :: s' => q ctx x * block_law p q g' (rcons ctx x) (next_weight p q w ctx x) s'
                      + pos (w * p ctx x - q ctx x) * (s' == [::])%:R
  end.

Fixpoint accepted_mass p q k ctx w : R :=
  if k is k'.+1 then \sum_x q ctx x * accepted_mass p q k' (rcons ctx x) (next_weight p q w ctx x)
  else w.

(* likelihood ratio of the first tokens of d, its running maximum, and the weight *)
Fixpoint likelihood p q ctx d : R :=
  if d is x :: d' then p ctx x / q ctx x * likelihood p q (rcons ctx x) d' else 1.
Fixpoint weight p q ctx w d : R :=
  if d is x :: d' then weight p q (rcons ctx x) (next_weight p q w ctx x) d' else w.
Fixpoint drafted p q ctx d : bool :=
  if d is x :: d' then (0 < q ctx x) && drafted p q (rcons ctx x) d' else true.

Section Laws.
Variables p q : model.
Hypothesis dp : forall ctx, is_dist (p ctx).
Hypothesis dq : forall ctx, is_dist (q ctx).

Lemma weighed_ge0 w ctx x : 0 <= w -> 0 <= weighed p w ctx x.
Proof. by move=> w0; apply: mulr_ge0 => //; case: (dp ctx). Qed.

Lemma weighed_sum w ctx : \sum_x weighed p w ctx x = w.
Proof. by rewrite -mulr_sumr; have [_ ->] := dp ctx; rewrite mulr1. Qed.

Lemma weight_le1 w ctx x : next_weight p q w ctx x <= 1.
Proof. by apply: ratio_le1; case: (dq ctx). Qed.

Lemma weight_ge0 w ctx x : 0 <= w -> 0 <= next_weight p q w ctx x.
Proof. by move=> w0; apply: ratio_ge0; [exact: weighed_ge0 | case: (dq ctx)]. Qed.

Lemma spare_ge0 w ctx : 0 <= spare p q w ctx.
Proof. exact: excess_ge0. Qed.

Lemma rejectedE w ctx : 0 <= w -> \sum_x q ctx x * (1 - next_weight p q w ctx x) = spare p q w ctx + (1 - w).
Proof.
move=> w0; have [q0 q1] := dq ctx.
under eq_bigr do rewrite mulrBr mulr1.
rewrite sumrB q1 -/(alpha _ _) alphaE => [|x]; last exact: weighed_ge0.
have e : \sum_x Num.min (weighed p w ctx x) (q ctx x) + spare p q w ctx = w.
  by rewrite overlap_excess weighed_sum.
by rewrite -[X in _ = _ + (1 - X)]e opprD [RHS]addrCA [X in _ = _ + X]addrCA subrr addr0.
Qed.

Lemma spare_replacement w ctx f : spare p q w ctx * replacement p q w ctx f =
  spare p q w ctx * draw (residual (weighed p w ctx) (q ctx)) f.
Proof. by rewrite /replacement; case: eqP => [->|]; rewrite ?mul0r. Qed.

Lemma replacement_dist w ctx : 0 <= w ->
  is_dist (if spare p q w ctx == 0 then p ctx else residual (weighed p w ctx) (q ctx)).
Proof.
move=> w0; case: ifP => [_|/negbT Sn0]; first exact: dp.
split=> [x|]; first by apply: residual_ge0; exact: weighed_ge0.
by rewrite /residual -/(spare p q w ctx) (negPf Sn0) -mulr_suml divff.
Qed.

(* Of the mass that no later position keeps, this one keeps Z and leaves 1 - w. *)
Lemma odds_mass o w ctx : 0 <= w -> w <= 1 ->
  let m := \sum_x q ctx x * (1 - next_weight p q w ctx x) in
  m * odds o p q w ctx = spare p q w ctx /\ m * (1 - odds o p q w ctx) = 1 - w.
Proof.
move=> w0 w1 m; have S0 := spare_ge0 w ctx.
have H : m * odds o p q w ctx = spare p q w ctx.
  rewrite /m rejectedE // /odds; have [z|nz] := eqVneq (spare p q w ctx + (1 - w)) 0.
    move/eqP: z; rewrite paddr_eq0 ?subr_ge0 // => /andP[/eqP-> /eqP->].
    by rewrite addr0 mul0r.
  by rewrite mulrCA divff // mulr1.
by split=> //; rewrite mulrBr mulr1 H /m rejectedE // addrC addKr.
Qed.

Lemma regular_backward o g ctx w : regular (backward o p q g ctx w).
Proof.
elim: g ctx w => [|g IH] ctx w; apply: regular_bind => [|x].
- exact: regular_flip.
- case: x; last exact: regular_ret.
  by apply: regular_bind => [|y]; [exact: regular_draw | exact: regular_ret].
- exact: regular_draw.
apply: regular_bind => [|[s|]]; [exact: IH | exact: regular_ret |].
apply: regular_bind => [|[]]; [exact: regular_flip | | exact: regular_ret].
by apply: regular_bind => [|y]; [exact: regular_draw | exact: regular_ret].
Qed.

Lemma backward_step_odds o g ctx w F :
  backward o p q g.+1 ctx w F =
  \sum_x q ctx x * backward o p q g (rcons ctx x) (next_weight p q w ctx x)
    (fun r => if r is Some s then F (Some (x :: s)) else
       odds o p q w ctx * replacement p q w ctx (fun y => F (Some [:: y]))
       + (1 - odds o p q w ctx) * F None).
Proof. by apply: eq_bigr => x _; congr (_ * _); apply: (regular_backward _ _ _ _).1 => -[]. Qed.

(* Mass: from weight w on, something is kept with probability w. *)
Lemma backward_mass o g ctx w v c : 0 <= w -> w <= 1 ->
  backward o p q g ctx w (fun r => if r is Some _ then v else c) = w * v + (1 - w) * c.
Proof.
elim: g ctx w v c => [|g IH] ctx w v c w0 w1.
  by rewrite /= /bind /flip (draw_mass1 (dp ctx)).
rewrite backward_step_odds; set K := _ + _.
have -> : \sum_x q ctx x * backward o p q g (rcons ctx x) (next_weight p q w ctx x)
                   (fun r => if r is Some _ then v else K)
        = \sum_x (q ctx x * next_weight p q w ctx x * v + q ctx x * (1 - next_weight p q w ctx x) * K).
  apply: eq_bigr => x _; rewrite IH ?weight_ge0 ?weight_le1 //.
  by rewrite mulrDr !mulrA.
rewrite big_split /= -!mulr_suml /K mulrDr !mulrA.
have [-> ->] := odds_mass o ctx w0 w1.
rewrite spare_replacement addrA; congr (_ + _).
have := rebuild (weighed p w ctx) (q ctx) (fun=> v).
rewrite -!mulr_suml weighed_sum => <-; congr (_ * _ + _).
by rewrite -alphaE // => x; exact: weighed_ge0.
Qed.

Lemma backward_none o g ctx w F c : 0 <= w -> w <= 1 ->
  backward o p q g ctx w (fun r => if r is Some s then F s else c) =
  backward o p q g ctx w (fun r => if r is Some s then F s else 0) + (1 - w) * c.
Proof.
move=> w0 w1; have := backward_mass o g ctx 0 c w0 w1; rewrite mulr0 add0r => <-.
rewrite -regular_add; last exact: regular_backward.
by apply: (regular_backward _ _ _ _).1 => -[s|]; rewrite ?addr0 ?add0r.
Qed.

(* The recursion without the odds: what is kept later, what is kept here, what is left. *)
Lemma backward_step o g ctx w F : 0 <= w -> w <= 1 ->
  backward o p q g.+1 ctx w F =
  \sum_x q ctx x * backward o p q g (rcons ctx x) (next_weight p q w ctx x)
    (fun r => if r is Some s then F (Some (x :: s)) else 0)
  + (spare p q w ctx * replacement p q w ctx (fun y => F (Some [:: y])) + (1 - w) * F None).
Proof.
move=> w0 w1; rewrite backward_step_odds; set K := _ + (1 - odds _ _ _ _ _) * _.
transitivity (\sum_x (q ctx x * backward o p q g (rcons ctx x) (next_weight p q w ctx x)
    (fun r => if r is Some s then F (Some (x :: s)) else 0) + q ctx x * (1 - next_weight p q w ctx x) * K)).
  apply: eq_bigr => x _; rewrite (backward_none o g (rcons ctx x) (fun s => F (Some (x :: s))) K).
  - by rewrite [LHS]mulrDr mulrA.
  - exact: weight_ge0.
  exact: weight_le1.
rewrite big_split /= -mulr_suml; congr (_ + _).
by have [E1 E2] := odds_mass o ctx w0 w1; rewrite /K mulrDr !mulrA E1 E2.
Qed.

Lemma backward_odds o1 o2 g ctx w F : 0 <= w -> w <= 1 ->
  backward o1 p q g ctx w F = backward o2 p q g ctx w F.
Proof.
elim: g ctx w F => [//|g IH] ctx w F w0 w1; rewrite !backward_step //; congr (_ + _).
by apply: eq_bigr => x _; rewrite IH ?weight_ge0 ?weight_le1.
Qed.

(* Kept later or here, every node is worth the target's value. *)
Lemma block_node w ctx (G : V -> R) : 0 <= w ->
  \sum_x q ctx x * (next_weight p q w ctx x * G x) + spare p q w ctx * replacement p q w ctx G
  = w * draw (p ctx) G.
Proof.
move=> w0; transitivity (\sum_x weighed p w ctx x * G x); last first.
  by rewrite /draw big_distrr; apply: eq_bigr => x _; rewrite /= mulrA.
rewrite spare_replacement -(rebuild (weighed p w ctx) (q ctx)); congr (_ + _); apply: eq_bigr => x _.
by rewrite mulrA q_ratio //; exact: weighed_ge0.
Qed.

Lemma backward_complete o g n ctx w f : 0 <= w -> w <= 1 ->
  backward o p q g ctx w (fun r => if r is Some s then complete p n ctx s f else 0) = w * autoreg p n ctx f.
Proof.
elim: g n ctx w f => [|g IH] [|n] ctx w f w0 w1.
- have := backward_mass o 0 ctx (f [::]) 0 w0 w1; rewrite mulr0 addr0 => <-.
  by apply: (regular_backward _ _ _ _).1 => -[s|//]; exact: complete0.
- rewrite /= /bind /flip mulr0 addr0; congr (_ * _); apply: eq_bigr => y _; congr (_ * _); exact: complete_one.
- have := backward_mass o g.+1 ctx (f [::]) 0 w0 w1; rewrite mulr0 addr0 => <-.
  by apply: (regular_backward _ _ _ _).1 => -[s|//]; exact: complete0.
rewrite backward_step // mulr0 addr0 -[autoreg _ _ _ _]/(draw (p ctx) _) -block_node //; congr (_ + _ * _).
  apply: eq_bigr => x _; rewrite -IH ?weight_ge0 ?weight_le1 //; congr (_ * _).
  by apply: (regular_backward _ _ _ _).1 => -[s|//]; exact: complete_cons.
by apply: draw_ext => y; exact: complete_one.
Qed.

(* ------------------------------------------- the published algorithm ------------------------------------------- *)

(* the odds of the coin at a context with g tokens to come *)
Definition coin o g w ctx : R := if g is 0%N then w else odds o p q w ctx.

Lemma scan_step o ctx w h pre x d stop f :
  scan o p q ctx w h pre (x :: d) stop f =
  let w' := next_weight p q w ctx x in
  let next stop' := scan o p q (rcons ctx x) w' (coin o (size d) w' (rcons ctx x)) (rcons pre x) d stop' f in
  h * next (y <- replacement p q w ctx ;; ret (rcons pre y)) + (1 - h) * next stop.
Proof. by rewrite /= /bind /flip /coin; case: d. Qed.

Definition scan_is_backward o g := forall ctx w pre stop f, extensional stop ->
  (d <- autoreg q g ctx ;; scan o p q ctx w (coin o g w ctx) pre d stop) f
  = backward o p q g ctx w (fun r => if r is Some s then f (pre ++ s) else stop f).

Lemma scan_next o g ctx w h pre stop f : scan_is_backward o g -> extensional stop ->
  (d <- autoreg q g.+1 ctx ;; scan o p q ctx w h pre d stop) f =
  \sum_x q ctx x * backward o p q g (rcons ctx x) (next_weight p q w ctx x)
    (fun r => if r is Some s then f (pre ++ x :: s)
              else h * replacement p q w ctx (fun y => f (rcons pre y)) + (1 - h) * stop f).
Proof.
move=> IH es; rewrite /bind autoreg_step; apply: eq_bigr => x _; congr (_ * _).
set w' := next_weight p q w ctx x.
pose B stop' d := scan o p q (rcons ctx x) w' (coin o g w' (rcons ctx x)) (rcons pre x) d stop' f.
pose here := y <- replacement p q w ctx ;; ret (rcons pre y).
transitivity (autoreg q g (rcons ctx x) (fun d => h * B here d + (1 - h) * B stop d)).
  by apply: autoreg_size => d sz; rewrite scan_step sz.
rewrite (regular_autoreg q g (rcons ctx x)).2 /B.
have eh : extensional here by move=> f' h' e'; apply: draw_ext => y; apply: e'.
have := IH (rcons ctx x) w' (rcons pre x) _ f eh; rewrite /bind => ->.
have := IH (rcons ctx x) w' (rcons pre x) _ f es; rewrite /bind => ->.
rewrite -(regular_backward _ _ _ _).2; apply: (regular_backward _ _ _ _).1 => -[s|//].
by rewrite cat_rcons -mulrDl addrC subrK mul1r.
Qed.

Lemma published o g : scan_is_backward o g.
Proof.
elim: g => [|g IH] ctx w pre stop f es.
  rewrite /= /bind /ret /flip /=; congr (_ * _ + _).
  by apply: draw_ext => y; rewrite cats1.
rewrite scan_next // backward_step_odds; apply: eq_bigr => x _; congr (_ * _).
apply: (regular_backward _ _ _ _).1 => -[s //|]; congr (_ * _ + _).
by apply: draw_ext => y; rewrite cats1.
Qed.

Lemma extensional_nil : extensional (ret [::] : program R (seq V)).
Proof. by move=> f h e; apply: e. Qed.

Lemma odds_root ctx : odds 1 p q 1 ctx = 1.
Proof.
rewrite /odds subrr addr0; have [//|n0] := eqVneq (spare p q 1 ctx) 0.
by rewrite divff.
Qed.

(* The published call is the lazy one; what the odds are at 0/0 matters to neither. *)
Lemma sampler_backward o g ctx f :
  block_sampler o p q g ctx f = backward 1 p q g ctx 1 (fun r => if r is Some s then f s else 0).
Proof.
have no c : backward 1 p q g ctx 1 (fun r => if r is Some s then f s else c)
            = backward 1 p q g ctx 1 (fun r => if r is Some s then f s else 0).
  by rewrite backward_none ?ler01 // subrr mul0r addr0.
rewrite -(no (f [::])) /block_sampler /verify_block; case: g no => [|g] no.
  by rewrite -(published 1 0 ctx 1 [::] f extensional_nil).
rewrite scan_next; [|exact: published|exact: extensional_nil].
rewrite backward_step_odds odds_root; apply: eq_bigr => x _; congr (_ * _).
by rewrite (backward_odds o 1) ?weight_ge0 ?weight_le1 ?ler01.
Qed.

(* ------------------------------------------------- theorems ------------------------------------------------- *)

Theorem block_lossless g ctx : lossless_call p ctx (block_sampler 1 p q g ctx).
Proof.
move=> n f; rewrite /bind sampler_backward -[RHS]mul1r -(backward_complete 1 g n ctx f ler01 (lexx 1)).
by [].
Qed.

Theorem block_odds_at_zero_over_zero o g ctx f :
  block_sampler o p q g ctx f = block_sampler 1 p q g ctx f.
Proof. by rewrite !sampler_backward. Qed.

Lemma backward_law o g ctx w s : 0 <= w -> w <= 1 ->
  backward o p q g ctx w (fun r => if r is Some b then (b == s)%:R else 0) = block_law p q g ctx w s.
Proof.
elim: g ctx w s => [|g IH] ctx w [|x s] w0 w1.
- by rewrite /= /bind /flip /ret mulr0 addr0 draw0 mulr0.
- rewrite /= /bind /flip /ret mulr0 addr0 -mulrA -draw_delta; congr (_ * _).
  by apply: draw_ext => y; rewrite eqseq_cons [[::] == s]eq_sym.
- rewrite backward_step // mulr0 addr0 /replacement draw0 mulr0 addr0 /= big1 // => x _.
  rewrite -[X in _ * X]/(backward o p q g _ _ _).
  rewrite (_ : backward _ _ _ _ _ _ _ = backward o p q g (rcons ctx x) (next_weight p q w ctx x) (fun=> 0)).
    by rewrite (regular0 (regular_backward _ _ _ _)) mulr0.
  by apply: (regular_backward _ _ _ _).1 => -[].
rewrite backward_step // mulr0 addr0 spare_replacement /=; congr (_ + _); last first.
  rewrite -[w * p ctx x]/(weighed p w ctx x) -excess_residual -mulrA -draw_delta; congr (_ * _).
  by apply: draw_ext => y; rewrite eqseq_cons [[::] == s]eq_sym.
rewrite (bigD1 x) //= big1 ?addr0 => [|z /negPf nz]; last first.
  rewrite -[RHS](mulr0 (q ctx z)); congr (_ * _).
  rewrite -[RHS](regular0 (regular_backward o g (rcons ctx z) (next_weight p q w ctx z))).
  by apply: (regular_backward _ _ _ _).1 => -[b|//]; rewrite -[z :: b == _]/((z == x) && _) nz.
rewrite -IH ?weight_ge0 ?weight_le1 //; congr (_ * _).
by apply: (regular_backward _ _ _ _).1 => -[b|//]; rewrite -[x :: b == _]/((x == x) && _) eqxx.
Qed.

Theorem block_law_is_the_algorithm g ctx s :
  block_sampler 1 p q g ctx (fun b => (b == s)%:R) = block_law p q g ctx 1 s.
Proof. by rewrite sampler_backward backward_law ?ler01. Qed.

Lemma accepted_mass_step k ctx w : accepted_mass p q k.+1 ctx w =
  \sum_x q ctx x * accepted_mass p q k (rcons ctx x) (next_weight p q w ctx x).
Proof. by []. Qed.

(* From 1 to g + 1 tokens are emitted. *)
Lemma backward_size o g ctx w F H : (forall s, (0 < size s <= g.+1)%N -> F (Some s) = H (Some s)) ->
  F None = H None -> backward o p q g ctx w F = backward o p q g ctx w H.
Proof.
elim: g ctx w F H => [|g IH] ctx w F H e n.
  by rewrite /= /bind /flip /ret n; congr (_ * _ + _); apply: draw_ext => y; rewrite e.
rewrite !backward_step_odds; apply: eq_bigr => x _; congr (_ * _); apply: IH => [s /andP[_ le]|].
  by rewrite e.
by rewrite n; congr (_ * _ + _); apply: draw_ext => y; rewrite e.
Qed.

Definition kept k (r : option (seq V)) : R := if r is Some s then (k <= (size s).-1)%N%:R else 0.

Lemma backward_kept o g ctx w k : 0 <= w -> w <= 1 -> (k <= g)%N ->
  backward o p q g ctx w (kept k) = accepted_mass p q k ctx w.
Proof.
elim: k g ctx w => [|k IH] g ctx w w0 w1 le.
  have E := backward_mass o g ctx 1 0 w0 w1; rewrite mulr0 addr0 mulr1 in E; rewrite -[RHS]E.
  by apply: (regular_backward _ _ _ _).1 => -[].
case: g le => // g le; rewrite backward_step // mulr0 addr0 /replacement draw0 mulr0 addr0.
rewrite accepted_mass_step; apply: eq_bigr => x _; rewrite -(IH g) ?weight_ge0 ?weight_le1 //; congr (_ * _).
by apply: backward_size => // -[|y s].
Qed.

Lemma block_kept g ctx k : (k <= g)%N ->
  block_sampler 1 p q g ctx (fun s => (k <= (size s).-1)%N%:R) = accepted_mass p q k ctx 1.
Proof. by move=> le; rewrite sampler_backward -(backward_kept 1 ctx ler01 (lexx 1) le). Qed.

Lemma block_expected g ctx :
  block_sampler 1 p q g ctx (fun s => (size s).-1%:R) = \sum_(k < g) accepted_mass p q k.+1 ctx 1.
Proof.
rewrite sampler_backward.
transitivity (backward 1 p q g ctx 1 (fun r => \sum_(k < g) kept k.+1 r)).
  apply: backward_size => [s /andP[_ le]|]; last by rewrite /= big1.
  by rewrite /= -natr_count //; case: (size s) le.
rewrite (regular_sum _ (fun k => kept k.+1) (regular_backward _ _ _ _)).
by apply: eq_bigr => k _; rewrite backward_kept ?ler01.
Qed.

Lemma kept_le_accepted k ctx w : 0 <= w -> w <= 1 -> w * kept_mass p q k ctx <= accepted_mass p q k ctx w.
Proof.
elim: k ctx w => [|k IH] ctx w w0 w1; first by rewrite mulr1.
rewrite /= big_distrr; apply: ler_sum => x _ /=.
have [p0 p1] := dp ctx; have [q0 _] := dq ctx.
apply: le_trans (ler_wpmul2l (q0 x) (IH _ _ (weight_ge0 ctx x w0) (weight_le1 w ctx x))); rewrite !mulrA.
apply: ler_wpmul2r; first exact: kept_mass_ge0.
rewrite q_ratio; last exact: weighed_ge0.
by rewrite minr_pmulr // le_minr /weighed !le_minl lexx /= ler_pimull // orbT.
Qed.

(* As many tokens as the chain or more, token after token; as many with one drafted token. *)
Theorem block_not_below_the_chain g ctx :
  [/\ forall k, (k <= g)%N -> sampler p q g ctx (fun s => (k <= (size s).-1)%N%:R)
                              <= block_sampler 1 p q g ctx (fun s => (k <= (size s).-1)%N%:R),
      sampler p q g ctx (fun s => (size s).-1%:R) <= block_sampler 1 p q g ctx (fun s => (size s).-1%:R) &
      sampler p q 1 ctx (fun s => (size s).-1%:R) = block_sampler 1 p q 1 ctx (fun s => (size s).-1%:R)].
Proof.
have below k : kept_mass p q k ctx <= accepted_mass p q k ctx 1.
  by rewrite -[X in X <= _]mul1r kept_le_accepted ?ler01.
split=> [k le||].
- by rewrite block_kept // (chain_accepted_law dp dq ctx le).1.
- by rewrite block_expected (chain_expected_accepted dp dq g ctx).1; apply: ler_sum.
rewrite block_expected (chain_expected_accepted dp dq 1 ctx).1 !big_ord_recl !big_ord0 !addr0.
apply: eq_bigr => x _; rewrite mulr1 -q_ratio; last by case: (dp ctx).
by rewrite /= /next_weight /ratio /weighed mul1r.
Qed.

(* R_i / max(1, R_1, .., R_i), along a path that can be drafted *)
Definition running_maximum ctx d : R :=
  foldr Num.max 1 [seq likelihood p q ctx (take i d) | i <- iota 1 (size d)].

Lemma weight_rcons ctx w d x :
  weight p q ctx w (rcons d x) = next_weight p q (weight p q ctx w d) (ctx ++ d) x.
Proof. by elim: d ctx w => [|y d IH] ctx w /=; rewrite ?cats0 // IH cat_rcons. Qed.

Lemma likelihood_rcons ctx d x :
  likelihood p q ctx (rcons d x) = likelihood p q ctx d * (p (ctx ++ d) x / q (ctx ++ d) x).
Proof.
elim: d ctx => [|y d IH] ctx /=; first by rewrite cats0 mulr1 mul1r.
by rewrite IH cat_rcons mulrA.
Qed.

Lemma drafted_rcons ctx d x : drafted p q ctx (rcons d x) = drafted p q ctx d && (0 < q (ctx ++ d) x).
Proof. by elim: d ctx => [|y d IH] ctx /=; rewrite ?cats0 ?andbT // IH cat_rcons andbA. Qed.

Lemma foldr_max_rcons (m : R) (r : seq R) a : foldr Num.max m (rcons r a) = Num.max (foldr Num.max m r) a.
Proof. by elim: r => [|b r IH] /=; [rewrite maxC | rewrite IH maxA]. Qed.

Lemma running_maximum_rcons ctx d x :
  running_maximum ctx (rcons d x) = Num.max (running_maximum ctx d) (likelihood p q ctx (rcons d x)).
Proof.
rewrite /running_maximum size_rcons -[(size d).+1]addn1 iotaD map_cat cats1 foldr_max_rcons.
congr (Num.max (foldr _ _ _) _).
  apply/eq_in_map => i; rewrite mem_iota add1n ltnS => /andP[_ le].
  by rewrite -cats1 takel_cat.
by rewrite take_oversize // size_rcons add1n.
Qed.

Lemma running_maximum_gt0 ctx d : 0 < running_maximum ctx d.
Proof.
apply: (lt_le_trans ltr01); elim/last_ind: d => [|d x IH]; first exact: lexx.
by rewrite running_maximum_rcons le_maxr IH.
Qed.

Theorem block_weights_by_running_maximum ctx d : drafted p q ctx d ->
  weight p q ctx 1 d = likelihood p q ctx d / running_maximum ctx d.
Proof.
elim/last_ind: d => [|d x IH].
  by rewrite /running_maximum /= divr1.
rewrite drafted_rcons => /andP[/IH {}IH q0]; have M0 := running_maximum_gt0 ctx d.
have qn : q (ctx ++ d) x != 0 by rewrite gt_eqF.
rewrite weight_rcons running_maximum_rcons IH /next_weight /ratio /weighed likelihood_rcons.
set r := likelihood p q ctx d in IH *; set M := running_maximum ctx d in M0 *.
set a := p (ctx ++ d) x; set b := q (ctx ++ d) x in q0 qn *.
have Mn : M != 0 by rewrite gt_eqF.
have -> : (b <= r / M * a) = (M <= r * (a / b)).
  by rewrite mulrAC ler_pdivl_mulr // mulrA ler_pdivl_mulr // [b * M]mulrC.
case: lerP => le; first by rewrite divff // gt_eqF // (lt_le_trans M0).
by rewrite [r / M * a]mulrAC [LHS]mulrAC !mulrA.
Qed.
End Laws.
End BlockRule.
