/* The cart and pole, derived by hand and coded in C: indices count from 0.
 *
 *     linkwright compare model.toml hand.c
 */
// @ name th = theta
// @ name th_d = theta'
// @ name x_d = x'
// @ target A = M
// @ target b = f
#include <math.h>

void cart_pole(double A[2][2], double b[2]) {
    const double c = cos(th);
    const double s = sin(th);
    const double ml = m * l;

    A[0][0] = M + m;
    A[0][1] = ml * c;
    A[1][0] = A[0][1];
    A[1][1] = 4.0 / 3.0 * ml * l;

    b[0] = F - friction * x_d + ml * pow(th_d, 2) * s;
    b[1] = ml * g * s;
}
