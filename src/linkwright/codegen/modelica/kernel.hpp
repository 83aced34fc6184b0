#pragma once
// What emitted packages contain besides straight-line code, in Modelica. Plain loops and arrays of full size with a
// rank beside them, because an array in a function cannot get its size from a number that is computed there.

namespace linkwright::codegen::modelica {

inline constexpr const char* factor_kernel = R"(
  function factor "A P = Q R with column pivoting, by reflections; column k of A P is column p[k] of A"
    input Real A[:, :];
    output Real Q[size(A, 1), size(A, 1)];
    output Real R[size(A, 1), size(A, 2)];
    output Integer p[size(A, 2)];
  protected
    Integer n = size(A, 1);
    Integer m = size(A, 2);
    Integer best;
    Integer swap;
    Real x[size(A, 1)];
    Real most;
    Real s;
  algorithm
    R := A;
    Q := identity(n);
    for j in 1:m loop
      p[j] := j;
    end for;
    for k in 1:min(n, m) loop
      // the longest of the columns that are left
      best := k;
      most := -1.0;
      for j in k:m loop
        s := 0.0;
        for i in k:n loop
          s := s + R[i, j]*R[i, j];
        end for;
        if s > most then
          most := s;
          best := j;
        end if;
      end for;
      if best > k then
        swap := p[k];
        p[k] := p[best];
        p[best] := swap;
        for i in 1:n loop
          s := R[i, k];
          R[i, k] := R[i, best];
          R[i, best] := s;
        end for;
      end if;
      if most > 0.0 then
        // reflected at the plane across x: column k becomes a multiple of the axis k
        for i in 1:n loop
          x[i] := if i < k then 0.0 else R[i, k];
        end for;
        x[k] := x[k] + (if x[k] < 0.0 then -sqrt(most) else sqrt(most));
        most := 0.0;
        for i in k:n loop
          most := most + x[i]*x[i];
        end for;
        for j in k:m loop
          s := 0.0;
          for i in k:n loop
            s := s + x[i]*R[i, j];
          end for;
          s := 2.0*s/most;
          for i in k:n loop
            R[i, j] := R[i, j] - s*x[i];
          end for;
        end for;
        for j in 1:n loop
          s := 0.0;
          for i in k:n loop
            s := s + Q[j, i]*x[i];
          end for;
          s := 2.0*s/most;
          for i in k:n loop
            Q[j, i] := Q[j, i] - s*x[i];
          end for;
        end for;
      end if;
    end for;
  end factor;
)";

inline constexpr const char* definite_kernel = R"(
  function solve_definite "X with A X = B, A symmetric and positive definite in its first n rows and columns"
    input Real A[:, :];
    input Real B[:, :];
    input Integer n;
    input Real extent[:] "what rounding errors of A[i, i] are proportional to";
    output Real X[size(B, 1), size(B, 2)];
  protected
    Real L[size(A, 1), size(A, 1)];
    Real s;
  algorithm
    X := B;
    L := A;
    for j in 1:n loop
      s := L[j, j];
      for k in 1:j - 1 loop
        s := s - L[j, k]*L[j, k];
      end for;
      assert(s > 1.8e-15*n*extent[j], "a motion that the constraints allow has no inertia");
      L[j, j] := sqrt(s);
      for i in j + 1:n loop
        s := L[i, j];
        for k in 1:j - 1 loop
          s := s - L[i, k]*L[j, k];
        end for;
        L[i, j] := s/L[j, j];
      end for;
    end for;
    for c in 1:size(B, 2) loop
      for i in 1:n loop
        s := X[i, c];
        for k in 1:i - 1 loop
          s := s - L[i, k]*X[k, c];
        end for;
        X[i, c] := s/L[i, i];
      end for;
      for r in 1:n loop
        s := X[n + 1 - r, c];
        for k in n + 2 - r:n loop
          s := s - L[k, n + 1 - r]*X[k, c];
        end for;
        X[n + 1 - r, c] := s/L[n + 1 - r, n + 1 - r];
      end for;
    end for;
  end solve_definite;
)";

// [Y Z] from QR with column pivoting, G Z = 0, and a second QR where rows are redundant: the method of
// solve/descriptor.hpp.
inline constexpr const char* descriptor_kernel = R"(
  function solve_descriptor "M udot + G' lambda = f, G udot = gamma, by the null-space method"
    input Real M[:, :] "positive definite on the motions that G allows";
    input Real f[size(M, 1), :] "columns are right-hand sides";
    input Real G[:, size(M, 1)] "rows may be redundant";
    input Real gamma[size(G, 1), size(f, 2)];
    input Integer known "how many rows of G are independent; negative: counted with a tolerance of 1e-10";
    output Real udot[size(M, 1), size(f, 2)];
    output Real lambda[size(G, 1), size(f, 2)] "the one of smallest norm";
  protected
    Integer n = size(M, 1);
    Integer m = size(G, 1);
    Integer sides = size(f, 2);
    Integer rank;
    Integer heavy;
    Integer p[size(G, 1)];
    Integer p2[size(G, 1)];
    Integer p3[size(G, 1)];
    Real column[size(M, 1)];
    Real row[size(G, 1)];
    Real A[size(M, 1), size(G, 1)];
    Real Q[size(M, 1), size(M, 1)];
    Real R[size(M, 1), size(G, 1)];
    Real B[size(G, 1), size(G, 1)];
    Real Q2[size(G, 1), size(G, 1)];
    Real S[size(G, 1), size(G, 1)];
    Real Q3[size(G, 1), size(G, 1)];
    Real S3[size(G, 1), size(G, 1)];
    Real Ms[size(M, 1), size(M, 1)];
    Real H[size(M, 1), size(M, 1)];
    Real extent[size(M, 1)];
    Real force[size(M, 1), size(f, 2)];
    Real z[size(M, 1), size(f, 2)];
    Real y[size(G, 1)];
    Real x[size(G, 1)];
    Real s;
    Real longest;
    Real least;
  algorithm
    // speeds against their inertia, then rows to length 1, but short ones stay short
    heavy := 0;
    s := 0.0;
    for j in 1:n loop
      if M[j, j] > 0.0 then
        heavy := heavy + 1;
        s := s + log(M[j, j]);
      end if;
    end for;
    for j in 1:n loop
      column[j] := 1.0;
      if M[j, j] > 0.0 then
        column[j] := min(1.0e4, max(1.0e-4, exp((s/heavy - log(M[j, j]))/2.0)));
      end if;
    end for;
    longest := 0.0;
    for i in 1:m loop
      s := 0.0;
      for j in 1:n loop
        s := s + (G[i, j]*column[j])*(G[i, j]*column[j]);
      end for;
      row[i] := sqrt(s);
      longest := max(longest, row[i]);
    end for;
    for i in 1:m loop
      row[i] := if longest < 1.0e-13 then 1.0 else 1.0/max(row[i], 0.01*longest);
    end for;
    for j in 1:n loop
      for i in 1:m loop
        A[j, i] := row[i]*G[i, j]*column[j];
      end for;
      for i in 1:n loop
        Ms[i, j] := column[i]*M[i, j]*column[j];
      end for;
    end for;

    // G' P = Q R, Q = [Y Z], G Z = 0; then B = R[1:rank, :]', B P2 = Q2 S
    (Q, R, p) := factor(A);
    rank := 0;
    least := if known < 0 then 1.0e-10 else 1.8e-15*(n + m);
    for i in 1:min(n, m) loop
      if abs(R[i, i]) > least*abs(R[1, 1]) and (known < 0 or i <= known) then
        rank := rank + 1;
      end if;
    end for;
    for i in 1:m loop
      for j in 1:m loop
        B[i, j] := 0.0;
        if j <= rank then
          B[i, j] := R[j, i];
        end if;
      end for;
    end for;
    (Q2, S, p2) := factor(B);

    // what the constraints alone decide: S P2' (Y' udot) = Q2' P' gamma
    for c in 1:sides loop
      for i in 1:rank loop
        y[i] := 0.0;
        for k in 1:m loop
          y[i] := y[i] + Q2[k, i]*row[p[k]]*gamma[p[k], c];
        end for;
      end for;
      for r in 1:rank loop
        s := y[rank + 1 - r];
        for k in rank + 2 - r:rank loop
          s := s - S[rank + 1 - r, k]*x[p2[k]];
        end for;
        x[p2[rank + 1 - r]] := s/S[rank + 1 - r, rank + 1 - r];
      end for;
      for j in 1:n loop
        udot[j, c] := 0.0;
        for k in 1:rank loop
          udot[j, c] := udot[j, c] + Q[j, k]*x[k];
        end for;
      end for;
    end for;

    // and what is left to inertia: (Z' M Z) z = Z' (f - M udot)
    H := zeros(n, n);
    extent := zeros(n);
    for i in 1:n - rank loop
      for j in 1:n - rank loop
        for k in 1:n loop
          for l in 1:n loop
            H[i, j] := H[i, j] + Q[k, rank + i]*Ms[k, l]*Q[l, rank + j];
            if i == j then
              extent[i] := extent[i] + abs(Q[k, rank + i]*Ms[k, l]*Q[l, rank + j]);
            end if;
          end for;
        end for;
      end for;
    end for;
    for c in 1:sides loop
      for k in 1:n loop
        force[k, c] := column[k]*f[k, c];
        for l in 1:n loop
          force[k, c] := force[k, c] - Ms[k, l]*udot[l, c];
        end for;
      end for;
      for i in 1:n loop
        z[i, c] := 0.0;
        if i <= n - rank then
          for k in 1:n loop
            z[i, c] := z[i, c] + Q[k, rank + i]*force[k, c];
          end for;
        end if;
      end for;
    end for;
    z := solve_definite(H, z, n - rank, extent);
    for c in 1:sides loop
      for k in 1:n loop
        for i in 1:n - rank loop
          udot[k, c] := udot[k, c] + Q[k, rank + i]*z[i, c];
        end for;
      end for;
    end for;

    // G' lambda = f - M udot: S' (Q2' P' lambda) = P2' Y' (f - M udot)
    for c in 1:sides loop
      for k in 1:n loop
        force[k, c] := column[k]*f[k, c];
        for l in 1:n loop
          force[k, c] := force[k, c] - Ms[k, l]*udot[l, c];
        end for;
      end for;
      for i in 1:rank loop
        s := 0.0;
        for k in 1:n loop
          s := s + Q[k, p2[i]]*force[k, c];
        end for;
        for k in 1:i - 1 loop
          s := s - S[k, i]*y[k];
        end for;
        y[i] := s/S[i, i];
      end for;
      for i in 1:m loop
        s := 0.0;
        for k in 1:rank loop
          s := s + Q2[i, k]*y[k];
        end for;
        lambda[p[i], c] := row[p[i]]*s;
      end for;
    end for;
    if rank < m then
      // of all lambda the shortest: nothing along what G' does not see
      for i in 1:m loop
        for j in 1:m loop
          B[p[i], j] := 0.0;
          if j <= m - rank then
            B[p[i], j] := row[p[i]]*Q2[i, rank + j];
          end if;
        end for;
      end for;
      (Q3, S3, p3) := factor(B);
      for c in 1:sides loop
        for k in 1:m - rank loop
          s := 0.0;
          for i in 1:m loop
            s := s + Q3[i, k]*lambda[i, c];
          end for;
          for i in 1:m loop
            lambda[i, c] := lambda[i, c] - s*Q3[i, k];
          end for;
        end for;
      end for;
    end if;
    for c in 1:sides loop
      for k in 1:n loop
        udot[k, c] := column[k]*udot[k, c];
      end for;
    end for;
  end solve_descriptor;
)";

}  // namespace linkwright::codegen::modelica
