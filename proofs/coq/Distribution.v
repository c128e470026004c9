(* Distributions on a finite set, programs that draw, and models that emit tokens.

   Everything is over an ordered field R (the rationals and the reals are two) and a vocabulary V that is any
   finite set. A program that draws and returns an A is the map that gives to every observable f : A -> R the
   expected value of f: what is said for every observable is said of the law. No axiom is used; two programs are
   compared at every observable, never as functions.

   A model gives the next token's distribution for every context, a sequence of tokens. [autoreg p n ctx] emits n
   tokens of the model p; [complete p n ctx s] extends what a call has emitted, s, to n tokens by the target's own
   tokens, and cuts what is longer: losslessness of a call is said of that. *)

From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq.
From mathcomp Require Import choice fintype bigop order ssralg ssrnum.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Programs.
Variable R : realFieldType.

Definition program (A : Type) := (A -> R) -> R.
Definition ret A (a : A) : program A := fun f => f a.
Definition bind A B (m : program A) (k : A -> program B) : program B := fun f => m (fun a => k a f).
Definition flip (a : R) : program bool := fun f => a * f true + (1 - a) * f false.
Definition draw (V : finType) (p : V -> R) : program V := fun f => \sum_x p x * f x.

(* A program looks at the values of its continuation alone, is linear in it, and has mass one. *)
Definition extensional A (m : program A) := forall f h, f =1 h -> m f = m h.
Definition linear A (m : program A) := forall a b f h, m (fun x => a * f x + b * h x) = a * m f + b * m h.
Definition regular A (m : program A) := extensional m /\ linear m.
Definition mass1 A (m : program A) := forall c, m (fun _ => c) = c.
End Programs.

Notation "x <- m ;; k" := (bind m (fun x => k))
  (at level 80, m at next level, right associativity).

Section Distributions.
Variables (R : realFieldType) (V : finType).
Implicit Types (p q d t : V -> R) (x y z : V) (f g : V -> R).

Definition is_dist p := (forall x, 0 <= p x) /\ \sum_x p x = 1.
Definition onehot z x : R := (x == z)%:R.
Definition tv p q := 2%:R^-1 * \sum_x `|p x - q x|.
Definition coupling p q (c : V -> V -> R) :=
  [/\ forall x y, 0 <= c x y,
      forall x, \sum_y c x y = q x                       (* law of the drafted token *)
    & forall y, \sum_x c x y = p y].                     (* law of the emitted token *)

Lemma dist_ge0 p x : is_dist p -> 0 <= p x.
Proof. by case. Qed.

Lemma dist_sum p : is_dist p -> \sum_x p x = 1.
Proof. by case. Qed.

Lemma le_sum1 (F : V -> R) x : (forall y, 0 <= F y) -> F x <= \sum_y F y.
Proof. by move=> F0; rewrite (bigD1 x) //= ler_addl sumr_ge0. Qed.

Lemma dist_le1 p x : is_dist p -> p x <= 1.
Proof. by case=> p0 <-; apply: le_sum1. Qed.

Lemma onehot_dist z : is_dist (onehot z).
Proof.
split=> [x|]; first exact: ler0n.
by rewrite (bigD1 z) //= /onehot eqxx big1 ?addr0 // => x /negPf->.
Qed.

Lemma draw_point p x : draw p (fun y => (y == x)%:R) = p x.
Proof.
rewrite /draw (bigD1 x) //= eqxx mulr1 big1 ?addr0 // => y /negPf->.
by rewrite mulr0.
Qed.

Lemma draw_delta d x c : draw d (fun y => ((y == x) && c)%:R) = d x * c%:R.
Proof.
rewrite /draw (bigD1 x) //= eqxx big1 ?addr0 // => y /negPf->.
by rewrite mulr0.
Qed.

Lemma draw_onehot z f : draw (onehot z) f = f z.
Proof.
rewrite /draw (bigD1 z) //= /onehot eqxx mul1r big1 ?addr0 // => y /negPf->.
by rewrite mul0r.
Qed.

Lemma draw_mass1 d : is_dist d -> mass1 (draw d).
Proof. by case=> _ d1 c; rewrite /draw -mulr_suml d1 mul1r. Qed.

Lemma draw0 d : draw d (fun=> 0) = 0.
Proof. by rewrite /draw big1 // => x _; rewrite mulr0. Qed.

Lemma draw_ext d f g : f =1 g -> draw d f = draw d g.
Proof. by move=> e; apply: eq_bigr => x _; rewrite e. Qed.
End Distributions.

Section Regular.
Variable R : realFieldType.

Lemma regular_ret A (a : A) : regular (ret a : program R A).
Proof. by split=> [f h e|//]; apply: e. Qed.

Lemma regular_bind A B (m : program R A) (k : A -> program R B) :
  regular m -> (forall a, regular (k a)) -> regular (bind m k).
Proof.
move=> [em lm] rk; split=> [f h e|a b f h]; rewrite /bind.
  by apply: em => x; apply: (rk x).1.
by rewrite -lm; apply: em => x; apply: (rk x).2.
Qed.

Lemma regular_flip (a : R) : regular (flip a).
Proof.
split=> [f h e|b c f h]; rewrite /flip ?e // !mulrDr addrACA.
by rewrite ![b * (_ * _)]mulrCA ![c * (_ * _)]mulrCA.
Qed.

Lemma regular_draw (V : finType) (d : V -> R) : regular (draw d).
Proof.
split=> [f h e|b c f h]; first exact: draw_ext.
rewrite /draw !big_distrr -big_split; apply: eq_bigr => x _ /=.
by rewrite mulrDr ![d x * (_ * _)]mulrCA.
Qed.

Lemma regular_mix A (m : program R A) a f h : regular m -> mass1 m ->
  m (fun x => a * f x + (1 - a) * h) = a * m f + (1 - a) * h.
Proof. by move=> [_ lm] m1; rewrite (lm _ _ f (fun=> h)) m1. Qed.

Lemma regular_add A (m : program R A) f h : regular m -> m (fun x => f x + h x) = m f + m h.
Proof.
move=> [em lm]; rewrite -[m f]mul1r -[m h]mul1r -lm.
by apply: em => x; rewrite !mul1r.
Qed.

Lemma regular_scale A (m : program R A) a f : regular m -> m (fun x => a * f x) = a * m f.
Proof.
move=> [em lm]; rewrite -[RHS]addr0 -[X in _ + X](mul0r (m f)) -lm.
by apply: em => x; rewrite mul0r addr0.
Qed.

Lemma regular0 A (m : program R A) : regular m -> m (fun=> 0) = 0.
Proof.
move=> rm; transitivity (m (fun=> 0 * 0)); first by apply: rm.1 => x; rewrite mulr0.
by rewrite (regular_scale 0 (fun=> 0) rm) mul0r.
Qed.

Lemma regular_sub A (m : program R A) f h : regular m -> m (fun x => f x - h x) = m f - m h.
Proof.
move=> rm; rewrite -[m f]mul1r -[m h]mul1r -mulNr -rm.2.
by apply: rm.1 => x; rewrite mul1r mulN1r.
Qed.

Lemma regular_sum A (m : program R A) n (F : nat -> A -> R) : regular m ->
  m (fun x => \sum_(k < n) F k x) = \sum_(k < n) m (F k).
Proof.
move=> rm; elim: n => [|n IH].
  by rewrite big_ord0 -[RHS](regular0 rm); apply: rm.1 => x; rewrite big_ord0.
rewrite big_ord_recr /= -IH -regular_add //.
by apply: rm.1 => x; rewrite big_ord_recr.
Qed.

Lemma regular_sum_fin A (I : finType) (m : program R A) (F : I -> A -> R) : regular m ->
  m (fun a => \sum_i F i a) = \sum_i m (F i).
Proof.
move=> rm; rewrite -[RHS]big_enum /=.
transitivity (m (fun a => \sum_(i <- enum I) F i a)).
  by apply: rm.1 => a; rewrite big_enum.
elim: (enum I) => [|i s IH].
  by rewrite big_nil -[RHS](regular0 rm); apply: rm.1 => a; rewrite big_nil.
by rewrite big_cons -IH -regular_add //; apply: rm.1 => a; rewrite big_cons.
Qed.

(* a number as the count of the numbers below it *)
Lemma natr_count (n m : nat) : (m <= n)%N -> (m%:R : R) = \sum_(k < n) (k < m)%N%:R.
Proof.
elim: n m => [|n IH] [|m] // le; first by rewrite big_ord0.
  by rewrite big1.
by rewrite big_ord_recl /= -(IH m) // -natrD.
Qed.
End Regular.

Section Positive.
Variable R : realFieldType.

(* no event has a negative probability *)
Definition positive A (m : program R A) := forall f, (forall a, 0 <= f a) -> 0 <= m f.

Lemma positive_le A (m : program R A) f h : regular m -> positive m -> (forall a, f a <= h a) -> m f <= m h.
Proof. by move=> rm pm le; rewrite -subr_ge0 -regular_sub //; apply: pm => a; rewrite subr_ge0. Qed.

Lemma positive_ret A (a : A) : positive (ret a : program R A).
Proof. by move=> f f0; apply: f0. Qed.

Lemma positive_bind A B (m : program R A) (k : A -> program R B) :
  positive m -> (forall a, positive (k a)) -> positive (bind m k).
Proof. by move=> pm pk f f0; apply: pm => a; apply: pk. Qed.

Lemma positive_flip (a : R) : 0 <= a -> a <= 1 -> positive (flip a).
Proof. by move=> a0 a1 f f0; rewrite /flip addr_ge0 ?mulr_ge0 ?subr_ge0. Qed.

Lemma positive_draw (V : finType) (d : V -> R) : (forall x, 0 <= d x) -> positive (draw d).
Proof. by move=> d0 f f0; apply: sumr_ge0 => x _; rewrite mulr_ge0. Qed.
End Positive.

Section Models.
Variables (R : realFieldType) (V : finType).
Notation model := (seq V -> V -> R).
Implicit Types (p q : model) (ctx s t : seq V) (n : nat).

Fixpoint autoreg p n ctx : program R (seq V) :=
  if n is n'.+1 then y <- draw (p ctx) ;; s <- autoreg p n' (rcons ctx y) ;; ret (y :: s)
  else ret [::].

Definition complete p n ctx s : program R (seq V) :=
  t <- autoreg p (n - size s) (ctx ++ s) ;; ret (take n (s ++ t)).

(* A call is lossless if what it emits, completed by the target to n tokens, has the target's law, for every n. *)
Definition lossless_call p ctx (m : program R (seq V)) :=
  forall n f, (s <- m ;; complete p n ctx s) f = autoreg p n ctx f.

Lemma autoreg_step p n ctx f : autoreg p n.+1 ctx f =
  \sum_x p ctx x * autoreg p n (rcons ctx x) (fun s => f (x :: s)).
Proof. by []. Qed.

Lemma regular_autoreg p n ctx : regular (autoreg p n ctx).
Proof.
elim: n ctx => [|n IH] ctx; first exact: regular_ret.
apply: regular_bind => [|y]; first exact: regular_draw.
by apply: regular_bind => [|s]; [exact: IH | exact: regular_ret].
Qed.

Lemma autoreg_mass1 p n ctx : (forall c, is_dist (p c)) -> mass1 (autoreg p n ctx).
Proof.
move=> dp; elim: n ctx => [//|n IH] ctx c.
by rewrite -[RHS](draw_mass1 (dp ctx)); apply: (regular_draw _).1 => y; apply: IH.
Qed.

Lemma regular_complete p n ctx s : regular (complete p n ctx s).
Proof. by apply: regular_bind => [|t]; [exact: regular_autoreg | exact: regular_ret]. Qed.

Lemma complete0 p ctx s f : complete p 0 ctx s f = f [::].
Proof. by rewrite /complete /bind sub0n /= /ret take0. Qed.

Lemma complete_cons p n ctx x s f :
  complete p n.+1 ctx (x :: s) f = complete p n (rcons ctx x) s (fun t => f (x :: t)).
Proof. by rewrite /complete /bind /ret /= subSS cat_rcons. Qed.

Lemma complete_nil p n ctx f : complete p n ctx [::] f = autoreg p n ctx (fun t => f (take n t)).
Proof. by rewrite /complete /bind /ret /= subn0 cats0. Qed.

(* n tokens are n *)
Lemma autoreg_size p n ctx f h : (forall s, size s = n -> f s = h s) -> autoreg p n ctx f = autoreg p n ctx h.
Proof.
elim: n ctx f h => [|n IH] ctx f h e /=; first exact: e.
apply: eq_bigr => y _; congr (_ * _); apply: IH => s sz.
by apply: e; rewrite /= sz.
Qed.

Lemma complete_one p n ctx y f :
  complete p n.+1 ctx [:: y] f = autoreg p n (rcons ctx y) (fun t => f (y :: t)).
Proof.
rewrite complete_cons complete_nil; apply: autoreg_size => s <-.
by rewrite take_size.
Qed.
End Models.
