(* The chain: gamma drafted tokens, each kept by the token rule until one is rejected.

   For every target p and draft q, given as models (a row for every context), every gamma and every context the file
   proves: one call, completed by the target, has the target's law on sequences of any length, and so has generation
   by calls repeated until n tokens are there (chain_lossless); the law of the emitted block in closed form is the
   sampler's, whether the tokens are drafted one by one or all before the first is verified
   (chain_law_is_the_samplers); what is emitted along a given drafted path (chain_path_law), the probability that it
   begins with given tokens (chain_prefix_law), the law of the number of kept tokens (chain_accepted_law), its
   expectation (chain_expected_accepted, chain_constant_rows) and how that grows with gamma (chain_monotone_in_gamma).

   Not true, and not here: that the first k emitted tokens, given that there are k, have the target's law. *)

From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq.
From mathcomp Require Import choice fintype bigop order ssralg ssrnum.
From SpecDec Require Import Distribution TokenRule.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section ChainRule.
Variables (R : realFieldType) (V : finType).
Notation model := (seq V -> V -> R).
Implicit Types (p q : model) (ctx s t d w : seq V) (x y z : V) (n g k : nat).

(* drafted and verified token by token *)
Fixpoint chain p q g ctx : program R (seq V) :=
  if g is g'.+1 then
    x <- draw (q ctx) ;; b <- flip (ratio (p ctx) (q ctx) x) ;;
    if b then s <- chain p q g' (rcons ctx x) ;; ret (x :: s)
    else y <- draw (residual (p ctx) (q ctx)) ;; ret [:: y]
  else y <- draw (p ctx) ;; ret [:: y].

(* the drafted tokens d, all given, verified: what a serving engine runs *)
Fixpoint verify p q ctx d : program R (seq V) :=
  if d is x :: d' then
    b <- flip (ratio (p ctx) (q ctx) x) ;;
    if b then s <- verify p q (rcons ctx x) d' ;; ret (x :: s)
    else y <- draw (residual (p ctx) (q ctx)) ;; ret [:: y]
  else y <- draw (p ctx) ;; ret [:: y].

Definition sampler p q g ctx : program R (seq V) := d <- autoreg q g ctx ;; verify p q ctx d.

(* calls until n tokens are there *)
Fixpoint generate p q (fuel g n : nat) ctx : program R (seq V) :=
  if fuel is k.+1 then
    s <- sampler p q g ctx ;;
    if (n <= size s)%N then ret (take n s)
    else t <- generate p q k g (n - size s) (ctx ++ s) ;; ret (s ++ t)
  else ret [::].

(* closed forms *)
Fixpoint emitted_law p q g ctx w : R :=
  match g, w with
  | _, [::] => 0
  | 0%N, y :: s => p ctx y * (s == [::])%:R
  | g'.+1, x :: s => Num.min (p ctx x) (q ctx x) * emitted_law p q g' (rcons ctx x) s
                     + pos (p ctx x - q ctx x) * (s == [::])%:R
  end.

Fixpoint prefix_probability p q ctx w : R :=
  match w with
  | [::] => 1
  | [:: y] => p ctx y
  | x :: s => Num.min (p ctx x) (q ctx x) * prefix_probability p q (rcons ctx x) s
  end.

(* the sum over x^k of the products of min(p, q) *)
Fixpoint kept_mass p q k ctx : R :=
  if k is k'.+1 then \sum_x Num.min (p ctx x) (q ctx x) * kept_mass p q k' (rcons ctx x)
  else 1.

(* along a drafted path: the probability that its first i tokens are kept *)
Definition kept_along p q ctx d i : R :=
  \prod_(j < i) (if drop j d is x :: _ then ratio (p (ctx ++ take j d)) (q (ctx ++ take j d)) x else 1).

Lemma regular_chain p q g ctx : regular (chain p q g ctx).
Proof.
elim: g ctx => [|g IH] ctx; apply: regular_bind => [|x]; try exact: regular_draw; try exact: regular_ret.
apply: regular_bind => [|[]]; first exact: regular_flip.
  by apply: regular_bind => [|s]; [exact: IH | exact: regular_ret].
by apply: regular_bind => [|y]; [exact: regular_draw | exact: regular_ret].
Qed.

Lemma regular_verify p q ctx d : regular (verify p q ctx d).
Proof.
elim: d ctx => [|x d IH] ctx /=.
  by apply: regular_bind => [|y]; [exact: regular_draw | exact: regular_ret].
apply: regular_bind => [|[]]; first exact: regular_flip.
  by apply: regular_bind => [|s]; [exact: IH | exact: regular_ret].
by apply: regular_bind => [|y]; [exact: regular_draw | exact: regular_ret].
Qed.

Lemma chain_ext p q g ctx : extensional (chain p q g ctx).
Proof. exact: (regular_chain _ _ _ _).1. Qed.

Lemma chain_step p q g ctx f : chain p q g.+1 ctx f =
  \sum_x q ctx x * (ratio (p ctx) (q ctx) x * chain p q g (rcons ctx x) (fun s => f (x :: s))
    + (1 - ratio (p ctx) (q ctx) x) * draw (residual (p ctx) (q ctx)) (fun y => f [:: y])).
Proof. by []. Qed.

Lemma verify_step p q ctx x d f : verify p q ctx (x :: d) f =
  ratio (p ctx) (q ctx) x * verify p q (rcons ctx x) d (fun s => f (x :: s))
    + (1 - ratio (p ctx) (q ctx) x) * draw (residual (p ctx) (q ctx)) (fun y => f [:: y]).
Proof. by []. Qed.

(* a call is never empty *)
Lemma chain_nonempty p q g ctx f h :
  (forall x s, f (x :: s) = h (x :: s)) -> chain p q g ctx f = chain p q g ctx h.
Proof.
elim: g ctx f h => [|g IH] ctx f h e; first by apply: eq_bigr => y _; rewrite /ret e.
apply: eq_bigr => x _; congr (_ * (_ * _ + _ * _)).
  by apply: IH => y s; rewrite /ret e.
by apply: eq_bigr => y _; rewrite /ret e.
Qed.

Section Laws.
Variables p q : model.
Hypothesis dp : forall ctx, is_dist (p ctx).
Hypothesis dq : forall ctx, is_dist (q ctx).

(* One node of the tree of contexts: if the kept branch and the replacement are both worth G, the round is worth the
   target's G. *)
Lemma node ctx (G : V -> R) (A : V -> R) (B : V -> R) : A =1 G -> B =1 G ->
  \sum_x q ctx x * (ratio (p ctx) (q ctx) x * A x
    + (1 - ratio (p ctx) (q ctx) x) * draw (residual (p ctx) (q ctx)) B)
  = draw (p ctx) G.
Proof.
move=> eA eB; rewrite -(token_rule_draw G (dp ctx) (dq ctx)) /token_rule {2}/draw.
apply: eq_bigr => x _; congr (_ * (_ * _ + _ * _)); first exact: eA.
by apply: eq_bigr => y _; rewrite eB.
Qed.

Lemma chain_mass1 g ctx : mass1 (chain p q g ctx).
Proof.
elim: g ctx => [|g IH] ctx c; first exact: draw_mass1.
rewrite chain_step -[RHS](draw_mass1 (dp ctx)).
by apply: (@node ctx (fun=> c)) => // x; exact: IH.
Qed.

Lemma chain0 g ctx : chain p q g ctx (fun=> 0) = 0.
Proof. exact: chain_mass1. Qed.

Lemma sampler_chain g ctx f : sampler p q g ctx f = chain p q g ctx f.
Proof.
rewrite /sampler /bind; elim: g ctx f => [//|g IH] ctx f; rewrite autoreg_step chain_step.
apply: eq_bigr => x _; congr (_ * _); rewrite -IH.
by rewrite -regular_mix //; [exact: regular_autoreg | exact: autoreg_mass1].
Qed.

Lemma chain_complete g n ctx f : (s <- chain p q g ctx ;; complete p n ctx s) f = autoreg p n ctx f.
Proof.
elim: g n ctx f => [|g IH] [|n] ctx f.
- by rewrite -[RHS](chain_mass1 0 ctx); apply: chain_ext => s; exact: complete0.
- by apply: eq_bigr => y _; rewrite /ret complete_one.
- by rewrite -[RHS](chain_mass1 g.+1 ctx); apply: chain_ext => s; exact: complete0.
pose G x := autoreg p n (rcons ctx x) (fun t => f (x :: t)).
rewrite -[RHS]/(draw (p ctx) G) /bind chain_step.
apply: node => x; last exact: complete_one.
by rewrite /G -IH; apply: chain_ext => s; exact: complete_cons.
Qed.

Lemma generate_ext k g n ctx : extensional (generate p q k g n ctx).
Proof.
elim: k n ctx => [|k IH] n ctx f h e /=; first exact: e.
rewrite /bind !sampler_chain; apply: chain_ext => s; case: ifP => _; first exact: e.
by apply: IH => t; apply: e.
Qed.

Lemma generate_law fuel g n ctx f : (n <= fuel)%N -> generate p q fuel g n ctx f = autoreg p n ctx f.
Proof.
elim: fuel n ctx f => [|k IH] n ctx f; first by rewrite leqn0 => /eqP->.
move=> len; rewrite -(chain_complete g) /= /bind sampler_chain; apply: chain_nonempty => x s.
rewrite /complete /bind; case: leqP => [le|lt].
  by rewrite (eqP (_ : n - size (x :: s) == 0)%N) ?subn_eq0 //= /ret cats0.
rewrite IH; last first.
  by rewrite leq_subLR /= (leq_trans len) // addSn ltnS leq_addl.
apply: autoreg_size => t sz; rewrite /ret take_oversize //.
by rewrite size_cat sz subnKC // ltnW.
Qed.

Theorem chain_lossless g ctx :
  lossless_call p ctx (sampler p q g ctx) /\
  forall n fuel f, (n <= fuel)%N -> generate p q fuel g n ctx f = autoreg p n ctx f.
Proof.
split=> [n f|n fuel f]; last exact: generate_law.
exact: etrans (sampler_chain g ctx _) (chain_complete g n ctx f).
Qed.

Lemma chain_law g ctx w : chain p q g ctx (fun b => (b == w)%:R) = emitted_law p q g ctx w.
Proof.
elim: g ctx w => [|g IH] ctx [|x s].
- by rewrite -[RHS](chain0 0 ctx); apply: chain_nonempty.
- rewrite -[LHS]/(draw (p ctx) (fun y => ([:: y] == x :: s)%:R)).
  rewrite -[RHS]/(p ctx x * (s == [::])%:R) -(draw_delta (p ctx) x).
  by apply: draw_ext => y; rewrite eqseq_cons [[::] == s]eq_sym.
- by rewrite -[RHS](chain0 g.+1 ctx); apply: chain_nonempty.
have E z : chain p q g (rcons ctx z) (fun b => (z :: b == x :: s)%:R)
           = (z == x)%:R * emitted_law p q g (rcons ctx x) s.
  have [->|nzx] := eqVneq z x.
    by rewrite mul1r -IH; apply: chain_ext => b; rewrite eqseq_cons eqxx.
  rewrite mul0r -[RHS](chain0 g (rcons ctx z)); apply: chain_ext => b.
  by rewrite eqseq_cons (negPf nzx).
have [p0 _] := dp ctx; rewrite chain_step.
transitivity (\sum_z q ctx z * (ratio (p ctx) (q ctx) z *
   ((z == x)%:R * emitted_law p q g (rcons ctx x) s) + (1 - ratio (p ctx) (q ctx) z) *
   (residual (p ctx) (q ctx) x * (s == [::])%:R))).
  apply: eq_bigr => z _; congr (_ * (_ * _ + _ * _)); first exact: E.
  rewrite -(draw_delta (residual (p ctx) (q ctx)) x); apply: draw_ext => y.
  by rewrite eqseq_cons [[::] == s]eq_sym.
rewrite round // mulrA reject_mass // excess_residual; congr (_ + _).
rewrite (bigD1 x) //= eqxx mul1r big1 ?addr0 // => z /negPf->.
by rewrite mul0r mulr0.
Qed.

Theorem chain_law_is_the_samplers g ctx :
  (forall w, sampler p q g ctx (fun b => (b == w)%:R) = emitted_law p q g ctx w) /\
  (forall f, sampler p q g ctx f = chain p q g ctx f).
Proof. by split=> [w|f]; rewrite sampler_chain // chain_law. Qed.

Lemma kept_along_cons ctx x d i : kept_along p q ctx (x :: d) i.+1 =
  ratio (p ctx) (q ctx) x * kept_along p q (rcons ctx x) d i.
Proof.
rewrite /kept_along big_ord_recl /= cats0; congr (_ * _).
by apply: eq_bigr => j _; rewrite /= cat_rcons.
Qed.

Lemma verify_nonempty ctx d f h :
  (forall x s, f (x :: s) = h (x :: s)) -> verify p q ctx d f = verify p q ctx d h.
Proof.
elim: d ctx f h => [|x d IH] ctx f h e; first by apply: eq_bigr => y _; rewrite /ret e.
rewrite !verify_step; congr (_ * _ + _ * _); first by apply: IH => y s; rewrite e.
by apply: draw_ext => y; rewrite e.
Qed.

Lemma draw_one (c : V -> R) y : draw c (fun x => ([:: x] == [:: y])%:R) = c y.
Proof. by rewrite -[RHS]draw_point; apply: draw_ext => x; rewrite eqseq_cons andbT. Qed.

(* Where i drafted tokens are kept: a replacement of the next one, or the bonus token behind all of them. *)
Theorem chain_path_law ctx d i y : (i <= size d)%N ->
  verify p q ctx d (fun b => (b == rcons (take i d) y)%:R) =
  kept_along p q ctx d i *
    (if drop i d is x :: _ then (1 - ratio (p (ctx ++ take i d)) (q (ctx ++ take i d)) x)
                                * residual (p (ctx ++ take i d)) (q (ctx ++ take i d)) y
     else p (ctx ++ d) y).
Proof.
elim: d i ctx => [|x d IH] [|i] ctx //= le; rewrite ?cats0.
- by rewrite /kept_along big_ord0 mul1r -draw_one.
- rewrite -[LHS]/(verify p q ctx (x :: d) _) verify_step /kept_along big_ord0 mul1r draw_one.
  rewrite -[RHS]add0r; congr (_ + _).
  rewrite (@verify_nonempty _ _ _ (fun=> 0)) => [|z s]; last by rewrite eqseq_cons andbF.
  by rewrite (regular0 (regular_verify _ _ _ _)) mulr0.
rewrite -[LHS]/(verify p q ctx (x :: d) _) verify_step kept_along_cons -!cat_rcons -mulrA -IH //.
rewrite -[RHS]addr0; congr (_ * _ + _).
  by apply: (regular_verify _ _ _ _).1 => s; rewrite eqseq_cons eqxx.
rewrite /draw big1 ?mulr0 // => z _.
by rewrite eqseq_cons; case: (take i d) => [|? ?] /=; rewrite andbF mulr0.
Qed.

Theorem chain_prefix_law g ctx w : (size w <= g.+1)%N ->
  sampler p q g ctx (fun b => (take (size w) b == w)%:R) = prefix_probability p q ctx w.
Proof.
rewrite sampler_chain; elim: w g ctx => [|x w IH] g ctx sz.
  by rewrite -[RHS](chain_mass1 g ctx 1); apply: chain_ext => s; rewrite take0.
have [w0|wn] := eqVneq w [::].
  rewrite w0 /= -[RHS]draw_point.
  have F b y : (take 1 (y :: b) == [:: x])%:R = (y == x)%:R :> R.
    by rewrite /= take0 eqseq_cons eqxx andbT.
  case: g sz => [|g] _; first by apply: eq_bigr => y _; congr (_ * _); exact: F.
  rewrite chain_step; apply: node => z; last exact: F.
  rewrite -[RHS](chain_mass1 g (rcons ctx z)).
  by apply: chain_ext => b; exact: F.
case: w wn sz IH => [//|x' w] _; case: g => [//|g] sz IH.
have [p0 _] := dp ctx.
have {}IH := IH g (rcons ctx x) sz.
rewrite -[RHS]/(Num.min (p ctx x) (q ctx x) * prefix_probability p q (rcons ctx x) (x' :: w)) -IH.
have short z : draw (residual (p ctx) (q ctx)) (fun y => (take (size [:: x, x' & w]) [:: y] == [:: x, x' & w])%:R) = 0.
  by rewrite /draw big1 // => y _; rewrite eqseq_cons andbF mulr0.
rewrite chain_step (bigD1 x) //= big1 ?addr0 => [|z /negPf nz]; last first.
  rewrite (_ : chain _ _ _ _ _ = 0) ?mulr0 ?add0r ?(short z) ?mulr0 //.
  by rewrite -[RHS](chain0 g (rcons ctx z)); apply: chain_ext => b; rewrite eqseq_cons nz.
rewrite (short x) mulr0 addr0 mulrA q_ratio //; congr (_ * _).
by apply: chain_ext => b; rewrite eqseq_cons eqxx.
Qed.

(* at least k drafted tokens are kept: more than k are emitted *)
Lemma chain_longer g ctx k : (k <= g)%N ->
  chain p q g ctx (fun s => (k < size s)%N%:R) = kept_mass p q k ctx.
Proof.
elim: k g ctx => [|k IH] [|g] ctx // le.
- by rewrite -[RHS](chain_mass1 0 ctx); apply: chain_nonempty.
- by rewrite -[RHS](chain_mass1 g.+1 ctx); apply: chain_nonempty.
have [p0 _] := dp ctx; rewrite chain_step.
transitivity (\sum_x q ctx x * (ratio (p ctx) (q ctx) x * kept_mass p q k (rcons ctx x)
   + (1 - ratio (p ctx) (q ctx) x) * 0)).
  apply: eq_bigr => x _; congr (_ * (_ * _ + _ * _)); first by rewrite -(IH g).
  by rewrite /draw big1 // => y _; rewrite /= mulr0.
by rewrite round // mulr0 addr0.
Qed.

(* no more than g + 1 *)
Lemma chain_size g ctx f h :
  (forall s, (size s <= g.+1)%N -> f s = h s) -> chain p q g ctx f = chain p q g ctx h.
Proof.
elim: g ctx f h => [|g IH] ctx f h e; first by apply: eq_bigr => y _; rewrite /ret e.
rewrite !chain_step; apply: eq_bigr => x _; congr (_ * (_ * _ + _ * _)).
  by apply: IH => s le; rewrite e.
by apply: draw_ext => y; rewrite e.
Qed.

Lemma chain_kept g ctx k : (k <= g)%N -> chain p q g ctx (fun s => (k <= (size s).-1)%N%:R) = kept_mass p q k ctx.
Proof. by move=> le; rewrite -(chain_longer ctx le); apply: chain_nonempty. Qed.

Theorem chain_accepted_law g ctx k : (k <= g)%N ->
  sampler p q g ctx (fun s => (k <= (size s).-1)%N%:R) = kept_mass p q k ctx /\
  sampler p q g ctx (fun s => ((size s).-1 == k)%:R) =
    kept_mass p q k ctx - (if (k < g)%N then kept_mass p q k.+1 ctx else 0).
Proof.
move=> le; rewrite !sampler_chain chain_kept //; split=> //.
have -> : (if (k < g)%N then kept_mass p q k.+1 ctx else 0) = chain p q g ctx (fun s => (k < (size s).-1)%N%:R).
  case: ltnP => [lt|ge]; first by rewrite chain_kept.
  rewrite -(chain0 g ctx); apply: chain_size => s sz.
  by rewrite ltnNge (leq_trans _ ge) //; case: (size s) sz.
rewrite -(chain_kept ctx le) -regular_sub; last exact: regular_chain.
apply: chain_ext => s; case: (ltngtP k (size s).-1) => _; by rewrite ?subrr ?subr0.
Qed.

Theorem chain_expected_accepted g ctx :
  sampler p q g ctx (fun s => (size s).-1%:R) = \sum_(k < g) kept_mass p q k.+1 ctx /\
  sampler p q g ctx (fun s => (size s)%:R) = 1 + \sum_(k < g) kept_mass p q k.+1 ctx.
Proof.
have E : chain p q g ctx (fun s => (size s).-1%:R) = \sum_(k < g) kept_mass p q k.+1 ctx.
  transitivity (chain p q g ctx (fun s => \sum_(k < g) (k < (size s).-1)%N%:R)).
    by apply: chain_size => s sz; rewrite -natr_count //; case: (size s) sz.
  rewrite (regular_sum _ (fun k s => (k < (size s).-1)%N%:R) (regular_chain _ _ _ _)).
  by apply: eq_bigr => k _; rewrite chain_kept.
rewrite !sampler_chain E; split=> //; rewrite -E -[X in X + _](chain_mass1 g ctx).
rewrite -regular_add; last exact: regular_chain.
by apply: chain_nonempty => x s; rewrite /= -add1n natrD.
Qed.

Lemma kept_mass_ge0 k ctx : 0 <= kept_mass p q k ctx.
Proof.
elim: k ctx => [|k IH] ctx /=; first exact: ler01.
by apply: sumr_ge0 => x _; rewrite mulr_ge0 // min_ge0 //; [case: (dp ctx) | case: (dq ctx)].
Qed.

Lemma kept_mass_le k ctx : kept_mass p q k.+1 ctx <= kept_mass p q k ctx.
Proof.
elim: k ctx => [|k IH] ctx.
  have [q0 q1] := dq ctx; rewrite /= -[X in _ <= X]q1; apply: ler_sum => x _.
  by rewrite mulr1 le_minl lexx orbT.
rewrite -[X in X <= _]/(\sum_x Num.min (p ctx x) (q ctx x) * kept_mass p q k.+1 (rcons ctx x)).
apply: ler_sum => x _; apply: ler_wpmul2l; last exact: IH.
by rewrite min_ge0 //; [case: (dp ctx) | case: (dq ctx)].
Qed.

(* what the last drafted token adds, and what the one before it added *)
Theorem chain_monotone_in_gamma g ctx :
  let E k := sampler p q k ctx (fun s => (size s).-1%:R) in
  0 <= E g.+1 - E g /\ E g.+2 - E g.+1 <= E g.+1 - E g.
Proof.
have diff k : sampler p q k.+1 ctx (fun s => (size s).-1%:R) - sampler p q k ctx (fun s => (size s).-1%:R)
              = kept_mass p q k.+1 ctx.
  rewrite (chain_expected_accepted k.+1 ctx).1 (chain_expected_accepted k ctx).1.
  by rewrite big_ord_recr /= addrC addKr.
by split; rewrite !diff; [exact: kept_mass_ge0 | exact: kept_mass_le].
Qed.
End Laws.

(* one row for every position *)
Theorem chain_constant_rows (p q : V -> R) g : is_dist p -> is_dist q ->
  let call := sampler (fun=> p) (fun=> q) g [::] in
  let al := alpha p q in
  [/\ forall i, (i < g)%N -> call (fun s => ((size s).-1 == i)%:R) = al ^+ i * (1 - al),
      call (fun s => ((size s).-1 == g)%:R) = al ^+ g,
      (1 - al) * call (fun s => (size s)%:R) = 1 - al ^+ g.+1 &
      al = 1 - tv p q].
Proof.
move=> dp dq call al; have [p0 _] := dp.
have M k ctx : kept_mass (fun=> p) (fun=> q) k ctx = al ^+ k.
  elim: k ctx => [|k IH] ctx; first by rewrite expr0.
  rewrite /=; under eq_bigr do rewrite IH.
  by rewrite -mulr_suml -alphaE // exprS.
have law := chain_accepted_law (fun=> dp) (fun=> dq) [::].
split; last exact: alpha_is_one_minus_tv.
- move=> i lt; rewrite /call (law g i (ltnW lt)).2 lt !M exprSr mulrBr mulr1 //.
- by rewrite /call (law g g (leqnn g)).2 ltnn M subr0.
rewrite /call (chain_expected_accepted (fun=> dp) (fun=> dq) g [::]).2.
transitivity ((1 - al) * \sum_(k < g.+1) al ^+ k).
  by rewrite big_ord_recl expr0; congr (_ * (_ + _)); apply: eq_bigr => k _; rewrite M.
by rewrite -[LHS]opprK -mulNr opprB -subrX1 opprB.
Qed.
End ChainRule.
