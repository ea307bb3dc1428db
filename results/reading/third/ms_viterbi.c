/* min-sum forward pass; the observations index the emission table */
#include <stdint.h>
typedef double prob_t;
typedef uint8_t tok_t;
typedef uint8_t state_t;
typedef int32_t step_t;
#define N_STATES 6
#define N_OBS 10
#define N_TOKENS 8

int viterbi(tok_t obs[N_OBS], prob_t init[N_STATES], prob_t transition[N_STATES * N_STATES],
            prob_t emission[N_STATES * N_TOKENS], prob_t llike[N_OBS][N_STATES]) {
  step_t t;
  state_t prev, curr;
  prob_t min_p, p;
L_init:
  for (curr = 0; curr < N_STATES; curr++) {
    llike[0][curr] = init[curr] + emission[curr * N_TOKENS + obs[0]];
  }
L_timestep:
  for (t = 1; t < N_OBS; t++) {
  L_curr_state:
    for (curr = 0; curr < N_STATES; curr++) {
      prev = 0;
      min_p = llike[t - 1][prev] + transition[prev * N_STATES + curr] + emission[curr * N_TOKENS + obs[t]];
    L_prev_state:
      for (prev = 1; prev < N_STATES; prev++) {
        p = llike[t - 1][prev] + transition[prev * N_STATES + curr] + emission[curr * N_TOKENS + obs[t]];
        if (p < min_p) {
          min_p = p;
        }
      }
      llike[t][curr] = min_p;
    }
  }
  return 0;
}
