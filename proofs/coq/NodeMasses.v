(* Rules of one call by what they accept: when such a call is lossless, and how much it can accept.

   A rule of one call gives a joint law of the drafted block, of the number of its tokens that are accepted and of the
   last token; the block is drawn from the draft and has gamma tokens. Nothing else is asked: a rule may look at the
   whole block, toss any coins, and draw its last token from what depends on the block. Its node mass a(v) is the
   probability that the block begins with v and that v is accepted. For every target p and draft q, given as models,
   every gamma and every context the file proves:

   block_validity: all masses a with a() = 1 that do not grow from a node to its children belong to some draft and rule;
   and for every draft and rule with the masses a some law of the last token makes the call lossless (what it emits,
   completed by the target, has the target's law on sequences of any length) iff a(v x) <= a(v) p(x | v) at every node v
   of less than gamma tokens; with that block and number of accepted tokens a call is lossless iff the probability of
   stopping at v with the last token x is a(v) p(x | v) - a(v x) everywhere: its row at v is that, normalised
   (last_row).
   node_masses and lossless_node_masses: which functions are the node masses of a rule, and of a lossless one; the rule
   is constructed, with a coin at every position, of which the last one kept decides.

   That block verification is the best of these rules is in BlockOptimal.v. *)

From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq.
From mathcomp Require Import choice fintype tuple bigop order ssralg ssrnum.
From SpecDec Require Import Distribution TokenRule ChainRule BlockRule.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Scaled.
Variable R : realFieldType.

Lemma regular_scaler A (m : program R A) c f : regular m -> m (fun a => f a * c) = m f * c.
Proof. by move=> rm; rewrite mulrC -regular_scale //; apply: rm.1 => a; rewrite mulrC. Qed.
End Scaled.

Section Paths.
Variables (R : realFieldType) (V : finType).
Notation model := (seq V -> V -> R).
Implicit Types (p q m : model) (ctx s t d u v : seq V) (x y z : V) (n g k i : nat).

(* the probability that a model gives to the tokens v *)
Fixpoint path_probability m ctx v : R :=
  if v is x :: v' then m ctx x * path_probability m (rcons ctx x) v' else 1.

Lemma path_rcons m ctx v x : path_probability m ctx (rcons v x) = path_probability m ctx v * m (ctx ++ v) x.
Proof.
elim: v ctx => [|y v IH] ctx /=; first by rewrite cats0 mulr1 mul1r.
by rewrite IH cat_rcons mulrA.
Qed.

Lemma path_ge0 m ctx v : (forall c, is_dist (m c)) -> 0 <= path_probability m ctx v.
Proof. by move=> dm; elim: v ctx => [|x v IH] ctx /=; rewrite ?ler01 // mulr_ge0 //; case: (dm ctx). Qed.

(* to begin with u, and what comes after it *)
Lemma autoreg_path m u n ctx F :
  autoreg m (size u + n) ctx (fun d => (take (size u) d == u)%:R * F (drop (size u) d))
  = path_probability m ctx u * autoreg m n (ctx ++ u) F.
Proof.
elim: u ctx => [|x u IH] ctx.
  by rewrite mul1r cats0; apply: (regular_autoreg _ _ _).1 => d; rewrite take0 drop0 eqxx mul1r.
have -> : (size (x :: u) + n = (size u + n).+1)%N by [].
rewrite autoreg_step (bigD1 x) //= -cat_rcons -mulrA -IH.
rewrite big1 ?addr0 => [|y /negPf ny].
  congr (_ * _); apply: (regular_autoreg _ _ _).1 => d.
  by rewrite eqseq_cons eqxx.
rewrite -[RHS](mulr0 (m ctx y)); congr (_ * _); rewrite -[RHS](regular0 (regular_autoreg m (size u + n) (rcons ctx y))).
by apply: (regular_autoreg _ _ _).1 => d; rewrite eqseq_cons ny mul0r.
Qed.

Lemma autoreg_is m ctx v : autoreg m (size v) ctx (fun d => (d == v)%:R) = path_probability m ctx v.
Proof.
have := autoreg_path m v 0 ctx (fun=> 1); rewrite addn0 mulr1 => <-.
by apply: autoreg_size => d sz; rewrite mulr1 take_oversize ?sz.
Qed.

(* ------------------------------------- what completion makes of a call ------------------------------------- *)

Lemma complete_long p n ctx s f : (n <= size s)%N -> complete p n ctx s f = f (take n s).
Proof.
move=> le; rewrite /complete /bind (eqP (_ : n - size s == 0)%N) ?subn_eq0 //=.
by rewrite /ret cats0.
Qed.

Lemma complete_size p n ctx s f h : (forall t, size t = n -> f t = h t) -> complete p n ctx s f = complete p n ctx s h.
Proof.
move=> e; apply: autoreg_size => t sz; apply: e.
by rewrite size_takel // size_cat sz -leq_subLR.
Qed.

Lemma complete_short p ctx s v : (size s <= size v)%N ->
  complete p (size v) ctx s (fun t => (t == v)%:R)
  = (take (size s) v == s)%:R * path_probability p (ctx ++ s) (drop (size s) v).
Proof.
move=> le; rewrite /complete /bind -autoreg_is -regular_scale; last exact: regular_autoreg.
rewrite size_drop; apply: autoreg_size => t sz; rewrite /ret take_oversize; last by rewrite size_cat sz subnKC.
rewrite -{1}[v](cat_take_drop (size s)) eqseq_cat; last by rewrite size_takel.
by rewrite [take _ _ == s]eq_sym -mulnb natrM.
Qed.

(* a call that has ended goes on with the target's tokens *)
Lemma complete_next p ctx s v x : (size s <= size v)%N ->
  complete p (size v).+1 ctx s (fun t => (t == rcons v x)%:R)
  = complete p (size v) ctx s (fun t => (t == v)%:R) * p (ctx ++ v) x.
Proof.
move=> le; rewrite -(size_rcons v x) !complete_short ?size_rcons ?leqW //.
rewrite -!cats1 takel_cat // drop_cat; case: ltnP => [lt|ge].
  rewrite cats1 path_rcons -catA -mulrA; have [e|] := eqVneq (take (size s) v) s; last by rewrite !mul0r.
  by rewrite -{3}e cat_take_drop.
have sz : size s = size v by apply/eqP; rewrite eqn_leq le.
rewrite sz subnn drop0 drop_oversize ?sz // take_oversize ?sz //= !mulr1.
have [->|] := eqVneq v s; last by rewrite !mul0r.
by rewrite !mul1r.
Qed.

Lemma by_points n (f : seq V -> R) t : size t = n -> f t = \sum_(v : n.-tuple V) (t == v)%:R * f v.
Proof.
move=> sz; have sz' : size t == n by apply/eqP.
rewrite (bigD1 (Tuple sz')) //= eqxx mul1r big1 ?addr0 // => v ne.
by case: eqP => [e|_]; [case/eqP: ne; apply: val_inj | rewrite mul0r].
Qed.

Lemma autoreg_points p n ctx f :
  autoreg p n ctx f = \sum_(v : n.-tuple V) path_probability p ctx v * f v.
Proof.
rewrite (@autoreg_size _ _ p n ctx f (fun t => \sum_(v : n.-tuple V) (t == v)%:R * f v)); last first.
  by move=> t; exact: by_points.
rewrite regular_sum_fin; last exact: regular_autoreg.
apply: eq_bigr => v _; rewrite regular_scaler; last exact: regular_autoreg.
by rewrite -autoreg_is size_tuple.
Qed.

Lemma complete_points p n ctx s f :
  complete p n ctx s f = \sum_(v : n.-tuple V) complete p n ctx s (fun t => (t == v)%:R) * f v.
Proof.
rewrite (@complete_size p n ctx s f (fun t => \sum_(v : n.-tuple V) (t == v)%:R * f v)); last first.
  by move=> t; exact: by_points.
rewrite regular_sum_fin; last exact: regular_complete.
by apply: eq_bigr => v _; rewrite regular_scaler //; exact: regular_complete.
Qed.

Lemma sum_tuples n (F : seq V -> R) : \sum_(v : n.+1.-tuple V) F v = \sum_x \sum_(v : n.-tuple V) F (x :: v).
Proof.
rewrite pair_big (reindex (fun o : V * n.-tuple V => cons_tuple o.1 o.2)) //=.
exists (fun w : n.+1.-tuple V => (thead w, behead_tuple w)) => [[x w] _|w _] /=.
  by rewrite theadE; congr (_, _); exact: val_inj.
by rewrite [RHS]tuple_eta; apply: val_inj.
Qed.
End Paths.

Section OneCall.
Variables (R : realFieldType) (V : finType).
Notation model := (seq V -> V -> R).
Implicit Types (p q m : model) (ctx s t d u v : seq V) (x y z : V) (n g k i : nat) (a : seq V -> R).

(* drafted block, number of accepted tokens, last token *)
Definition outcome := (seq V * nat * V)%type.
Implicit Types (o : outcome) (J : program R outcome).

Definition emit o : seq V := rcons (take o.1.2 o.1.1) o.2.
Definition call J : program R (seq V) := o <- J ;; ret (emit o).

(* A rule of one call gives a joint law of the three: the block is drawn from the draft, has g tokens, and no more are
   accepted. What it looks at beyond the block and what coins it tosses are its own affair. *)
Definition one_call q g ctx J :=
  [/\ regular J, positive J,
      forall f h, (forall d i y, size d = g -> (i <= g)%N -> f (d, i, y) = h (d, i, y)) -> J f = J h
    & forall f, J (fun o => f o.1.1) = autoreg q g ctx f].

(* a verifier: the block is drafted, then judged *)
Definition draft_then q g ctx (judge : seq V -> program R (nat * V)) : program R outcome :=
  d <- autoreg q g ctx ;; r <- judge d ;; ret (d, r.1, r.2).

(* the first tokens of the block are v, and are accepted; v is all that is accepted, and the last token is x *)
Definition keeps v o : bool := (size v <= o.1.2)%N && (take (size v) o.1.1 == v).
Definition ends v o : bool := (o.1.2 == size v) && (take (size v) o.1.1 == v).
Definition node_mass J v : R := J (fun o => (keeps v o)%:R).
Definition stopped J v x : R := J (fun o => (ends v o && (o.2 == x))%:R).
Definition expected_accepted J : R := J (fun o => o.1.2%:R).

(* the greatest masses: the least of drafted mass and accepted mass times p *)
Fixpoint greatest_from p q ctx w b v : R :=
  if v is x :: v' then greatest_from p q (rcons ctx x) (Num.min (b * q ctx x) (w * p ctx x)) (b * q ctx x) v' else w.
Definition greatest p q ctx v : R := greatest_from p q ctx 1 1 v.

(* The last token's row at v: a(v) p(. | v) - a(v .), normalised. *)
Definition last_row p ctx a v : V -> R :=
  let f x := a v * p (ctx ++ v) x in let h x := a (rcons v x) in
  if excess f h == 0 then p (ctx ++ v) else residual f h.

(* another last token *)
Definition redraw p ctx a J : program R outcome :=
  o <- J ;; y <- draw (last_row p ctx a (take o.1.2 o.1.1)) ;; ret (o.1.1, o.1.2, y).
Definition same_accepted J J' := forall f, J' (fun o => f o.1.1 o.1.2) = J (fun o => f o.1.1 o.1.2).

Lemma autoreg_positive q g ctx : (forall c, is_dist (q c)) -> positive (autoreg q g ctx).
Proof.
move=> dq; elim: g ctx => [|g IH] ctx; first exact: positive_ret.
apply: positive_bind => [|y]; first by apply: positive_draw; case: (dq ctx).
by apply: positive_bind => [|s]; [exact: IH | exact: positive_ret].
Qed.

Lemma draft_then_one_call q g ctx judge : (forall c, is_dist (q c)) ->
  (forall d, size d = g -> [/\ regular (judge d), positive (judge d), mass1 (judge d) &
     forall f h, (forall i y, (i <= g)%N -> f (i, y) = h (i, y)) -> judge d f = judge d h]) ->
  one_call q g ctx (draft_then q g ctx judge).
Proof.
move=> dq J; have A := regular_autoreg q g ctx; split.
- split=> [f h e|b c f h]; rewrite /draft_then /bind /ret.
    by apply: autoreg_size => d /J[rj _ _ _]; apply: rj.1 => r; apply: e.
  rewrite -A.2; apply: autoreg_size => d /J[rj _ _ _]; exact: rj.2.
- move=> f f0; rewrite /draft_then /bind /ret.
  rewrite (@autoreg_size _ _ q g ctx _ (fun d => if size d == g then judge d (fun r => f (d, r.1, r.2)) else 0)).
    by apply: autoreg_positive => // d; case: eqP => // /J[_ pj _ _]; apply: pj => r; apply: f0.
  by move=> d sz; rewrite sz eqxx.
- move=> f h e; apply: autoreg_size => d sz; have [_ _ _] := J d sz.
  by apply=> i y le; apply: e.
by move=> f; apply: autoreg_size => d /J[_ _ mj _]; exact: (mj (f d)).
Qed.

Section Rule.
Variables p q : model.
Hypothesis dp : forall ctx, is_dist (p ctx).
Hypothesis dq : forall ctx, is_dist (q ctx).
Variables (g : nat) (ctx : seq V) (J : program R outcome).
Hypothesis oJ : one_call q g ctx J.

Lemma rJ : regular J. Proof. by case: oJ. Qed.
Lemma pJ : positive J. Proof. by case: oJ. Qed.
Lemma sJ f h : (forall d i y, size d = g -> (i <= g)%N -> f (d, i, y) = h (d, i, y)) -> J f = J h.
Proof. by case: oJ => _ _ H _; apply: H. Qed.
Lemma mJ : mass1 J.
Proof. by case: oJ => _ _ _ H c; rewrite (H (fun=> c)) autoreg_mass1. Qed.

Lemma node_mass_ge0 v : 0 <= node_mass J v.
Proof. by apply: pJ => o; rewrite ler0n. Qed.

Lemma stopped_ge0 v x : 0 <= stopped J v x.
Proof. by apply: pJ => o; rewrite ler0n. Qed.

Lemma node_mass_nil : node_mass J [::] = 1.
Proof. by rewrite -(mJ 1); apply: rJ.1 => o; rewrite /keeps take0. Qed.

Lemma node_mass_long v : (g < size v)%N -> node_mass J v = 0.
Proof.
move=> lt; rewrite -(regular0 rJ); apply: sJ => d i y _ le.
by rewrite /keeps leqNgt (leq_ltn_trans le lt).
Qed.

Lemma stopped_long v x : (g < size v)%N -> stopped J v x = 0.
Proof.
move=> lt; rewrite -(regular0 rJ); apply: sJ => d i y _ le.
by rewrite /ends ltn_eqF // (leq_ltn_trans le lt).
Qed.

(* nothing is accepted that was not drafted *)
Lemma node_mass_drafted v : node_mass J v <= path_probability q ctx v.
Proof.
case: (leqP (size v) g) => [le|lt]; last by rewrite node_mass_long // path_ge0.
have := autoreg_path q v (g - size v) ctx (fun=> 1).
rewrite (autoreg_mass1 _ _ dq) mulr1 subnKC // => <-.
case: oJ => _ _ _ <-; apply: (positive_le rJ pJ) => o.
by rewrite mulr1 ler_nat /keeps; case: (size v <= o.1.2)%N => /=; rewrite ?leqnn.
Qed.

Lemma keeps_split v o : size o.1.1 = g -> (o.1.2 <= g)%N ->
  (keeps v o)%:R = (\sum_x (keeps (rcons v x) o)%:R) + (ends v o)%:R :> R.
Proof.
case: o => [[d i] y] /= sz le; rewrite /keeps /ends /=.
case: (ltngtP (size v) i) => [lt|lt|e]; last first.
- by rewrite big1 ?add0r // => x _; rewrite size_rcons -e ltnn.
- by rewrite big1 ?addr0 // => x _; rewrite size_rcons ltnNge ltnW.
rewrite addr0; case: d sz => [|z0 d]; first by move=> /= sz; rewrite -sz leqNgt (leq_ltn_trans _ lt) in le.
move=> sz; have ltd : (size v < size (z0 :: d))%N by rewrite sz (leq_trans lt).
rewrite (bigD1 (nth z0 (z0 :: d) (size v))) //= big1 => [|x /negPf nx].
  by rewrite size_rcons lt (take_nth z0) // eqseq_rcons eqxx andbT addr0.
by rewrite size_rcons (take_nth z0) // eqseq_rcons [_ == x]eq_sym nx !andbF.
Qed.

Lemma node_mass_split v : node_mass J v = \sum_x node_mass J (rcons v x) + J (fun o => (ends v o)%:R).
Proof.
rewrite /node_mass -(regular_sum_fin (fun x o => (keeps (rcons v x) o)%:R) rJ) -regular_add; last exact: rJ.
by apply: sJ => d i y sz le; apply: keeps_split.
Qed.

Lemma node_mass_children v : \sum_x node_mass J (rcons v x) <= node_mass J v.
Proof. by rewrite node_mass_split ler_addl; apply: pJ => o; rewrite ler0n. Qed.

(* the probability that what the call emits, completed, begins with v *)
Definition begun v : R := J (fun o => complete p (size v) ctx (emit o) (fun t => (t == v)%:R)).

(* What is alive at v is accepted or stops with a last token; what has ended before goes on with the target's token. *)
Lemma balance_of o v x : size o.1.1 = g -> (o.1.2 <= g)%N ->
  complete p (size (rcons v x)) ctx (emit o) (fun t => (t == rcons v x)%:R) + (keeps v o)%:R * p (ctx ++ v) x
  = (keeps (rcons v x) o)%:R + (ends v o && (o.2 == x))%:R
    + complete p (size v) ctx (emit o) (fun t => (t == v)%:R) * p (ctx ++ v) x.
Proof.
case: o => [[d i] y] /= sz le; rewrite /keeps /ends /emit /= size_rcons.
have se : size (rcons (take i d) y) = i.+1 by rewrite size_rcons size_takel ?sz.
have T k : (k <= i)%N -> take k (rcons (take i d) y) = take k d.
  by move=> ki; rewrite -cats1 takel_cat ?size_takel ?sz // take_take.
case: (ltngtP (size v) i) => [lt|lt|e] /=.
- by rewrite !complete_long ?se ?ltnS ?leqW ?(ltnW lt) // !T ?(ltnW lt) // addr0.
- by rewrite complete_next ?se // mul0r addr0 !add0r.
rewrite !complete_long ?se ?e // (T i (leqnn i)) take_oversize ?se // add0r; congr (_ + _).
by rewrite eqseq_rcons.
Qed.

Lemma balance v x :
  begun (rcons v x) + node_mass J v * p (ctx ++ v) x
  = node_mass J (rcons v x) + stopped J v x + begun v * p (ctx ++ v) x.
Proof.
rewrite /begun /node_mass /stopped -!(regular_scaler _ _ rJ) -!(regular_add _ _ rJ).
by apply: sJ => d i y sz le; apply: balance_of.
Qed.

Lemma lossless_begun v : lossless_call p ctx (call J) -> begun v = path_probability p ctx v.
Proof. by move=> L; rewrite -autoreg_is -L. Qed.

Lemma begun_lossless : (forall v, begun v = path_probability p ctx v) -> lossless_call p ctx (call J).
Proof.
move=> B n f; rewrite autoreg_points /call /bind /ret.
transitivity (J (fun o => \sum_(v : n.-tuple V) complete p n ctx (emit o) (fun t => (t == v)%:R) * f v)).
  by apply: rJ.1 => o; exact: complete_points.
rewrite (regular_sum_fin _ rJ); apply: eq_bigr => v _; rewrite (regular_scaler _ _ rJ) -B.
by rewrite /begun size_tuple.
Qed.

(* A call is lossless iff at every node the mass alive is passed on in the target's proportions. *)
Lemma lossless_iff : lossless_call p ctx (call J) <->
  forall v x, (size v <= g)%N -> node_mass J (rcons v x) + stopped J v x = node_mass J v * p (ctx ++ v) x.
Proof.
split=> [L v x _|B].
  apply: (addIr (begun v * p (ctx ++ v) x)); rewrite -balance !lossless_begun // path_rcons addrC.
  by [].
apply: begun_lossless; elim/last_ind => [|v x IH].
  rewrite -[RHS](mJ 1); apply: rJ.1 => o.
  by rewrite complete0.
have := balance v x; rewrite path_rcons -IH.
have -> : node_mass J (rcons v x) + stopped J v x = node_mass J v * p (ctx ++ v) x.
  case: (leqP (size v) g) => [|lt]; first exact: B.
  by rewrite !node_mass_long ?size_rcons ?stopped_long ?addr0 ?mul0r // ltnW.
by rewrite addrC => /addrI.
Qed.

Lemma lossless_stopped v x : lossless_call p ctx (call J) -> (size v <= g)%N ->
  stopped J v x = node_mass J v * p (ctx ++ v) x - node_mass J (rcons v x).
Proof. by move=> /lossless_iff B le; rewrite -B // addrC addKr. Qed.

Lemma lossless_node v x : lossless_call p ctx (call J) ->
  node_mass J (rcons v x) <= node_mass J v * p (ctx ++ v) x.
Proof.
move=> L; case: (leqP (size v) g) => [le|lt].
  by move/lossless_iff: L => /(_ v x le) <-; rewrite ler_addl stopped_ge0.
by rewrite !node_mass_long ?size_rcons ?mul0r // ltnW.
Qed.

Lemma greatest_rcons v x :
  greatest p q ctx (rcons v x)
  = Num.min (path_probability q ctx (rcons v x)) (greatest p q ctx v * p (ctx ++ v) x).
Proof.
have G w b c u : greatest_from p q c w b (rcons u x)
    = Num.min (b * path_probability q c (rcons u x)) (greatest_from p q c w b u * p (c ++ u) x).
  elim: u w b c => [|y u IH] w b c /=; first by rewrite cats0 mulr1.
  by rewrite IH cat_rcons -mulrA.
by rewrite /greatest G mul1r.
Qed.

Lemma greatest_ge0 v : 0 <= greatest p q ctx v.
Proof.
elim/last_ind: v => [|v x IH]; first exact: ler01.
by rewrite greatest_rcons min_ge0 ?path_ge0 // mulr_ge0 //; case: (dp (ctx ++ v)).
Qed.

Lemma node_mass_greatest v : lossless_call p ctx (call J) -> node_mass J v <= greatest p q ctx v.
Proof.
move=> L; elim/last_ind: v => [|v x IH]; first by rewrite node_mass_nil.
rewrite greatest_rcons le_minr node_mass_drafted /=; apply: le_trans (lossless_node v x L) _.
by apply: ler_wpmul2r => //; case: (dp (ctx ++ v)).
Qed.

(* the expected number of accepted tokens: the sum of the node masses *)
Lemma expected_node_masses :
  expected_accepted J = \sum_(k < g) \sum_(v : k.+1.-tuple V) node_mass J v.
Proof.
transitivity (J (fun o => \sum_(k < g) \sum_(v : k.+1.-tuple V) (keeps v o)%:R)).
  apply: sJ => d i y sz le; rewrite /= (natr_count _ le); apply: eq_bigr => k _.
  have szk : size (take k.+1 d) = k.+1 by rewrite size_takel // sz.
  rewrite -[LHS]mulr1 [X in _ * X](by_points (fun=> 1) szk) big_distrr; apply: eq_bigr => v _ /=.
  by rewrite mulr1 /keeps /= size_tuple -mulnb natrM.
rewrite (regular_sum _ (fun k o => \sum_(v : k.+1.-tuple V) (keeps v o)%:R) rJ).
by apply: eq_bigr => k _; rewrite (regular_sum_fin _ rJ).
Qed.

(* ------------------------------------------- another last token -------------------------------------------- *)

Lemma last_row_dist a v : is_dist (last_row p ctx a v).
Proof.
rewrite /last_row; have [e|ne] := eqVneq (excess _ _) 0; first exact: dp.
split=> [x|]; rewrite /residual (negPf ne); first by rewrite divr_ge0 ?pos_ge0 ?excess_ge0.
by rewrite -mulr_suml divff.
Qed.

Lemma redraw_one_call a : one_call q g ctx (redraw p ctx a J).
Proof.
split.
- apply: regular_bind => [|o]; first exact: rJ.
  by apply: regular_bind => [|y]; [exact: regular_draw | exact: regular_ret].
- apply: positive_bind => [|o]; first exact: pJ.
  apply: positive_bind => [|y]; last exact: positive_ret.
  by apply: positive_draw; case: (last_row_dist a (take o.1.2 o.1.1)).
- move=> f h e; apply: sJ => d i y sz le.
  by apply: draw_ext => y'; apply: e.
move=> f; case: oJ => _ _ _ <-; apply: rJ.1 => o.
exact: (draw_mass1 (last_row_dist a (take o.1.2 o.1.1)) (f o.1.1)).
Qed.

Lemma redraw_same a : same_accepted J (redraw p ctx a J).
Proof. by move=> f; apply: rJ.1 => o; exact: (draw_mass1 (last_row_dist a (take o.1.2 o.1.1)) (f o.1.1 o.1.2)). Qed.

Lemma redraw_stopped a v x :
  stopped (redraw p ctx a J) v x = J (fun o => (ends v o)%:R) * last_row p ctx a v x.
Proof.
rewrite -(regular_scaler _ _ rJ); apply: sJ => d i y sz le; rewrite /bind /ret /ends /=.
have [->|] := eqVneq i (size v); last by rewrite draw0 mul0r.
have [->|] := eqVneq (take (size v) d) v; last by rewrite draw0 mul0r.
by rewrite mul1r draw_point.
Qed.
End Rule.

Section Validity.
Variables p q : model.
Hypothesis dp : forall ctx, is_dist (p ctx).
Hypothesis dq : forall ctx, is_dist (q ctx).
Variables (g : nat) (ctx : seq V).

Lemma same_node_mass J J' v : same_accepted J J' -> node_mass J' v = node_mass J v.
Proof. by move=> S; exact: (S (fun d i => ((size v <= i)%N && (take (size v) d == v))%:R)). Qed.

Lemma redraw_lossless J : one_call q g ctx J ->
  (forall v x, (size v < g)%N -> node_mass J (rcons v x) <= node_mass J v * p (ctx ++ v) x) ->
  lossless_call p ctx (call (redraw p ctx (node_mass J) J)).
Proof.
move=> oJ N; have oR := redraw_one_call dp oJ (node_mass J).
have M v : node_mass (redraw p ctx (node_mass J) J) v = node_mass J v.
  by apply: same_node_mass; exact: (redraw_same dp oJ).
apply/(lossless_iff p dq oR) => v x le; rewrite !M (redraw_stopped p oJ).
have {}N z : node_mass J (rcons v z) <= node_mass J v * p (ctx ++ v) z.
  case: (ltngtP (size v) g) le => // [lt _|e _]; first exact: N.
  rewrite (node_mass_long oJ) ?size_rcons ?e // mulr_ge0 ?(node_mass_ge0 oJ) //.
  by case: (dp (ctx ++ v)).
have E z : pos (node_mass J v * p (ctx ++ v) z - node_mass J (rcons v z))
           = node_mass J v * p (ctx ++ v) z - node_mass J (rcons v z).
  by rewrite /pos max_r // subr_ge0.
have S : excess (fun z => node_mass J v * p (ctx ++ v) z) (fun z => node_mass J (rcons v z))
         = J (fun o => (ends v o)%:R).
  rewrite /excess (eq_bigr _ (fun z _ => E z)) sumrB -mulr_sumr dist_sum // mulr1.
  by rewrite (node_mass_split oJ) addrAC subrr add0r.
rewrite -S /last_row; have [e|ne] := eqVneq (excess _ _) 0.
  rewrite e mul0r addr0; have := excess0 x e; rewrite /= E => /eqP.
  by rewrite subr_eq0 => /eqP.
by rewrite excess_residual E addrC subrK.
Qed.

(* Block and number of accepted tokens are given, J: whether some law of the last token makes the call lossless. *)
Lemma call_validity J : one_call q g ctx J ->
  let a := node_mass J in
  [/\ (exists J', [/\ one_call q g ctx J', same_accepted J J' & lossless_call p ctx (call J')]) <->
        (forall v x, (size v < g)%N -> a (rcons v x) <= a v * p (ctx ++ v) x),
      forall J', one_call q g ctx J' -> same_accepted J J' ->
        lossless_call p ctx (call J') <->
        (forall v x, (size v <= g)%N -> stopped J' v x = a v * p (ctx ++ v) x - a (rcons v x)) &
      (forall v x, (size v < g)%N -> a (rcons v x) <= a v * p (ctx ++ v) x) ->
        [/\ one_call q g ctx (redraw p ctx a J), same_accepted J (redraw p ctx a J) &
            lossless_call p ctx (call (redraw p ctx a J))]].
Proof.
move=> oJ a; have redrawn : (forall v x, (size v < g)%N -> a (rcons v x) <= a v * p (ctx ++ v) x) ->
    [/\ one_call q g ctx (redraw p ctx a J), same_accepted J (redraw p ctx a J) &
        lossless_call p ctx (call (redraw p ctx a J))].
  move=> N; split; [exact: (redraw_one_call dp oJ) | exact: (redraw_same dp oJ) | exact: redraw_lossless].
split=> //.
- split=> [[J' [oJ' S L]] v x _|/redrawn H]; last by exists (redraw p ctx a J).
  by rewrite /a -!(same_node_mass _ S); exact: (lossless_node dq oJ').
move=> J' oJ' S; rewrite /a; split=> [L v x le|H].
  by rewrite -!(same_node_mass _ S); exact: (lossless_stopped dq oJ').
apply/(lossless_iff p dq oJ') => v x le; rewrite H // !(same_node_mass _ S) addrC subrK.
by [].
Qed.

(* ---------------------------------- a call with given node masses ---------------------------------- *)

Section Coins.
Variable a : seq V -> R.
Hypothesis a1 : a [::] = 1.
Hypothesis a0 : forall v, 0 <= a v.
Hypothesis aq : forall v, a v <= path_probability q ctx v.
Hypothesis ac : forall v, (size v < g)%N -> \sum_x a (rcons v x) <= a v.

(* Share of the drafted mass that is accepted at v, and one token later; a coin at v for what no later one keeps. *)
Definition share v : R := a v / path_probability q ctx v.
Definition later v : R := if (size v < g)%N then \sum_x q (ctx ++ v) x * share (rcons v x) else 0.
Definition coin_odds v : R := if later v == 1 then 1 else (share v - later v) / (1 - later v).

(* All coins are tossed, the last one kept decides: v is behind, d is left, i is what was kept so far. *)
Fixpoint last_kept v d i : program R nat :=
  if d is x :: d' then b <- flip (coin_odds v) ;; last_kept (rcons v x) d' (if b then size v else i)
  else b <- flip (coin_odds v) ;; ret (if b then size v else i).
Fixpoint all_missed v d : R :=
  (1 - coin_odds v) * (if d is x :: d' then all_missed (rcons v x) d' else 1).

Definition judge d : program R (nat * V) := i <- last_kept [::] d 0 ;; y <- draw (q ctx) ;; ret (i, y).

Lemma share_mass v : path_probability q ctx v * share v = a v.
Proof.
rewrite /share mulrCA; have [e|ne] := eqVneq (path_probability q ctx v) 0; last by rewrite divff ?mulr1.
by rewrite e mul0r mulr0; apply/eqP; rewrite eq_le a0 -e aq.
Qed.

Lemma share01 v : 0 <= share v <= 1.
Proof.
have P0 : 0 <= path_probability q ctx v by exact: path_ge0.
rewrite divr_ge0 //=; have [e|ne] := eqVneq (path_probability q ctx v) 0.
  by rewrite /share e invr0 mulr0 ler01.
by rewrite /share ler_pdivr_mulr ?mul1r // lt_neqAle eq_sym ne.
Qed.

Lemma later_ge0 v : 0 <= later v.
Proof.
rewrite /later; case: ifP => // _; apply: sumr_ge0 => x _.
by rewrite mulr_ge0 //; [case: (dq (ctx ++ v)) | case/andP: (share01 (rcons v x))].
Qed.

Lemma later_le v : later v <= share v.
Proof.
rewrite {1}/later; case: ifP => [lt|_]; last by case/andP: (share01 v).
have [e|ne] := eqVneq (path_probability q ctx v) 0.
  rewrite big1 ?e; first by case/andP: (share01 v).
  by move=> x _; rewrite /share path_rcons e mul0r invr0 !mulr0.
have P0 : 0 < path_probability q ctx v by rewrite lt_neqAle eq_sym ne path_ge0.
rewrite -(ler_pmul2l P0) share_mass; apply: le_trans (ac lt); rewrite big_distrr.
by apply: ler_sum => x _; rewrite /= mulrA -path_rcons share_mass.
Qed.

Lemma coin_missed v : (1 - coin_odds v) * (1 - later v) = 1 - share v.
Proof.
have le := later_le v; have /andP[_ s1] := share01 v.
rewrite /coin_odds; have [e|ne] := eqVneq (later v) 1.
  rewrite subrr mul0r; apply/esym/eqP; rewrite subr_eq0 eq_le s1 andbT.
  by rewrite -e.
rewrite mulrBl mul1r divfK; last by rewrite subr_eq0 eq_sym.
by rewrite opprB addrA addrNK.
Qed.

Lemma coin01 v : 0 <= coin_odds v <= 1.
Proof.
have le := later_le v; have /andP[_ s1] := share01 v.
rewrite /coin_odds; have [e|ne] := eqVneq (later v) 1; first by rewrite ler01 lexx.
have d0 : 0 < 1 - later v by rewrite subr_gt0 lt_neqAle ne (le_trans le).
by rewrite ler_pdivr_mulr // mul1r ler_add2r s1 divr_ge0 ?subr_ge0 // -subr_ge0 ltW.
Qed.

Lemma all_missed_mass n v : (size v + n)%N = g ->
  autoreg q n (ctx ++ v) (all_missed v) = 1 - share v.
Proof.
elim: n v => [|n IH] v sz.
  rewrite -coin_missed /later -sz addn0 ltnn subr0.
  by [].
have lt : (size v < g)%N by rewrite -sz -addSnnS leq_addr.
rewrite -coin_missed /later lt autoreg_step -[X in _ * (X - _)](dist_sum (dq (ctx ++ v))) -sumrB big_distrr.
apply: eq_bigr => x _ /=; rewrite (regular_scale _ _ (regular_autoreg _ _ _)) rcons_cat.
rewrite IH ?size_rcons ?addSnnS // mulrCA; congr (_ * _).
by rewrite mulrBr mulr1.
Qed.

Lemma regular_last_kept v d i : regular (last_kept v d i).
Proof.
elim: d v i => [|x d IH] v i; apply: regular_bind => [|b]; try exact: regular_flip; first exact: regular_ret.
exact: IH.
Qed.

Lemma positive_last_kept v d i : positive (last_kept v d i).
Proof.
have [c0 c1] := andP (coin01 v).
elim: d v i c0 c1 => [|x d IH] v i c0 c1; apply: positive_bind => [|b]; try exact: positive_flip.
  exact: positive_ret.
by have [? ?] := andP (coin01 (rcons v x)); apply: IH.
Qed.

Lemma last_kept_step v x d i f : last_kept v (x :: d) i f =
  coin_odds v * last_kept (rcons v x) d (size v) f + (1 - coin_odds v) * last_kept (rcons v x) d i f.
Proof. by []. Qed.

Lemma last_kept_value v d i f c : f i = c -> (forall k, (size v <= k <= size v + size d)%N -> f k = c) ->
  last_kept v d i f = c.
Proof.
elim: d v i => [|x d IH] v i fi fk.
  have fv : f (size v) = c by rewrite fk // addn0 leqnn.
  by rewrite /= /bind /ret /flip fi fv -mulrDl addrC subrK mul1r.
have K j : f j = c -> last_kept (rcons v x) d j f = c.
  move=> fj; apply: IH => // k; rewrite size_rcons => /andP[lo hi].
  by rewrite fk // ltnW //= -addSnnS.
rewrite last_kept_step (K i fi) (K (size v)); last by rewrite fk // leqnn leq_addr.
by rewrite -mulrDl addrC subrK mul1r.
Qed.

Lemma last_kept_least k v d i : (i < k)%N -> (k <= size v + size d)%N ->
  last_kept v d i (fun j => (k <= j)%N%:R) = 1 - all_missed (v ++ take (k - size v) d) (drop (k - size v) d).
Proof.
elim: d v i => [|x d IH] v i ik kd.
  rewrite addn0 in kd; rewrite /= /bind /ret /flip kd leqNgt ik mulr0 addr0 !mulr1 cats0.
  by rewrite opprB addrCA subrr addr0.
rewrite last_kept_step; case: (leqP k (size v)) => [kv|vk].
  rewrite (eqP (_ : k - size v == 0)%N) // cats0.
  rewrite (@last_kept_value (rcons v x) d (size v) _ 1) ?kv //; last first.
    by move=> j; rewrite size_rcons => /andP[/ltnW/(leq_trans kv)->].
  rewrite IH ?size_rcons ?addSnnS // (eqP (_ : k - (size v).+1 == 0)%N) ?subn_eq0 1?ltnW //.
  rewrite take0 !drop0 cats0 -[all_missed v _]/((1 - coin_odds v) * all_missed (rcons v x) d).
  by rewrite mulrBr !mulr1 addrA [coin_odds v + (1 - _)]addrC subrK.
rewrite !IH ?size_rcons ?addSnnS // -mulrDl addrC subrK mul1r.
by rewrite -(subnSK vk) /= cat_rcons.
Qed.

Lemma judge_one_call : one_call q g ctx (draft_then q g ctx judge).
Proof.
apply: draft_then_one_call => // d sz; split.
- apply: regular_bind => [|i]; first exact: regular_last_kept.
  by apply: regular_bind => [|y]; [exact: regular_draw | exact: regular_ret].
- apply: positive_bind => [|i]; first exact: positive_last_kept.
  by apply: positive_bind => [|y]; [apply: positive_draw; case: (dq ctx) | exact: positive_ret].
- move=> c; rewrite /judge /bind /ret.
  by apply: last_kept_value => [|k _]; exact: draw_mass1.
move=> f h e; rewrite /judge /bind /ret.
pose D (F : nat * V -> R) i := draw (q ctx) (fun y => F (i, y)).
rewrite -[LHS]/(last_kept [::] d 0 (D f)) -[RHS]/(last_kept [::] d 0 (D h)).
apply/eqP; rewrite -subr_eq0 -(regular_sub _ _ (regular_last_kept _ _ _)); apply/eqP.
by apply: last_kept_value => [|k /andP[_ le]]; apply/eqP; rewrite subr_eq0; apply/eqP/draw_ext => y;
   apply: e => //; rewrite -sz.
Qed.

Lemma judge_mass v : (size v <= g)%N -> node_mass (draft_then q g ctx judge) v = a v.
Proof.
move=> le; case: (posnP (size v)) => [/size0nil->|v0].
  by rewrite (node_mass_nil dq judge_one_call).
have -> : a v = path_probability q ctx v * (1 - (1 - share v)) by rewrite opprB addrCA subrr addr0 share_mass.
rewrite -(@all_missed_mass (g - size v)) ?subnKC //.
rewrite -[X in _ * (X - _)](autoreg_mass1 (g - size v) (ctx ++ v) dq).
rewrite -(regular_sub _ _ (regular_autoreg _ _ _)) -autoreg_path subnKC //.
apply: autoreg_size => d sz; rewrite /judge /bind /ret.
transitivity (last_kept [::] d 0 (fun i => (size v <= i)%N%:R * (take (size v) d == v)%:R)).
  apply: (regular_last_kept _ _ _).1 => i.
  rewrite -[RHS](draw_mass1 (dq ctx)); apply: draw_ext => y.
  by rewrite /keeps /= -natrM mulnb.
rewrite (regular_scaler _ _ (regular_last_kept _ _ _)) last_kept_least //= ?sz // subn0.
by case: eqP => [->|]; rewrite ?mulr1 ?mul1r // !mulr0 mul0r.
Qed.
End Coins.

(* Which functions are the node masses of a rule: of any, and of a lossless one. *)
Theorem node_masses a :
  (exists J, one_call q g ctx J /\ forall v, (size v <= g)%N -> node_mass J v = a v) <->
  [/\ a [::] = 1, forall v, (size v <= g)%N -> 0 <= a v <= path_probability q ctx v &
      forall v, (size v < g)%N -> \sum_x a (rcons v x) <= a v].
Proof.
split=> [[J [oJ M]]|[a1 a01 ac]].
  split; first by rewrite -M // (node_mass_nil dq oJ).
    by move=> v le; rewrite -M // (node_mass_ge0 oJ) (node_mass_drafted dq oJ).
  move=> v lt; rewrite -M; last exact: ltnW.
  rewrite (eq_bigr (fun x => node_mass J (rcons v x))) ?(node_mass_children oJ) // => x _.
  by rewrite M // size_rcons.
pose b v := if (size v <= g)%N then a v else 0.
have b0 v : 0 <= b v by rewrite /b; case: ifP => // /a01/andP[].
have bq v : b v <= path_probability q ctx v by rewrite /b; case: ifP => [/a01/andP[]//|_]; exact: path_ge0.
have bc v : (size v < g)%N -> \sum_x b (rcons v x) <= b v.
  move=> lt; rewrite /b ltnW // (eq_bigr (fun x => a (rcons v x))) ?ac // => x _.
  by rewrite size_rcons lt.
exists (draft_then q g ctx (judge b)); split=> [|v le]; first exact: judge_one_call.
by rewrite (judge_mass a1 b0 bq bc le) /b le.
Qed.

Theorem lossless_node_masses a :
  (exists J, [/\ one_call q g ctx J, lossless_call p ctx (call J) & forall v, (size v <= g)%N -> node_mass J v = a v])
  <->
  [/\ a [::] = 1, forall v, (size v <= g)%N -> 0 <= a v <= path_probability q ctx v &
      forall v x, (size v < g)%N -> a (rcons v x) <= a v * p (ctx ++ v) x].
Proof.
split=> [[J [oJ L M]]|[a1 a01 N]].
  have [|H1 H2 _] := (node_masses a).1; first by exists J.
  split=> // v x lt; rewrite -!M ?size_rcons // 1?ltnW //.
  exact: (lossless_node dq oJ).
have [|J [oJ M]] := (node_masses a).2.
  split=> // v lt; rewrite -[X in _ <= X]mulr1 -(dist_sum (dp (ctx ++ v))) big_distrr.
  by apply: ler_sum => x _; exact: N.
have [_ _ [|oR S L]] := call_validity oJ.
  by move=> v x lt; rewrite !M ?size_rcons // 1?ltnW // N.
exists (redraw p ctx (node_mass J) J); split=> // v le.
by rewrite (same_node_mass _ S) M.
Qed.

End Validity.

Section AnyMasses.
Variable p : model.
Hypothesis dp : forall ctx, is_dist (p ctx).
Variables (g : nat) (ctx : seq V).

(* Masses that never grow from a node to its children: some draft proposes at least as much. *)
Definition proposing a (c : seq V) (x : V) : R :=
  let v := drop (size ctx) c in
  a (rcons v x) / a v + (1 - (\sum_y a (rcons v y)) / a v) * p c x.

Lemma proposing_draft a : a [::] = 1 -> (forall v, 0 <= a v) -> (forall v, \sum_x a (rcons v x) <= a v) ->
  (forall c, is_dist (proposing a c)) /\ forall v, a v <= path_probability (proposing a) ctx v.
Proof.
move=> a1 a0 ac; have part v : (\sum_y a (rcons v y)) / a v <= 1.
  have [e|ne] := eqVneq (a v) 0; first by rewrite e invr0 mulr0 ler01.
  by rewrite ler_pdivr_mulr ?mul1r // lt_neqAle eq_sym ne a0.
have dd c : is_dist (proposing a c).
  split=> [x|]; rewrite /proposing.
    by rewrite addr_ge0 ?divr_ge0 // mulr_ge0 ?subr_ge0 //; case: (dp c).
  rewrite big_split /= -mulr_suml -mulr_sumr (dist_sum (dp c)) mulr1 addrC subrK.
  by [].
split=> //; elim/last_ind => [|v x IH]; first by rewrite a1.
have drafted : a (rcons v x) <= a v * proposing a (ctx ++ v) x.
  rewrite /proposing drop_size_cat // mulrDr.
  have [e|ne] := eqVneq (a v) 0.
    rewrite e !mul0r addr0 -e; apply: le_trans (ac v).
    by apply: (le_sum1 (F := fun y => a (rcons v y))).
  rewrite mulrCA divff // mulr1 ler_addl !mulr_ge0 ?subr_ge0 //.
  by case: (dp (ctx ++ v)).
apply: le_trans drafted _; rewrite path_rcons; apply: ler_wpmul2r IH.
by case: (dd (ctx ++ v)).
Qed.

Definition has_masses a J := forall v, (size v <= g)%N -> node_mass J v = a v.

Theorem block_validity a : a [::] = 1 -> (forall v, (size v <= g)%N -> 0 <= a v) ->
  (forall v, (size v < g)%N -> \sum_x a (rcons v x) <= a v) ->
  let admissible := forall v x, (size v < g)%N -> a (rcons v x) <= a v * p (ctx ++ v) x in
  (exists q J, [/\ forall c, is_dist (q c), one_call q g ctx J & has_masses a J]) /\
  forall q J, (forall c, is_dist (q c)) -> one_call q g ctx J -> has_masses a J ->
  [/\ (exists J', [/\ one_call q g ctx J', same_accepted J J' & lossless_call p ctx (call J')]) <-> admissible,
      forall J', one_call q g ctx J' -> same_accepted J J' ->
        lossless_call p ctx (call J') <->
        (forall v x, (size v <= g)%N ->
           stopped J' v x = a v * p (ctx ++ v) x - (if (size v < g)%N then a (rcons v x) else 0)) &
      admissible ->
        let J' := redraw p ctx (node_mass J) J in
        [/\ one_call q g ctx J', same_accepted J J' & lossless_call p ctx (call J')]].
Proof.
move=> a1 a0 ac admissible; pose b v := if (size v <= g)%N then a v else 0.
have b0 v : 0 <= b v by rewrite /b; case: ifP => // /a0.
have bc v : \sum_x b (rcons v x) <= b v.
  rewrite /b; case: (ltnP (size v) g) => [lt|ge].
    by rewrite ltnW // (eq_bigr (fun x => a (rcons v x))) ?ac // => x _; rewrite size_rcons lt.
  by rewrite big1 => [|x _]; [case: ifP => // /a0 | rewrite size_rcons ltnNge ge].
have [dd below] := proposing_draft (a1 : b [::] = 1) b0 bc; split.
  have [|J [oJ M]] := (node_masses dd g ctx b).2.
    by split=> // v _; rewrite b0 below.
  by exists (proposing b), J; split=> // v le; rewrite M // /b le.
move=> q J dq oJ M.
have N v x : (size v <= g)%N -> node_mass J (rcons v x) = if (size v < g)%N then a (rcons v x) else 0.
  move=> le; case: ltnP => [lt|ge]; first by rewrite M // size_rcons.
  by rewrite (node_mass_long oJ) // size_rcons.
have A : admissible <-> forall v x, (size v < g)%N -> node_mass J (rcons v x) <= node_mass J v * p (ctx ++ v) x.
  by split=> H v x lt; have := H v x lt; rewrite N ?lt // 1?ltnW // M // ltnW.
have [H1 H2 H3] := call_validity dp dq oJ; split.
- by split=> [/H1/A|/A/H1].
- move=> J' oJ' S; split=> [/(H2 J' oJ' S) E v x le|E]; first by rewrite E // N // M.
  by apply/(H2 J' oJ' S) => v x le; rewrite E // N // M.
by move=> /A/H3.
Qed.
End AnyMasses.
End OneCall.
