/* The functions for C: every one is called, rightly and wrongly. */
#include <linkwright/c/linkwright.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;
static void expect(int holds, const char* what) {
    if (holds) return;
    fprintf(stderr, "does not hold: %s\n%s", what, lw_problems());
    ++failures;
}
#define EXPECT(condition) expect(condition, #condition)

int main(int argc, char** argv) {
    (void)argc;
    EXPECT(strlen(lw_version()) > 0);
    lw_mechanism* crane = lw_open(argv[1], "drive=100; theta_unknown=1");
    EXPECT(crane == NULL && strstr(lw_problems(), "theta_unknown") != NULL);
    crane = lw_open(argv[1], " drive=100 ;");
    EXPECT(crane != NULL);
    if (crane == NULL) return 1;
    EXPECT(lw_count(crane, LW_COORDINATES) == 2 && lw_count(crane, LW_SPEEDS) == 2 && lw_count(crane, LW_INPUTS) == 1);
    EXPECT(lw_count(crane, LW_MULTIPLIERS) == 0 && lw_count(crane, LW_STATES) == 0 && lw_count(crane, LW_PARAMETERS) == 4);
    EXPECT(strcmp(lw_name(crane, LW_COORDINATES, 1), "theta") == 0 && lw_name(crane, LW_COORDINATES, 2) == NULL);

    double t = -1, q[2], u[2], w[1], M[4], f[2], a[2], qdot[2];
    EXPECT(lw_start(crane, &t, q, u, NULL, w) == LW_DONE && t == 0 && q[0] == 0 && w[0] == 100);
    EXPECT(lw_equations(crane, t, q, u, NULL, w, M, f, NULL, NULL) == LW_DONE);
    EXPECT(M[0] == 200 && M[1] == M[2] && fabs(M[1] - 80 * 4 * cos(q[1])) < 1e-12);
    EXPECT(lw_accelerations(crane, t, q, u, NULL, NULL, a, NULL) == LW_DONE);
    for (int i = 0; i < 2; ++i) EXPECT(fabs(M[2 * i] * a[0] + M[2 * i + 1] * a[1] - f[i]) < 1e-9);
    u[0] = 2, u[1] = 3;
    EXPECT(lw_rates(crane, t, q, u, NULL, NULL, qdot, NULL) == LW_DONE && qdot[0] == 2 && qdot[1] == 3);
    EXPECT(lw_outputs(crane, t, q, u, NULL, NULL, a) == LW_DONE);
    EXPECT(lw_accelerations(crane, t, NULL, u, NULL, NULL, a, NULL) == LW_WRONG_INPUT && strlen(lw_problems()) > 0);
    EXPECT(lw_accelerations(NULL, t, q, u, NULL, NULL, a, NULL) == LW_WRONG_INPUT);

    char* page = lw_derive(crane, "latex");
    EXPECT(page != NULL && strstr(page, "\\documentclass") != NULL);
    lw_free(page);
    EXPECT(lw_derive(crane, "papyrus") == NULL && strstr(lw_problems(), "markdown") != NULL);
    char* rows = lw_simulate(crane, 1, 10, 1e-8);
    int lines = 0;
    for (const char* c = rows; c != NULL && *c != '\0'; ++c) lines += *c == '\n';
    EXPECT(lines == 12);
    lw_free(rows);
    EXPECT(lw_simulate(crane, -1, 10, 1e-8) == NULL && strlen(lw_problems()) > 0);
    lw_close(crane);

    EXPECT(lw_open_text("format = 1\n[[body]]\nname = 1\n", "wrong.toml", NULL) == NULL && strstr(lw_problems(), "wrong.toml:3:") != NULL);
    EXPECT(lw_open("there is no such file", NULL) == NULL && lw_open(NULL, NULL) == NULL);
    lw_mechanism* spring = lw_open_text(
        "format = 1\n[[body]]\nname = \"b\"\nmass = 1\n[[joint]]\nname = \"x\"\ntype = \"prismatic\"\nparent = \"ground\"\nchild = \"b\"\nstiffness = 4\n",
        NULL, NULL);
    char* modes = lw_modes(spring);
    EXPECT(modes != NULL && strstr(modes, "frequencies_hz") != NULL);
    lw_free(modes), lw_free(NULL), lw_close(spring), lw_close(NULL);
    puts(failures == 0 ? "done" : "failed");
    return failures != 0;
}
