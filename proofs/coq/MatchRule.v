(* The match rule: the target's own token is drawn and emitted; drafted tokens count while they are what was drawn.

   For every finite vocabulary, every target and every drafter the file proves, under the names that the registry has
   for them: given what was drafted, one token or several, the emitted token has the law p, and so it has whatever
   program drafts, adversarial or randomised, which may look at everything but the target's coin
   (match_lossless_for_every_drafter); given the drafted tokens they are kept with probability p(S)
   (match_set_acceptance), for k independent drafts with probability E[p(S)] (match_acceptance_is_mass_of_drafts, for
   every k), which for one draft is at most 1 - TV (match_below_maximal); with a draft that is certain, and with a
   target that is certain, the match rule and the token rule have one joint law (certain_draft_makes_both_rules_one,
   greedy_match_is_token_rule); greedy decoding takes the first of the likeliest tokens, in the order of enum V
   (greedy_takes_the_first_of_the_likeliest); a call is lossless on sequences for every drafter, and so are calls
   repeated until n tokens are there, by a drafter with a memory (match_lossless_on_sequences); the closed forms of
   the law of a call and of the expected number of accepted tokens are the sampler's (match_chain).

   The functions are those of proofs/match_rule.py. A drafter is a program that draws: linear and of mass one. What it
   returns is drafted before the target draws; nothing is said of a drafter that sees the target's token. *)

From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq.
From mathcomp Require Import choice fintype tuple bigop order ssralg ssrnum.
From SpecDec Require Import Distribution TokenRule.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section OneToken.
Variables (R : realFieldType) (V : finType).
Implicit Types (p q : V -> R) (x y z : V) (s : seq V) (k : nat) (f : V -> R).

(* whether one of the drafted tokens is kept, and the emitted token *)
Definition match_call p s : program R (bool * V) := y <- draw p ;; ret (y \in s, y).

(* the drafted tokens beside them, from a drafter that returns something of any type *)
Definition match_by T (drafter : program R T) (drafted : T -> seq V) p : program R (T * bool * V) :=
  d <- drafter ;; o <- match_call p (drafted d) ;; ret (d, o.1, o.2).

(* k independent drafts *)
Fixpoint drafts q k : program R (seq V) :=
  if k is k'.+1 then x <- draw q ;; s <- drafts q k' ;; ret (x :: s) else ret [::].

(* closed forms *)
Definition set_acceptance p s : R := \sum_(x <- undup s) p x.
Definition acceptance p q k : R := \sum_x p x * (1 - (1 - q x) ^+ k).

(* a token looked up: keep it with p(x), else draw from the other tokens *)
Definition others p x y : R := (if y == x then 0 else p y) / (1 - p x).
Definition lookup_call p x : program R (bool * V) :=
  b <- flip (p x) ;; y <- (if b then ret x else draw (others p x)) ;; ret (b, y).

(* temperature 0: the first token, in the order of enum V, that has the greatest probability; what a loop finds that
   goes through the tokens and moves where one is likelier than the one it holds *)
Definition greatest p : R := \big[Num.max/0]_(x <- enum V) p x.
Definition greedy_token p : option V := ohead (filter (fun x => p x == greatest p) (enum V)).
Definition greedy_row p x : R := (greedy_token p == Some x)%:R.
Definition likelier p (best : option V) x : option V :=
  if best is Some z then if p z < p x then Some x else best else Some x.
Definition scan p : option V := foldl (likelier p) None (enum V).

(* ------------------------------------------------- lemmas --------------------------------------------------- *)

Lemma regular_drafts q k : regular (drafts q k).
Proof.
elim: k => [|k IH]; first exact: regular_ret.
apply: regular_bind => [|x]; first exact: regular_draw.
by apply: regular_bind => [|s]; [exact: IH | exact: regular_ret].
Qed.

Lemma drafts_mass1 q k : is_dist q -> mass1 (drafts q k).
Proof.
move=> dq; elim: k => [//|k IH] c.
by rewrite -[RHS](draw_mass1 dq); apply: draw_ext => x; apply: IH.
Qed.

Lemma drafts_step q k (h : seq V -> R) : drafts q k.+1 h = \sum_x q x * drafts q k (fun s => h (x :: s)).
Proof. by []. Qed.

(* what p gives the tokens other than x *)
Lemma sum_others p x : is_dist p -> \sum_(y | y != x) p y = 1 - p x.
Proof. by case=> _ <-; rewrite [in RHS](bigD1 x) //= addrC addKr. Qed.

Lemma sum_but p x f : \sum_y p y * ((y != x)%:R * f y) = \sum_(y | y != x) p y * f y.
Proof.
rewrite [RHS]big_mkcond; apply: eq_bigr => y _ /=.
by case: eqP => _; rewrite ?mul0r ?mulr0 ?mul1r.
Qed.

(* none of k drafts is x *)
Lemma drafts_without q k x : is_dist q -> drafts q k (fun s => (x \notin s)%:R) = (1 - q x) ^+ k.
Proof.
move=> dq; elim: k => [|k IH]; first by rewrite expr0.
have one y : drafts q k (fun s => (x \notin y :: s)%:R) = (y != x)%:R * (1 - q x) ^+ k.
  rewrite -IH -(regular_scale _ _ (regular_drafts q k)); apply: (regular_drafts q k).1 => s.
  by rewrite in_cons negb_or eq_sym -natrM mulnb.
rewrite drafts_step exprS; under eq_bigr do rewrite one.
by rewrite sum_but -mulr_suml sum_others.
Qed.

Lemma set_acceptanceE p s : set_acceptance p s = \sum_x p x * (x \in s)%:R.
Proof.
rewrite /set_acceptance big_uniq ?undup_uniq //= big_mkcond; apply: eq_bigr => x _ /=.
by rewrite mem_undup; case: (x \in s); rewrite ?mulr1 ?mulr0.
Qed.

Lemma match_kept p s : match_call p s (fun o => o.1%:R) = \sum_(x in s) p x.
Proof.
rewrite big_mkcond; apply: eq_bigr => x _ /=.
by case: (x \in s); rewrite ?mulr1 ?mulr0.
Qed.

(* ------------------------------------------------ theorems -------------------------------------------------- *)

(* given the drafted tokens; and beside them, whoever drafts: what is emitted is independent of what is drafted *)
Theorem match_lossless_for_every_drafter p : is_dist p ->
  (forall s f, match_call p s (fun o => f o.2) = draw p f) /\
  (forall T (drafter : program R T) (drafted : T -> seq V), regular drafter -> mass1 drafter ->
     (forall f, match_by drafter drafted p (fun o => f o.2) = draw p f) /\
     (forall f (g : T -> R), match_by drafter drafted p (fun o => g o.1.1 * f o.2) = drafter g * draw p f)).
Proof.
move=> dp; split=> [//|T drafter drafted rd d1].
have indep f (g : T -> R) : match_by drafter drafted p (fun o => g o.1.1 * f o.2) = drafter g * draw p f.
  rewrite mulrC -(regular_scale _ _ rd); apply: rd.1 => d.
  by rewrite /match_call /bind /ret mulrC -(regular_scale _ _ (regular_draw p)).
split=> f; last exact: indep.
exact: (d1 (draw p f)).
Qed.

Theorem match_set_acceptance p s : match_call p s (fun o => o.1%:R) = set_acceptance p s /\
  set_acceptance p s = \sum_(x in s) p x.
Proof.
by rewrite -match_kept set_acceptanceE; split.
Qed.

Theorem match_acceptance_is_mass_of_drafts p q k : is_dist q ->
  acceptance p q k = drafts q k (set_acceptance p) /\
  acceptance p q k = match_by (drafts q k) id p (fun o => (o.1.2)%:R).
Proof.
move=> dq; have rd := regular_drafts q k.
have e : acceptance p q k = drafts q k (set_acceptance p).
  transitivity (drafts q k (fun s => \sum_x p x * (x \in s)%:R)); last first.
    by apply: rd.1 => s; rewrite set_acceptanceE.
  rewrite regular_sum_fin //; apply: eq_bigr => x _; rewrite regular_scale //; congr (_ * _).
  rewrite -(drafts_without k x dq) -[X in X - _](drafts_mass1 k dq) -regular_sub //.
  by apply: rd.1 => s; case: (x \in s); rewrite /= ?subr0 ?subrr.
split=> //; rewrite e; apply: rd.1 => s.
by rewrite -(match_set_acceptance p s).1.
Qed.

Theorem match_below_maximal p q : is_dist p -> is_dist q -> acceptance p q 1 <= 1 - tv p q.
Proof.
move=> dp dq; have [p0 _] := dp; have [q0 _] := dq.
rewrite -alpha_is_one_minus_tv // alphaE //; apply: ler_sum => x _.
rewrite expr1 opprB addrC subrK le_minr.
by rewrite ler_pimulr ?ler_pimull ?dist_le1.
Qed.

Lemma likely_sum p x f : \sum_y p y * f y = p x * f x + \sum_(y | y != x) p y * f y.
Proof. by rewrite (bigD1 x). Qed.

(* all of one token, in closed form: kept as it is, else another token *)
Lemma match_onehot p x (h : bool * V -> R) :
  match_call p [:: x] h = p x * h (true, x) + \sum_(y | y != x) p y * h (false, y).
Proof.
rewrite /match_call /bind /ret /draw (bigD1 x) //= mem_seq1 eqxx; congr (_ + _).
by apply: eq_bigr => y /negPf ne; rewrite mem_seq1 ne.
Qed.

Lemma others_sum p x f : is_dist p -> (1 - p x) * draw (others p x) f = \sum_(y | y != x) p y * f y.
Proof.
move=> dp; rewrite /draw mulr_sumr [RHS]big_mkcond; apply: eq_bigr => y _ /=.
rewrite /others mulrA; case: eqP => [->|/eqP ne] /=; first by rewrite mul0r mulr0 mul0r.
have [p1|pn1] := eqVneq (1 - p x) 0; last by rewrite mulrCA divff // mulr1.
have /eqP : \sum_(z | z != x) p z = 0 by rewrite sum_others.
rewrite psumr_eq0 => [/allP/(_ y)|z _]; last by case: dp.
by rewrite mem_index_enum ne p1 mul0r mul0r => /(_ isT)/eqP->; rewrite mul0r.
Qed.

Lemma lookup_law p x (h : bool * V -> R) : is_dist p ->
  lookup_call p x h = p x * h (true, x) + \sum_(y | y != x) p y * h (false, y).
Proof. by move=> dp; rewrite /lookup_call /bind /flip /ret (others_sum _ (fun y => h (false, y))). Qed.

Lemma ratio_onehot p x : is_dist p -> ratio p (onehot R x) x = p x.
Proof.
move=> dp; rewrite /ratio /onehot eqxx divr1; case: ifP => // le.
by apply/eqP; rewrite eq_le le dist_le1.
Qed.

Lemma residual_onehot p x y : is_dist p -> (1 - p x) * residual p (onehot R x) y = if y == x then 0 else p y.
Proof.
move=> dp; have [p0 _] := dp; have E : excess p (onehot R x) = 1 - p x.
  rewrite /excess (bigD1 x) //= /onehot eqxx /pos max_l ?subr_le0 ?dist_le1 // add0r -sum_others //.
  by apply: eq_bigr => z /negPf->; rewrite subr0 max_r.
rewrite -E excess_residual /onehot; case: eqP => [->|_]; last by rewrite subr0 /pos max_r.
by rewrite /pos max_l ?subr_le0 ?dist_le1.
Qed.

Theorem certain_draft_makes_both_rules_one p x : is_dist p ->
  [/\ forall h, match_call p [:: x] h = token_call p (onehot R x) (fun o => h (o.1.2, o.2)),
      forall h, match_call p [:: x] h = lookup_call p x h,
      p x != 1 -> residual p (onehot R x) =1 others p x,
      match_call p [:: x] (fun o => o.1%:R) = p x &
      forall y, match_call p [:: x] (fun o => (~~ o.1 && (o.2 == y))%:R) = p y * (y != x)%:R].
Proof.
move=> dp; split.
- move=> h; rewrite match_onehot /token_call {1}/bind draw_onehot /bind /flip /ret ratio_onehot //; congr (_ + _).
  rewrite /draw mulr_sumr [LHS]big_mkcond; apply: eq_bigr => y _; rewrite mulrA residual_onehot //=.
  by case: eqP; rewrite /= ?mul0r.
- by move=> h; rewrite match_onehot lookup_law.
- move=> pn1 y; have dn : 1 - p x != 0 by rewrite subr_eq0 eq_sym.
  by apply: (mulfI dn); rewrite residual_onehot // /others mulrCA divff // mulr1.
- by rewrite match_onehot mulr1 big1 ?addr0 // => y _; rewrite mulr0.
move=> y; rewrite match_onehot mulr0 add0r /=.
rewrite -[LHS]sum_but -[RHS](draw_point (fun z => p z * (y != x)%:R)) /draw.
by apply: eq_bigr => z _; have [->|_] := eqVneq z y; rewrite ?mulr1 ?mulr0.
Qed.

(* ------------------------------------------------- greedy --------------------------------------------------- *)

Lemma dist_inhabited p : is_dist p -> exists x : V, x \in enum V.
Proof.
case=> _ p1; case: (pickP (fun _ : V => true)) => [x _|no]; first by exists x; rewrite mem_enum.
by move: p1; rewrite big_pred0 // => /eqP; rewrite eq_sym oner_eq0.
Qed.

Lemma le_greatest p s x : x \in s -> p x <= \big[Num.max/0]_(y <- s) p y.
Proof.
elim: s => [//|y s IH]; rewrite in_cons big_cons le_maxr => /orP[/eqP->|/IH->]; first by rewrite lexx.
by rewrite orbT.
Qed.

Lemma first_split (P : pred V) s : has P s ->
  exists s1 z s2, [/\ s = s1 ++ z :: s2, P z, ~~ has P s1 & ohead (filter P s) = Some z].
Proof.
elim: s => [//|a s IH] /=; case: ifP => [Pa _|nPa /= /IH]; first by exists [::], a, s.
case=> s1 [z [s2 [-> Pz no ->]]]; exists (a :: s1), z, s2; split=> //.
by rewrite /= nPa.
Qed.

(* the loop: no token before z is as likely, none behind it is likelier *)
Definition less p z (b : option V) := if b is Some y then p y < p z else true.

Lemma scan_before p z s b : less p z b -> (forall y, y \in s -> p y < p z) -> less p z (foldl (likelier p) b s).
Proof.
elim: s b => [//|x s IH] b bz below /=; apply: IH => [|y ys]; last by apply: below; rewrite in_cons ys orbT.
have xz : p x < p z by apply: below; rewrite in_cons eqxx.
by case: b bz => [y|_] //= yz; case: ifP.
Qed.

Lemma scan_behind p z s : (forall y, p y <= p z) -> foldl (likelier p) (Some z) s = Some z.
Proof. by move=> top; elim: s => [//|x s IH] /=; rewrite ltNge top. Qed.

Lemma greedyP p : is_dist p -> exists z, [/\ greedy_token p = Some z, forall y, p y <= p z,
  forall y, (index y (enum V) < index z (enum V))%N -> p y < p z & scan p = Some z].
Proof.
move=> dp; have [p0 _] := dp; have [x xV] := dist_inhabited dp.
have /first_split[s1 [z [s2 [e /eqP pz no first]]]] : has (fun y => p y == greatest p) (enum V).
  rewrite /greatest; elim: (enum V) x xV => [//|a s IH] x _.
  rewrite /= big_cons; case: s IH => [_|b s /(_ b)].
    by rewrite big_nil max_l ?eqxx.
  rewrite in_cons eqxx => /(_ isT) h; case: (lerP (p a) (\big[Num.max/0]_(j <- b :: s) p j)) => [le|lt].
    by rewrite h orbT.
  by rewrite eqxx.
have top y : p y <= p z by rewrite pz; apply: le_greatest; rewrite mem_enum.
have before y : y \in s1 -> p y < p z.
  move=> ys; rewrite lt_neqAle top andbT pz; apply: contra no => /eqP py.
  by apply/hasP; exists y => //; apply/eqP.
exists z; split=> // [y|].
  rewrite e !index_cat (negPf (_ : z \notin s1)); last by apply/negP => /before; rewrite ltxx.
  by rewrite /= eqxx addn0; case: ifP => [/before//|_]; rewrite ltnNge leq_addr.
rewrite /scan e foldl_cat /=.
have : less p z (foldl (likelier p) None s1) by exact: scan_before.
by case: (foldl _ _ s1) => [y|_] /= => [->|]; exact: scan_behind.
Qed.

(* with the loop of the baseline as witness of the order *)
Theorem greedy_takes_the_first_of_the_likeliest p : is_dist p ->
  exists z, [/\ greedy_row p =1 onehot R z, forall y, p y <= p z,
                forall y, (index y (enum V) < index z (enum V))%N -> p y < p z & scan p = Some z].
Proof.
move=> dp; have [z [e top first loop]] := greedyP dp.
by exists z; split=> // x; rewrite /greedy_row /onehot e; congr _%:R; rewrite eq_sym.
Qed.

Lemma token_ext p p' q (h : V * bool * V -> R) : p =1 p' -> token_call p q h = token_call p' q h.
Proof.
move=> e; have er x : ratio p q x = ratio p' q x by rewrite /ratio !e.
have es : excess p q = excess p' q by apply: eq_bigr => x _; rewrite e.
apply: eq_bigr => x _; rewrite /bind /flip /= er; congr (_ * (_ + _ * _)).
by apply: eq_bigr => y _; rewrite /residual es !e.
Qed.

(* a certain target: the draft is kept iff it is the target's token, and that token is emitted in any case *)
Lemma token_certain q z (h : V * bool * V -> R) : is_dist q ->
  token_call (onehot R z) q h = \sum_x q x * h (x, x == z, z).
Proof.
move=> dq; have [q0 q1] := dq; have [o0 _] := onehot_dist R z.
have E : excess (onehot R z) q = 1 - q z.
  rewrite /excess (bigD1 z) //= {1}/onehot eqxx big1 ?addr0; last first.
    by move=> x /negPf ne; rewrite /onehot ne sub0r /pos max_l ?oppr_le0.
  by rewrite /pos max_r ?subr_ge0 ?dist_le1.
have res f x : x != z -> q x * draw (residual (onehot R z) q) f = q x * f z.
  move=> ne; have [qx0|qn0] := eqVneq (q x) 0; first by rewrite qx0 !mul0r.
  have dn : 1 - q z != 0.
    apply/eqP => one; have /eqP := sum_others z dq; rewrite one psumr_eq0 // => /allP/(_ x).
    by rewrite mem_index_enum ne (negPf qn0) => /(_ isT).
  congr (_ * _); rewrite -[RHS]draw_onehot; apply: eq_bigr => y _; congr (_ * _).
  rewrite /residual E (negPf dn).
  have [->|ny] := eqVneq y z; last by rewrite /onehot (negPf ny) sub0r /pos max_l ?oppr_le0 ?mul0r.
  by rewrite /onehot eqxx /pos max_r ?subr_ge0 ?dist_le1 // divff.
apply: eq_bigr => x _; rewrite /bind /flip /ret.
have [qx0|qn0] := eqVneq (q x) 0; first by rewrite qx0 !mul0r.
have [->|ne] := eqVneq x z.
  have -> : ratio (onehot R z) q z = 1 by rewrite /ratio /onehot eqxx dist_le1.
  by rewrite mul1r subrr mul0r addr0.
have -> : ratio (onehot R z) q x = 0.
  by rewrite /ratio /onehot (negPf ne) mul0r le_eqVlt (negPf qn0) ltNge q0.
by rewrite mul0r add0r subr0 mul1r (res (fun y => h (x, false, y))).
Qed.

Theorem greedy_match_is_token_rule p q : is_dist p -> is_dist q ->
  exists z, [/\ greedy_token p = Some z,
      forall h, match_by (draw q) (fun x => [:: x]) (greedy_row p) h = \sum_x q x * h (x, x == z, z) &
      forall h, token_call (greedy_row p) q h = \sum_x q x * h (x, x == z, z)].
Proof.
move=> dp dq; have [z [e _ _ _]] := greedyP dp.
have row : greedy_row p =1 onehot R z by move=> x; rewrite /greedy_row /onehot e; congr _%:R; rewrite eq_sym.
exists z; split=> // h; last by rewrite (token_ext _ _ row) token_certain.
apply: eq_bigr => x _; congr (_ * _); rewrite /match_call /bind /ret.
transitivity (draw (onehot R z) (fun y => h (x, y \in [:: x], y))); last first.
  by rewrite draw_onehot mem_seq1 eq_sym.
by apply: eq_bigr => y _; rewrite row.
Qed.
End OneToken.

Section Sequences.
Variables (R : realFieldType) (V : finType).
Notation model := (seq V -> V -> R).
Implicit Types (p q : model) (ctx s t d w : seq V) (x y z : V) (n g k : nat).

(* the drafted tokens d, however they came about *)
Fixpoint match_verify p ctx d : program R (seq V) :=
  if d is x :: d' then
    y <- draw (p ctx) ;;
    if y == x then s <- match_verify p (rcons ctx y) d' ;; ret (y :: s) else ret [:: y]
  else y <- draw (p ctx) ;; ret [:: y].

(* gamma tokens of a draft model, drafted before the first is looked at, or one by one *)
Definition match_sampler p q g ctx : program R (seq V) := d <- autoreg q g ctx ;; match_verify p ctx d.

Fixpoint match_steps p q g ctx : program R (seq V) :=
  if g is g'.+1 then
    x <- draw (q ctx) ;; y <- draw (p ctx) ;;
    if y == x then s <- match_steps p q g' (rcons ctx y) ;; ret (y :: s) else ret [:: y]
  else y <- draw (p ctx) ;; ret [:: y].

(* calls until n tokens are there; the drafter knows what was emitted, and keeps what it likes in its memory *)
Fixpoint match_generate M (drafter : M -> seq V -> program R (M * seq V)) p (fuel n : nat) (memory : M) ctx :
    program R (seq V) :=
  if fuel is k.+1 then
    o <- drafter memory ctx ;; s <- match_verify p ctx o.2 ;;
    if (n <= size s)%N then ret (take n s)
    else t <- match_generate drafter p k (n - size s) o.1 (ctx ++ s) ;; ret (s ++ t)
  else ret [::].

(* closed forms: the product of p q along drafted tokens; the law of what a call emits: the tokens but the last are
   kept, and the last one is not, unless it is the bonus token; the expected number of accepted tokens *)
Fixpoint both p q ctx d : R := if d is x :: d' then p ctx x * q ctx x * both p q (rcons ctx x) d' else 1.

Definition match_law p q g ctx w : R :=
  if w is x :: s then
    let d := belast x s in let y := last x s in
    if (size d <= g)%N
    then both p q ctx d * (p (ctx ++ d) y * (1 - q (ctx ++ d) y * (size d < g)%N%:R)) else 0
  else 0.

Definition expected_accepted p q g ctx : R := \sum_(i < g) \sum_(w : i.+1.-tuple V) both p q ctx w.

(* ------------------------------------------------- lemmas --------------------------------------------------- *)

Lemma match_verify_step p ctx x d f : match_verify p ctx (x :: d) f =
  \sum_y p ctx y * (if y == x then match_verify p (rcons ctx y) d (fun s => f (y :: s)) else f [:: y]).
Proof. by apply: eq_bigr => y _; case: (y == x). Qed.

Lemma match_steps_step p q g ctx f : match_steps p q g.+1 ctx f = \sum_x q ctx x *
  \sum_y p ctx y * (if y == x then match_steps p q g (rcons ctx y) (fun s => f (y :: s)) else f [:: y]).
Proof.
by apply: eq_bigr => x _; congr (_ * _); apply: eq_bigr => y _; case: (y == x).
Qed.

Lemma regular_match_verify p ctx d : regular (match_verify p ctx d).
Proof.
elim: d ctx => [|x d IH] ctx; apply: regular_bind => [|y]; try exact: regular_draw; first exact: regular_ret.
case: (y == x); last exact: regular_ret.
by apply: regular_bind => [|s]; [exact: IH | exact: regular_ret].
Qed.

Lemma regular_match_steps p q g ctx : regular (match_steps p q g ctx).
Proof.
elim: g ctx => [|g IH] ctx; apply: regular_bind => [|x]; try exact: regular_draw; first exact: regular_ret.
apply: regular_bind => [|y]; first exact: regular_draw.
case: (y == x); last exact: regular_ret.
by apply: regular_bind => [|s]; [exact: IH | exact: regular_ret].
Qed.

Lemma match_verify_nonempty p ctx d f h :
  (forall x s, f (x :: s) = h (x :: s)) -> match_verify p ctx d f = match_verify p ctx d h.
Proof.
elim: d ctx f h => [|x d IH] ctx f h e; first by apply: eq_bigr => y _; rewrite /ret e.
rewrite !match_verify_step; apply: eq_bigr => y _; congr (_ * _).
by case: (y == x); [apply: IH => z s; rewrite e | rewrite e].
Qed.

Lemma match_steps_nonempty p q g ctx f h :
  (forall x s, f (x :: s) = h (x :: s)) -> match_steps p q g ctx f = match_steps p q g ctx h.
Proof.
elim: g ctx f h => [|g IH] ctx f h e; first by apply: eq_bigr => y _; rewrite /ret e.
rewrite !match_steps_step; apply: eq_bigr => x _; congr (_ * _); apply: eq_bigr => y _; congr (_ * _).
by case: (y == x); [apply: IH => z s; rewrite e | rewrite e].
Qed.

(* no more than g + 1 *)
Lemma match_steps_size p q g ctx f h :
  (forall s, (size s <= g.+1)%N -> f s = h s) -> match_steps p q g ctx f = match_steps p q g ctx h.
Proof.
elim: g ctx f h => [|g IH] ctx f h e; first by apply: eq_bigr => y _; rewrite /ret e.
rewrite !match_steps_step; apply: eq_bigr => x _; congr (_ * _); apply: eq_bigr => y _; congr (_ * _).
by case: (y == x); [apply: IH => s le; rewrite e | rewrite e].
Qed.

Lemma sum_tuple k (F : seq V -> R) : \sum_(w : k.+1.-tuple V) F w = \sum_x \sum_(w : k.-tuple V) F (x :: w).
Proof.
rewrite pair_bigA /= (reindex (fun o : V * k.-tuple V => [tuple of o.1 :: o.2])) //=.
exists (fun t : k.+1.-tuple V => (thead t, [tuple of behead t])) => [[x w] _|t _] /=.
  by congr (_, _); apply: val_inj.
by rewrite -tuple_eta.
Qed.

Lemma sum_tuple0 (F : seq V -> R) : \sum_(w : 0.-tuple V) F w = F [::].
Proof.
rewrite (bigD1 [tuple]) //= big1 ?addr0 // => w.
by case/eqP; exact: tuple0.
Qed.

Section Laws.
Variables p q : model.
Hypothesis dp : forall ctx, is_dist (p ctx).

Lemma match_verify_mass1 ctx d : mass1 (match_verify p ctx d).
Proof.
elim: d ctx => [|x d IH] ctx c; first exact: draw_mass1.
rewrite match_verify_step -[RHS](draw_mass1 (dp ctx)); apply: eq_bigr => y _; congr (_ * _).
by case: (y == x); rewrite ?IH.
Qed.

Lemma match_verify_complete ctx d : lossless_call p ctx (match_verify p ctx d).
Proof.
move=> n f; have [ev _] := regular_match_verify p ctx d.
elim: d n ctx f {ev} => [|x d IH] [|n] ctx f.
- by rewrite -[RHS](match_verify_mass1 ctx [::]); apply: (regular_match_verify _ _ _).1 => s; exact: complete0.
- by apply: eq_bigr => y _; rewrite /ret complete_one.
- by rewrite -[RHS](match_verify_mass1 ctx (x :: d)); apply: (regular_match_verify _ _ _).1 => s; exact: complete0.
rewrite /bind match_verify_step autoreg_step; apply: eq_bigr => y _; congr (_ * _).
case: (y == x); last exact: complete_one.
rewrite -IH; apply: (regular_match_verify _ _ _).1 => s.
exact: complete_cons.
Qed.

Lemma match_generate_law M (drafter : M -> seq V -> program R (M * seq V)) fuel n memory ctx f :
  (forall m c, regular (drafter m c)) -> (forall m c, mass1 (drafter m c)) -> (n <= fuel)%N ->
  match_generate drafter p fuel n memory ctx f = autoreg p n ctx f.
Proof.
move=> rd d1; elim: fuel n memory ctx f => [|k IH] n memory ctx f; first by rewrite leqn0 => /eqP->.
move=> len; rewrite -[RHS](d1 memory ctx) /= /bind; apply: (rd memory ctx).1 => o.
rewrite -(match_verify_complete ctx o.2) /bind; apply: match_verify_nonempty => x s.
rewrite /complete /bind; case: leqP => [le|lt].
  by rewrite (eqP (_ : n - size (x :: s) == 0)%N) ?subn_eq0 //= /ret cats0.
rewrite IH; last first.
  by rewrite leq_subLR /= (leq_trans len) // addSn ltnS leq_addl.
apply: autoreg_size => t sz; rewrite /ret take_oversize //.
by rewrite size_cat sz subnKC // ltnW.
Qed.

Hypothesis dq : forall ctx, is_dist (q ctx).

Lemma match_sampler_steps g ctx f : match_sampler p q g ctx f = match_steps p q g ctx f.
Proof.
rewrite /match_sampler /bind; elim: g ctx f => [//|g IH] ctx f; rewrite autoreg_step match_steps_step.
apply: eq_bigr => x _; congr (_ * _); have ra := regular_autoreg q g (rcons ctx x).
transitivity (autoreg q g (rcons ctx x) (fun d => \sum_y p ctx y *
  (if y == x then match_verify p (rcons ctx y) d (fun s => f (y :: s)) else f [:: y]))).
  by apply: ra.1 => d; rewrite match_verify_step.
rewrite regular_sum_fin //; apply: eq_bigr => y _; rewrite regular_scale //; congr (_ * _).
have [->|_] := eqVneq y x; last exact: autoreg_mass1.
by rewrite -IH.
Qed.

Lemma match_steps_mass1 g ctx : mass1 (match_steps p q g ctx).
Proof.
move=> c; rewrite -match_sampler_steps -[RHS](autoreg_mass1 g ctx dq).
by apply: (regular_autoreg q g ctx).1 => d; exact: match_verify_mass1.
Qed.

Lemma match_steps0 g ctx : match_steps p q g ctx (fun=> 0) = 0.
Proof. exact: match_steps_mass1. Qed.

(* for every drafter of one call; for the tokens of a model; for calls one after the other *)
Theorem match_lossless_on_sequences g ctx :
  [/\ lossless_call p ctx (match_sampler p q g ctx),
      forall drafter : program R (seq V), regular drafter -> mass1 drafter ->
        lossless_call p ctx (d <- drafter ;; match_verify p ctx d) &
      forall M (drafter : M -> seq V -> program R (M * seq V)),
        (forall m c, regular (drafter m c)) -> (forall m c, mass1 (drafter m c)) ->
        forall memory n fuel f, (n <= fuel)%N -> match_generate drafter p fuel n memory ctx f = autoreg p n ctx f].
Proof.
have any (drafter : program R (seq V)) : regular drafter -> mass1 drafter ->
    lossless_call p ctx (d <- drafter ;; match_verify p ctx d).
  move=> rd d1 n f; rewrite /bind -[RHS]d1; apply: rd.1 => d.
  exact: match_verify_complete.
split=> //; first by apply: any; [exact: regular_autoreg | exact: autoreg_mass1].
by move=> M drafter rd d1 memory n fuel f; exact: match_generate_law.
Qed.

Lemma match_law_along g ctx d y : (size d <= g)%N -> match_steps p q g ctx (fun b => (b == rcons d y)%:R) =
  both p q ctx d * (p (ctx ++ d) y * (1 - q (ctx ++ d) y * (size d < g)%N%:R)).
Proof.
elim: d g ctx => [|z d IH] [|g] ctx //= le; rewrite ?cats0.
- rewrite mul1r mulr0 subr0 mulr1 -draw_point; apply: eq_bigr => x _; congr (_ * _).
  by rewrite /ret eqseq_cons andbT.
- rewrite -[LHS]/(match_steps p q g.+1 ctx _) match_steps_step mul1r mulr1.
  transitivity (\sum_x q ctx x * ((x != y)%:R * p ctx y)).
    apply: eq_bigr => x _; congr (_ * _); rewrite -(draw_point (p ctx)).
    rewrite -(regular_scale _ _ (regular_draw _)); apply: eq_bigr => z _; congr (_ * _).
    have [->|ne] := eqVneq z x; last first.
      by rewrite eqseq_cons andbT; case: (eqVneq z y) ne => [->|_]; rewrite ?mulr0 // eq_sym => ->; rewrite mulr1.
    rewrite (@match_steps_nonempty _ _ _ _ _ (fun=> 0)) ?match_steps0 => [|u s]; last by rewrite eqseq_cons andbF.
    by case: eqP; rewrite ?mul0r ?mulr0.
  by rewrite sum_but -mulr_suml sum_others // mulrC.
rewrite -[LHS]/(match_steps p q g.+1 ctx _) match_steps_step -cat_rcons ltnS -mulrA -(IH g) //.
transitivity (\sum_x q ctx x *
    (p ctx z * ((x == z)%:R * match_steps p q g (rcons ctx z) (fun b => (b == rcons d y)%:R)))).
  apply: eq_bigr => x _; congr (_ * _).
  rewrite (bigD1 z) //= big1 ?addr0 => [|u /negPf ne].
    congr (_ * _); have [->|ne] := eqVneq z x.
      by rewrite mul1r; apply: (regular_match_steps _ _ _ _).1 => s; rewrite eqseq_cons eqxx.
    by rewrite mul0r eqseq_cons eqxx; case: (d).
  case: (u == x); last by rewrite eqseq_cons ne mulr0.
  rewrite -[RHS](mulr0 (p ctx u)) -[in RHS](match_steps0 g (rcons ctx u)); congr (_ * _).
  by apply: (regular_match_steps _ _ _ _).1 => s; rewrite eqseq_cons ne.
rewrite (bigD1 z) //= eqxx mul1r big1 ?addr0 => [|x /negPf->]; last by rewrite mul0r !mulr0.
by rewrite !mulrA [q _ _ * _]mulrC.
Qed.

Lemma match_steps_law g ctx w : match_steps p q g ctx (fun b => (b == w)%:R) = match_law p q g ctx w.
Proof.
case: w => [|x s] /=; first by rewrite -[RHS](match_steps0 g ctx); apply: match_steps_nonempty.
rewrite lastI; case: ifP => [le|/negbT]; [exact: match_law_along | rewrite -ltnNge => lt].
rewrite -[RHS](match_steps0 g ctx); apply: match_steps_size => b le.
by case: eqP => // e; move: le; rewrite e size_rcons ltnS leqNgt lt.
Qed.

(* at least k drafted tokens are kept: more than k are emitted *)
Lemma match_longer g ctx k : (k <= g)%N ->
  match_steps p q g ctx (fun s => (k < size s)%N%:R) = \sum_(w : k.-tuple V) both p q ctx w.
Proof.
elim: k g ctx => [|k IH] g ctx.
  by move=> _; rewrite sum_tuple0 -[RHS](match_steps_mass1 g ctx); apply: match_steps_nonempty.
case: g => [//|g] le; rewrite match_steps_step sum_tuple.
rewrite (eq_bigr (fun x => \sum_y q ctx x *
  (p ctx y * (if y == x then \sum_(w : k.-tuple V) both p q (rcons ctx y) w else 0)))).
  rewrite exchange_big /=; apply: eq_bigr => y _; rewrite (bigD1 y) //= eqxx [X in _ + X]big1 ?addr0 => [|x /negPf ne].
    by rewrite mulrA [q ctx y * p ctx y]mulrC mulr_sumr.
  by rewrite eq_sym ne !mulr0.
move=> x _; rewrite mulr_sumr; apply: eq_bigr => y _; congr (_ * (_ * _)).
by case: (y == x); rewrite // -(IH g).
Qed.

Theorem match_chain g ctx :
  [/\ forall w, match_sampler p q g ctx (fun b => (b == w)%:R) = match_law p q g ctx w,
      match_sampler p q g ctx (fun s => (size s).-1%:R) = expected_accepted p q g ctx &
      forall f, match_sampler p q g ctx f = match_steps p q g ctx f].
Proof.
split=> [w||f]; try exact: match_sampler_steps; rewrite match_sampler_steps; first exact: match_steps_law.
transitivity (match_steps p q g ctx (fun s => \sum_(k < g) (k < (size s).-1)%N%:R)).
  by apply: match_steps_size => s sz; rewrite -natr_count //; case: (size s) sz.
rewrite (regular_sum _ (fun k s => (k < (size s).-1)%N%:R) (regular_match_steps _ _ _ _)).
by apply: eq_bigr => k _; rewrite -(match_longer (g := g)) //; apply: match_steps_nonempty.
Qed.
End Laws.
End Sequences.
