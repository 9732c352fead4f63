/* report.c - options, messages and errors. */
#include <stdarg.h>
#include <string.h>

#include "solver.h"

void options_default(options_t *o)
{
    o->tolerance = 1e-8;
    o->max_iterations = 1000;
    o->omega = 1.5;
    o->check_each = 10;
    o->pre_sweeps = 2;
    o->post_sweeps = 2;
    o->verbosity = LOG_NORMAL;
}

int options_set(options_t *o, const char *name, double value)
{
    if (strcmp(name, "tolerance") == 0)
        o->tolerance = value;
    else if (strcmp(name, "max_iterations") == 0)
        o->max_iterations = (int)value;
    else if (strcmp(name, "omega") == 0)
        o->omega = value;
    else if (strcmp(name, "check_each") == 0)
        o->check_each = (int)value;
    else if (strcmp(name, "verbosity") == 0)
        o->verbosity = (enum log_level)value;
    else
        return SOLVER_BAD_ARGUMENT;
    return SOLVER_OK;
}

void solver_log(const options_t *o, enum log_level level, const char *format, ...)
{
    va_list args;

    if (level > o->verbosity)
        return;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

const char *solver_message(enum solver_error error)
{
    switch (error) {
    case SOLVER_OK:
        return "fine";
    case SOLVER_NO_MEMORY:
        return "no memory";
    case SOLVER_BAD_ARGUMENT:
        return "bad argument";
    case SOLVER_SINGULAR:
        return "singular matrix";
    case SOLVER_DIVERGED:
        return "diverged";
    case SOLVER_NOT_CONVERGED:
        return "not converged";
    }
    return "?";
}

/* Ends the program; what comes after `where` goes into it as with printf. */
void solver_fail(enum solver_error error, const char *where, ...)
{
    va_list args;

    fflush(stdout);
    va_start(args, where);
    vfprintf(stderr, where, args);
    va_end(args);
    fprintf(stderr, ": %s\n", solver_message(error));
    exit(EXIT_FAILURE);
}

real *solver_alloc(size_t n)
{
    real *p = calloc(n ? n : 1, sizeof *p);

    if (!p)
        solver_fail(SOLVER_NO_MEMORY, "solver_alloc(%zu)", n);
    return p;
}
