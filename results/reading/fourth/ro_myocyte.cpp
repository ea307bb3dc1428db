#include <math.h>
#define fp float
#define EQUATIONS 12
#define PARAMETERS 6
#define STEPS 3

fp cam(fp timeinst, fp *initvalu, int initvalu_offset, fp *parameter, int parameter_offset, fp *finavalu, fp Ca) {
  //=====================================================================
  //	VARIABLES
  //=====================================================================
  fp Btot;
  fp CaMKIItot;
  fp K;
  fp Mg;
  int initvalu_offset_1, initvalu_offset_2, initvalu_offset_3;
  int parameter_offset_1;
  fp Kd02, Kd24, k20, k02, k42, k24;
  fp rcn02, rcn24, B, reactionCaM;

  initvalu_offset_1 = initvalu_offset;
  initvalu_offset_2 = initvalu_offset + 1;
  initvalu_offset_3 = initvalu_offset + 2;
  parameter_offset_1 = parameter_offset;

  Btot = parameter[parameter_offset_1];
  CaMKIItot = parameter[parameter_offset + 1];
  Mg = parameter[parameter_offset + 2];
  K = 135;

  // thermodynamic and kinetic parameters
  if (Mg <= 1) {
    Kd02 = 0.0025 * (1 + K / 0.94 - Mg / 0.012) * (1 + K / 8.1 + Mg / 0.022);
    Kd24 = 0.128 * (1 + K / 0.64 + Mg / 0.0014) * (1 + K / 13.0 - Mg / 0.153);
  }
  else {
    Kd02 = 0.0025 * (1 + K / 0.94 - 1 / 0.012 + (Mg - 1) / 0.060) * (1 + K / 8.1 + 1 / 0.022 + (Mg - 1) / 0.068);
    Kd24 = 0.128 * (1 + K / 0.64 + 1 / 0.0014 + (Mg - 1) / 0.005) * (1 + K / 13.0 - 1 / 0.153 + (Mg - 1) / 0.150);
  }
  k20 = 10;
  k02 = k20 / Kd02;
  k42 = 500;
  k24 = k42 / Kd24;

  B = Btot - initvalu[initvalu_offset_1] - initvalu[initvalu_offset_2] - initvalu[initvalu_offset_3];
  rcn02 = k02 * pow(Ca, 2) * initvalu[initvalu_offset_1] - k20 * initvalu[initvalu_offset_2];
  rcn24 = k24 * pow(Ca, 2) * initvalu[initvalu_offset_2] - k42 * initvalu[initvalu_offset_3];
  reactionCaM = 1e-3 * (-rcn02 + CaMKIItot * B);

  finavalu[initvalu_offset_1] = reactionCaM;
  finavalu[initvalu_offset_2] = 1e-3 * (rcn02 - rcn24);
  finavalu[initvalu_offset_3] = 1e-3 * rcn24;

  return fmod(timeinst, 500) < 5 ? 1e-3f * (2 * rcn02 * CaMKIItot) : 1e-3f * (2 * (rcn24 - rcn02));
}

extern "C" {
void workload(fp initvalu[EQUATIONS], fp parameter[PARAMETERS], fp finavalu[EQUATIONS], fp com[STEPS]) {
#pragma HLS INTERFACE m_axi port=initvalu offset=slave bundle=gmem1
#pragma HLS INTERFACE m_axi port=finavalu offset=slave bundle=gmem2
  int i, t;
  for (t = 0; t < STEPS; t++) {
    fp JCaDyad = cam((fp)t, initvalu, 0, parameter, 0, finavalu, initvalu[11] * 1e3);
    fp JCaSL = cam((fp)t, initvalu, 3, parameter, 3, finavalu, initvalu[10] * 1e3);
    for (i = 6; i < EQUATIONS; i++) {
      if (i == 6)
        finavalu[i] = exp(-initvalu[i]) - JCaSL;
      else if (i < 9)
        finavalu[i] = (initvalu[i - 1] - initvalu[i]) / (1 + exp((initvalu[i] + 57.88) / -9.03));
      else
        finavalu[i] = JCaDyad * 1e-2 + finavalu[i - 3];
    }
    for (i = 0; i < EQUATIONS; i++)
      initvalu[i] += finavalu[i] * 0.001;
    com[t] = JCaDyad + JCaSL;
  }
}
}
