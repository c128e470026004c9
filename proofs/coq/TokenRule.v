(* The token rule: a drafted token is kept with min(1, p/q), else replaced from (p - q)+, normalised.

   For every finite vocabulary, target p and draft q the file proves, under the names that the registry has for them:
   the emitted token has the law p (lossless); the kept probability alpha is 1 - TV (alpha_is_one_minus_tv); which
   keep-probabilities any residual can complete, and which residual that is (completion); no coupling keeps the
   drafted token more often (optimal); the law in closed form is the sampler's (closed_form_is_sampler); merging tokens
   never lowers alpha (merging_never_lowers_alpha); and the edges: equal rows, zeros of p and q, disjoint supports,
   one-hot rows, one token.

   ratio, residual, alpha and emitted are the functions of proofs/token_rule.py: ratio is 1 where q(x) <= p(x), also at
   q(x) = 0, and the residual is p where (p - q)+ has no mass. *)

From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq.
From mathcomp Require Import choice fintype bigop order ssralg ssrnum.
From SpecDec Require Import Distribution.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section TokenRule.
Variables (R : realFieldType) (V : finType).
Implicit Types (p q t r : V -> R) (x y z : V) (a f g : V -> R).

Definition pos (a : R) := Num.max 0 a.
Definition ratio p q x : R := if q x <= p x then 1 else p x / q x.
Definition excess p q : R := \sum_x pos (p x - q x).
Definition residual p q y : R := if excess p q == 0 then p y else pos (p y - q y) / excess p q.
Definition alpha p q : R := \sum_x q x * ratio p q x.
Definition emitted p q y : R := q y * ratio p q y + (\sum_x q x * (1 - ratio p q x)) * residual p q y.

(* the sampler, as in every paper *)
Definition token_rule p q : program R V :=
  x <- draw q ;; b <- flip (ratio p q x) ;; if b then ret x else draw (residual p q).

(* drafted token, whether it is kept, emitted token *)
Definition token_call p q : program R (V * bool * V) :=
  x <- draw q ;; b <- flip (ratio p q x) ;;
  y <- (if b then ret x else draw (residual p q)) ;; ret (x, b, y).

(* joint law of drafted and emitted token, in closed form *)
Definition joint p q x y : R := q x * (ratio p q x * (x == y)%:R + (1 - ratio p q x) * residual p q y).

(* ------------------------------------------------ arithmetic ------------------------------------------------ *)

Lemma pos_ge0 (a : R) : 0 <= pos a.
Proof. by rewrite /pos le_maxr lexx. Qed.

Lemma min_pos (a b : R) : Num.min a b + pos (a - b) = a.
Proof.
rewrite /pos; have [le_ab|lt_ba] := lerP a b.
  by rewrite max_l ?addr0 // subr_le0.
by rewrite max_r ?subr_ge0 ?ltW // addrC subrK.
Qed.

Lemma min_ge0 (a b : R) : 0 <= a -> 0 <= b -> 0 <= Num.min a b.
Proof. by move=> a0 b0; rewrite le_minr a0. Qed.

Lemma ratio_le1 p q x : 0 <= q x -> ratio p q x <= 1.
Proof.
move=> q0; rewrite /ratio; have [//|lt] := lerP (q x) (p x).
have [->|qn] := eqVneq (q x) 0; first by rewrite invr0 mulr0 ler01.
by rewrite ler_pdivr_mulr ?mul1r ?ltW // lt_neqAle eq_sym qn.
Qed.

Lemma ratio_ge0 p q x : 0 <= p x -> 0 <= q x -> 0 <= ratio p q x.
Proof. by move=> p0 q0; rewrite /ratio; case: ifP => _; rewrite ?ler01 ?divr_ge0. Qed.

(* a drafted and kept token has mass min(p, q) *)
Lemma q_ratio p q x : 0 <= p x -> q x * ratio p q x = Num.min (p x) (q x).
Proof.
move=> p0; rewrite /ratio; have [le_qp|lt_pq] := lerP (q x) (p x).
  by rewrite mulr1.
by rewrite mulrCA divff ?mulr1 // gt_eqF // (le_lt_trans p0).
Qed.

Lemma q_reject p q x : 0 <= p x -> q x * (1 - ratio p q x) = pos (q x - p x).
Proof.
move=> p0; rewrite mulrBr mulr1 q_ratio //.
by apply/eqP; rewrite subr_eq addrC minC min_pos.
Qed.

Lemma overlap_excess p q : \sum_x Num.min (p x) (q x) + excess p q = \sum_x p x.
Proof. by rewrite -big_split; apply: eq_bigr => x _; exact: min_pos. Qed.

Lemma excess_ge0 p q : 0 <= excess p q.
Proof. by apply: sumr_ge0 => x _; apply: pos_ge0. Qed.

Lemma excess0 p q y : excess p q = 0 -> pos (p y - q y) = 0.
Proof.
move/eqP; rewrite psumr_eq0 => [/allP/(_ y)|x _]; last exact: pos_ge0.
by rewrite mem_index_enum => /(_ isT)/eqP.
Qed.

Lemma excess_residual p q y : excess p q * residual p q y = pos (p y - q y).
Proof.
rewrite /residual; have [S0|Sn0] := eqVneq (excess p q) 0.
  by rewrite S0 mul0r excess0.
by rewrite mulrCA divff // mulr1.
Qed.

Lemma alphaE p q : (forall x, 0 <= p x) -> alpha p q = \sum_x Num.min (p x) (q x).
Proof. by move=> p0; apply: eq_bigr => x _; exact: q_ratio. Qed.

Lemma residual_ge0 p q x : 0 <= p x -> 0 <= residual p q x.
Proof. by move=> p0; rewrite /residual; case: ifP => // _; rewrite divr_ge0 ?pos_ge0 ?excess_ge0. Qed.

Lemma residual_dist p q : is_dist p -> is_dist (residual p q).
Proof.
move=> [p0 p1]; split=> [x|]; first exact: residual_ge0.
rewrite /residual; have [//|Sn0] := eqVneq (excess p q) 0.
by rewrite -mulr_suml divff.
Qed.

Lemma reject_mass p q : is_dist p -> 1 - \sum_x Num.min (p x) (q x) = excess p q.
Proof. by case=> _ p1; rewrite -p1 -(overlap_excess p q) addrC addKr. Qed.

Lemma excess_sym p q : is_dist p -> is_dist q -> excess q p = excess p q.
Proof.
move=> dp dq; rewrite -!reject_mass //; congr (_ - _).
by apply: eq_bigr => x _; rewrite minC.
Qed.

(* One round, for any value g of the kept branch and c of the other, and any p, of mass one or not. *)
Lemma round p q g c : (forall x, 0 <= p x) -> is_dist q ->
  \sum_x q x * (ratio p q x * g x + (1 - ratio p q x) * c) =
  \sum_x Num.min (p x) (q x) * g x + (1 - \sum_x Num.min (p x) (q x)) * c.
Proof.
move=> p0 [q0 q1].
have -> : (1 - \sum_x Num.min (p x) (q x)) * c = \sum_x (q x - Num.min (p x) (q x)) * c.
  by rewrite -mulr_suml sumrB q1.
rewrite -big_split; apply: eq_bigr => x _ /=.
by rewrite mulrDr !mulrA mulrBr mulr1 q_ratio.
Qed.

(* What is kept and the residual make the target. *)
Lemma rebuild p q g :
  \sum_x Num.min (p x) (q x) * g x + excess p q * draw (residual p q) g = \sum_x p x * g x.
Proof.
rewrite /draw big_distrr -big_split; apply: eq_bigr => x _ /=.
by rewrite mulrA excess_residual -mulrDl min_pos.
Qed.

Lemma min_abs (a b : R) : Num.min a b + Num.min a b = a + b - `|a - b|.
Proof.
have [_|_] := lerP a b; first by rewrite opprB addrACA subrr addr0.
by rewrite opprB [a + b]addrC addrACA subrr addr0.
Qed.

Lemma rejected p q : is_dist p -> is_dist q -> \sum_x q x * (1 - ratio p q x) = excess p q.
Proof.
move=> dp dq; rewrite -excess_sym //; apply: eq_bigr => x _.
by apply: q_reject; case: dp.
Qed.

Lemma emittedE p q x : is_dist p -> is_dist q -> emitted p q x = p x.
Proof.
move=> dp dq; rewrite /emitted rejected // excess_residual q_ratio ?min_pos //.
by case: dp.
Qed.

Lemma token_rule_draw p q f : is_dist p -> is_dist q -> token_rule p q f = draw p f.
Proof.
move=> dp dq; rewrite /token_rule /bind /flip /=.
by rewrite -[RHS](rebuild p q f) -reject_mass // -round //; case: dp.
Qed.

(* ------------------------------------------------- theorems ------------------------------------------------- *)

Theorem lossless p q : is_dist p -> is_dist q ->
  (forall x, emitted p q x = p x) /\ (forall f, token_rule p q f = draw p f).
Proof. by move=> dp dq; split=> [x|f]; [exact: emittedE | exact: token_rule_draw]. Qed.

Theorem distribution p q : is_dist p -> is_dist q ->
  [/\ is_dist (emitted p q), is_dist (residual p q), 0 <= alpha p q & alpha p q <= 1].
Proof.
move=> dp dq; have [p0 p1] := dp; have [q0 q1] := dq; split; last first.
- by rewrite -q1; apply: ler_sum => x _; rewrite ler_pimulr // ratio_le1.
- by apply: sumr_ge0 => x _; rewrite mulr_ge0 // ratio_ge0.
- exact: residual_dist.
split=> [x|]; first by rewrite emittedE.
by rewrite -p1; apply: eq_bigr => x _; exact: emittedE.
Qed.

Theorem alpha_is_one_minus_tv p q : is_dist p -> is_dist q -> alpha p q = 1 - tv p q.
Proof.
move=> [p0 p1] [_ q1]; have two0 : (2%:R : R) != 0 by rewrite pnatr_eq0.
apply: (mulfI two0); rewrite mulrBr mulrA divff // mul1r mulr1 alphaE //.
rewrite mulr_natl mulr2n -big_split /= (eq_bigr _ (fun x _ => min_abs (p x) (q x))).
by rewrite sumrB big_split /= p1 q1.
Qed.

(* Keep-probabilities a and one residual r for every rejected token: the law of what is emitted. *)
Definition made q a r y : R := q y * a y + (1 - \sum_x q x * a x) * r y.
Definition completing p q a y : R := (p y - q y * a y) / (1 - \sum_x q x * a x).

Theorem completion p q a : is_dist p -> is_dist q -> (forall x, 0 <= a x <= 1) ->
  [/\ (forall x, q x * a x <= p x) -> \sum_x q x * a x < 1 ->
        [/\ is_dist (completing p q a), made q a (completing p q a) =1 p &
            forall r, made q a r =1 p -> r =1 completing p q a],
      (forall x, q x * a x <= p x) -> \sum_x q x * a x = 1 -> forall r, made q a r =1 p &
      (exists x, p x < q x * a x) -> forall r, (forall y, 0 <= r y) -> ~ made q a r =1 p].
Proof.
move=> [p0 p1] [q0 q1] a01; set s := \sum_x q x * a x; split.
- move=> below s1; have d0 : 0 < 1 - s by rewrite subr_gt0.
  have dn : 1 - s != 0 by rewrite gt_eqF.
  have one y : (1 - s) * completing p q a y = p y - q y * a y.
    by rewrite /completing mulrCA divff // mulr1.
  split=> [|y|r mr y].
  + split=> [y|]; first by rewrite divr_ge0 ?subr_ge0 ?below // -/s ltW.
    by rewrite -mulr_suml sumrB p1 -/s divff.
  + by rewrite /made -/s one addrC subrK.
  + by apply: (mulfI dn); rewrite one -(mr y) /made -/s [RHS]addrC addKr.
- move=> below s1 r y; rewrite /made -/s s1 subrr mul0r addr0.
  have /eqP : \sum_x (p x - q x * a x) = 0 by rewrite sumrB p1 -/s s1 subrr.
  rewrite psumr_eq0 => [/allP/(_ y)|x _]; last by rewrite subr_ge0.
  by rewrite mem_index_enum => /(_ isT); rewrite subr_eq0 => /eqP.
move=> [x lt] r r0 /(_ x) e; have s1 : s <= 1.
  by rewrite -q1; apply: ler_sum => y _; rewrite ler_pimulr //; case/andP: (a01 y).
have : q x * a x <= p x by rewrite -e /made -/s ler_addl mulr_ge0 ?subr_ge0.
by rewrite leNgt lt.
Qed.

Lemma joint_law p q x y :
  (x' <- draw q ;; b <- flip (ratio p q x') ;;
   y' <- (if b then ret x' else draw (residual p q)) ;; ret (x', y'))
    (fun o => (o == (x, y))%:R) = joint p q x y.
Proof.
rewrite /bind /flip /ret {1}/draw (bigD1 x) //= big1 ?addr0 => [|x' /negPf nx].
  congr (_ * (_ * _ + _ * _)); first by rewrite xpair_eqE eqxx.
  by rewrite -[RHS](draw_point (residual p q)); apply: eq_bigr => z _;
     rewrite xpair_eqE eqxx.
rewrite xpair_eqE nx /= mulr0 add0r /draw big1 ?mulr0 // => z _.
by rewrite xpair_eqE nx mulr0.
Qed.

Lemma joint_coupling p q : is_dist p -> is_dist q -> coupling p q (joint p q).
Proof.
move=> dp dq; have [p0 p1] := dp; have [q0 q1] := dq; split=> [x y|x|y].
- apply: mulr_ge0 => //; apply: addr_ge0; apply: mulr_ge0.
  + exact: ratio_ge0.
  + exact: ler0n.
  + by rewrite subr_ge0 ratio_le1.
  + exact: residual_ge0.
- rewrite -mulr_sumr big_split /= -!mulr_sumr.
  rewrite (bigD1 x) //= eqxx big1 ?addr0 ?mulr1 => [|y]; last first.
    by rewrite eq_sym => /negPf->.
  by have [_ ->] := residual_dist q dp; rewrite mulr1 addrC subrK mulr1.
transitivity (emitted p q y); last exact: emittedE.
rewrite /joint /emitted mulr_suml.
under eq_bigr do rewrite mulrDr !mulrA.
rewrite big_split /=; congr (_ + _).
rewrite (bigD1 y) //= eqxx mulr1 big1 ?addr0 // => x /negPf->.
by rewrite mulr0.
Qed.

Lemma kept_le p q c : (forall x, 0 <= p x) -> coupling p q c -> \sum_x c x x <= alpha p q.
Proof.
move=> p0 [c0 cq cp]; rewrite alphaE //; apply: ler_sum => x _; rewrite le_minr -cp -cq.
by rewrite (le_sum1 (F := fun x' => c x' x)) //= (le_sum1 (F := c x)).
Qed.

Lemma joint_diagonal p q : is_dist p -> is_dist q -> \sum_x joint p q x x = alpha p q.
Proof.
move=> dp dq; have [p0 _] := dp.
apply: eq_bigr => x _; rewrite /joint eqxx mulr1 mulrDr mulrA q_reject //.
rewrite -[RHS]addr0; congr (_ + _); rewrite /residual.
have [S0|Sn0] := eqVneq (excess p q) 0.
  by rewrite -excess_sym // in S0; rewrite excess0 // mul0r.
rewrite /pos; have [le_pq|lt_qp] := lerP (p x) (q x).
  by rewrite [Num.max 0 (p x - q x)]max_l ?subr_le0 // mul0r mulr0.
by rewrite [Num.max 0 (q x - p x)]max_l ?subr_le0 ?ltW // mul0r.
Qed.

Theorem optimal p q : is_dist p -> is_dist q ->
  [/\ forall c, coupling p q c -> \sum_x c x x <= alpha p q,
      coupling p q (joint p q) & \sum_x joint p q x x = alpha p q].
Proof.
move=> dp dq; split=> [c|| ]; [by apply: kept_le; case: dp | exact: joint_coupling | exact: joint_diagonal].
Qed.

Theorem identical_draft p q : is_dist p -> q =1 p ->
  [/\ alpha p q = 1, \sum_x q x * (1 - ratio p q x) = 0, emitted p q =1 p & residual p q =1 p].
Proof.
move=> dp e; have r1 x : ratio p q x = 1 by rewrite /ratio e lexx.
have dq : is_dist q by split=> [x|]; rewrite ?(eq_bigr _ (fun x _ => e x)) ?e; case: dp.
split=> [||x|x].
- by rewrite /alpha (eq_bigr q) => [|x _]; [case: dq | rewrite r1 mulr1].
- by rewrite big1 // => x _; rewrite r1 subrr mulr0.
- exact: emittedE.
by rewrite /residual /excess big1 ?eqxx // => y _; rewrite e subrr /pos maxxx.
Qed.

Theorem token_never_proposed p q x : is_dist p -> is_dist q -> q x = 0 ->
  [/\ ratio p q x = 1,
      token_call p q (fun o => (o.1.1 == x)%:R) = 0,                      (* never drafted *)
      token_call p q (fun o => (o.1.2 && (o.2 == x))%:R) = 0 &            (* never emitted as drafted *)
      emitted p q x = (1 - alpha p q) * residual p q x].
Proof.
move=> dp dq q0; have [p0 p1] := dp; split.
- by rewrite /ratio q0 p0.
- rewrite /token_call /bind /flip /ret {1}/draw big1 // => y _.
  have [->|/negPf ne] := eqVneq y x; first by rewrite q0 mul0r.
  rewrite /= /draw big1 ?(mulr0, addr0) // => z _.
  by rewrite mulr0.
- rewrite /token_call /bind /flip /ret {1}/draw big1 // => y _ /=.
  have [->|/negPf ne] := eqVneq y x; first by rewrite q0 mul0r.
  rewrite mulr0 add0r /draw big1 ?mulr0 // => z _.
  by rewrite mulr0.
rewrite /emitted q0 mul0r add0r; congr (_ * _).
rewrite /alpha -[X in X - _](dist_sum dq) -sumrB; apply: eq_bigr => y _.
by rewrite mulrBr mulr1.
Qed.

Theorem token_never_wanted p q x : is_dist p -> is_dist q -> p x = 0 -> emitted p q x = 0 /\ residual p q x = 0.
Proof.
move=> dp dq p0; split; first by rewrite emittedE.
rewrite /residual; case: ifP => // _; rewrite p0 sub0r /pos max_l ?mul0r //.
by rewrite oppr_le0; case: dq.
Qed.

Theorem disjoint_supports p q : is_dist p -> is_dist q -> (forall x, p x * q x = 0) ->
  [/\ alpha p q = 0, emitted p q =1 p & residual p q =1 p].
Proof.
move=> dp dq apart; have [p0 p1] := dp; have [q0 q1] := dq.
have m0 x : Num.min (p x) (q x) = 0.
  by move/eqP: (apart x); rewrite mulf_eq0 => /orP[]/eqP->; [rewrite min_l | rewrite min_r].
have a0 : alpha p q = 0 by rewrite alphaE // big1.
have S1 : excess p q = 1 by rewrite -reject_mass // big1 ?subr0.
split=> // x; first exact: emittedE.
rewrite /residual S1 oner_eq0 divr1 -[RHS](min_pos _ (q x)).
by rewrite m0 add0r.
Qed.

Theorem one_hot_draft p z : is_dist p -> alpha p (onehot R z) = p z.
Proof.
move=> dp; have [p0 _] := dp; rewrite alphaE // (bigD1 z) //= /onehot eqxx min_l ?dist_le1 //.
by rewrite big1 ?addr0 // => x /negPf->; rewrite min_r.
Qed.

Theorem one_hot_target q z : is_dist q -> alpha (onehot R z) q = q z.
Proof.
move=> dq; have [q0 _] := dq; have [o0 _] := onehot_dist R z.
rewrite alphaE // (bigD1 z) //= /onehot eqxx min_r ?dist_le1 //.
by rewrite big1 ?addr0 // => x /negPf->; rewrite min_l.
Qed.

Theorem single_token p q : #|V| = 1%N -> is_dist p -> is_dist q ->
  alpha p q = 1 /\ forall x, emitted p q x = 1.
Proof.
move=> V1 dp dq; have one d x : is_dist d -> d x = 1.
  have /card_le1P/(_ x isT) only : (#|V| <= 1)%N by rewrite V1.
  case=> _ <-; rewrite (bigD1 x) //= big1 ?addr0 // => y /negP[].
  by have := only y; rewrite !inE /= => /esym/eqP->.
split=> [|x]; last by rewrite emittedE ?one.
have e : q =1 p by move=> x; rewrite !one.
by have [] := identical_draft dp e.
Qed.

(* the law of f(x) *)
Definition image (W : finType) (f : V -> W) p (w : W) : R := \sum_(x | f x == w) p x.

Lemma sum_image (W : finType) (f : V -> W) p : \sum_w image f p w = \sum_x p x.
Proof. by rewrite [RHS](partition_big f xpredT). Qed.
End TokenRule.

Section Merging.
Variables (R : realFieldType) (V W : finType).

Theorem merging_never_lowers_alpha (p q : V -> R) (f : V -> W) : is_dist p -> is_dist q ->
  [/\ is_dist (image f p), is_dist (image f q) & alpha p q <= alpha (image f p) (image f q)].
Proof.
move=> [p0 p1] [q0 q1].
have im d : (forall x, 0 <= d x) -> forall w, 0 <= image f d w by move=> d0 w; apply: sumr_ge0.
split; try by split=> [w|]; [exact: im | rewrite sum_image].
rewrite !alphaE //; last exact: im.
rewrite (partition_big f xpredT) //=; apply: ler_sum => w _.
by rewrite le_minr; apply/andP; split; apply: ler_sum => x _; rewrite le_minl lexx ?orbT.
Qed.
End Merging.

Section Sampler.
Variables (R : realFieldType) (V : finType).

Theorem closed_form_is_sampler (p q : V -> R) : is_dist p -> is_dist q ->
  [/\ forall x, 0 <= ratio p q x <= 1, is_dist (residual p q),
      forall y, token_call p q (fun o => (o.2 == y)%:R) = emitted p q y,
      token_call p q (fun o => (o.1.2)%:R) = alpha p q &
      forall x y, token_call p q (fun o => ((o.1.1 == x) && (o.2 == y))%:R) = joint p q x y].
Proof.
move=> dp dq; have [p0 p1] := dp; have [q0 q1] := dq; split.
- by move=> x; rewrite ratio_ge0 ?ratio_le1.
- exact: residual_dist.
- move=> y; rewrite /token_call /bind /flip /ret /=.
  transitivity (\sum_x joint p q x y); last by have [_ _ ->] := joint_coupling dp dq; rewrite emittedE.
  by apply: eq_bigr => x _; rewrite draw_point.
- rewrite /token_call /bind /flip /ret /=; apply: eq_bigr => x _.
  by rewrite /draw -mulr_suml dist_sum ?mulr1 ?mulr0 ?addr0 //; exact: residual_dist.
by move=> x y; rewrite -joint_law; apply: eq_bigr => x' _.
Qed.
End Sampler.
