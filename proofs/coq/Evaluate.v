(* The definitions as programs over lists, so that they can be run.

   Sums over a finite type do not compute. Here every closed form of TokenRule.v, ChainRule.v and BlockRule.v is
   written once more over lists, for numbers of any kind: seven operations on a type T. The lemmas at the end say that
   over an ordered field the list of the values of a row is the row of the definition; over Coq's binary rationals the
   same text runs. What it gives on small rationals is compared with proofs/token_rule.py, proofs/chain_rule.py and
   proofs/block_rule.py, digit by digit, by the tests: that ties these definitions to those functions. *)

From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq.
From mathcomp Require Import choice fintype bigop order ssralg ssrnum.
From SpecDec Require Import Distribution TokenRule ChainRule BlockRule.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Programs.
Variables (T : Type) (zero one : T) (add sub mul div : T -> T -> T) (le : T -> T -> bool).
Implicit Types (p q : seq T) (a b : T).

Definition sum_of (s : seq T) : T := foldr add zero s.
Definition min_of a b : T := if le a b then a else b.
Definition pos_of a : T := if le zero a then a else zero.
Definition abs_of a : T := if le zero a then a else sub zero a.
Definition ratio_of a b : T := if le b a then one else div a b.
Definition with2 (f : T -> T -> T) p q : seq T := [seq f ab.1 ab.2 | ab <- zip p q].

Definition ratio_row p q := with2 ratio_of p q.
Definition excess_of p q := sum_of (with2 (fun a b => pos_of (sub a b)) p q).
Definition residual_row p q :=
  let mass := excess_of p q in
  if le mass zero then p else with2 (fun a b => div (pos_of (sub a b)) mass) p q.
Definition alpha_of p q := sum_of (with2 (fun a b => mul b (ratio_of a b)) p q).
Definition emitted_row p q :=
  let rejected := sum_of (with2 (fun a b => mul b (sub one (ratio_of a b))) p q) in
  with2 add (with2 (fun a b => mul b (ratio_of a b)) p q) [seq mul rejected r | r <- residual_row p q].
Definition tv_of p q := mul (div one (add one one)) (sum_of (with2 (fun a b => abs_of (sub a b)) p q)).

(* models over tokens of any type A; the vocabulary is a list of them *)
Section Calls.
Variables (A : Type) (tokens : seq A) (p q : seq A -> A -> T).

Definition if_last (s : seq A) a : T := if s is [::] then a else zero.

Fixpoint chain_of g ctx w : T :=
  match g, w with
  | _, [::] => zero
  | 0, y :: s => if_last s (p ctx y)
  | g'.+1, x :: s => add (mul (min_of (p ctx x) (q ctx x)) (chain_of g' (rcons ctx x) s))
                         (if_last s (pos_of (sub (p ctx x) (q ctx x))))
  end.

Fixpoint kept_of k ctx : T :=
  if k is k'.+1 then sum_of [seq mul (min_of (p ctx x) (q ctx x)) (kept_of k' (rcons ctx x)) | x <- tokens]
  else one.

Definition weight_of w ctx x : T := ratio_of (mul w (p ctx x)) (q ctx x).

Fixpoint block_of g ctx w s : T :=
  match g, s with
  | _, [::] => zero
  | 0, y :: s' => if_last s' (mul w (p ctx y))
  | g'.+1, x :: s' => add (mul (q ctx x) (block_of g' (rcons ctx x) (weight_of w ctx x) s'))
                          (if_last s' (pos_of (sub (mul w (p ctx x)) (q ctx x))))
  end.

Fixpoint accepted_of k ctx w : T :=
  if k is k'.+1 then sum_of [seq mul (q ctx x) (accepted_of k' (rcons ctx x) (weight_of w ctx x)) | x <- tokens]
  else w.
End Calls.
End Programs.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Meaning.
Variables (R : realFieldType) (V : finType).
Implicit Types (p q f : V -> R) (x : V).

Local Notation plus := (fun a b : R => a + b).
Local Notation minus := (fun a b : R => a - b).
Local Notation times := (fun a b : R => a * b).
Local Notation over := (fun a b : R => a / b).
Local Notation below := (fun a b : R => a <= b).

Definition row f : seq R := [seq f x | x <- enum V].

Lemma sum_row f : sum_of 0 plus (row f) = \sum_x f x.
Proof.
rewrite -big_enum /= /row; elim: (enum V) => [|x s IH]; first by rewrite big_nil.
by rewrite big_cons -IH.
Qed.

Lemma with2_row h p q : with2 h (row p) (row q) = row (fun x => h (p x) (q x)).
Proof. by rewrite /with2 /row zip_map -map_comp. Qed.

Lemma map_row (h : R -> R) p : [seq h a | a <- row p] = row (fun x => h (p x)).
Proof. by rewrite /row -map_comp. Qed.

Lemma row_ext f g : f =1 g -> row f = row g.
Proof. by move=> e; apply: eq_map. Qed.

Lemma pos_ofE (a : R) : pos_of 0 below a = pos a.
Proof. by rewrite /pos_of /pos; case: lerP. Qed.

Lemma min_ofE (a b : R) : min_of below a b = Num.min a b.
Proof. by rewrite /min_of; case: lerP. Qed.

Lemma ratio_ofE p q x : ratio_of 1 over below (p x) (q x) = ratio p q x.
Proof. by []. Qed.

Lemma excess_row p q : excess_of 0 plus minus below (row p) (row q) = excess p q.
Proof. by rewrite /excess_of with2_row sum_row; apply: eq_bigr => x _; rewrite pos_ofE. Qed.

Lemma ratio_rowE p q : ratio_row 1 over below (row p) (row q) = row (ratio p q).
Proof. by rewrite /ratio_row with2_row. Qed.

Lemma residual_rowE p q : residual_row 0 plus minus over below (row p) (row q) = row (residual p q).
Proof.
rewrite /residual_row excess_row with2_row /residual (eq_le (excess p q)) excess_ge0 andbT.
by case: ifP => _; apply: row_ext => x; rewrite ?pos_ofE.
Qed.

Lemma alpha_ofE p q : alpha_of 0 1 plus times over below (row p) (row q) = alpha p q.
Proof. by rewrite /alpha_of with2_row sum_row. Qed.

Lemma emitted_rowE p q : emitted_row 0 1 plus minus times over below (row p) (row q) = row (emitted p q).
Proof.
by rewrite /emitted_row residual_rowE map_row !with2_row sum_row.
Qed.

Lemma tv_ofE p q : tv_of 0 1 plus minus times over below (row p) (row q) = tv p q.
Proof.
rewrite /tv_of with2_row sum_row /tv -[1 + 1]/(2%:R) div1r; congr (_ * _); apply: eq_bigr => x _.
by rewrite /abs_of sub0r; case: (lerP 0) => [ge|lt]; [rewrite ger0_norm | rewrite ltr0_norm].
Qed.

Section Calls.
Variables p q : seq V -> V -> R.

Lemma if_lastE (s : seq V) (a : R) : if_last 0 s a = a * (s == [::])%:R.
Proof. by case: s => [|x s]; rewrite ?mulr1 ?mulr0. Qed.

Lemma chain_ofE g ctx w :
  chain_of 0 plus minus times below p q g ctx w = emitted_law p q g ctx w.
Proof.
elim: g ctx w => [|g IH] ctx [|x s] //=; rewrite if_lastE //.
by rewrite IH min_ofE pos_ofE.
Qed.

Lemma kept_ofE k ctx : kept_of 0 1 plus times below (enum V) p q k ctx = kept_mass p q k ctx.
Proof.
elim: k ctx => [//|k IH] ctx /=; rewrite -/(row _) sum_row.
by apply: eq_bigr => x _; rewrite IH min_ofE.
Qed.

Lemma block_ofE g ctx w s :
  block_of 0 1 plus minus times over below p q g ctx w s = block_law p q g ctx w s.
Proof.
elim: g ctx w s => [|g IH] ctx w [|x s] //=; rewrite if_lastE //.
by rewrite IH pos_ofE.
Qed.

Lemma accepted_ofE k ctx w :
  accepted_of 0 1 plus times over below (enum V) p q k ctx w = accepted_mass p q k ctx w.
Proof.
elim: k ctx w => [//|k IH] ctx w /=; rewrite -/(row _) sum_row.
by apply: eq_bigr => x _; rewrite IH.
Qed.
End Calls.
End Meaning.
