#include "linkwright/codegen/fortran/kernel.hpp"

namespace linkwright::codegen::fortran {

const char* const definite_kernel = R"kernel(
  ! A X = B by A = L D L'; of A (n x n) the lower triangle is read and overwritten, B (n x k) becomes X. bounds(i) is what
  ! rounding errors of A(i, i) are proportional to. Not definite: a pivot is not positive beyond rounding; B is left alone.
  pure recursive subroutine solve_definite(n, A, bounds, B, is_definite)
    integer, intent(in) :: n
    real(dp), intent(inout) :: A(:, :), B(:, :)
    real(dp), intent(in) :: bounds(:)
    logical, intent(out) :: is_definite
    real(dp) :: z(n), d, bound
    integer :: i, j, l
    is_definite = .false.
    do j = 1, n
      d = A(j, j)
      do i = 1, j - 1
        d = d - A(j, i)*A(j, i)*A(i, i)
      end do
      if (.not. d > 1e-3_dp*bounds(j)) then
        ! z' A z = d with z(j) = 1, so errors of A are worth (sum |z| sqrt(bounds))^2 here
        bound = sqrt(bounds(j))
        do i = j - 1, 1, -1
          z(i) = -A(j, i) - dot_product(A(i+1:j-1, i), z(i+1:j-1))
          bound = bound + abs(z(i))*sqrt(bounds(i))
        end do
        if (.not. d > 8*epsilon(d)*bound*bound) return
      end if
      A(j, j) = d
      do i = j + 1, n
        do l = 1, j - 1
          A(i, j) = A(i, j) - A(i, l)*A(j, l)*A(l, l)
        end do
        A(i, j) = A(i, j)/d
      end do
    end do
    do i = 1, n
      do l = 1, i - 1
        B(i, :) = B(i, :) - A(i, l)*B(l, :)
      end do
    end do
    do i = n, 1, -1
      B(i, :) = B(i, :)/A(i, i)
      do l = i + 1, n
        B(i, :) = B(i, :) - A(l, i)*B(l, :)
      end do
    end do
    is_definite = .true.
  end subroutine
)kernel";

const char* const descriptor_kernel = R"kernel(
  ! B := (1 - beta v v') B
  pure subroutine reflect(v, beta, B)
    real(dp), intent(in) :: v(:), beta
    real(dp), intent(inout) :: B(:, :)
    integer :: j
    do j = 1, size(B, 2)
      B(:, j) = B(:, j) - (beta*dot_product(v, B(:, j)))*v
    end do
  end subroutine

  ! Makes x the v of a reflection 1 - beta v v' that takes it to (d, 0, 0, ...).
  pure subroutine make_reflection(x, beta, d)
    real(dp), intent(inout) :: x(:)
    real(dp), intent(out) :: beta, d
    d = sign(norm2(x), -x(1))
    x(1) = x(1) - d
    beta = -1/(d*x(1))
  end subroutine

  ! M X + G' L = F, G X = C for k right-hand sides: F becomes X, C becomes L; M and G are overwritten. Rows of G may depend
  ! on each other: of all multipliers, L are those of smallest norm. nr of them are independent, as they were at the start; less
  ! only where rounding leaves nothing of the others. The method is that of the null space. With rows of G scaled to length 1
  ! and columns by 1/sqrt(M(j, j)),
  !
  !     P G = V T Q1', Q = [Q1 Q2] from a pivoted QR of G', V and the triangle T from a QR of what that leaves
  !     T y = V' P C               what the constraints alone decide
  !     Q2' M Q2 z = Q2' (F - M Q1 y),   X = Q1 y + Q2 z
  !     T' (V' P L) = Q1' (F - M X)
  !
  ! No inertia: a motion that the constraints allow has none.
  pure recursive subroutine solve_descriptor(M, G, k, F, C, has_inertia)
    integer, intent(in) :: k
    real(dp), intent(inout) :: M(nu, nu), G(nm, nu), F(nu, k), C(nm, k)
    logical, intent(out) :: has_inertia
    real(dp) :: A(nu, nm), W(nm, nm), N(nm, nm), row(nm), column(nu), bounds(nu), r(nm, k)
    real(dp) :: beta(nm), diagonal(nm), turn(nm), triangle(nm), length, longest, least, first
    integer :: order(nm), rank, s, i, l, pivot, twice

    ! scales: 1/sqrt(M(j, j)) against its geometric mean, within four decades; rows of length 1, but short ones stay short
    first = 0
    i = 0
    do s = 1, nu
      if (M(s, s) > 0) then
        first = first + log(M(s, s))
        i = i + 1
      end if
    end do
    column = 1
    do s = 1, nu
      if (M(s, s) > 0) column(s) = min(max(exp((first/i - log(M(s, s)))/2), 1e-4_dp), 1e4_dp)
    end do
    do s = 1, nu
      G(:, s) = G(:, s)*column(s)
      M(:, s) = M(:, s)*column*column(s)
    end do
    do i = 1, k
      F(:, i) = F(:, i)*column
    end do
    do i = 1, nm
      row(i) = norm2(G(i, :))
      order(i) = i
    end do
    longest = maxval(row)
    do i = 1, nm
      if (longest > 1e-13_dp) then
        row(i) = 1/max(row(i), 0.01_dp*longest)
      else
        row(i) = 1
      end if
      A(:, i) = G(i, :)*row(i)
      C(i, :) = C(i, :)*row(i)
    end do
    bounds = 0
    do s = 1, nu
      bounds = max(bounds, abs(M(s, s)))
    end do

    ! A = G', A P' = Q R: column s of A keeps the s-th reflection from place s on, later columns the entries of R before it
    rank = 0
    first = 0
    least = merge(1e-10_dp, 8*epsilon(least)*(nu + nm), nr < 0)
    do s = 1, merge(min(nu, nm), min(nu, nm, nr), nr < 0)
      pivot = s
      length = -1
      do i = s, nm
        if (norm2(A(s:, i)) > length) then
          length = norm2(A(s:, i))
          pivot = i
        end if
      end do
      if (s == 1) first = length
      if (.not. length > least*first) exit
      if (pivot /= s) then
        A(:, [s, pivot]) = A(:, [pivot, s])
        order([s, pivot]) = order([pivot, s])
      end if
      call make_reflection(A(s:, s), beta(s), diagonal(s))
      call reflect(A(s:, s), beta(s), A(s:, s+1:))
      rank = s
    end do

    ! R' = V T: column s of W keeps the s-th reflection from place s on, T stands above
    W = 0
    do s = 1, rank
      W(s, s) = diagonal(s)
      W(s+1:, s) = A(s, s+1:)
    end do
    do s = 1, rank
      call make_reflection(W(s:, s), turn(s), triangle(s))
      call reflect(W(s:, s), turn(s), W(s:, s+1:rank))
    end do

    ! M := Q' M Q, F := Q' F; and in place of the first `rank` rows of C: y
    do s = 1, rank
      call reflect(A(s:, s), beta(s), M(s:, :))
      M = transpose(M)
      call reflect(A(s:, s), beta(s), M(s:, :))
      M = transpose(M)
      call reflect(A(s:, s), beta(s), F(s:, :))
    end do
    C = C(order, :)
    do s = 1, rank
      call reflect(W(s:, s), turn(s), C(s:, :))
    end do
    do s = rank, 1, -1
      do l = s + 1, rank
        C(s, :) = C(s, :) - W(s, l)*C(l, :)
      end do
      C(s, :) = C(s, :)/triangle(s)
    end do

    ! z in place of the last rows of F, then r = Q1' (F - M X)
    do l = 1, rank
      do i = 1, k
        F(rank+1:, i) = F(rank+1:, i) - M(rank+1:, l)*C(l, i)
      end do
    end do
    call solve_definite(nu - rank, M(rank+1:, rank+1:), bounds(rank+1:), F(rank+1:, :), has_inertia)
    if (.not. has_inertia) F(rank+1:, :) = 0
    r = 0
    do i = 1, k
      r(:rank, i) = F(:rank, i) - matmul(M(:rank, :rank), C(:rank, i)) - matmul(M(:rank, rank+1:), F(rank+1:, i))
    end do

    ! X takes y from C, C takes T'^-1 r; then both are turned back
    F(:rank, :) = C(:rank, :)
    do s = 1, rank
      do l = 1, s - 1
        r(s, :) = r(s, :) - W(l, s)*r(l, :)
      end do
      r(s, :) = r(s, :)/triangle(s)
    end do
    do s = rank, 1, -1
      call reflect(A(s:, s), beta(s), F(s:, :))
      call reflect(W(s:, s), turn(s), r(s:, :))
    end do
    do i = 1, k
      F(:, i) = F(:, i)*column
    end do
    do i = 1, nm
      C(order(i), :) = row(order(i))*r(i, :)
    end do

    ! L of smallest norm: less its part along what G' does not see, an orthonormal basis N of which comes from the rest of V
    do s = rank + 1, nm
      N(:, s) = 0
      N(s, s) = 1
      do l = rank, 1, -1
        call reflect(W(l:, l), turn(l), N(l:, s:s))
      end do
      N(order, s) = row(order)*N(:, s)
      do twice = 1, 2
        do l = rank + 1, s - 1
          N(:, s) = N(:, s) - dot_product(N(:, l), N(:, s))*N(:, l)
        end do
        N(:, s) = N(:, s)/norm2(N(:, s))
      end do
      do i = 1, k
        C(:, i) = C(:, i) - dot_product(N(:, s), C(:, i))*N(:, s)
      end do
    end do
  end subroutine
)kernel";

}  // namespace linkwright::codegen::fortran
