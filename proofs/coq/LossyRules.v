(* Rules that are lossy on purpose: the law that each of them declares, and how often it keeps the draft.

   One sampler carries them all: a drafted token x is kept with a probability a(x), and a replacement is drawn after a
   rejection (lossy_call). For every finite vocabulary, target and draft the file proves, under the names that the
   registry has for them, that the closed forms of proofs/lossy_rules.py are that sampler's, at every observable:
   lenience with either residual (lenience_law), which at leniency 1 is the token rule (lenience_one_is_token_rule) and
   keeps more the smaller it is (lenience_keeps_more); synthetic acceptance, its law and its exact distance
   (synthetic_distance); the ensemble (ensemble_mixture), which has the same law as synthetic acceptance and keeps at
   least as much (ensemble_keeps_more_than_synthetic); the cascade (cascade_declared); the thresholds of SGLang
   (sglang_law), lossless where both are 1 (sglang_lossless_at_one); relaxed acceptance (relaxed_law). No rule of this
   form keeps more than its distance from the target allows (acceptance_bound).

   Not here: which tokens typical acceptance keeps, which takes an exponential of an entropy. What is proved is the law
   for every set of tokens that is kept (set_law), and acceptance_bound for every such set. *)

From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq path.
From mathcomp Require Import choice fintype bigop order ssralg ssrnum.
From SpecDec Require Import Distribution TokenRule MatchRule.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section LossyRules.
Variables (R : realFieldType) (V : finType).
Implicit Types (p q r pi : V -> R) (x y z : V) (a f : V -> R) (instead : V -> V -> R) (scaled : bool) (l w s t b : R).

(* drafted token, whether it is kept, emitted token; the row [instead x] replaces a rejected x *)
Definition lossy_call q a instead : program R (V * bool * V) :=
  x <- draw q ;; b <- flip (a x) ;; y <- (if b then ret x else draw (instead x)) ;; ret (x, b, y).

(* closed forms: the probability that the draft is kept; the law of what is emitted, with one row that replaces every
   rejected token, and with a row for each *)
Definition lossy_alpha q a : R := \sum_x q x * a x.
Definition lossy_dist q a r y : R := q y * a y + (\sum_x q x * (1 - a x)) * r y.
Definition lossy_law q a instead y : R := q y * a y + \sum_x q x * (1 - a x) * instead x y.

(* lenience l: p is compared with l q; the residual is of p over q, or over l q *)
Definition subtracted scaled l q x : R := if scaled then l * q x else q x.
Definition lenience_ratio p q l : V -> R := ratio p (fun x => l * q x).
Definition lenience_residual p q l scaled : V -> R := residual p (subtracted scaled l q).
Definition lenience_call p q l scaled := lossy_call q (lenience_ratio p q l) (fun=> lenience_residual p q l scaled).
Definition lenience_dist p q l scaled : V -> R :=
  lossy_dist q (lenience_ratio p q l) (lenience_residual p q l scaled).
Definition lenience_alpha p q l : R := lossy_alpha q (lenience_ratio p q l).

(* synthetic acceptance: a coin of rate b, whatever is drafted *)
Definition synthetic_call p q b := lossy_call q (fun=> b) (fun=> p).
Definition synthetic_dist p q b : V -> R := lossy_dist q (fun=> b) p.
Definition synthetic_alpha q b : R := lossy_alpha q (fun=> b).

(* the token rule against another row than the target: a mixture, or one that is declared *)
Definition mixture p q w x : R := w * p x + (1 - w) * q x.
Definition ensemble_call p q w := token_call (mixture p q w) q.
Definition ensemble_dist p q w : V -> R := emitted (mixture p q w) q.
Definition ensemble_alpha p q w : R := alpha (mixture p q w) q.
Definition cascade_call p pi q := token_call pi q.
Definition cascade_dist p pi q : V -> R := emitted pi q.
Definition cascade_alpha p pi q : R := alpha pi q.

(* thresholds s and t at one drafted token; a rejected token does not come back *)
Definition sglang_keep p s t x : R := if s <= p x then 1 else Num.min 1 (p x / t).
Definition sglang_call p q s t := lossy_call q (sglang_keep p s t) (others p).
Definition sglang_share p q s t x : R := if p x == 1 then 0 else q x * (1 - sglang_keep p s t x) / (1 - p x).
Definition sglang_dist p q s t y : R :=
  q y * sglang_keep p s t y + p y * (\sum_x sglang_share p q s t x - sglang_share p q s t y).
Definition sglang_alpha p q s t : R := lossy_alpha q (sglang_keep p s t).

(* a set of tokens is kept, and the others replaced: from the target, from the target on the set (from the target where
   it has no mass there), or by the first of the likeliest *)
Inductive replacement := FromTarget | FromKept | ByTop.
Definition on_set p (kept : pred V) y : R :=
  let mass := \sum_x (if kept x then p x else 0) in if mass == 0 then p y else (if kept y then p y else 0) / mass.
Definition replaced p (kept : pred V) by_what : V -> R :=
  match by_what with FromTarget => p | FromKept => on_set p kept | ByTop => greedy_row p end.
Definition kept_or_not (kept : pred V) x : R := (kept x)%:R.
Definition set_call p q kept by_what := lossy_call q (kept_or_not kept) (fun=> replaced p kept by_what).
Definition set_dist p q kept by_what : V -> R := lossy_dist q (kept_or_not kept) (replaced p kept by_what).
Definition set_alpha q kept : R := lossy_alpha q (kept_or_not kept).

(* relaxed acceptance: the first n tokens by descending probability, equals in the order of enum V, and within delta of
   the greatest *)
Definition first_tokens p n : seq V := take n (sort (fun x y => p y <= p x) (enum V)).
Definition relaxed_kept p n (delta : R) x := (x \in first_tokens p n) && (greatest p - delta <= p x).
Definition relaxed_call p q n delta := set_call p q (relaxed_kept p n delta) ByTop.
Definition relaxed_dist p q n delta : V -> R := set_dist p q (relaxed_kept p n delta) ByTop.
Definition relaxed_alpha p q n delta : R := set_alpha q (relaxed_kept p n delta).

(* the greatest acceptance at a distance from the target *)
Definition bound p q (budget : R) : R := Num.min 1 (1 - tv p q + budget).

(* ------------------------------------------------- lemmas --------------------------------------------------- *)

Lemma lossy_step q a instead (h : V * bool * V -> R) : lossy_call q a instead h =
  \sum_x q x * (a x * h (x, true, x) + (1 - a x) * draw (instead x) (fun y => h (x, false, y))).
Proof. by []. Qed.

Lemma lossy_kept q a instead : lossy_call q a instead (fun o => (o.1.2)%:R) = lossy_alpha q a.
Proof.
rewrite lossy_step; apply: eq_bigr => x _; congr (_ * _).
by rewrite [X in _ + _ * X](draw0 (instead x)) mulr0 addr0 mulr1.
Qed.

Lemma lossy_draw q a instead f : lossy_call q a instead (fun o => f o.2) = draw (lossy_law q a instead) f.
Proof.
rewrite lossy_step /draw; under eq_bigr do rewrite mulrDr !mulrA.
under [RHS]eq_bigr do rewrite mulrDl; rewrite !big_split /=; congr (_ + _).
under [RHS]eq_bigr do rewrite mulr_suml; rewrite exchange_big /=; apply: eq_bigr => x _.
by rewrite mulr_sumr; apply: eq_bigr => y _; rewrite mulrA.
Qed.

Lemma lossy_draw1 q a r f : lossy_call q a (fun=> r) (fun o => f o.2) = draw (lossy_dist q a r) f.
Proof. by rewrite lossy_draw; apply: eq_bigr => y _; rewrite /lossy_law -mulr_suml. Qed.

Lemma sum_rejected q a : is_dist q -> \sum_x q x * (1 - a x) = 1 - lossy_alpha q a.
Proof. by move=> dq; rewrite -[X in _ = X - _](dist_sum dq) -sumrB; apply: eq_bigr => x _; rewrite mulrBr mulr1. Qed.

Lemma token_draw p q f : is_dist p -> is_dist q -> token_call p q (fun o => f o.2) = draw p f.
Proof. by move=> dp dq; rewrite -(token_rule_draw f dp dq). Qed.

Lemma mixture_dist p q w : 0 <= w <= 1 -> is_dist p -> is_dist q -> is_dist (mixture p q w).
Proof.
case/andP=> w0 w1 [p0 p1] [q0 q1]; split=> [x|]; first by rewrite addr_ge0 ?mulr_ge0 ?subr_ge0.
by rewrite big_split /= -!mulr_sumr p1 q1 !mulr1 addrC subrK.
Qed.

Lemma tv_sym p q : tv p q = tv q p.
Proof. by congr (_ * _); apply: eq_bigr => x _; rewrite distrC. Qed.

Lemma tv_ext p p' q q' : p =1 p' -> q =1 q' -> tv p q = tv p' q'.
Proof. by move=> ep eq; congr (_ * _); apply: eq_bigr => x _; rewrite ep eq. Qed.

Lemma tv_triangle p q r : tv p q <= tv p r + tv r q.
Proof.
rewrite /tv -mulrDr -big_split ler_wpmul2l ?invr_ge0 ?ler0n //=; apply: ler_sum => x _.
by rewrite -[p x - q x](_ : p x - r x + (r x - q x) = _) ?ler_norm_add // addrA subrK.
Qed.

Lemma tv_ge0 p q : 0 <= tv p q.
Proof. by rewrite mulr_ge0 ?invr_ge0 ?ler0n // sumr_ge0. Qed.

(* towards q by w: that share of the distance *)
Lemma tv_towards p q w : 0 <= w -> tv p (fun x => (1 - w) * p x + w * q x) = w * tv p q.
Proof.
move=> w0; rewrite /tv mulrCA; congr (_ * _); rewrite mulr_sumr; apply: eq_bigr => x _.
rewrite -[in RHS](ger0_norm w0) -normrM; congr `|_|.
by rewrite mulrBl mul1r opprD opprB addrA addrCA subrr addr0 mulrBr.
Qed.

(* ------------------------------------------------ lenience -------------------------------------------------- *)

Lemma lenienceE p q l x : 0 < l -> 0 <= p x -> q x * lenience_ratio p q l x = Num.min (q x) (p x / l).
Proof.
move=> l0 p0; have ln : l != 0 by rewrite gt_eqF.
apply: (mulfI ln); rewrite mulrA /lenience_ratio [LHS](q_ratio (fun x => l * q x) p0) [RHS]minr_pmulr ?ltW //.
by rewrite minC mulrCA divff // mulr1.
Qed.

Lemma lenience_alphaE p q l : 0 < l -> is_dist p -> lenience_alpha p q l = \sum_x Num.min (q x) (p x / l).
Proof. by move=> l0 [p0 _]; apply: eq_bigr => x _; exact: lenienceE. Qed.

Lemma subtracted_le scaled l q x : l <= 1 -> 0 <= q x -> subtracted scaled l q x <= q x.
Proof. by rewrite /subtracted; case: scaled => // l1 q0; rewrite -{2}[q x]mul1r ler_wpmul2r. Qed.

(* where the residual has no mass, p and q are one *)
Lemma no_residual p q l scaled : l <= 1 -> is_dist p -> is_dist q -> excess p (subtracted scaled l q) = 0 -> q =1 p.
Proof.
move=> l1 dp dq S0 x; have [p0 p1] := dp; have [q0 q1] := dq.
have le y : p y <= q y.
  apply: le_trans (subtracted_le scaled l1 (q0 y)); rewrite -subr_le0.
  by rewrite -(excess0 y S0) /pos le_maxr lexx orbT.
have /eqP : \sum_y (q y - p y) = 0 by rewrite sumrB p1 q1 subrr.
rewrite psumr_eq0 => [/allP/(_ x)|y _]; last by rewrite subr_ge0.
by rewrite mem_index_enum => /(_ isT); rewrite subr_eq0 => /eqP.
Qed.

(* with the residual over q, and with the residual over l q *)
Theorem lenience_law p q l scaled : is_dist p -> is_dist q -> 0 < l <= 1 ->
  let over x := (if scaled then l else 1) * q x in
  let mass := \sum_x pos (p x - over x) in
  [/\ forall x, 0 < q x -> lenience_ratio p q l x = Num.min 1 (p x / (l * q x)),
      is_dist (lenience_residual p q l scaled) /\
        (mass != 0 -> forall y, lenience_residual p q l scaled y = pos (p y - over y) / mass),
      mass = 0 -> lenience_alpha p q l = 1,                                   (* nothing is rejected there *)
      forall f, lenience_call p q l scaled (fun o => f o.2) = draw (lenience_dist p q l scaled) f &
      lenience_call p q l scaled (fun o => (o.1.2)%:R) = lenience_alpha p q l /\
        lenience_alpha p q l = \sum_x Num.min (q x) (p x / l)].
Proof.
move=> dp dq /andP[l0 l1] over mass; have [p0 p1] := dp; have [q0 q1] := dq.
have sub x : subtracted scaled l q x = over x by rewrite /subtracted /over; case: (scaled); rewrite ?mul1r.
have eS : excess p (subtracted scaled l q) = mass by apply: eq_bigr => x _; rewrite sub.
split.
- move=> x qx; have lq : 0 < l * q x by rewrite mulr_gt0.
  rewrite /lenience_ratio /ratio; case: lerP => [le|lt]; first by rewrite min_l // ler_pdivl_mulr ?mul1r.
  by rewrite min_r // ler_pdivr_mulr ?mul1r // ltW.
- split; first exact: residual_dist.
  by move=> Sn y; rewrite /lenience_residual /residual eS (negPf Sn) sub.
- rewrite -eS => /no_residual e; rewrite -q1; apply: eq_bigr => x _.
  rewrite /lenience_ratio /ratio; have -> : l * q x <= p x; last by rewrite mulr1.
  by rewrite -(e l1 dp dq) -{2}[q x]mul1r ler_wpmul2r.
- by move=> f; exact: lossy_draw1.
by split; [exact: lossy_kept | exact: lenience_alphaE].
Qed.

Theorem lenience_one_is_token_rule p q scaled : is_dist p -> is_dist q ->
  [/\ forall h, lenience_call p q 1 scaled h = token_call p q h,
      lenience_dist p q 1 scaled =1 p & lenience_alpha p q 1 = 1 - tv p q].
Proof.
move=> dp dq; have er x : lenience_ratio p q 1 x = ratio p q x by rewrite /lenience_ratio /ratio mul1r.
have es x : subtracted scaled 1 q x = q x by rewrite /subtracted; case: scaled; rewrite ?mul1r.
have ex : excess p (subtracted scaled 1 q) = excess p q by apply: eq_bigr => x _; rewrite es.
have res y : lenience_residual p q 1 scaled y = residual p q y by rewrite /lenience_residual /residual ex es.
split.
- move=> h; rewrite /lenience_call lossy_step; apply: eq_bigr => x _; rewrite er; congr (_ * (_ + _ * _)).
  by apply: eq_bigr => y _; rewrite res.
- move=> y; rewrite -(emittedE y dp dq) /lenience_dist /lossy_dist er res; congr (_ + _ * _).
  by apply: eq_bigr => x _; rewrite er.
by rewrite -alpha_is_one_minus_tv //; apply: eq_bigr => x _; rewrite er.
Qed.

Theorem lenience_keeps_more p q l l' scaled : is_dist p -> is_dist q -> 0 < l -> l <= l' -> l' <= 1 ->
  lenience_alpha p q l' <= lenience_alpha p q l /\
  lenience_call p q l' scaled (fun o => (o.1.2)%:R) <= lenience_call p q l scaled (fun o => (o.1.2)%:R).
Proof.
move=> dp dq l0 le _; have [p0 _] := dp; have l0' := lt_le_trans l0 le; rewrite /lenience_call !lossy_kept.
suff H : lenience_alpha p q l' <= lenience_alpha p q l by [].
rewrite !lenience_alphaE //; apply: ler_sum => x _; rewrite le_minr !le_minl lexx /=.
by rewrite (ler_wpmul2l (p0 x)) ?lef_pinv ?posrE // orbT.
Qed.

(* ---------------------------------------- synthetic, ensemble, cascade -------------------------------------- *)

Theorem synthetic_distance p q b : is_dist p -> is_dist q -> 0 <= b <= 1 ->
  [/\ forall f, synthetic_call p q b (fun o => f o.2) = draw (synthetic_dist p q b) f,
      synthetic_call p q b (fun o => (o.1.2)%:R) = synthetic_alpha q b,
      forall y, synthetic_dist p q b y = (1 - b) * p y + b * q y,
      synthetic_alpha q b = b & tv p (synthetic_dist p q b) = b * tv p q].
Proof.
move=> dp dq /andP[b0 b1]; have [q0 q1] := dq.
have law y : synthetic_dist p q b y = (1 - b) * p y + b * q y.
  by rewrite /synthetic_dist /lossy_dist -mulr_suml q1 mul1r addrC [b * _]mulrC.
split=> //.
- by move=> f; exact: lossy_draw1.
- exact: lossy_kept.
- by rewrite /synthetic_alpha /lossy_alpha -mulr_suml q1 mul1r.
by rewrite (tv_ext (frefl p) law) tv_towards.
Qed.

Lemma ensemble_tv p q w : 0 <= w -> tv (mixture p q w) q = w * tv p q.
Proof.
move=> w0; rewrite tv_sym [in RHS]tv_sym -tv_towards //; apply: tv_ext => // x.
by rewrite addrC.
Qed.

Theorem ensemble_mixture p q w : is_dist p -> is_dist q -> 0 <= w <= 1 ->
  [/\ forall f, ensemble_call p q w (fun o => f o.2) = draw (mixture p q w) f,
      ensemble_call p q w (fun o => (o.1.2)%:R) = ensemble_alpha p q w,
      ensemble_dist p q w =1 (fun y => w * p y + (1 - w) * q y),
      ensemble_alpha p q w = 1 - w * tv p q &
      w = 1 -> ensemble_dist p q w =1 p /\ forall f, ensemble_call p q w (fun o => f o.2) = draw p f].
Proof.
move=> dp dq w01; have dm := mixture_dist w01 dp dq; have /andP[w0 _] := w01; split.
- by move=> f; exact: token_draw.
- by have [_ _ _ k _] := closed_form_is_sampler dm dq.
- by move=> y; exact: emittedE.
- by rewrite /ensemble_alpha alpha_is_one_minus_tv // ensemble_tv.
move=> w1; have m y : mixture p q w y = p y by rewrite /mixture w1 subrr mul1r mul0r addr0.
split=> [y|f]; first by rewrite /ensemble_dist emittedE.
by rewrite [LHS]token_draw //; apply: eq_bigr => y _; rewrite m.
Qed.

Theorem ensemble_keeps_more_than_synthetic p q b : is_dist p -> is_dist q -> 0 <= b <= 1 ->
  [/\ synthetic_dist p q b =1 ensemble_dist p q (1 - b),
      synthetic_alpha q b <= ensemble_alpha p q (1 - b),
      synthetic_alpha q b = b, ensemble_alpha p q (1 - b) = 1 - (1 - b) * tv p q &
      synthetic_call p q b (fun o => (o.1.2)%:R) <= ensemble_call p q (1 - b) (fun o => (o.1.2)%:R)].
Proof.
move=> dp dq b01; have /andP[b0 b1] := b01; have c01 : 0 <= 1 - b <= 1.
  by rewrite subr_ge0 b1 ler_subl_addl ler_addr.
have [_ ks ls as_ _] := synthetic_distance dp dq b01; have [_ ke le_ ae _] := ensemble_mixture dp dq c01.
have tv1 : tv p q <= 1.
  by rewrite -subr_ge0 -alpha_is_one_minus_tv //; have [_ _] := distribution dp dq.
have leq_ : synthetic_alpha q b <= ensemble_alpha p q (1 - b).
  rewrite as_ ae -[X in X <= _](subKr 1) ler_sub // ler_pimulr // subr_ge0 //.
split=> // [y|]; last by rewrite ks ke.
by rewrite ls le_ subKr.
Qed.

Theorem cascade_declared p pi q : is_dist p -> is_dist pi -> is_dist q ->
  [/\ cascade_dist p pi q =1 pi, cascade_alpha p pi q = 1 - tv pi q,
      forall f, cascade_call p pi q (fun o => f o.2) = draw pi f &
      cascade_call p pi q (fun o => (o.1.2)%:R) = cascade_alpha p pi q].
Proof.
move=> _ dpi dq; split.
- by move=> y; exact: emittedE.
- exact: alpha_is_one_minus_tv.
- by move=> f; exact: token_draw.
by have [_ _ _ k _] := closed_form_is_sampler dpi dq.
Qed.

(* -------------------------------------------- thresholds ---------------------------------------------------- *)

Lemma others_dist p x : is_dist p -> p x != 1 -> is_dist (others p x).
Proof.
move=> dp n1; have [p0 _] := dp; have dn : 1 - p x != 0 by rewrite subr_eq0 eq_sym.
split=> [y|]; first by rewrite /others divr_ge0 ?subr_ge0 ?dist_le1 //; case: eqP.
apply: (mulfI dn); have := others_sum x (fun=> 1) dp; rewrite /draw.
under eq_bigr do rewrite mulr1; move=> ->; rewrite mulr1 -sum_others //.
by apply: eq_bigr => y _; rewrite mulr1.
Qed.

Lemma keep_certain p s t x : s <= 1 -> p x = 1 -> sglang_keep p s t x = 1.
Proof. by move=> s1 e; rewrite /sglang_keep e s1. Qed.

Lemma sglang_lawE p q s t y : s <= 1 -> sglang_dist p q s t y = lossy_law q (sglang_keep p s t) (others p) y.
Proof.
move=> s1; rewrite /sglang_dist /lossy_law; congr (_ + _).
have each x : q x * (1 - sglang_keep p s t x) * others p x y
              = if y == x then 0 else sglang_share p q s t x * p y.
  rewrite /others /sglang_share; case: (y == x); first by rewrite mul0r mulr0.
  have [e|_] := eqVneq (p x) 1; first by rewrite keep_certain // subrr mulr0 !mul0r.
  by rewrite -!mulrA [_^-1 * _]mulrC.
under [RHS]eq_bigr do rewrite each.
rewrite [in LHS](bigD1 y) //= addrAC subrr add0r [RHS](bigD1 y) //= eqxx add0r mulr_sumr.
by apply: eq_bigr => x /negPf ne; rewrite eq_sym ne mulrC.
Qed.

Theorem sglang_law p q s t : is_dist p -> is_dist q -> 0 <= s <= 1 -> 0 < t <= 1 ->
  [/\ forall f, sglang_call p q s t (fun o => f o.2) = draw (sglang_dist p q s t) f,
      sglang_call p q s t (fun o => (o.1.2)%:R) = sglang_alpha p q s t,
      forall x, sglang_keep p s t x = (if s <= p x then 1 else Num.min 1 (p x / t)),
      forall x, p x = 1 -> sglang_keep p s t x = 1 &                 (* and the others are no law *)
      forall x, p x != 1 -> is_dist (others p x) /\
        forall y, others p x y = p y * (y != x)%:R / \sum_(z | z != x) p z].
Proof.
move=> dp dq /andP[_ s1] _; split=> //.
- by move=> f; rewrite [LHS]lossy_draw; apply: eq_bigr => y _; rewrite sglang_lawE.
- exact: lossy_kept.
- by move=> x; exact: keep_certain.
move=> x n1; split=> [|y]; first exact: others_dist.
by rewrite sum_others // /others; case: (y == x); rewrite ?mulr0 ?mulr1.
Qed.

Lemma sglang_one p x : is_dist p -> sglang_keep p 1 1 x = p x.
Proof.
move=> dp; have le := dist_le1 x dp; rewrite /sglang_keep divr1; case: ifP => [ge|_]; last by rewrite min_r.
by apply/eqP; rewrite eq_le ge le.
Qed.

(* given the drafted token, and so for every draft *)
Theorem sglang_lossless_at_one p q : is_dist p -> is_dist q ->
  [/\ sglang_dist p q 1 1 =1 p,
      forall f, sglang_call p q 1 1 (fun o => f o.2) = draw p f &
      forall x f, sglang_call p (onehot R x) 1 1 (fun o => f o.2) = draw p f].
Proof.
move=> dp dq; have one x f : p x * f x + (1 - p x) * draw (others p x) f = draw p f.
  by rewrite others_sum // -likely_sum.
have all d f : is_dist d -> sglang_call p d 1 1 (fun o => f o.2) = draw p f.
  move=> dd; rewrite /sglang_call lossy_step -[RHS](draw_mass1 dd); apply: eq_bigr => x _; congr (_ * _).
  by rewrite sglang_one //; exact: one.
split=> [y|f|x f]; [|exact: all|apply: all; exact: onehot_dist].
rewrite -(draw_point (sglang_dist p q 1 1)) -[RHS](draw_point p) -(all q (fun z => (z == y)%:R) dq).
rewrite [RHS](lossy_draw q (sglang_keep p 1 1) (others p) (fun z => (z == y)%:R)).
by apply: eq_bigr => z _; rewrite sglang_lawE.
Qed.

(* ------------------------------------------- sets of tokens ------------------------------------------------- *)

Lemma on_set_dist p (kept : pred V) : is_dist p -> is_dist (on_set p kept).
Proof.
move=> dp; have [p0 p1] := dp; have k0 x : 0 <= (if kept x then p x else 0) by case: ifP.
rewrite /on_set; case: eqP => [_|/eqP n0]; first exact: dp.
split=> [x|]; first by rewrite divr_ge0 ?sumr_ge0.
by rewrite -mulr_suml divff.
Qed.

Lemma greedy_dist p : is_dist p -> is_dist (greedy_row p).
Proof.
move=> dp; have [z [e _ _ _]] := greedy_takes_the_first_of_the_likeliest dp.
have [o0 o1] := onehot_dist R z; split=> [x|]; first by rewrite e.
by rewrite -o1; apply: eq_bigr => x _; rewrite e.
Qed.

Lemma replaced_dist p kept by_what : is_dist p -> is_dist (replaced p kept by_what).
Proof. by move=> dp; case: by_what => //=; [exact: on_set_dist | exact: greedy_dist]. Qed.

(* for every set, whatever decides on it: what typical acceptance does with the tokens that it keeps *)
Lemma set_law p q kept by_what : is_dist p -> is_dist q ->
  [/\ is_dist (replaced p kept by_what),
      forall f, set_call p q kept by_what (fun o => f o.2) = draw (set_dist p q kept by_what) f,
      set_call p q kept by_what (fun o => (o.1.2)%:R) = set_alpha q kept &
      forall y, set_dist p q kept by_what y
                = (if kept y then q y else 0) + (\sum_(x | ~~ kept x) q x) * replaced p kept by_what y].
Proof.
move=> dp dq; split; [exact: replaced_dist | by move=> f; exact: lossy_draw1 | exact: lossy_kept |].
move=> y; rewrite /set_dist /lossy_dist /kept_or_not; congr (_ + _ * _).
  by case: (kept y); rewrite ?mulr1 ?mulr0.
rewrite [RHS]big_mkcond; apply: eq_bigr => x _ /=.
by case: (kept x); rewrite ?subrr ?subr0 ?mulr1 ?mulr0.
Qed.

(* ----------------------------------------------- relaxed ---------------------------------------------------- *)

(* y comes before x: it is likelier, or as likely and first in the order of enum V *)
Definition before p y x : bool :=
  (p x < p y) || ((p x == p y) && (index y (enum V) < index x (enum V))%N).
Definition ahead p x : nat := count (fun y => before p y x) (enum V).

Lemma before_trans p : transitive (before p).
Proof.
move=> y x z /orP[xy|/andP[/eqP xy ixy]] /orP[yz|/andP[/eqP yz iyz]]; rewrite /before.
- by rewrite (lt_trans yz xy).
- by rewrite yz xy.
- by rewrite -xy yz.
by rewrite yz xy eqxx (ltn_trans ixy iyz) orbT.
Qed.

Lemma before_irr p : irreflexive (before p).
Proof. by move=> x; rewrite /before ltxx ltnn andbF. Qed.

(* in a list in a strict order, a token's place is the number of tokens before it *)
Lemma place (lt : rel V) u x : transitive lt -> irreflexive lt -> sorted lt u -> x \in u ->
  index x u = count (fun y => lt y x) u.
Proof.
move=> tr irr; elim: u => [//|a u IH] su; have below := order_path_min tr su.
rewrite in_cons /= [a == x]eq_sym; case: eqVneq => [->|ne] /= xu.
  rewrite irr add0n; apply/esym/eqP; rewrite -leqn0 leqNgt -has_count; apply/hasPn => y yu.
  by apply/negP => ya; have := tr _ _ _ ya (allP below y yu); rewrite irr.
by rewrite (allP below x xu) add1n IH // (path_sorted su).
Qed.

Lemma enum_in_order : sorted (fun x y => (index x (enum V) < index y (enum V))%N) (enum V).
Proof.
case e : (enum V) => [//|x0 u]; rewrite -e; apply/(sortedP x0) => i lt.
by rewrite !index_uniq ?enum_uniq // (ltn_trans _ lt).
Qed.

Lemma in_first_tokens p n x : (x \in first_tokens p n) = (ahead p x < n)%N.
Proof.
rewrite /first_tokens; set leT := (fun x y => p y <= p x); set u := sort leT (enum V).
have tot : total leT by move=> y z; exact: le_total.
have tr : transitive (fun x y : V => (index x (enum V) < index y (enum V))%N) by move=> y z w; exact: ltn_trans.
have su : sorted (before p) u.
  have := sort_stable tot tr enum_in_order; apply: sub_sorted => y z /=; rewrite /leT /before => /andP[le imp].
  by case: ltgtP le imp => //= [->|] //; rewrite lexx.
have pu : perm_eq u (enum V) by rewrite /u perm_sort.
have xu : x \in u by rewrite (perm_mem pu) mem_enum.
rewrite in_take // (place (@before_trans p) (@before_irr p) su xu) /ahead.
by rewrite (permP pu).
Qed.

Lemma greatest_top p z : is_dist p -> (forall y, p y <= p z) -> greatest p = p z.
Proof.
move=> [p0 _] top; apply/eqP; rewrite eq_le le_greatest ?mem_enum // andbT /greatest.
by elim: (enum V) => [|y u IH]; rewrite ?big_nil // big_cons le_maxl top.
Qed.

Theorem relaxed_law p q n delta : is_dist p -> is_dist q -> (0 < n)%N -> 0 <= delta <= 1 ->
  [/\ forall f, relaxed_call p q n delta (fun o => f o.2) = draw (relaxed_dist p q n delta) f,
      relaxed_call p q n delta (fun o => (o.1.2)%:R) = relaxed_alpha p q n delta,
      forall x, relaxed_kept p n delta x = (ahead p x < n)%N && [forall y, p y - delta <= p x],
      exists z, [/\ greedy_row p =1 onehot R z, ahead p z = 0%N & forall y, p y <= p z] &
      exists z, ahead p z = 0%N /\ forall y, relaxed_dist p q n delta y =
        (if relaxed_kept p n delta y then q y else 0) + (\sum_(x | ~~ relaxed_kept p n delta x) q x) * onehot R z y].
Proof.
move=> dp dq n0 _; have [_ law kept form] := set_law (relaxed_kept p n delta) ByTop dp dq.
have [z [row top first _]] := greedy_takes_the_first_of_the_likeliest dp.
have z0 : ahead p z = 0%N.
  apply/eqP; rewrite -leqn0 leqNgt -has_count; apply/hasPn => y _.
  rewrite /before negb_or -leNgt top /=; apply/negP => /andP[/eqP e /first].
  by rewrite e ltxx.
split=> //; last 2 first.
- by exists z.
- exists z; split=> // y; rewrite -row; exact: form.
move=> x; rewrite /relaxed_kept in_first_tokens; congr (_ && _).
rewrite (greatest_top dp top); apply/idP/forallP => [le y|//].
by apply: le_trans le; rewrite ler_sub.
Qed.

(* ------------------------------------------------ bound ----------------------------------------------------- *)

(* A kept token is drafted and emitted at once: it has at most the mass that q and the law have in common. *)
Lemma kept_common q a instead : is_dist q -> (forall x, 0 <= a x <= 1) ->
  (forall x, q x * (1 - a x) != 0 -> is_dist (instead x)) ->
  is_dist (lossy_law q a instead) /\ lossy_alpha q a <= 1 - tv (lossy_law q a instead) q.
Proof.
move=> dq a01 di; have [q0 q1] := dq.
have rest0 x y : 0 <= q x * (1 - a x) * instead x y.
  have [->|n0] := eqVneq (q x * (1 - a x)) 0; first by rewrite mul0r.
  rewrite mulr_ge0 ?(dist_ge0 _ (di x n0)) // mulr_ge0 // subr_ge0.
  by case/andP: (a01 x).
have kept0 x : 0 <= q x * a x by rewrite mulr_ge0 //; case/andP: (a01 x).
have dl : is_dist (lossy_law q a instead).
  split=> [y|]; first by rewrite addr_ge0 ?sumr_ge0.
  rewrite big_split /= exchange_big /= -[RHS]q1 -big_split; apply: eq_bigr => x _ /=.
  rewrite -mulr_sumr; have [e|n0] := eqVneq (q x * (1 - a x)) 0.
    rewrite e mul0r addr0; move/eqP: e; rewrite mulrBr mulr1 subr_eq0.
    by move/eqP.
  by rewrite (dist_sum (di x n0)) mulr1 -mulrDr addrC subrK mulr1.
split=> //; rewrite -alpha_is_one_minus_tv // alphaE; last by case: dl.
apply: ler_sum => x _; rewrite le_minr ler_addl sumr_ge0 //= ler_pimulr //.
by case/andP: (a01 x).
Qed.

Lemma kept_bound p q a instead : is_dist p -> is_dist q -> (forall x, 0 <= a x <= 1) ->
  (forall x, q x * (1 - a x) != 0 -> is_dist (instead x)) ->
  lossy_alpha q a <= bound p q (tv p (lossy_law q a instead)).
Proof.
move=> dp dq a01 di; have [dl le] := kept_common dq a01 di; rewrite /bound le_minr.
apply/andP; split; first by apply: le_trans le _; rewrite ler_subl_addl ler_addr tv_ge0.
apply: le_trans le _; rewrite -addrA ler_add2l addrC ler_subr_addl ler_subl_addr.
exact: tv_triangle.
Qed.

Lemma kept_bound1 p q a r : is_dist p -> is_dist q -> (forall x, 0 <= a x <= 1) -> is_dist r ->
  lossy_alpha q a <= bound p q (tv p (lossy_dist q a r)).
Proof.
move=> dp dq a01 dr; have e : lossy_dist q a r =1 lossy_law q a (fun=> r).
  by move=> y; rewrite /lossy_law -mulr_suml.
by rewrite (tv_ext (frefl p) e); exact: kept_bound.
Qed.

Lemma ratio01 p q x : 0 <= p x -> 0 <= q x -> 0 <= ratio p q x <= 1.
Proof. by move=> p0 q0; rewrite ratio_ge0 ?ratio_le1. Qed.

Lemma token_bound p pi q : is_dist p -> is_dist pi -> is_dist q -> alpha pi q <= bound p q (tv p (emitted pi q)).
Proof.
move=> dp dpi dq; apply: (@kept_bound1 p q (ratio pi q) (residual pi q)) => // [x|].
  by apply: ratio01; [case: dpi | case: dq].
exact: residual_dist.
Qed.

(* for every rule of this form, and so for each of the rules above; sets of tokens are those of relaxed and of typical
   acceptance *)
Theorem acceptance_bound p q : is_dist p -> is_dist q ->
  [/\ forall a instead, (forall x, 0 <= a x <= 1) -> (forall x, q x * (1 - a x) != 0 -> is_dist (instead x)) ->
        lossy_call q a instead (fun o => (o.1.2)%:R) <= bound p q (tv p (lossy_law q a instead)),
      forall b scaled, 0 < b <= 1 ->
        lenience_alpha p q b <= bound p q (tv p (lenience_dist p q b scaled)) /\
        synthetic_alpha q b <= bound p q (tv p (synthetic_dist p q b)),
      (forall w, 0 <= w <= 1 -> ensemble_alpha p q w <= bound p q (tv p (ensemble_dist p q w))) /\
        (forall pi, is_dist pi -> cascade_alpha p pi q <= bound p q (tv p (cascade_dist p pi q))),
      (forall s t, 0 <= s <= 1 -> 0 < t <= 1 -> sglang_alpha p q s t <= bound p q (tv p (sglang_dist p q s t))) /\
        (forall kept by_what, set_alpha q kept <= bound p q (tv p (set_dist p q kept by_what))) &
      bound p q 0 = alpha p q].
Proof.
move=> dp dq; have [p0 _] := dp; have [q0 _] := dq; split.
- by move=> a instead a01 di; rewrite lossy_kept kept_bound.
- move=> b scaled /andP[b0 b1]; split; last by apply: kept_bound1 => // x; rewrite b1 ltW.
  apply: kept_bound1 => // [x|]; last exact: residual_dist.
  by apply: (@ratio01 p (fun x => b * q x)) => //; apply: mulr_ge0 => //; exact: ltW.
- split=> [w w01|pi dpi]; last exact: token_bound.
  exact: token_bound dp (mixture_dist w01 dp dq) dq.
- split=> [s t /andP[_ s1] /andP[t0 _]|kept by_what].
    rewrite (tv_ext (frefl p) (fun y => sglang_lawE p q t y s1)); apply: kept_bound => // x.
      rewrite /sglang_keep; case: ifP => _; first by rewrite ler01 lexx.
      by rewrite le_minr ler01 le_minl lexx /= andbT divr_ge0 //; exact: ltW.
    by have [e|n1 _] := eqVneq (p x) 1; [rewrite keep_certain // subrr mulr0 eqxx | exact: others_dist].
  apply: kept_bound1 => // [x|]; last exact: replaced_dist.
  by rewrite /kept_or_not; case: (kept x); rewrite ?ler01 ?lexx.
by rewrite /bound addr0 min_r ?alpha_is_one_minus_tv // ler_subl_addl ler_addr tv_ge0.
Qed.
End LossyRules.
