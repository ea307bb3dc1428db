#include <stdint.h>
#define N_STATES  8
#define N_OBS     10
#define N_TOKENS  8
typedef uint8_t tok_t;
typedef double prob_t;
typedef uint8_t state_t;
typedef uint16_t step_t;

void viterbi_forward(prob_t init[N_STATES], prob_t transition[N_STATES*N_STATES], prob_t emission[N_STATES*N_TOKENS], prob_t last[N_STATES], state_t *end)
{
  prob_t llike[N_OBS][N_STATES];
  step_t t;
  state_t prev, curr;
  prob_t min_p, p;
  state_t min_s;

  L_init: for( curr=0; curr<N_STATES; curr++ ) {
    llike[0][curr] = init[curr] + emission[curr*N_TOKENS+(curr % N_TOKENS)];
  }

  L_timestep: for( t=1; t<N_OBS; t++ ) {
    L_curr_state: for( curr=0; curr<N_STATES; curr++ ) {
      prev = 0;
      min_p = llike[t-1][prev] +
              transition[prev*N_STATES+curr] +
              emission[curr*N_TOKENS+(t & 7)];
      L_prev_state: for( prev=1; prev<N_STATES; prev++ ) {
        p = llike[t-1][prev] +
            transition[prev*N_STATES+curr] +
            emission[curr*N_TOKENS+(t & 7)];
        if( p<min_p ) {
          min_p = p;
        }
      }
      llike[t][curr] = min_p;
    }
  }

  min_s = 0;
  min_p = llike[N_OBS-1][min_s];
  L_end: for( curr=1; curr<N_STATES; curr++ ) {
    p = llike[N_OBS-1][curr];
    if( p<min_p ) {
      min_p = p;
      min_s = curr;
    }
  }
  *end = min_s;
  for( curr=0; curr<N_STATES; curr++ ) last[curr] = llike[N_OBS-1][curr];
}
