// Computes a survival curve.  Reads lines "TIME WEIGHT OVER BATCH" from standard input,
// and prints a line "TIME ALIVE LOW HIGH" for each time at which an object dies.
#include "stats/survival.h"

#include <inttypes.h>
#include <stdio.h>

int main(void) {
    HP_VEC(struct hp_life) lives = {0};
    struct hp_survival survival;
    double time, weight;
    int over;
    uint32_t batch;
    while (scanf("%lf %lf %d %" SCNu32, &time, &weight, &over, &batch) == 4) {
        hp_vec_push(&lives, ((struct hp_life){time, weight, over != 0, batch}));
    }
    hp_survival_init(&survival, lives.at, lives.count, .95);
    const struct hp_survival_step *step;
    hp_vec_each (step, &survival.steps) {
        printf("%.17g %.17g %.17g %.17g\n", step->time, step->alive, step->range.low,
               step->range.high);
    }
    hp_survival_done(&survival);
    hp_vec_done(&lives);
    return 0;
}
