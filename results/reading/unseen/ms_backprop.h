#ifndef BACKPROP_H
#define BACKPROP_H
#define IN 6
#define HID 8
#define OUT 3
#define SETS 4
#define RATE 0.125
typedef double TYPE;
void train(TYPE w1[IN * HID], TYPE w2[HID * OUT], TYPE b1[HID], TYPE b2[OUT],
           TYPE samples[SETS * IN], TYPE targets[SETS * OUT]);
#endif
